package agent

import (
	"context"
	"fmt"
	"iter"
	"slices"

	"pollux/tool"
)

// What may be done to a conversation between two runs. All of it waits for a run
// to end, so none of it may be called from within one.

// Compress shortens the conversation, whatever its size: a person asks for it.
// Focus, where set, is what the summary should keep above all. What came of it
// is a status; the error is that of ctx.
func (a *Agent) Compress(ctx context.Context, focus string) (Compression, error) {
	a.running.Lock()
	defer a.running.Unlock()
	r := a.aside()
	r.id = fmt.Sprintf("compress-%d", a.cfg.Now().UnixMilli())
	return r.condense(ctx, true, focus)
}

// Restart begins another conversation in the place of this one: under another
// session id, opened by these messages, and with nothing that was said before.
func (a *Agent) Restart(sessionID string, context []Message) {
	a.running.Lock()
	defer a.running.Unlock()
	a.mu.Lock()
	defer a.mu.Unlock()
	a.cfg.SessionID, a.cfg.Context = sessionID, context
	a.history.set(withIDs(context))
	a.turns, a.prompts = 0, 0
	a.tokens, a.looked = a.history.tokens, false
}

// Reopen puts other messages in the place of those that open the conversation,
// [Config.Context], because what they tell has changed. It reports whether the
// conversation still begins with those: a loaded one is left as it is.
func (a *Agent) Reopen(context []Message) bool {
	a.running.Lock()
	defer a.running.Unlock()
	a.mu.Lock()
	defer a.mu.Unlock()
	n := len(a.cfg.Context)
	opens := func(m, c Message) bool { return m.Content == c.Content }
	if len(a.history.all) < n || !slices.EqualFunc(a.history.all[:n], a.cfg.Context, opens) {
		return false
	}
	before := a.history.tokens
	a.history.set(slices.Concat(context, a.history.all[n:]))
	a.cfg.Context = context
	a.tokens = max(0, a.tokens+a.history.tokens-before)
	return true
}

// Tell adds to the conversation what the model should know when it answers next.
func (a *Agent) Tell(ctx context.Context, m Message) {
	a.running.Lock()
	defer a.running.Unlock()
	a.aside().push(ctx, m)
	a.tokens += m.Content.Tokens()
}

// Do makes a call that a person has asked for, not the model, and yields what comes of
// it as [Agent.Run] does. It takes the way of every call, through the gate; t is the
// tool, nil for the one that is registered under the call's name. The model hears
// nothing of it: that is for [Agent.Tell].
func (a *Agent) Do(ctx context.Context, call ToolCall, t tool.Tool) iter.Seq2[Event, error] {
	return func(yield func(Event, error) bool) {
		a.running.Lock()
		defer a.running.Unlock()
		ctx, cancel := context.WithCancelCause(ctx)
		defer cancel(nil)
		r := a.aside()
		r.yield, r.cancel = yield, cancel
		call.FromClient = true
		if call.ID == "" {
			call.ID = fmt.Sprintf("%s__client_%d", call.Name, a.calls)
			a.calls++
		}
		if t == nil {
			t, _ = a.cfg.Tools.Lookup(call.Name)
		}
		if _, err := r.finishAll(ctx, []*job{{call: &call, tool: t}}); err != nil && !r.left {
			yield(Cancelled{}, nil)
		}
	}
}

// aside returns a run that nobody watches, for what is no prompt.
func (a *Agent) aside() *run {
	return &run{
		Agent: a, start: len(a.history.all), before: a.tokens, chosen: a.model,
		yield: func(Event, error) bool { return true }, cancel: func(error) {},
	}
}

// Size is how much a conversation takes of a model's window, in tokens. All but
// Counted is estimated.
type Size struct {
	System   int // the system instruction
	Tools    int // their declarations
	Context  int // the messages that open the conversation
	Messages int // the others
	// Counted is what the model has counted of all that its last answer followed; 0
	// while a run is in progress, and where there has been no answer.
	Counted int
}

// Estimated returns the sum of the estimates.
func (s Size) Estimated() int { return s.System + s.Tools + s.Context + s.Messages }

// Size measures the conversation as a model gets it. It may be called during a run.
func (a *Agent) Size(model string) Size {
	var s Size
	cfg := a.Asks(model)
	if cfg.SystemInstruction != nil {
		s.System = cfg.SystemInstruction.Tokens()
	}
	s.Tools = cfg.Tokens() - s.System
	idle := a.running.TryLock()
	if idle {
		defer a.running.Unlock()
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	for i, m := range a.history.all {
		if n := m.Content.Tokens(); i < len(a.cfg.Context) {
			s.Context += n
		} else {
			s.Messages += n
		}
	}
	answered := func(m Message) bool { return m.Usage != nil }
	if idle && slices.ContainsFunc(a.history.all, answered) {
		s.Counted = a.tokens
	}
	return s
}
