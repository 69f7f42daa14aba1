package agent

import (
	"context"
	"iter"

	"pollux/tool"
)

// The methods in this file change the conversation between two runs. Each waits for the run
// in progress to end, so a consumer of a run's events must not call them.

// Compress replaces older messages by a summary, whatever the size of the conversation. If
// focus is not empty, the summary gives it priority. A failure is reported as a status in the
// result; the error is that of ctx. Compress waits for the run in progress to end.
func (a *Agent) Compress(ctx context.Context, focus string) (Compression, error) {
	a.running.Lock()
	defer a.running.Unlock()
	return a.compress(ctx, CompressManual, CompressRequest{Model: a.chosenModel(), Force: true, Focus: focus, PromptID: a.conv.compressionID()})
}

// Restart starts a new conversation under another session id, with these messages in place of
// [Config.Context]. It removes all other messages and all waiting prompts. Restart waits for
// the run in progress to end.
func (a *Agent) Restart(ctx context.Context, sessionID string, opening []Message) {
	a.running.Lock()
	defer a.running.Unlock()
	a.conv.restart(ctx, sessionID, opening)
}

// ReplaceContext replaces the messages of [Config.Context] at the head of the history, for
// example because their text is out of date. If the history does not begin with them, as a
// loaded history may not, ReplaceContext changes nothing and returns false. It waits for the
// run in progress to end.
func (a *Agent) ReplaceContext(ctx context.Context, opening []Message) bool {
	a.running.Lock()
	defer a.running.Unlock()
	return a.conv.replaceContext(ctx, opening)
}

// Rewind removes the message with this id and all after it, and reports whether there is one. The
// messages of [Config.Context] stay. Rewind waits for the run in progress to end.
func (a *Agent) Rewind(ctx context.Context, id string) bool {
	a.running.Lock()
	defer a.running.Unlock()
	return a.conv.rewind(ctx, id)
}

// AddMessage adds a message to the history. The model reads it with the next prompt.
// AddMessage waits for the run in progress to end; use [Agent.Steer] to reach that run.
func (a *Agent) AddMessage(ctx context.Context, m Message) {
	a.running.Lock()
	defer a.running.Unlock()
	a.conv.settle(ctx, cancelledText, false) // a loaded history may end with calls
	a.conv.push(ctx, m)
}

// RunTool runs a tool call that a person requested, not the model, and yields its events as
// [Agent.Run] does. The call goes through the gate like every other call. t is the tool; nil
// selects the one registered under the call's name. The result does not join the conversation;
// call [Agent.AddMessage] to add it.
func (a *Agent) RunTool(ctx context.Context, call ToolCall, t tool.Tool) iter.Seq2[Event, error] {
	return func(yield func(Event, error) bool) {
		a.running.Lock()
		defer a.running.Unlock()
		ctx, cancel := context.WithCancelCause(ctx)
		defer cancel(nil)
		q := &requester{Agent: a, out: consumer{yield: yield, cancel: cancel}, model: a.chosenModel()}
		b := &batch{requester: q, tools: a.cfg.Tools.Snapshot()}
		call.FromClient = true
		if call.ID == "" {
			call.ID = a.conv.clientCallID(call.Name)
		}
		if t == nil {
			t, _ = a.cfg.Tools.Lookup(call.Name)
		}
		if err := b.finishAll(ctx, []*job{{call: &call, tool: t}}); err != nil && !q.out.hasLeft {
			yield(Cancelled{}, nil)
		}
	}
}

// Size is the part of a model's context window that a conversation takes, in tokens. All
// fields but Counted are estimates.
type Size struct {
	System   int // of the system instruction
	Tools    int // of the tool declarations
	Context  int // of the messages of [Config.Context]
	Messages int // of all other messages
	// Counted is the number that the model reported for the last request, plus an estimate of
	// the messages added since. It is 0 while a run is in progress and before the first
	// response.
	Counted int
}

// Estimated returns the sum of the estimates.
func (s Size) Estimated() int { return s.System + s.Tools + s.Context + s.Messages }

// Size returns the size of the conversation for a model. It may be called during a run.
func (a *Agent) Size(model string) Size {
	var s Size
	cfg := a.RequestConfig(model)
	if cfg.SystemInstruction != nil {
		s.System = cfg.SystemInstruction.Tokens()
	}
	s.Tools = cfg.Tokens() - s.System
	idle := a.running.TryLock()
	if idle {
		defer a.running.Unlock()
	}
	var isCounted bool
	s.Context, s.Messages, isCounted = a.conv.size()
	if idle && isCounted {
		s.Counted = a.conv.tokens
	}
	return s
}
