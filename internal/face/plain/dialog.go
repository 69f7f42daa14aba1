package plain

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"pollux/agent"
	"pollux/internal/crash"
	"pollux/internal/slash"
	"pollux/internal/subagent"
	"pollux/internal/terminal"
	"pollux/tool"
)

// question is a confirmation that waits for the user's answer.
type question struct {
	call    *agent.ToolCall // nil if the question is not about a tool call
	outer   *agent.ToolCall // the call in which the agent runs that made call; nil for the main agent
	asked   *agent.Question // nil if the question is not about tool calls
	details tool.Confirmation
	answer  func(tool.Answer)
	done    <-chan struct{} // closed when the answer is no longer needed
}

// place returns the call of the model's response that the question belongs to.
func (q *question) place() *agent.ToolCall { return cmp.Or(q.outer, q.call) }

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
	// kind is the [answerKind] that the dialog waits for. isContinued is set while it waits
	// for the next line of an answer.
	kind        atomic.Int32
	isContinued atomic.Bool
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

// addQuestion queues a question. Questions that arrive within batchWindow are asked in
// the order of the model's calls, numbered as one batch.
func (l *loop) addQuestion(q *question) {
	if l.inputEnded {
		q.answer(tool.Answer{Outcome: tool.Cancel, Unattended: true})
		l.screen.line("The input has ended: the answer is no.")
		return
	}
	l.pending = append(l.pending, q)
	slices.SortStableFunc(l.pending, func(a, b *question) int { return l.renderer.callIndex(a.place()) - l.renderer.callIndex(b.place()) })
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
		defer crash.Recover()
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

// settleByRule answers a question if the current rules allow the calls that it is about, and reports
// whether it did.
func (l *loop) settleByRule(q *question) bool {
	c, ok := q.details.(interface{ Once() bool })
	if !ok || c.Once() {
		return false // rules cannot allow this call
	}
	if l.backend.IsAllowed == nil || q.call == nil || q.outer != nil || !q.asked.IsApproval() {
		return false
	}
	calls := q.asked.About()
	if slices.ContainsFunc(calls, func(p *agent.PreparedCall) bool { return !l.backend.IsAllowed(p) }) {
		return false
	}
	q.answer(tool.Answer{Outcome: tool.ProceedOnce})
	for _, p := range calls {
		l.screen.message("Allowed without asking: " + l.preparedLabel(p) + ".")
	}
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
	if l.ctx.Err() == nil { // else a signal has closed the dialog, not the person
		d.q.answer(a)
	}
	l.silence.begin(l)
	if l.composer.pastedLines > 0 {
		l.showPasted()
	}
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
	case at.Before(d.opened.Add(l.answerDelay)) && strings.TrimSpace(line) != "?":
		if !d.q.isSecret() {
			return false
		}
		l.screen.suspendPrompt("", l.backend.Terminal.InTTY) // never send a possible secret to the model
		l.screen.line("Ignored what you typed before the question. Type the answer again.")
		return true
	}
	if strings.HasPrefix(line, "/") && !d.isContinued.Load() {
		if l.isBesideDialog(line) {
			return false
		}
		if line = l.slashAnswer(line); line == "" {
			return true
		}
	}
	if len(d.input) == cap(d.input) {
		return true // the dialog asks for fewer lines
	}
	echo := line
	if d.isKind(secretAnswer) {
		echo = ""
	}
	l.screen.endPrompt(echo, l.backend.Terminal.InTTY)
	if l.isPathAnswer(line) {
		word, _, _ := strings.Cut(brief(line), " ")
		l.screen.line(word + " is not a command. Pollux takes it as your answer.")
	}
	d.input <- line
	return true
}

// isBesideDialog reports whether a line is a command that runs while the dialog stays
// open.
func (l *loop) isBesideDialog(line string) bool {
	known, busy := l.lookupCommand(line)
	return known && busy && !l.isOpening()
}

func (l *loop) isOpening() bool { return l.job != nil && l.job.isOpening }

// isPathAnswer reports whether a line begins with a slash and is still an answer: text
// for the model that is not a command, such as a path.
func (l *loop) isPathAnswer(line string) bool {
	if !strings.HasPrefix(line, "/") || isCancel(line) || l.dialog.isContinued.Load() {
		return false
	}
	return l.dialog.q.call != nil && l.dialog.isKind(textAnswer)
}

// slashAnswer returns the answer for a line that begins with a slash and is not a command
// that runs beside the dialog, or "" if the line is no answer. The user is then told what
// to type.
func (l *loop) slashAnswer(line string) string {
	known, _ := l.lookupCommand(line)
	call, _ := slash.Lookup(strings.TrimSpace(line))
	word, _, _ := strings.Cut(brief(line), " ")
	var reason string
	switch {
	case isCancel(line):
		return line
	case known && l.isOpening() && call.Command.Name == "quit":
		l.screen.endPrompt(line, l.backend.Terminal.InTTY)
		l.job.isInterrupted = true
		l.leave()
		return ""
	case known && l.isOpening() && call.Command.Name == "help":
		return "?"
	case call.Command != nil && call.Command.IsPlanned:
		reason = word + " is not available yet."
	case known && l.backend.IsTask:
		reason = word + " is not a command here."
	case known && l.isOpening():
		reason = word + " works after you answer this question."
	case known:
		reason = word + " cannot run while a question is open."
	case l.isPathAnswer(line):
		return line
	case l.isOpening(): // which commands exist is not known yet
		reason = word + " is not an answer."
	default:
		reason = word + " is not a command."
	}
	l.screen.suspendPrompt(line, l.backend.Terminal.InTTY)
	l.screen.line(reason + " Type an answer, ? for help, or /cancel.")
	return ""
}

// isCancel reports whether a line refuses a question.
func isCancel(line string) bool { return strings.TrimSpace(line) == "/cancel" }

// isKind reports whether the dialog waits for an answer of this kind.
func (d *dialog) isKind(kind answerKind) bool { return answerKind(d.kind.Load()) == kind }

// print writes a line. The text must be clean.
func (d *dialog) print(text string) { d.screen.line(text) }

// readText shows a prompt and returns the user's text, without surrounding space. For the
// answer "?" it prints help and shows the prompt again. See [dialog.readAnswer].
func (d *dialog) readText(prompt string, kind answerKind, help string) (string, error) {
	for {
		text, err := d.readAnswer(prompt, kind)
		if err != nil || text != "?" {
			return text, err
		}
		d.printHelp(nil, help)
	}
}

// textHelp is the help for an answer in text.
const textHelp = `Type your answer and press Enter. A \ at the end of a line continues it.`

// readAnswer shows a prompt and returns the user's answer, without surrounding space. A
// line that ends in a backslash continues in the next one. The error is errRefused for
// /cancel and when the dialog is cancelled.
func (d *dialog) readAnswer(prompt string, kind answerKind) (string, error) {
	d.kind.Store(int32(kind))
	defer d.isContinued.Store(false)
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
		d.isContinued.Store(true)
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
	key         string // letter that selects it, "" if there is none
	label       string
	description string // shown behind the label
	help        string // shown for the answer "?"
	isDefault   bool   // selected by an empty line
}

// line returns the parts of the line of the menu for the choice with this index: the number,
// "1 or y: ", and the text, "Allow once".
func (c *choice) line(i int) (number, text string) {
	number = strconv.Itoa(i + 1)
	if c.key != "" {
		number += " or " + c.key
	}
	text = c.label
	if c.description != "" {
		text += " - " + c.description
	}
	return number + ": ", text
}

// matches reports whether an answer selects the choice with this index.
func (c *choice) matches(i int, answer string) bool {
	answer = strings.TrimSuffix(answer, ".")
	return answer == strconv.Itoa(i+1) || c.key != "" && strings.EqualFold(answer, c.key) || strings.EqualFold(answer, c.label)
}

// selectPrompt returns the prompt of a menu with n items. more lists further answers.
func selectPrompt(n int, more string) string {
	if n == 1 {
		return "Answer, 1" + more + ", or ? for help: "
	}
	return fmt.Sprintf("Answer, 1 to %d%s, or ? for help: ", n, more)
}

// selectProblem is the message for an answer that no item of a menu with n items has.
func selectProblem(n int) string {
	if n == 1 {
		return "Type 1, or ? for help."
	}
	return fmt.Sprintf("Type a number from 1 to %d, or ? for help.", n)
}

// choose shows a menu and returns the index of the selected choice. help explains the
// menu as a whole, "" if the choices explain themselves.
func (d *dialog) choose(choices []choice, help string) (int, error) {
	d.printChoices(choices)
	enter := slices.IndexFunc(choices, func(c choice) bool { return c.isDefault })
	more := ""
	if enter >= 0 {
		more = fmt.Sprintf(", Enter for %d", enter+1)
	}
	for {
		answer, err := d.readAnswer(selectPrompt(len(choices), more), menuAnswer)
		if err != nil {
			return 0, err
		}
		for i := range choices {
			if choices[i].matches(i, answer) {
				return i, nil
			}
		}
		switch {
		case answer == "?":
			d.printHelp(choices, help)
		case answer == "" && enter >= 0:
			return enter, nil
		default:
			d.print(selectProblem(len(choices)))
		}
	}
}

func (d *dialog) printChoices(choices []choice) {
	for i := range choices {
		d.screen.hang(choices[i].line(i))
	}
}

// printHelp explains the question, its choices and how to refuse it.
func (d *dialog) printHelp(choices []choice, help string) {
	if help != "" {
		d.print(help)
	}
	for i, c := range choices {
		number, text := c.line(i)
		if c.help != "" {
			text += ". " + c.help
		}
		d.screen.hang(number, text)
	}
	if d.q.call == nil {
		d.print("/cancel: leave the question unanswered.")
		return
	}
	d.print("/cancel: refuse. Ctrl+C: refuse and stop the model.")
}

// printTitle writes the title of the question and its position in the batch.
func (d *dialog) printTitle(title string) {
	head := "Question"
	if d.position != "" {
		head += " " + d.position
	}
	if d.q.outer != nil {
		head += " of agent " + cmp.Or(subagent.NameOf(d.q.outer), d.q.outer.Name)
	}
	title = head + ": " + title
	d.screen.message(terminal.Line(title))
}
