package agent

import (
	"cmp"
	"context"
	"errors"
	"iter"

	"pollux/llm"
	"pollux/tool"
)

// maxContinuations limits the requests that one prompt causes without a tool call or a
// person: next-speaker checks, prompts of hooks, warnings after a loop.
const maxContinuations = 100

// Prompt is a person's input for a run.
type Prompt struct {
	Parts []llm.Part
	// Shown is the prompt as the person typed it, if Parts is an expansion of it.
	Shown string
	// ID is the id of all requests that the prompt causes. If it is "", [Agent.Run] makes one,
	// as [Agent.NewPromptID] does.
	ID string
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

		r := a.begin(ctx, p, yield, cancel)
		r.finishRun(ctx, r.runPrompt(ctx, llm.User(p.Parts...)))
	}
}

// finishRun leaves a valid history at the end of a run, and yields how the run ended.
func (r *run) finishRun(ctx context.Context, err error) {
	if r.cfg.ForgetCancelled && ctx.Err() != nil && !r.isInterrupted(ctx) {
		r.conv.removePrompt(ctx)
		r.results = nil
	}
	r.settle(ctx)
	switch {
	case r.hasLeft: // no consumer
	case ctx.Err() != nil:
		r.yield(Cancelled{}, nil)
	case err != nil:
		r.yield(nil, err)
	}
}

// isInterrupted reports whether the run was cancelled by what ends the process, so that another one can
// continue the conversation.
func (r *run) isInterrupted(ctx context.Context) bool {
	return ctx.Err() != nil && r.cfg.KeepUnanswered != nil && r.cfg.KeepUnanswered(context.Cause(ctx))
}

// run is the state of one call of Agent.Run or Agent.RunTool.
type run struct {
	*Agent
	id            string
	prompt        string // text of the prompt
	shown         string
	response      string
	chosen        string                     // model for this prompt
	isAnnounced   bool                       // the consumer has received ModelInfo
	continuations int                        // number that is left, see maxContinuations
	hasLeft       bool                       // the consumer has stopped reading events
	hasSent       bool                       // the prompt is in the history
	promptMessage string                     // id of the message with the prompt, once it was sent
	hasRecovered  bool                       // one loop or invalid response has been handled
	hasCalled     bool                       // the model has called a tool
	nudges        int                        // how often the model has been asked to go on, see nudge.go
	hasNudged     bool                       // it was, and has not called a tool since
	warnings      map[*ToolCall]*tool.Result // of calls of the last response that do not run
	results       *llm.Content               // tool results not yet in the history
	records       []CallRecord               // of results, or of the results sent last
	partial       int                        // index of the message with the first part of results, 0 for none
	tools         *tool.Snapshot             // declared by the last request
	joined        []Prompt                   // waiting prompts that were added to a message not yet answered
	isHookPrompt  bool                       // an AfterAgent hook caused the current prompt

	yield  func(Event, error) bool
	cancel context.CancelCauseFunc
}

var (
	// errLeft means that the consumer of the events broke out of its loop.
	errLeft = errors.New("the run's events are no longer read")
	// errOver means that the run has ended and an event has reported why.
	errOver = errors.New("the run is over")
)

// begin prepares the conversation and the run for a prompt.
func (a *Agent) begin(ctx context.Context, p Prompt, yield func(Event, error) bool, cancel context.CancelCauseFunc) *run {
	if p.ID == "" {
		p.ID = a.conv.promptID()
	}
	a.conv.settle(ctx, false) // a loaded history may end with calls
	a.conv.markPrompt()
	return &run{
		Agent: a, id: p.ID, prompt: llm.PartsText(p.Parts), shown: p.Shown,
		continuations: maxContinuations, yield: yield, cancel: cancel,
	}
}

// emit yields an event to the consumer. It returns errLeft if the consumer has stopped
// reading.
func (r *run) emit(e Event) error {
	if r.hasLeft || !r.yield(e, nil) {
		r.hasLeft = true
		r.cancel(errLeft)
		return errLeft
	}
	return nil
}

// runPrompt works on the prompt, and on each prompt that a hook sends after it.
func (r *run) runPrompt(ctx context.Context, message *llm.Content) error {
	message, err := r.beforeAgent(ctx, message, r.prompt)
	return r.work(ctx, message, err)
}

// work sends message and works until a hook sends no other prompt after it. It does nothing after an
// error, which it returns.
func (r *run) work(ctx context.Context, message *llm.Content, err error) error {
	for err == nil && message != nil {
		err = r.runTurns(ctx, message)
		if ctx.Err() != nil || r.hasLeft {
			return err
		}
		if errors.Is(err, errOver) {
			err = nil
		}
		next, hookErr := r.afterAgent(ctx)
		message, err = next, errors.Join(err, hookErr)
	}
	if errors.Is(err, errOver) {
		return nil
	}
	return err
}

// runTurns sends message, runs the tools that the response requests, sends their results, and
// continues until a response requests nothing and no prompt waits.
func (r *run) runTurns(ctx context.Context, message *llm.Content) error {
	for {
		var err error
		if message, err = r.joinWaiting(message); err != nil || message == nil {
			return err
		}
		if err := r.countTurn(); err != nil {
			return err
		}
		r.route(ctx, message)
		r.countOverhead()
		if err := r.compressIfLong(ctx); err != nil {
			return err
		}
		if err := r.mask(ctx); err != nil {
			return err
		}
		if message, err = r.fit(ctx, message); err != nil {
			return err
		}
		r.addIDEContext(ctx, message)
		ans, err := r.turn(ctx, message)
		if err != nil {
			return err
		}
		switch {
		case ans.loop.Kind != "":
			message, err = r.breakLoop(ans, message)
		case ans.invalid:
			message, err = r.continueInvalid()
		case len(ans.calls) > 0:
			message, err = r.runCalls(ctx, ans.calls)
		default:
			message, err = r.nextSpeaker(ctx)
		}
		if err != nil {
			return err
		}
	}
}
