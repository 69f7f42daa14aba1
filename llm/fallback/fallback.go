// Package fallback asks another model where the one that was asked cannot
// answer (spec/agent.md §9).
//
// Who may stand in for whom is said by chains of models. In one, each model has
// a [Policy]: which failures lead on to the next, by themselves or if a person
// agrees, and what becomes of the model that failed. Without a chain nothing is
// ever asked of another model. It belongs around what repeats failed requests
// (llm/retry): a failure that reaches it is one that waiting has not mended.
//
//	the failure                     its kind     for as long as it stands
//	KindQuota                       terminal     the session
//	KindModelNotFound, -Forbidden   not_found    the session
//	KindCapacity                    terminal     30 s
//	KindRateLimit, KindServer       transient    30 s
//	  with other than 499, 503, 529 unknown      30 s
//	KindNetwork, KindIncomplete     unreachable  30 s
//	all others, cancelling          none: it is the caller's
//
// That is how long the state [Gone] lasts; [Sticky] lasts for the prompt. A
// refused request, key or account is the user's to put right, a window that is
// too small the agent's; another model would hide that. KindForbidden is not
// among these: it says that this account may not use this model.
//
// Once a chunk of an answer has come, its model has the word: what breaks off
// then is the caller's to mend.
package fallback

import (
	"context"
	"iter"
	"slices"

	"pollux/llm"
)

// Options say who stands in for whom.
type Options struct {
	// Chain returns the policy of a model, and behind it those of the models that
	// may answer in its place, in the order in which they are asked; nil if there
	// are none. They may be another provider's, if the generator knows whose from
	// the name. It is asked at each request.
	Chain func(model string) Chain
	// Handler, where set, asks a person what to do about a failure whose action is
	// [Ask], and returns early when ctx ends. It may be called by several goroutines
	// at once. Without it such a failure is the answer.
	Handler func(ctx context.Context, f Failure) Intent
	// Config, where set, returns how a stand-in wants to be asked: its sampling
	// and thinking take the place of those in the request, which were made for
	// another model. Everything else in it is ignored.
	Config func(model string) llm.Config
}

// Wrap returns g with stand-ins for Stream and Generate. The request's OnSwitch
// is told of each; the answer then is the stand-in's. If none can answer, the
// error is that of the last one asked.
//
// CountTokens and Embed are not handed on: what they return holds for one model.
func Wrap(g llm.Generator, o Options) *Generator {
	return &Generator{Generator: g, options: o}
}

// Generator is what [Wrap] returns.
type Generator struct {
	llm.Generator
	options Options
	health  health
}

var _ llm.Generator = (*Generator)(nil)

// Unwrap returns the generator that does the work.
func (g *Generator) Unwrap() llm.Generator { return g.Generator }

// Select returns the model that a request of this prompt to model would be put
// to now: itself, as long as it can answer.
func (g *Generator) Select(model, prompt string) string {
	if g.health.of(model, prompt) == nil {
		return model
	}
	chain := g.chain(model)
	if i := g.candidate(chain[1:], prompt); i >= 0 {
		return chain[1+i].Model
	}
	return model
}

// Reset forgets all failures, and what a person has said about them: the user
// has chosen a model anew.
func (g *Generator) Reset() { g.health.reset() }

// Stream implements [llm.Generator].
func (g *Generator) Stream(ctx context.Context, req *llm.Request) iter.Seq2[*llm.Response, error] {
	chain := g.chain(req.Model)
	if g.idle(chain) {
		return g.Generator.Stream(ctx, req)
	}
	return func(yield func(*llm.Response, error) bool) {
		for t := g.begin(req, chain); ; {
			begun := false
			var failure error
			for chunk, err := range g.Generator.Stream(ctx, t.req) {
				if err != nil && !begun {
					failure = err
					break
				}
				if !begun && err == nil {
					begun = true
					g.health.well(t.req)
				}
				if !yield(chunk, err) {
					return
				}
			}
			if failure == nil {
				return
			}
			if err := t.next(ctx, failure); err != nil {
				yield(nil, err)
				return
			}
		}
	}
}

// Generate implements [llm.Generator].
func (g *Generator) Generate(ctx context.Context, req *llm.Request) (*llm.Response, error) {
	chain := g.chain(req.Model)
	if g.idle(chain) {
		return g.Generator.Generate(ctx, req)
	}
	for t := g.begin(req, chain); ; {
		res, err := g.Generator.Generate(ctx, t.req)
		if err == nil {
			g.health.well(t.req)
			return res, nil
		}
		if err := t.next(ctx, err); err != nil {
			return nil, err
		}
	}
}

// chain returns a model's chain: its own policy first, each model once.
func (g *Generator) chain(model string) Chain {
	chain := Chain{{Model: model}}
	if g.options.Chain == nil {
		return chain
	}
	for i, p := range g.options.Chain(model) {
		switch {
		case i == 0 && p.Model == model:
			chain[0] = p
		case !slices.ContainsFunc(chain, func(q Policy) bool { return q.Model == p.Model }):
			chain = append(chain, p)
		}
	}
	return chain
}

// idle reports whether a chain leaves nothing to do.
func (g *Generator) idle(chain Chain) bool {
	return len(chain) == 1 && chain[0].MaxAttempts == 0 && g.options.Handler == nil
}

// candidate returns which of a chain answers next: the first one that is well,
// else the last resort, else -1.
func (g *Generator) candidate(chain Chain, prompt string) int {
	i := slices.IndexFunc(chain, func(p Policy) bool { return g.health.of(p.Model, prompt) == nil })
	if i < 0 {
		i = slices.IndexFunc(chain, func(p Policy) bool { return p.LastResort })
	}
	return i
}
