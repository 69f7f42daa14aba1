package acp

import (
	"context"
	"errors"
	"strings"

	"pollux/agent"
	"pollux/internal/face/acp/schema"
	"pollux/internal/face/acp/wire"
	"pollux/internal/face/kit"
	"pollux/internal/servers"
	"pollux/internal/terminal"
	"pollux/llm/ellipsis"
)

// turn is a prompt of the client with its consequences.
type turn struct {
	isCancelled bool // by the client, or by the next prompt
	isSent      bool
	ctx         context.Context // ends with the turn, and when it is cancelled
	cancel      context.CancelFunc
	done        chan struct{}

	// The results of the events. Only the goroutine of show uses it until done is closed.
	wasCancelled bool // the work was
	hasFinished  bool // some work
	reason       schema.StopReason
	err          error
	quota        quota
}

func (t *turn) end() {
	select {
	case <-t.done:
	default:
		close(t.done)
	}
}

// prompt begins a turn. It cancels the one before.
func (s *server) prompt(p schema.PromptRequest) wire.Answer {
	c, err := s.find(p.SessionID)
	if err != nil {
		return wire.Fail(err)
	}
	in, problem := newInput(p.Prompt)
	if problem != nil {
		return wire.Fail(problem)
	}
	in.trace = p.Trace()
	t := c.newTurn()
	return func(ctx context.Context) (any, func(), error) {
		defer context.AfterFunc(ctx, func() { c.cancelTurn(t) })()
		defer t.cancel()
		return c.run(t, in)
	}
}

// newTurn makes the turn of a prompt, before which no other one goes on.
func (c *chat) newTurn() *turn {
	ctx, cancel := context.WithCancel(c.server.life)
	t := &turn{ctx: ctx, cancel: cancel, done: make(chan struct{}), reason: schema.EndTurn}
	c.mu.Lock()
	before := c.last
	c.last = t
	t.isCancelled = c.isClosed
	c.mu.Unlock()
	if before != nil {
		c.cancelTurn(before)
	}
	return t
}

// cancel cancels the turn that the client has asked for last, and so those before it.
func (c *chat) cancel() {
	c.mu.Lock()
	t := c.last
	c.mu.Unlock()
	if t != nil {
		c.cancelTurn(t)
	}
}

// cancelTurn cancels a turn, unless it has ended.
func (c *chat) cancelTurn(t *turn) {
	t.cancel()
	c.mu.Lock()
	defer c.mu.Unlock()
	t.isCancelled = true
	if t.isSent && c.turn == t {
		c.work.driver.Cancel()
	}
}

// run runs a turn, after the one before.
func (c *chat) run(t *turn, in input) (any, func(), error) {
	c.turns <- struct{}{}
	defer func() { <-c.turns }()
	c.mu.Lock()
	isCancelled := t.isCancelled || c.isClosed
	if !isCancelled {
		c.turn = t
	}
	c.mu.Unlock()
	if isCancelled {
		return stopped, nil, nil
	}
	defer func() {
		c.mu.Lock()
		c.turn = nil
		c.mu.Unlock()
		c.applyModel()
	}()
	if err := c.prepare(t); err != nil {
		if t.ctx.Err() != nil {
			return stopped, nil, nil
		}
		return nil, nil, c.server.openError(c.id, err)
	}
	c.tellTitle(in.title)
	if err := c.sendInput(t, in); err != nil {
		return nil, nil, c.server.failure(err, noPlace)
	}
	<-t.done
	return c.result(t)
}

// stopped is the result of a turn that was cancelled.
var stopped = schema.PromptResponse{StopReason: schema.WasCancelled}

// result returns the result of a turn that has ended.
func (c *chat) result(t *turn) (any, func(), error) {
	switch {
	case t.wasCancelled, t.err != nil && t.ctx.Err() != nil:
		return stopped, nil, nil
	case t.err != nil:
		return nil, nil, c.server.failure(t.err, c.current().live.Place(false, ""))
	}
	return schema.PromptResponse{StopReason: t.reason, Meta: schema.Meta{"quota": t.quota.json()}}, nil, nil
}

// prepare brings the session into the state for a turn: it asks the questions that the client could not show before, and
// uses the sign-in of the client since.
func (c *chat) prepare(t *turn) error {
	if err := c.askTrust(t); err != nil {
		return err
	}
	c.mu.Lock()
	isOutdated := c.wasRefused || c.isLost || c.work.signIn != c.server.signedIn()
	c.wasRefused = false
	c.mu.Unlock()
	if isOutdated {
		if err := c.reopen(t.ctx); err != nil {
			return err
		}
	}
	c.mu.Lock()
	notes := c.notes
	c.notes = nil
	c.mu.Unlock()
	for _, text := range notes {
		if strings.HasPrefix(text, "This folder is not trusted") {
			c.say(strings.ReplaceAll(text, "\n", " ") + "\n\n")
		} else {
			c.remark(text)
		}
	}
	if w := c.current(); !w.isUsed {
		w.isUsed = true
		c.awaitServers(t.ctx, w)
	}
	return t.ctx.Err()
}

// awaitServers waits for the servers, whose tools the first prompt may be about, for as long as the settings allow.
func (c *chat) awaitServers(ctx context.Context, w *work) {
	live := w.live.Servers.MCP()
	if live == nil {
		return
	}
	p := w.live.Project
	if missing := servers.Wait(ctx, p, live, servers.WaitLimit(p)); len(missing) > 0 {
		c.remark("Going on without the MCP servers " + terminal.Line(strings.Join(missing, ", ")) + ", which have not answered yet.")
	}
	c.tellCommands() // with their prompts
}

// sendInput passes an input to the driver, unless the turn is cancelled.
func (c *chat) sendInput(t *turn, in input) error {
	w := c.current()
	line, prompt, err := c.interpret(t.ctx, w, in)
	if err != nil {
		t.wasCancelled = t.ctx.Err() != nil
		if t.wasCancelled {
			t.end()
			return nil
		}
		return err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if t.isCancelled {
		t.wasCancelled = true
		t.end()
		return nil
	}
	t.isSent = true
	if line != "" {
		w.driver.Enter(line)
	} else {
		w.driver.Send(prompt)
	}
	return nil
}

// interpret returns the command that an input calls, or the prompt that it is.
func (c *chat) interpret(ctx context.Context, w *work, in input) (line string, p agent.Prompt, err error) {
	line = in.command()
	call, known := w.names.Lookup(line)
	name, _, _ := strings.Cut(call.Name, " ")
	switch {
	case known && isForTerminals(name):
		return "", p, wire.Errorf(wire.InvalidParams, "/%s is for terminals. The commands of the editor are listed with the session.", name)
	case known && len(in.rest) > 0:
		if p, err = c.newPrompt(ctx, w, in.rest); err == nil {
			err = w.live.Steer(ctx, p) // it joins the prompt of the command
		}
		return line, agent.Prompt{}, err
	case known:
		return line, p, nil
	case line != "":
		c.unknownCommand(w, line)
	}
	p, err = c.newPrompt(ctx, w, in.blocks)
	p.Trace = in.trace
	return "", p, err
}

// unknownCommand says that a line which looks like a command is sent to the model.
func (c *chat) unknownCommand(w *work, line string) {
	if reason := w.names.Unknown(line); reason != "" {
		c.remark(terminal.Line(reason) + " Sent to the model as text.")
	}
}

// finishTurn ends the turn after the last event of its work.
func (c *chat) finishTurn(w *work, e kit.Event) {
	t := c.inTurn()
	if t == nil || !t.isSentNow(c) {
		return
	}
	_, isEnd := e.(kit.Finished)
	t.hasFinished = t.hasFinished || isEnd
	if !t.hasFinished {
		return
	}
	if s := w.driver.State(); s.IsBusy || s.IsBeside || s.HasMore {
		return
	}
	c.text.flush()
	c.messages.endResponse() // which may have broken off
	c.calls.close()
	c.tellCommands()
	t.end()
}

// isSentNow reports whether the driver has the input of the turn.
func (t *turn) isSentNow(c *chat) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return t.isSent
}

// failed takes the error of work.
func (c *chat) failed(err error) {
	t := c.inTurn()
	switch {
	case t == nil:
		c.note(err.Error())
	case errors.Is(err, context.Canceled):
		t.wasCancelled = true
	default:
		t.err = err
	}
}

// cancelled takes the report that work was cancelled.
func (c *chat) cancelled() {
	if t := c.inTurn(); t != nil {
		t.wasCancelled = true
	}
}

// tellTitle gives the session its title, once: the beginning of the first prompt.
func (c *chat) tellTitle(text string) {
	const most = 100
	text = terminal.Title(text)
	c.mu.Lock()
	isNew := !c.hasTitle && text != ""
	c.hasTitle = c.hasTitle || isNew
	c.mu.Unlock()
	if isNew {
		c.send(schema.InfoUpdate{Kind: schema.InfoChanged, Title: ellipsis.Fit(text, most)})
	}
}
