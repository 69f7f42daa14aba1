package agent

import (
	"context"
	"errors"
	"fmt"
	"iter"

	"pollux/llm"
)

// maxContinuations bounds how often one prompt may go on without a tool call
// or a person asking for it: next-speaker checks, hooks that send the model
// back, recoveries from a loop (spec/agent.md §13).
const maxContinuations = 100

// Prompt is what a person asks.
type Prompt struct {
	Parts []llm.Part
	// Shown is the prompt as the person wrote it, where Parts is an expansion of it.
	Shown string
	// ID ties together all requests that the prompt causes; "" makes one.
	ID string
}

// Run puts a prompt to the model and works until the model has no more to ask
// for. It yields what happens, as it happens; an error, always the last thing
// yielded, says why the run could not go on (an [*llm.Error] where the model
// is to blame). Cancelling ctx ends the run within 100 ms with [Cancelled];
// breaking out of the loop ends it silently. Either leaves a valid history:
// every function call in it has its response.
func (a *Agent) Run(ctx context.Context, p Prompt) iter.Seq2[Event, error] {
	return func(yield func(Event, error) bool) {
		a.running.Lock()
		defer a.running.Unlock()
		ctx, cancel := context.WithCancelCause(ctx)
		defer cancel(nil)

		r := a.begin(p, yield, cancel)
		err := r.work(ctx, llm.User(p.Parts...))
		if a.cfg.ForgetCancelled && ctx.Err() != nil {
			r.forget(ctx)
		}
		r.settle(ctx)
		switch {
		case r.left: // nobody listens
		case ctx.Err() != nil:
			yield(Cancelled{}, nil)
		case err != nil:
			yield(nil, err)
		}
	}
}

// run is one prompt being worked on.
type run struct {
	*Agent
	id        string
	prompt    string // its text
	shown     string
	start     int // where in the history the prompt begins
	before    int // tokens then
	response  string
	chosen    string       // the model that answers this prompt
	announced bool         // the consumer knows the model
	fixed     int          // tokens of the last request beside its messages, as we guess
	more      int          // continuations that may still happen
	left      bool         // the consumer of the events has gone
	recovered bool         // from a loop, once
	results   *llm.Content // of tools, not yet in the history
	again     bool         // a hook has sent the model back before

	yield  func(Event, error) bool
	cancel context.CancelCauseFunc
}

var (
	// errLeft means that the consumer of the events broke out of its loop.
	errLeft = errors.New("the run's events are no longer read")
	// errOver means that the run has ended and an event has said why.
	errOver = errors.New("the run is over")
)

func (a *Agent) begin(p Prompt, yield func(Event, error) bool, cancel context.CancelCauseFunc) *run {
	if p.ID == "" {
		p.ID = fmt.Sprintf("%s########%d", a.cfg.SessionID, a.prompts)
	}
	a.prompts++
	return &run{
		Agent: a, id: p.ID, prompt: llm.PartsText(p.Parts), shown: p.Shown,
		start: len(a.history.all), before: a.tokens, more: maxContinuations,
		yield: yield, cancel: cancel,
	}
}

// emit hands an event to the consumer, unless that has left.
func (r *run) emit(e Event) error {
	if r.left || !r.yield(e, nil) {
		r.left = true
		r.cancel(errLeft)
		return errLeft
	}
	return nil
}

// work is the life of one prompt.
func (r *run) work(ctx context.Context, message *llm.Content) error {
	message, err := r.open(ctx, message)
	for err == nil && message != nil {
		err = r.pursue(ctx, message)
		if ctx.Err() != nil || r.left {
			return err
		}
		if errors.Is(err, errOver) {
			err = nil
		}
		next, hookErr := r.close(ctx)
		message, err = next, errors.Join(err, hookErr)
	}
	if errors.Is(err, errOver) {
		return nil
	}
	return err
}

// pursue sends message, runs the tools that the answer asks for, sends what
// came of them, and so on until an answer leaves nothing to do.
func (r *run) pursue(ctx context.Context, message *llm.Content) error {
	for message != nil {
		if err := r.countTurn(); err != nil {
			return err
		}
		r.route(ctx, message)
		if err := r.compress(ctx); err != nil {
			return err
		}
		if err := r.mask(ctx); err != nil {
			return err
		}
		if err := r.fit(ctx, message); err != nil {
			return err
		}
		r.look(ctx, message)
		ans, err := r.turn(ctx, message)
		if err != nil {
			return err
		}
		switch {
		case ans.loop.Kind != "":
			message, err = r.breakLoop(ans.loop, message)
		case ans.invalid:
			message, err = r.goOnInvalid()
		case len(ans.calls) > 0:
			message, err = r.act(ctx, ans.calls)
		default:
			message, err = r.nextSpeaker(ctx)
		}
		if err != nil {
			return err
		}
	}
	return nil
}
