// Package route selects the model for a prompt.
//
// The first strategy that applies decides:
//
//	fallback              the model is unavailable: the next one of its fallback chain
//	override              the user has selected a single model: that one
//	approval-mode         the session makes a plan: pro; it implements one: flash
//	Classifier            a small model decides whether the prompt needs pro
//	NumericalClassifier   a small model scores the prompt from 1 to 100, for Gemini 3
//	default               the model that the user's setting resolves to
//
// The decision for a prompt does not change, so that all its requests use one model.
//
// Only the question to the small model costs money and time, before the prompt is sent. The
// router asks it only if [Choice] allows it, waits at most 3 seconds, and stops asking for a
// while after repeated failures. Without an answer, the default applies.
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

// Options configures a [Router]. All fields may be zero: every prompt then gets the model that
// the user has selected. The router calls the functions once for each new prompt, from the
// goroutine that asks for a decision.
type Options struct {
	// Auto returns the models to choose from, or false if the user has selected a single model
	// or one of another vendor than Google.
	Auto func() (Choice, bool)
	// Stage returns whether the session makes a plan or implements one. A nil Stage disables
	// the strategy approval-mode (general.plan.modelRouting).
	Stage func() Stage
	// Select returns the model to use in place of this one while it is unavailable, or the
	// model itself ([pollux/llm/fallback.Generator.Select]).
	Select func(model, promptID string) string

	// Generator classifies prompts; nil disables the classifiers. ResolveModel returns the
	// model to ask and its configuration for an alias in the settings.
	Generator    llm.Generator
	ResolveModel func(question string) (model string, cfg llm.Config, err error)
	// Threshold is the score from which on a prompt needs the pro model, from 1 to 100; 0 is
	// 90.
	Threshold int
	// Binary uses the strategy Classifier for Gemini 3, too.
	Binary bool
	// OnDecision, if set, is called after each decision.
	OnDecision func(promptID string, d Decision)
}

// Choice holds the models that "auto" chooses from.
type Choice struct {
	Pro, Flash string
	// UseClassifier allows the router to ask a small model which of the two to use.
	UseClassifier bool
}

// Stage is the state of a session with regard to a plan.
type Stage int

// The stages.
const (
	NoPlan Stage = iota
	Planning
	Implementing // an approved plan
)

// Decision is the model for a prompt, and the reason.
type Decision struct {
	Model  string
	Source string // name of the strategy, see the package documentation
	// Latency is the duration of the decision.
	Latency time.Duration
	// Reasoning is the reasoning of the small model, or the reason for the decision.
	Reasoning string
	// Err is the first error of the strategies before Source; nil if none failed.
	Err error
}

// Router selects models. It may be used by several goroutines at once.
type Router struct {
	o         Options
	decisions *lru.Cache[string, Decision] // by prompt

	mu        sync.Mutex
	failures  int       // of the small model, in a row
	restUntil time.Time // the small model is not asked before
}

var _ agent.Router = (*Router)(nil)

// maxDecisions is the number of stored decisions: more than there are prompts at one time.
const maxDecisions = 256

// New returns a router.
func New(o Options) *Router {
	o.Threshold = cmp.Or(o.Threshold, defaultThreshold)
	decisions, _ := lru.New[string, Decision](maxDecisions) // fails only for sizes below 1
	return &Router{o: o, decisions: decisions}
}

// Route implements [agent.Router].
func (r *Router) Route(ctx context.Context, q agent.RouteRequest) string {
	return r.Decide(ctx, q).Model
}

// Decide selects the model for a prompt. It sends at most one question to a model and never
// fails: if ctx is cancelled, it returns the default.
func (r *Router) Decide(ctx context.Context, q agent.RouteRequest) Decision {
	if d, ok := r.decisions.Get(q.PromptID); ok && q.PromptID != "" {
		return d
	}
	began := time.Now()
	d := r.decide(ctx, q)
	d.Latency = time.Since(began)
	if ctx.Err() != nil {
		return d
	}
	if q.PromptID != "" {
		if first, ok, _ := r.decisions.PeekOrAdd(q.PromptID, d); ok {
			return first
		}
	}
	if r.o.OnDecision != nil {
		r.o.OnDecision(q.PromptID, d)
	}
	return d
}

func (r *Router) decide(ctx context.Context, q agent.RouteRequest) Decision {
	p := &request{RouteRequest: q}
	if r.o.Auto != nil {
		p.Choice, p.isAuto = r.o.Auto()
	}
	for _, strategy := range [...]func(context.Context, *request) Decision{
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
