package agent

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"sync"
	"time"

	"pollux/llm"
	"pollux/llm/catalog"
	"pollux/tool"
)

// maxContinuations bounds how often one prompt may go on without a tool call
// or a person asking for it: next-speaker checks, hooks that send the model
// back, recoveries from a loop (spec/agent.md §13).
const maxContinuations = 100

// Config is what an agent is made of. Generator, Model, Tools and Gate must be
// set; the rest may be zero.
type Config struct {
	Generator llm.Generator
	Model     string
	Tools     *tool.Registry
	Gate      Gate

	SessionID string
	// System returns the system instruction for a model. It should return the
	// same pointer as long as the text is the same.
	System func(model string) *llm.Content
	// Context opens the history: what the model is told before the first prompt.
	Context []Message
	// Sampling returns temperature, thinking and the like for a model, retry
	// saying that an unusable answer is being asked for again; nil leaves it to
	// the catalog.
	Sampling func(model string, retry bool) llm.Config
	// Limit returns how many tokens a model takes; nil leaves it to the catalog.
	Limit func(model string) int
	// MaxTurns bounds the model requests of the session; nil does not.
	MaxTurns *int
	// Retry is how often an unusable answer is asked for again.
	Retry StreamRetry
	// DropInvalidPrompts leaves out of what is sent, with an unusable answer in
	// a loaded history, also the prompt before it (the seeds' rule).
	DropInvalidPrompts bool
	// ContinueInvalid asks the model once to go on after an unusable answer
	// (the seeds' rule).
	ContinueInvalid bool
	// ForgetCancelled takes a cancelled prompt back as if it had never been
	// given, its finished tool rounds included. Without it they are kept: what
	// tools have done is done, and the model should know.
	ForgetCancelled bool

	Journal      Journal
	Hooks        Hooks
	Compressor   Compressor
	LoopDetector LoopDetector
	Router       Router
	NextSpeaker  NextSpeaker

	// Now is the clock; nil is the real one.
	Now func() time.Time
}

// Agent is one conversation. Runs of one agent happen one after the other; a
// second waits for the first.
type Agent struct {
	cfg      Config
	running  sync.Mutex // held by Run
	history  history
	tokens   int // of the last request, as the model counted or as estimated
	turns    int // model requests so far
	prompts  int
	calls    int // for ids
	toolSets map[bool]*llm.ToolSet
}

// New returns an agent at the start of its conversation.
func New(cfg Config) *Agent {
	if cfg.Sampling == nil {
		cfg.Sampling = func(model string, retry bool) llm.Config { return catalog.ChatConfig(model) }
	}
	if cfg.Limit == nil {
		cfg.Limit = func(model string) int { return catalog.Lookup(model).Input }
	}
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	cfg.Retry = cfg.Retry.orDefault()
	a := &Agent{cfg: cfg, toolSets: map[bool]*llm.ToolSet{}}
	a.history.dropPrompt = cfg.DropInvalidPrompts
	a.SetHistory(cfg.Context)
	return a
}

// History returns the conversation so far, all of it. It waits for a run to end.
func (a *Agent) History() []Message {
	a.running.Lock()
	defer a.running.Unlock()
	return slices.Clone(a.history.all)
}

// SetHistory replaces the conversation, the opening context included, without
// telling the journal. Function calls and responses without an id get one.
func (a *Agent) SetHistory(messages []Message) {
	a.running.Lock()
	defer a.running.Unlock()
	a.history.set(withIDs(messages))
	a.tokens = a.estimateHistory()
}

// SetModel makes another model answer from the next prompt on.
func (a *Agent) SetModel(model string) {
	a.running.Lock()
	defer a.running.Unlock()
	a.cfg.Model = model
}

// RefreshTools makes the next request declare the registry's tools anew.
func (a *Agent) RefreshTools() {
	a.running.Lock()
	defer a.running.Unlock()
	clear(a.toolSets)
}

func (a *Agent) estimateHistory() int {
	n := 0
	for _, m := range a.history.all {
		n += EstimateTokens(m.Content.Parts)
	}
	return n
}

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
		r.settle(ctx)
		if a.cfg.ForgetCancelled && ctx.Err() != nil {
			r.forget(ctx)
		}
		switch {
		case errors.Is(err, errLeft): // the consumer has gone; nobody listens
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
	model     string       // once routed
	announced bool         // the consumer knows the model
	left      int          // continuations that may still happen
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
		start: len(a.history.all), before: a.tokens, left: maxContinuations,
		yield: yield, cancel: cancel,
	}
}

// emit hands an event to the consumer.
func (r *run) emit(e Event) error {
	if !r.yield(e, nil) {
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
		if ctx.Err() != nil || errors.Is(err, errLeft) {
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
		if err := r.fit(ctx, message); err != nil {
			return err
		}
		ans, err := r.turn(ctx, message)
		if err != nil {
			return err
		}
		switch {
		case ans.loop != "":
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
