package plain

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"pollux/internal/crash"
	"pollux/internal/face/kit"
	"pollux/internal/manage"
	"pollux/internal/terminal"
	"pollux/tool"
)

// dialog asks one question. It runs on a goroutine of its own, which writes to the
// screen and receives the user's lines from the loop.
type dialog struct {
	q            *kit.Question
	screen       *screen
	page         *page
	terminal     *terminal.Terminal
	editor       func() Editor // nil if there is none
	screenReader bool          // put signs into words
	ctx          context.Context
	cancel       context.CancelFunc
	lend         func(func() error) error
	input        chan string
	result       chan tool.Answer
	opened       time.Time // when answers are taken: a line typed before was meant for something else
	// kind is the [answerKind] that the dialog waits for. isContinued is set while it waits
	// for the next line of an answer.
	kind        atomic.Int32
	isContinued atomic.Bool
}

// page gathers the lines above a prompt: they are written at once, so that nothing else comes between them.
type page struct {
	printer
	lines strings.Builder
}

func newPage(s *screen) *page {
	p := &page{printer: s.printer}
	p.verbatim = func(t string) { p.lines.WriteString(strings.TrimRight(t, "\n") + "\n") }
	return p
}

// take returns the lines and forgets them.
func (p *page) take() string {
	defer p.lines.Reset()
	return p.lines.String()
}

// answerKind says which answers a prompt of a dialog takes.
type answerKind int32

// The kinds of answers: one of a list of choices, any text, and text that is not shown.
const (
	menuAnswer answerKind = iota
	textAnswer
	secretAnswer
)

// errRefused is returned when the user refuses to answer or the dialog is cancelled.
var errRefused = errors.New("the question was refused")

func (l *loop) openDialog(q *kit.Question) {
	d := &dialog{
		q: q, screen: l.screen, page: newPage(l.screen), terminal: l.terminal, editor: l.look.editor, screenReader: l.look.screenReader,
		lend: l.lendTerminal, input: make(chan string, 16), result: make(chan tool.Answer, 1), opened: time.Now().Add(l.answerDelay),
	}
	d.ctx, d.cancel = context.WithCancel(q.Context())
	l.dialog = d
	l.renderer.endAnswer()
	go func() {
		defer crash.Recover()
		answer, err := d.ask()
		if err != nil {
			answer = tool.Answer{Outcome: tool.Cancel}
		}
		d.result <- answer
	}()
}

// dialogDone returns the channel with the answer of the open dialog, nil if no dialog is open.
func (l *loop) dialogDone() <-chan tool.Answer {
	if l.dialog == nil {
		return nil
	}
	return l.dialog.result
}

// finishDialog closes the open dialog and delivers its answer.
func (l *loop) finishDialog(a tool.Answer) {
	d := l.dialog
	l.dialog = nil
	d.cancel()
	l.screen.dropPrompt()
	if l.composer.isOpen() {
		l.screen.deferPrompt(l.promptText())
	}
	l.driver.Answer(d.q, a)
	if l.state.IsBusy {
		l.watchSilence()
	}
	if l.composer.pastedLines > 0 {
		l.showPasted()
	}
}

// sendToDialog sends a line to the open dialog. It returns false if the line is not an answer: it belongs to a prompt,
// was typed before the question could be read, or is a command that may run now.
func (l *loop) sendToDialog(line string, at time.Time) bool {
	d := l.dialog
	switch {
	case d == nil || l.composer.isPasted(at):
		return false
	case at.Before(d.opened) && strings.TrimSpace(line) != "?":
		if !d.q.IsSecret() {
			return false
		}
		l.screen.suspendPrompt("") // never send a possible secret to the model
		l.screen.line("Ignored what you typed before the question. Type the answer again.")
		return true
	}
	note := ""
	if strings.HasPrefix(line, "/") && !isCancel(line) && !d.isContinued.Load() {
		call, known := l.driver.Lookup(line)
		isOpening := l.state.IsOpening
		switch {
		case known && call.Command.RunsWhileBusy && !isOpening:
			return false
		case known && isOpening && call.Command.Name == "quit":
			l.screen.endPrompt(line)
			l.driver.Leave(nil)
			return true
		case known && isOpening && call.Command.Name == "help":
			line = "?"
		case !known && d.q.IsOfCall && d.isKind(textAnswer): // such as a path
			note = firstWord(line) + " is not a command. Pollux takes it as your answer."
		default:
			l.screen.suspendPrompt(line)
			l.screen.line(firstWord(line) + l.whyNoAnswer(call.Command) + " Type an answer, ? for help, or /cancel.")
			return true
		}
	}
	echo := line
	if d.isKind(secretAnswer) {
		echo = ""
	}
	l.screen.endPrompt(echo)
	if note != "" {
		l.screen.line(note)
	}
	d.take(line)
	return true
}

// take passes a line to the dialog, unless as many wait: the dialog asks for fewer.
func (d *dialog) take(line string) {
	select {
	case d.input <- line:
	default:
	}
}

// whyNoAnswer returns the rest of a sentence about a line with a slash at its beginning: it does not answer a question. c
// is nil if the line calls no command.
func (l *loop) whyNoAnswer(c *manage.Command) string {
	switch {
	case c != nil && c.IsPlanned:
		return " is not available yet."
	case c != nil && l.isTask:
		return " is not a command here."
	case c != nil && l.state.IsOpening:
		return " works after you answer this question."
	case c != nil:
		return " cannot run while a question is open."
	case l.state.IsOpening: // the commands of the session are not known yet
		return " is not an answer."
	}
	return " is not a command."
}

func firstWord(line string) string {
	word, _, _ := strings.Cut(kit.Brief(line), " ")
	return word
}

// isCancel reports whether a line refuses a question.
func isCancel(line string) bool { return strings.TrimSpace(line) == "/cancel" }

// isKind reports whether the dialog waits for an answer of this kind.
func (d *dialog) isKind(kind answerKind) bool { return answerKind(d.kind.Load()) == kind }

// prompt asks for an answer.
type prompt struct {
	text    string
	kind    answerKind
	help    string       // printed for "?"
	options []kit.Option // explained for "?"
}

const textHelp = `Type your answer and press Enter. A \ at the end of a line continues it.`

// read shows a prompt until accept takes the user's answer, and prints the problem of each other one. For the answer "?"
// it prints help. See [dialog.readAnswer].
func (d *dialog) read(p prompt, accept func(answer string) (problem string)) error {
	for {
		answer, err := d.readAnswer(p.text, p.kind)
		if err != nil {
			return err
		}
		if answer == "?" {
			d.printHelp(p.options, p.help)
			continue
		}
		problem := accept(answer)
		if problem == "" {
			return nil
		}
		d.page.line(problem)
	}
}

// readAnswer shows a prompt and returns the user's answer, without surrounding space. A line that ends in a backslash
// continues in the next one. The error is errRefused for /cancel and when the dialog is cancelled.
func (d *dialog) readAnswer(prompt string, kind answerKind) (string, error) {
	d.kind.Store(int32(kind))
	defer d.isContinued.Store(false)
	var text strings.Builder
	for {
		d.screen.ask(d.page.take(), prompt)
		d.screen.flush()
		var line string
		select {
		case line = <-d.input:
		case <-d.ctx.Done():
			return "", errRefused
		}
		if !endsInBackslash(line) {
			text.WriteString(line)
			break
		}
		text.WriteString(line[:len(line)-1] + "\n")
		d.isContinued.Store(true)
		prompt = "more> "
	}
	answer := strings.TrimSpace(text.String())
	if answer == "/cancel" {
		return "", errRefused
	}
	return answer, nil
}

// optionLine returns the parts of the line of the menu for the option with this index: the number,
// "1 or y: ", and the text, "Allow once".
func optionLine(i int, o *kit.Option) (number, text string) {
	number = strconv.Itoa(i + 1)
	if o.Key != "" {
		number += " or " + o.Key
	}
	text = o.Label
	if o.Description != "" {
		text += " - " + o.Description
	}
	return number + ": ", text
}

// selectPrompt returns the prompt of a menu with n items. more lists further answers.
func selectPrompt(n int, more string) string {
	if n == 1 {
		return "Answer, 1" + more + ", or ? for help: "
	}
	return fmt.Sprintf("Answer, 1 to %d%s, or ? for help: ", n, more)
}

// choose shows a menu and returns the index of the selected option. help explains the
// menu as a whole, "" if the options explain themselves.
func (d *dialog) choose(options []kit.Option, help string) (chosen int, err error) {
	d.printChoices(options)
	enter := slices.IndexFunc(options, func(o kit.Option) bool { return o.IsDefault })
	more := ""
	if enter >= 0 {
		more = fmt.Sprintf(", Enter for %d", enter+1)
	}
	err = d.read(prompt{selectPrompt(len(options), more), menuAnswer, help, options}, func(answer string) (problem string) {
		if chosen = kit.Match(options, answer); answer == "" {
			chosen = enter
		}
		if chosen < 0 {
			return kit.NoOption(len(options))
		}
		return ""
	})
	return chosen, err
}

func (d *dialog) printChoices(options []kit.Option) {
	for i := range options {
		d.page.hang(optionLine(i, &options[i]))
	}
}

// printHelp explains the question, its options and how to refuse it.
func (d *dialog) printHelp(options []kit.Option, help string) {
	if help != "" {
		d.page.line(help)
	}
	for i, o := range options {
		number, text := optionLine(i, &o)
		if o.Help != "" {
			text += ". " + o.Help
		}
		d.page.hang(number, text)
	}
	if !d.q.IsOfCall {
		d.page.line("/cancel: leave the question unanswered.")
		return
	}
	d.page.line("/cancel: refuse. Ctrl+C: refuse and stop the model.")
}

// printTitle writes the title of the question and its position in the batch.
func (d *dialog) printTitle() {
	head := "Question"
	if d.q.Count > 1 {
		head += fmt.Sprintf(" %d of %d", d.q.Number, d.q.Count)
	}
	if d.q.Agent != "" {
		head += " of agent " + d.q.Agent
	}
	d.page.message(terminal.Line(head + ": " + d.q.Title))
}
