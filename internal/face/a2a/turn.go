package a2a

import (
	"context"
	"encoding/json"
	"strings"
	"time"

	"pollux/agent"
	"pollux/internal/a2a/protocol"
	"pollux/internal/face/a2a/schema"
	"pollux/internal/face/kit"
	"pollux/internal/face/kit/jsonrpc"
	"pollux/internal/wording"
	"pollux/llm"
)

// turn is a message of the client with its consequences, until the task waits for the next one. The task's mu guards it.
type turn struct {
	ctx        context.Context // ends with the turn
	cancel     context.CancelFunc
	isDetached bool           // it goes on although no one follows it
	isSent     bool           // the driver has the input, and the turn has the token of the task
	more       []agent.Prompt // that came before the input was sent
	aborted    string         // why the turn ends early, "" if it does not

	hasFinished bool  // some work
	err         error // of the work
	usage       *usage
}

// input is the content of a turn: a prompt, or a command of Pollux.
type input struct {
	prompt agent.Prompt
	line   string // "" for a prompt
}

// newPrompt returns the prompt of a message. It is blank if the message has only answers. Data that are no answer are a text for
// the model. Nothing in it is a command: these are for people.
func newPrompt(m *schema.Sent) agent.Prompt {
	var parts []llm.Part
	for _, part := range m.Parts {
		switch {
		case part.Answer != nil:
		case part.Data != nil:
			parts = append(parts, llm.Text("\nData: "+string(part.Data)+"\n"))
		default:
			parts = append(parts, llm.Text(part.Text))
		}
	}
	return agent.Prompt{Parts: parts}
}

// accept takes a message. f, unless it is nil, gets its consequences.
func (t *task) accept(m *schema.Sent, isDetached bool, f *follower) error {
	prompt := newPrompt(m)
	isBlank := strings.TrimSpace(prompt.Text()) == ""
	t.mu.Lock()
	defer t.mu.Unlock()
	answers, err := t.findAnswers(m)
	switch {
	case t.status.State.IsTerminal():
		return errEnded(t, f)
	case t.isClosed:
		return taskNotFound(t.id)
	case m.ContextID != "" && m.ContextID != t.contextID:
		return schema.Errorf(jsonrpc.InvalidParams, "The task %s belongs to another context than message.contextId.", t.id)
	case err != nil:
		return err
	case isBlank && len(answers) == 0:
		return schema.Errorf(jsonrpc.InvalidParams, "The message has neither a text nor an answer.")
	}
	isFirst := t.status.State == schema.Submitted && len(t.history.messages) == 0
	t.history.add(messageOf(m, t))
	if f != nil {
		t.followers[f] = true
		if m.TaskID == "" || f.isNew {
			f.add(t.current(nil))
		}
	}
	t.server.Log.Info("A message.", "task", t.id, "first", isFirst, "answers", len(answers))
	switch {
	case t.turn == nil:
		t.begin(input{prompt: prompt}, isDetached)
	case isBlank:
		t.apply(answers)
	default:
		t.apply(answers)
		t.interject(prompt)
	}
	t.announceWait(true)
	return nil
}

// errEnded is the error for a message to a task that has ended.
func errEnded(t *task, f *follower) error {
	code := jsonrpc.InvalidRequest // as servers of version 0.3 answer
	if f != nil && f.isNew {
		code = protocol.Unsupported
	}
	return schema.Errorf(code, "Task %s has ended (%s), and takes no more messages. Start another task.", t.id, t.status.State)
}

// messageOf returns a message of a client as the history has it.
func messageOf(m *schema.Sent, t *task) schema.Message {
	list := make([]schema.Part, len(m.Parts))
	for i, part := range m.Parts {
		if list[i] = schema.TextPart(part.Text); part.Data != nil {
			list[i] = schema.DataPart(json.RawMessage(part.Data))
		}
	}
	return schema.Message{Kind: protocol.MessageEvent, Role: schema.User, Parts: list, MessageID: m.MessageID, TaskID: t.id, ContextID: t.contextID, Metadata: m.Metadata}
}

// interject gives the turn in progress another prompt: as the answer to the question that waits, or with the next request of
// the model. The caller holds t.mu.
func (t *task) interject(p agent.Prompt) {
	switch {
	case t.refuseWith(p.Text()):
	case t.turn.isSent:
		t.work.driver.Steer(p)
	default:
		t.turn.more = append(t.turn.more, p)
	}
}

// begin begins a turn. The caller holds t.mu.
func (t *task) begin(in input, isDetached bool) {
	n := &turn{isDetached: isDetached}
	n.ctx, n.cancel = context.WithCancel(t.server.life)
	t.turn = n
	t.setState(schema.Working, report{})
	t.background(func() { t.run(n, in) })
}

// run opens the session, if need be, and begins the work of a turn, after changes between turns.
func (t *task) run(n *turn, in input) {
	t.token <- struct{}{}
	w, err := t.ready(n.ctx)
	if err == nil {
		w.awaitServers(n.ctx)
	}
	if err != nil || !t.send(n, w, in) {
		<-t.token
	}
	if err != nil {
		t.notOpened(n, err)
	}
}

// send passes the input of a turn to the driver, and reports whether it did: the turn then has the token until its end. A turn that has ended
// before is not sent.
func (t *task) send(n *turn, w *work, in input) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.turn != n || t.work != w {
		return false
	}
	n.isSent = true
	if in.line != "" {
		w.driver.Enter(in.line)
	} else {
		w.driver.Send(in.prompt)
	}
	for _, p := range n.more {
		w.driver.Steer(p)
	}
	return true
}

// endTurn ends the turn in progress. The caller holds t.mu.
func (t *task) endTurn() {
	n := t.turn
	t.turn = nil
	n.cancel()
	if n.isSent {
		<-t.token
	}
	clear(t.questions)
	clear(t.running)
	t.calls.byID = nil
	t.used = time.Now()
}

// notOpened takes the error of a session that could not be opened. The task has failed, unless the server lacks room or the turn was aborted.
func (t *task) notOpened(n *turn, err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.turn != n {
		return
	}
	text := failure(err).Message
	t.server.Log.Warn("The session of a task cannot be opened.", "task", t.id, "error", text)
	if failure(err).Code == tooBusy {
		n.err = err
		t.finish()
		return
	}
	t.end(schema.Failed, report{parts: []schema.Part{schema.TextPart(text)}, problem: text})
}

// abort ends the turn in progress, with a text for those who ask for the task. The caller holds t.mu.
func (t *task) abort(text string) {
	n := t.turn
	n.aborted = text
	n.cancel()
	if n.isSent && t.work != nil {
		t.work.driver.Cancel()
		return // the end of the work ends the turn
	}
	t.finish()
}

// finishIfDone ends the turn after the last event of its work. The caller holds t.mu.
func (t *task) finishIfDone(w *work, e kit.Event) {
	n := t.turn
	if n == nil || !n.isSent {
		return
	}
	if _, isEnd := e.(kit.Finished); isEnd {
		n.hasFinished = true
	}
	if !n.hasFinished {
		return
	}
	if s := w.driver.State(); !s.IsBusy && !s.IsBeside && !s.HasMore {
		t.finish()
	}
}

// finish ends the turn: the task waits for another message. The caller holds t.mu.
func (t *task) finish() {
	n := t.turn
	t.endText()
	t.endTurn()
	r := report{isFinal: true, usage: n.usage}
	switch {
	case n.aborted != "":
		r.parts = []schema.Part{schema.TextPart(n.aborted)}
	case n.err != nil:
		place := wording.Place{}
		if t.work != nil {
			place = t.work.live.Place(false, "")
		}
		r.problem = problemText(n.err, place)
		r.parts = []schema.Part{schema.TextPart(r.problem)}
	}
	t.setState(schema.InputRequired, r)
}
