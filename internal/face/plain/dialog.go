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

	"pollux/agent"
	"pollux/internal/terminal"
	"pollux/tool"
)

// question is a confirmation that waits for the user's answer.
type question struct {
	call    *agent.ToolCall // nil if the question is not about a tool call
	details tool.Confirmation
	answer  func(tool.Answer)
	done    <-chan struct{} // closed when the answer is no longer needed
}

// isSecret reports whether the question asks for a secret.
func (q *question) isSecret() bool {
	c, ok := q.details.(*tool.QuestionConfirmation)
	return ok && slices.ContainsFunc(c.Questions, func(q tool.Question) bool { return q.Kind == tool.SecretQuestion })
}

// dialog asks one question. It runs on a goroutine of its own, which writes to the
// screen and receives the user's lines from the loop.
type dialog struct {
	*Face
	q        *question
	position string // "2 of 3", "" for a single question
	ctx      context.Context
	cancel   context.CancelFunc
	lend     func(func() error) error
	input    chan string
	result   chan tool.Answer
	opened   time.Time
	// isMenu is set while the dialog waits for a choice, isSecret while it waits for a
	// secret.
	isMenu, isSecret atomic.Bool
}

// errRefused is returned when the user refuses to answer or the dialog is cancelled.
var errRefused = errors.New("the question was refused")

// addQuestion queues a question. Questions that arrive within batchWindow are asked in
// the order of the model's calls, numbered as one batch.
func (l *loop) addQuestion(q *question) {
	if l.inputEnded {
		q.answer(tool.Answer{Outcome: tool.Cancel, Unattended: true})
		l.screen.line("Nobody can answer any more: the input has ended. The answer is no.")
		return
	}
	l.pending = append(l.pending, q)
	slices.SortStableFunc(l.pending, func(a, b *question) int { return l.renderer.callIndex(a.call) - l.renderer.callIndex(b.call) })
	if l.dialog == nil {
		l.batchTimer.Reset(batchWindow)
	}
}

// openDialog asks the next pending question.
func (l *loop) openDialog() {
	l.dropSettled()
	if l.dialog != nil || len(l.pending) == 0 {
		return
	}
	q := l.pending[0]
	l.pending = l.pending[1:]
	l.batchAsked++
	d := &dialog{
		Face: l.Face, q: q, input: make(chan string, 16), result: make(chan tool.Answer, 1),
		lend: l.lendTerminal, opened: l.now(),
	}
	if n := l.batchAsked + len(l.pending); n > 1 {
		d.position = fmt.Sprintf("%d of %d", l.batchAsked, n)
	}
	d.ctx, d.cancel = context.WithCancel(l.ctx)
	l.dialog = d
	l.renderer.endAnswer()
	go func() {
		answer, err := d.ask()
		if err != nil {
			answer = tool.Answer{Outcome: tool.Cancel}
		}
		d.result <- answer
	}()
}

// dropSettled removes the questions that are cancelled or that the rules allow by now,
// the open one included.
func (l *loop) dropSettled() {
	l.pending = slices.DeleteFunc(l.pending, func(q *question) bool {
		select {
		case <-q.done:
			return true
		default:
		}
		return l.settleByRule(q)
	})
	if d := l.dialog; d != nil && l.settleByRule(d.q) {
		d.cancel()
	}
}

// settleByRule answers a question if the current rules allow its call, and reports
// whether it did.
func (l *loop) settleByRule(q *question) bool {
	switch c := q.details.(type) {
	case *tool.ExecConfirmation:
		if c.Once() {
			return false // rules cannot allow this command
		}
	case *tool.EditConfirmation, *tool.InfoConfirmation:
	default:
		return false
	}
	if l.backend.IsAllowed == nil || q.call == nil || !l.backend.IsAllowed(q.call) {
		return false
	}
	q.answer(tool.Answer{Outcome: tool.ProceedOnce})
	l.screen.line("Allowed by now, without another question: " + l.renderer.calls.get(q.call).label(l.backend.ToolTitle) + ".")
	return true
}

// dialogDone returns the channel with the answer of the open dialog, nil if no dialog
// is open.
func (l *loop) dialogDone() <-chan tool.Answer {
	if l.dialog == nil {
		return nil
	}
	return l.dialog.result
}

// finishDialog closes the open dialog and delivers its answer. The answer to a question
// that is already settled has no effect.
func (l *loop) finishDialog(a tool.Answer) {
	d := l.dialog
	l.dialog = nil
	d.cancel()
	l.screen.dropPrompt()
	a.Unattended = l.inputEnded && a.Outcome == tool.Cancel && a.Feedback == ""
	d.q.answer(a)
	l.silence.begin(l)
	if len(l.pending) > 0 {
		l.batchTimer.Reset(0)
	} else {
		l.batchAsked = 0 // later questions are a new batch
	}
}

// dismissQuestions refuses all pending questions and cancels the open dialog.
func (l *loop) dismissQuestions() {
	l.batchTimer.Stop()
	for _, q := range l.pending {
		q.answer(tool.Answer{Outcome: tool.Cancel, Unattended: l.inputEnded})
	}
	l.pending = nil
	if l.dialog != nil {
		l.dialog.cancel()
	}
}

// sendToDialog sends a line to the open dialog. It returns false if the line is not an
// answer: it belongs to a prompt, was typed before the question could be read, or is a
// command that may run now.
func (l *loop) sendToDialog(line string, at time.Time) bool {
	d := l.dialog
	switch {
	case d == nil || l.composer.isPasted(at):
		return false
	case at.Before(d.opened.Add(l.answerDelay)):
		if !d.q.isSecret() {
			return false
		}
		l.screen.suspendPrompt("", l.backend.Terminal.InTTY) // never send a possible secret to the model
		l.screen.line("That came too early to be the answer, and is forgotten. Type it again.")
		return true
	}
	if known, busy := l.lookupCommand(line); d.isMenu.Load() && known && busy {
		return false
	}
	select {
	case d.input <- line:
	default: // the dialog asks for fewer lines
		return true
	}
	echo := line
	if d.isSecret.Load() {
		echo = ""
	}
	l.screen.endPrompt(echo, l.backend.Terminal.InTTY)
	return true
}

// print writes a line. The text must be clean.
func (d *dialog) print(text string) { d.screen.line(text) }

// readAnswer shows a prompt and returns the user's answer, without surrounding space. A
// line that ends in a backslash continues in the next one. The error is errRefused for
// /cancel and when the dialog is cancelled.
func (d *dialog) readAnswer(prompt string) (string, error) {
	var text strings.Builder
	for {
		d.screen.showPrompt(prompt)
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
		prompt = "more> "
	}
	answer := strings.TrimSpace(text.String())
	if answer == "/cancel" {
		return "", errRefused
	}
	return answer, nil
}

// choice is an item of a numbered menu.
type choice struct {
	key       string // letter that selects it
	label     string
	help      string // shown for the answer "?"
	isDefault bool   // selected by an empty line
}

// choose shows a menu and returns the index of the selected choice.
func (d *dialog) choose(choices []choice) (int, error) {
	d.printChoices(choices)
	enter := slices.IndexFunc(choices, func(c choice) bool { return c.isDefault })
	prompt := fmt.Sprintf("Answer, 1 to %d, or ? for help: ", len(choices))
	if enter >= 0 {
		prompt = fmt.Sprintf("Answer, 1 to %d, Enter for %d, or ? for help: ", len(choices), enter+1)
	}
	for {
		d.isMenu.Store(true)
		answer, err := d.readAnswer(prompt)
		d.isMenu.Store(false)
		if err != nil {
			return 0, err
		}
		answer = strings.TrimSuffix(strings.ToLower(answer), ".")
		for i, c := range choices {
			if answer == strconv.Itoa(i+1) || answer == c.key || answer == strings.ToLower(c.label) {
				return i, nil
			}
		}
		switch {
		case answer == "?":
			d.printHelp(choices)
		case answer == "" && enter >= 0:
			return enter, nil
		case answer == "":
			d.print("Please choose.")
			d.printChoices(choices)
		default:
			d.print(fmt.Sprintf("That is none of the answers. Type a number from 1 to %d and press Enter.", len(choices)))
		}
	}
}

func (d *dialog) printChoices(choices []choice) {
	for i, c := range choices {
		d.print(fmt.Sprintf("%d. %s", i+1, c.label))
	}
}

func (d *dialog) printHelp(choices []choice) {
	for i, c := range choices {
		d.print(fmt.Sprintf("%d or %s: %s. %s", i+1, c.key, c.label, c.help))
	}
	d.print("/cancel: refuse. Ctrl+C: refuse, and stop what the model is doing.")
}

// printTitle writes the title of the question and its position in the batch.
func (d *dialog) printTitle(title string) {
	if d.position != "" {
		title = "Question " + d.position + ": " + title
	} else {
		title = "Question: " + title
	}
	d.print(terminal.Line(title))
}
