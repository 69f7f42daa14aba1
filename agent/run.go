package agent

import (
	"cmp"
	"context"
	"errors"
	"iter"

	"pollux/llm"
)

// maxRequests limits the requests that one prompt causes without a tool call or a person: its own, and one after each
// next-speaker check, each prompt of a hook and each warning after a loop.
const maxRequests = 100

// Prompt is a person's input for a run.
type Prompt struct {
	Parts []llm.Part
	// Shown is the prompt as the person typed it, if Parts is an expansion of it.
	Shown string
	// ID is the id of all requests that the prompt causes. If it is "", [Agent.Run] makes one,
	// as [Agent.NewPromptID] does.
	ID string
	// Trace is the W3C traceparent of the request that has caused the prompt, which telemetry continues; "" if there is none.
	Trace string
	// IsNotice is set of a message that no person has written, such as the result of work in the background. No one can
	// withdraw it.
	IsNotice bool
}

// TextPrompt returns the prompt that a person has typed.
func TextPrompt(text string) Prompt { return Prompt{Parts: []llm.Part{llm.Text(text)}} }

// Text returns the prompt as people see it.
func (p Prompt) Text() string { return cmp.Or(p.Shown, llm.PartsText(p.Parts)) }

// Run sends a prompt to the model, runs the tools that the model requests, and continues until
// the model requests nothing more. It yields events as they happen. An error is always the
// last value that it yields; it is an [*llm.Error] if the request to the model failed.
// Cancelling ctx ends the run within 100 ms with [Cancelled]; breaking out of the loop ends it
// without an event. Either leaves a valid history: every function call in it has its response.
func (a *Agent) Run(ctx context.Context, p Prompt) iter.Seq2[Event, error] {
	return func(yield func(Event, error) bool) {
		a.running.Lock()
		defer a.running.Unlock()
		ctx, cancel := context.WithCancelCause(ctx)
		defer cancel(nil)

		r := newRun(a.begin(ctx, p.ID, yield, cancel), llm.PartsText(p.Parts))
		m, err := r.beforeAgent(ctx, outgoing{content: llm.User(p.Parts...), shown: p.Shown, isPrompt: true}, r.prompt)
		m, err = r.work(ctx, m, err)
		r.finishRun(ctx, m, err)
	}
}

// run is the state of a prompt: of one call of Agent.Run or Agent.Redo.
type run struct {
	*requester
	prompt       string // its text
	isHookPrompt bool   // an AfterAgent hook has sent another prompt
	isAnnounced  bool   // the consumer has received ModelInfo
	calls        int    // of the model
	budget       budget
	edits        *failedEdits
	loops        *loopBreaker
	recoveries   []recovery
}

// begin prepares the conversation for a prompt, and returns the requester of its requests. id is
// [Prompt.ID].
func (a *Agent) begin(ctx context.Context, id string, yield func(Event, error) bool, cancel context.CancelCauseFunc) *requester {
	if id == "" {
		id = a.conv.promptID()
	}
	a.conv.settle(ctx, cancelledText, false) // a loaded history may end with calls
	a.conv.markPrompt()
	return &requester{Agent: a, out: consumer{yield: yield, cancel: cancel}, promptID: id}
}

func newRun(q *requester, prompt string) *run {
	r := &run{requester: q, prompt: prompt, budget: budget{continuations: maxRequests - 1}}
	r.edits = &failedEdits{requester: q}
	r.loops = &loopBreaker{requester: q, budget: &r.budget, prompt: prompt}
	r.recoveries = newRecoveries(q, &r.budget, r.edits, r.loops)
	return r
}

// work sends m and works until a hook sends no other prompt after it. It does nothing after an
// error, which it returns. It also returns the last message, which may not be in the history.
func (r *run) work(ctx context.Context, m outgoing, err error) (outgoing, error) {
	for err == nil && m.content != nil {
		m, err = r.runTurns(ctx, m)
		if ctx.Err() != nil || r.out.hasLeft {
			return m, err
		}
		if errors.Is(err, errOver) {
			err = nil
		}
		r.settle(ctx, m) // before a hook reads or extends the history
		var hookErr error
		m, hookErr = r.afterAgent(ctx)
		err = errors.Join(err, hookErr)
	}
	if errors.Is(err, errOver) {
		return m, nil
	}
	return m, err
}

// runTurns sends m, runs the tools that the response requests, sends their results, and continues
// until a response requests nothing and no prompt waits. It returns the last message.
func (r *run) runTurns(ctx context.Context, m outgoing) (outgoing, error) {
	for {
		if err := r.joinWaiting(&m); err != nil || m.content == nil {
			return m, err
		}
		t := &turn{message: m, callsBefore: r.calls}
		for _, step := range steps {
			if err := step(r, ctx, t); err != nil {
				return t.message, err
			}
		}
		how, err := r.exchange(ctx, t)
		switch {
		case err != nil || how == nextTurn:
			m = t.message
		case len(t.calls) > 0:
			m, err = r.runCalls(ctx, t)
		default:
			m, err = r.nextSpeaker(ctx)
		}
		if err != nil {
			return m, err
		}
	}
}

// finishRun leaves a valid history at the end of a run, whose last message is m, and yields how the
// run ended.
func (r *run) finishRun(ctx context.Context, m outgoing, err error) {
	if r.cfg.ForgetCancelled && ctx.Err() != nil && !r.isInterrupted(ctx) {
		r.conv.removePrompt(ctx)
		m.results = nil
	}
	r.settle(ctx, m)
	r.reportRewritten()
	switch {
	case r.out.hasLeft: // no consumer
	case ctx.Err() != nil:
		r.out.yield(Cancelled{}, nil)
	case err != nil:
		r.out.yield(nil, err)
	case len(r.edits.files) > 0:
		r.out.yield(EditsLeft{Files: r.edits.files}, nil)
	}
}

// reportRewritten calls [Config.Rewritten] if it must be called.
func (a *Agent) reportRewritten() {
	if a.conv.isRewritten && a.cfg.Rewritten != nil {
		a.cfg.Rewritten(a.conv.history.all)
	}
	a.conv.isRewritten = false
}

// isInterrupted reports whether the end of the process cancelled the run, so that another one can
// continue the conversation.
func (a *Agent) isInterrupted(ctx context.Context) bool {
	return ctx.Err() != nil && a.cfg.KeepUnanswered != nil && a.cfg.KeepUnanswered(context.Cause(ctx))
}
