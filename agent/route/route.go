// Package route picks the model that answers a prompt (spec/agent.md §8).
//
// Strategies are asked in order, and the first one that has something to say
// decides:
//
//	fallback              the model cannot answer: what its chain has in its place
//	override              the user has named the model: it
//	approval-mode         a plan is being made: pro; an approved one carried out: flash
//	Classifier            a small model says whether the prompt needs pro
//	NumericalClassifier   the same by a score from 1 to 100, for Gemini 3
//	default               the model that the user's word stands for
//
// A prompt keeps its model, however often it is asked about.
//
// The question to the small model is the only one that costs: a request, and the
// time until its answer, before the prompt is even sent. So it is asked only where
// [Choice] allows it, waits 3 seconds at most, and is left alone for a while if
// it keeps failing; without it the default decides.
package route

import (
	"cmp"
	"context"
	"sync"
	"time"

	lru "github.com/hashicorp/golang-lru/v2"

	"pollux/agent"
	"pollux/llm"
)

// Options are what a [Router] goes by. All may be zero: every prompt then gets
// the model that the user has chosen. The functions are called at each new
// prompt, from whatever goroutine asks.
type Options struct {
	// Auto returns what there is to choose from, false if the user has named the
	// model. It is false for what is not Google's: these strategies know only its
	// models.
	Auto func() (Choice, bool)
	// Stage tells whether the session makes a plan or carries one out; nil, as
	// when the user wants none of it (general.plan.modelRouting), is for neither.
	Stage func() Stage
	// Select returns the model that answers in this one's place as long as it
	// cannot, else itself ([pollux/llm/fallback.Generator.Select]).
	Select func(model, promptID string) string

	// Generator is asked how hard a prompt is; nil asks nobody. Which says, by
	// alias, what model is asked and how.
	Generator llm.Generator
	Which     func(question string) (model string, cfg llm.Config, err error)
	// Threshold is the score from which on a prompt goes to the pro model, from 1
	// to 100; 0 is 90.
	Threshold int
	// Binary asks for one model or the other, not for a score, also with Gemini 3
	// (the seeds' rule).
	Binary bool
	// The binary question shows the last Keep (4) messages of Window (20) that are
	// not about tools, the other one the last Scored (8) of all.
	Window, Keep, Scored int

	// Decided is told of each decision.
	Decided func(promptID string, d Decision)
}

// Choice is what "auto" chooses from.
type Choice struct {
	Pro, Flash string
	// Judge lets a small model be asked which of the two.
	Judge bool
}

// Stage is where a session stands with a plan.
type Stage int

// The stages.
const (
	NoPlan Stage = iota
	Planning
	Implementing // a plan that was approved
)

// Decision is which model answers a prompt, and why.
type Decision struct {
	Model  string
	Source string // the strategy's name, as above
	// Latency is how long it took to decide.
	Latency time.Duration
	// Reasoning is the small model's, or says what led to the decision.
	Reasoning string
	// Err is why a strategy before Source could not decide; nil if none failed.
	Err error
}

// Router picks models. It may be used by several goroutines.
type Router struct {
	o      Options
	lately *lru.Cache[string, Decision] // by prompt

	mu    sync.Mutex
	fails int       // of the small model, in a row
	rests time.Time // until when it is not asked
}

var _ agent.Router = (*Router)(nil)

// remembered is how many prompts keep their model: more than are ever worked on
// at once.
const remembered = 256

// New returns a router.
func New(o Options) *Router {
	o.Threshold = cmp.Or(o.Threshold, defaultThreshold)
	o.Window, o.Keep, o.Scored = cmp.Or(o.Window, 20), cmp.Or(o.Keep, 4), cmp.Or(o.Scored, 8)
	lately, _ := lru.New[string, Decision](remembered) // fails for sizes below 1 only
	return &Router{o: o, lately: lately}
}

// Route implements [agent.Router].
func (r *Router) Route(ctx context.Context, q agent.Routing) string { return r.Decide(ctx, q).Model }

// Decide picks the model for a prompt and says why. It asks a model at most, and
// never fails: a cancelled context gets the default.
func (r *Router) Decide(ctx context.Context, q agent.Routing) Decision {
	if d, ok := r.lately.Get(q.PromptID); ok && q.PromptID != "" {
		return d
	}
	began := time.Now()
	d := r.decide(ctx, q)
	d.Latency = time.Since(began)
	if ctx.Err() != nil {
		return d
	}
	if q.PromptID != "" {
		if first, ok, _ := r.lately.PeekOrAdd(q.PromptID, d); ok {
			return first
		}
	}
	if r.o.Decided != nil {
		r.o.Decided(q.PromptID, d)
	}
	return d
}

func (r *Router) decide(ctx context.Context, q agent.Routing) Decision {
	p := &prompt{Routing: q}
	if r.o.Auto != nil {
		p.Choice, p.auto = r.o.Auto()
	}
	for _, strategy := range [...]func(context.Context, *prompt) Decision{
		r.fallback, r.override, r.approvalMode, r.classify,
	} {
		d := strategy(ctx, p)
		if d.Model != "" {
			d.Err = cmp.Or(d.Err, p.err)
			return d
		}
		p.err = cmp.Or(p.err, d.Err)
	}
	return Decision{Model: q.Model, Source: "default", Reasoning: "Nothing speaks against it.", Err: p.err}
}
