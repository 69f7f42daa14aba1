package kit

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"pollux/agent"
	"pollux/internal/secret"
	"pollux/internal/terminal"
	"pollux/llm"
)

// queued is a prompt, a / command or a shell command that waits for the end of the job, or a line that waits for the session.
type queued struct {
	line     string // a shell command if isShell, else one that waits for the session and is not yet known to be a prompt, a command or other input
	isShell  bool
	command  string
	prompt   agent.Prompt
	isHidden bool // the person need not see it
}

// isJoinable reports whether the prompt can be sent together with those beside it.
func (q *queued) isJoinable() bool {
	return !q.isHidden && !q.isShell && q.command == "" && q.prompt.Shown == "" && !slices.ContainsFunc(q.prompt.Parts, func(p llm.Part) bool { return !p.IsText() })
}

func (q *queued) text() string {
	if q.isShell {
		return "!" + q.line
	}
	return cmp.Or(q.line, q.command, q.prompt.Text())
}

// maxQueue is the size of queued prompts, in bytes, beyond which no more are taken.
const maxQueue = 8 << 20

// submit takes a line. A prompt goes to send.
func (d *Driver) submit(text string, send func(text string)) {
	if command, isShell := strings.CutPrefix(text, "!"); isShell && !strings.Contains(strings.TrimSpace(text), "\n") { // pasted text is a prompt
		d.shell(command)
		return
	}
	d.enter(text, send)
}

// shell takes a shell command.
func (d *Driver) shell(command string) {
	d.suspect = ""
	switch {
	case d.isOpening():
		d.send(queued{line: command, isShell: true})
	case d.job == nil && d.isLeaving:
	default:
		d.runShell(command)
	}
}

// enter takes a prompt, which goes to send, or a / command.
func (d *Driver) enter(text string, send func(text string)) {
	suspect := d.suspect
	d.suspect = ""
	call, known := d.Lookup(text)
	trimmed := strings.TrimSpace(text)
	switch {
	case trimmed == "" && suspect != "":
		send(suspect)
	case trimmed == "":
	case d.isOpening(): // classified when the session is open
		d.send(queued{line: text})
	case d.job == nil && d.isLeaving:
	case known && (call.Command.RunsWhileBusy || d.job == nil):
		d.current().LogPrompt(trimmed)
		d.runCommand(trimmed)
	case known && d.job.hasRoom():
		d.send(queued{command: trimmed})
	case known:
		word, _, _ := strings.Cut(Brief(trimmed), " ")
		d.emit(Notice{word + " cannot run while the model works. Wait, or press Ctrl+C to stop the model. /help, /stats and /mode run at any time."})
	case trimmed == "?":
		d.emit(Help{})
	case secret.IsKey(trimmed):
		d.emit(Notice{"Not sent: this looks like an API key. To store a key, type /auth."})
	case d.refuseUnknown(text):
	default:
		send(text)
	}
}

// enqueue makes a / command wait for the end of the job. Other lines are submitted, and so are all lines if there is no job.
func (d *Driver) enqueue(line string) {
	if _, known := d.Lookup(line); !known || d.job == nil || d.isOpening() {
		d.submit(line, d.sendText)
		return
	}
	d.send(queued{command: strings.TrimSpace(line)})
}

// refuseUnknown explains that a line looks like a command and is none, and reports whether it
// did. An empty line then sends the line as text.
func (d *Driver) refuseUnknown(line string) bool {
	reason := d.current().Unknown(line)
	word := strings.TrimSpace(line)
	switch {
	case strings.EqualFold(word, "quit"), strings.EqualFold(word, "exit"):
		reason = "To leave, type /quit."
	case reason == "":
		return false
	}
	d.suspect = word
	d.emit(Notice{terminal.Line(reason) + " To send \"" + terminal.Cut(terminal.Line(word), 40) + "\" to the model, press Enter alone."})
	return true
}

func (d *Driver) sendText(text string) { d.send(queued{prompt: agent.TextPrompt(text)}) }

// send sends a prompt that the person has entered to the model, or queues it while a job runs.
func (d *Driver) send(q queued) {
	d.suspect = ""
	if !d.isOpening() && !q.isShell { // while it opens, the prompt comes again
		d.current().LogPrompt(q.text())
	}
	if d.job == nil {
		d.startPrompt(q.prompt, Began{})
		return
	}
	size := len(q.text())
	for _, other := range d.queue {
		size += len(other.text())
	}
	if size > maxQueue {
		d.emit(Notice{"The queue is full."})
		d.emit(NotSent{Texts: []string{q.text()}})
		return
	}
	d.queue = append(d.queue, q)
	d.emit(Queued{q.text()})
}

func (d *Driver) steerText(text string) { d.steer(agent.TextPrompt(text)) }

func (d *Driver) steer(p agent.Prompt) {
	s := d.current()
	if d.job == nil || s == nil {
		d.send(queued{prompt: p})
		return
	}
	s.LogPrompt(p.Text())
	d.emit(Queued{p.Text()})
	d.runBeside(func(ctx context.Context) func() {
		err := s.Steer(ctx, p)
		return func() {
			if err != nil {
				d.fail(err)
				d.emit(NotSent{Texts: []string{p.Text()}})
			}
			if d.job == nil { // the run ended before
				d.takeHints()
				d.runQueued(false)
			}
		}
	})
}

// takeHints makes prompts of [Driver.Steer] that came too late for their run the first ones of the queue.
func (d *Driver) takeHints() {
	s := d.current()
	if s == nil {
		return
	}
	var late []queued
	for _, text := range s.Withdraw() {
		late = append(late, queued{prompt: agent.TextPrompt(text)})
	}
	d.queue = append(late, d.queue...)
}

// withdrawLast takes back the prompt that the person has sent last of those that wait.
func (d *Driver) withdrawLast() (text string, ok bool) {
	s := d.current()
	n := len(d.queue)
	if n > 0 {
		text = d.queue[n-1].text()
		d.queue = d.queue[:n-1]
		return text, true
	}
	if s == nil {
		return "", false
	}
	hints := s.Withdraw()
	if n = len(hints); n == 0 {
		return "", false
	}
	for _, hint := range hints[:n-1] {
		d.runBeside(func(ctx context.Context) func() {
			_ = s.Steer(ctx, agent.TextPrompt(hint)) // its files were read before
			return func() {}
		})
	}
	return hints[n-1], true
}

// runQueued starts the run of a / command, or sends the first queued prompt with those that can be joined with it, or
// gives the prompts back to the person if the job was cancelled.
func (d *Driver) runQueued(isCancelled bool) {
	next := d.next
	d.next = nil
	switch {
	case isCancelled || d.isLeaving:
		if waited := d.dequeue(len(d.queue)); len(waited) > 0 {
			d.emit(NotSent{Texts: waited})
		}
	case next != nil:
		d.startRun(Began{IsRun: true}, next) // the queue follows it
	case len(d.queue) > 0 && d.queue[0].command != "":
		line := d.queue[0].command
		d.startTask(Began{Command: line, IsNew: true, Waited: d.dequeue(1)}, d.command(line, false))
	case len(d.queue) > 0 && d.queue[0].isShell:
		line := d.queue[0].line
		d.startShell(line, Began{IsNew: true, Waited: d.dequeue(1)})
	case len(d.queue) > 0:
		d.sendQueued()
	}
}

// sendQueued sends the first queued prompt, with those behind it that can be joined with it.
func (d *Driver) sendQueued() {
	first := d.queue[0]
	n := 1
	for first.isJoinable() && n < len(d.queue) && d.queue[n].isJoinable() {
		n++
	}
	waited := d.dequeue(n)
	if n > 1 {
		first.prompt = agent.TextPrompt(strings.Join(waited, separator))
	}
	d.startPrompt(first.prompt, Began{IsNew: !first.isHidden, Waited: waited})
}

// dequeue takes the first inputs out of the queue, and returns the texts of those that the person has seen.
func (d *Driver) dequeue(n int) (texts []string) {
	for _, q := range d.queue[:n] {
		if !q.isHidden {
			texts = append(texts, q.text())
		}
	}
	d.queue = d.queue[n:]
	return texts
}

func isBlank(s string) bool { return strings.TrimSpace(s) == "" }
