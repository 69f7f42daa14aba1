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

// question is something that a person is to decide.
type question struct {
	call    *agent.ToolCall // nil: it is not the model who asks
	details tool.Confirmation
	answer  func(agent.Answer)
	over    <-chan struct{} // closed when nobody waits for the answer any more
}

// secret reports whether an answer may be one that nobody else should see.
func (q *question) secret() bool {
	c, ok := q.details.(*tool.QuestionConfirmation)
	return ok && slices.ContainsFunc(c.Questions, func(q tool.Question) bool { return q.Kind == tool.SecretQuestion })
}

// dialog is a question being asked. It runs on a goroutine of its own, which
// writes on the screen and gets what is typed from the loop.
type dialog struct {
	*Face
	q      *question
	place  string // "2 of 3", "" for one alone
	ctx    context.Context
	cancel context.CancelFunc
	lend   func(func() error) error
	lines  chan string
	done   chan agent.Answer
	opened time.Time
	// What is being typed is one of several answers, or nobody's business.
	menu, secret atomic.Bool
}

// errRefused ends a dialog that the person does not want to answer.
var errRefused = errors.New("the question was refused")

// wait takes a question. Those that come together are asked in the order in which
// the model has called, so their number is known at the first one.
func (l *loop) wait(q *question) {
	if l.ended {
		q.answer(agent.Answer{Outcome: tool.Cancel})
		l.screen.line("Nobody can answer any more: the input has ended. The answer is no.")
		return
	}
	l.waiting = append(l.waiting, q)
	slices.SortStableFunc(l.waiting, func(a, b *question) int { return l.voice.order(a.call) - l.voice.order(b.call) })
	if l.dialog == nil {
		l.settle.Reset(together)
	}
}

// open asks the next question, if one is left that nothing has settled.
func (l *loop) open() {
	l.reconsider()
	if l.dialog != nil || len(l.waiting) == 0 {
		return
	}
	q := l.waiting[0]
	l.waiting = l.waiting[1:]
	l.asked++
	d := &dialog{
		Face: l.Face, q: q, lines: make(chan string, 16), done: make(chan agent.Answer, 1),
		lend: l.lend, opened: l.now(),
	}
	if n := l.asked + len(l.waiting); n > 1 {
		d.place = fmt.Sprintf("%d of %d", l.asked, n)
	}
	d.ctx, d.cancel = context.WithCancel(l.ctx)
	l.dialog = d
	l.voice.end()
	go func() {
		answer, err := d.run()
		if err != nil {
			answer = agent.Answer{Outcome: tool.Cancel}
		}
		d.done <- answer
	}()
}

// reconsider takes out what needs no answer any more.
func (l *loop) reconsider() {
	l.waiting = slices.DeleteFunc(l.waiting, func(q *question) bool {
		select {
		case <-q.over:
			return true
		default:
		}
		return l.settled(q)
	})
	if d := l.dialog; d != nil && l.settled(d.q) {
		d.cancel()
	}
}

// settled answers a question that the rules answer by now.
func (l *loop) settled(q *question) bool {
	switch c := q.details.(type) {
	case *tool.ExecConfirmation:
		if c.Once() {
			return false // it is asked because rules are not enough
		}
	case *tool.EditConfirmation, *tool.InfoConfirmation:
	default:
		return false
	}
	if l.o.Allowed == nil || q.call == nil || !l.o.Allowed(q.call) {
		return false
	}
	q.answer(agent.Answer{Outcome: tool.ProceedOnce})
	l.screen.line("Allowed by now, without another question: " + l.voice.calls.of(q.call).what(l.o.Title) + ".")
	return true
}

// dialogDone returns the answer of the open dialog.
func (l *loop) dialogDone() <-chan agent.Answer {
	if l.dialog == nil {
		return nil
	}
	return l.dialog.done
}

// answered hands on an answer. (One to a question that was settled comes too late,
// and does nothing.)
func (l *loop) answered(a agent.Answer) {
	d := l.dialog
	l.dialog = nil
	d.cancel()
	l.screen.dismiss()
	d.q.answer(a)
	l.silent.begin(l)
	if len(l.waiting) > 0 {
		l.settle.Reset(0)
	} else {
		l.asked = 0 // what comes next does not belong to them
	}
}

// dismiss takes all questions away.
func (l *loop) dismiss() {
	l.settle.Stop()
	for _, q := range l.waiting {
		q.answer(agent.Answer{Outcome: tool.Cancel})
	}
	l.waiting = nil
	if l.dialog != nil {
		l.dialog.cancel()
	}
}

// toDialog gives a line to the open dialog, if it was meant for that.
func (l *loop) toDialog(line string, at time.Time) bool {
	d := l.dialog
	switch {
	case d == nil || l.compose.gathers(at):
		return false
	case at.Before(d.opened.Add(l.guard)):
		if !d.q.secret() {
			return false
		}
		l.screen.strayed("", l.o.Terminal.InTTY) // no prompt, whatever it was meant for
		l.screen.line("That came too early to be the answer, and is forgotten. Type it again.")
		return true
	}
	if known, busy := l.command(line); d.menu.Load() && known && busy {
		return false
	}
	select {
	case d.lines <- line:
	default: // more than a dialog could ask for
		return true
	}
	echo := line
	if d.secret.Load() {
		echo = ""
	}
	l.screen.entered(echo, l.o.Terminal.InTTY)
	return true
}

// say writes text that needs no cleaning any more.
func (d *dialog) say(text string) { d.screen.line(text) }

// read asks for a line. A line that ends in a backslash goes on in the next one.
func (d *dialog) read(prompt string) (string, error) {
	var text strings.Builder
	for {
		d.screen.ask(prompt)
		d.screen.flush()
		var line string
		select {
		case line = <-d.lines:
		case <-d.ctx.Done():
			return "", errRefused
		}
		if !continues(line) {
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

// choice is one of several answers.
type choice struct {
	key   string // a letter that stands for it
	label string
	means string // what it does, for those who ask
	enter bool   // Enter alone chooses it
}

// choose asks which, and returns its number in the list.
func (d *dialog) choose(choices []choice) (int, error) {
	d.list(choices)
	enter := slices.IndexFunc(choices, func(c choice) bool { return c.enter })
	prompt := fmt.Sprintf("Answer, 1 to %d, or ? for help: ", len(choices))
	if enter >= 0 {
		prompt = fmt.Sprintf("Answer, 1 to %d, Enter for %d, or ? for help: ", len(choices), enter+1)
	}
	for {
		d.menu.Store(true)
		answer, err := d.read(prompt)
		d.menu.Store(false)
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
			d.explain(choices)
		case answer == "" && enter >= 0:
			return enter, nil
		case answer == "":
			d.say("Please choose.")
			d.list(choices)
		default:
			d.say(fmt.Sprintf("That is none of the answers. Type a number from 1 to %d and press Enter.", len(choices)))
		}
	}
}

func (d *dialog) list(choices []choice) {
	for i, c := range choices {
		d.say(fmt.Sprintf("%d. %s", i+1, c.label))
	}
}

func (d *dialog) explain(choices []choice) {
	for i, c := range choices {
		d.say(fmt.Sprintf("%d or %s: %s. %s", i+1, c.key, c.label, c.means))
	}
	d.say("/cancel: refuse. Ctrl+C: refuse, and stop what the model is doing.")
}

// title says what kind of question follows.
func (d *dialog) title(title string) {
	if d.place != "" {
		title = "Question " + d.place + ": " + title
	} else {
		title = "Question: " + title
	}
	d.say(terminal.Line(title))
}
