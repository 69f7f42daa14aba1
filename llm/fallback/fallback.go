// Package fallback asks another model where the one that was asked cannot
// answer (spec/agent.md §9).
//
// The user says which models may stand in for which; without that nothing is
// ever asked of a model that nobody named. It belongs around what repeats failed
// requests (llm/retry): a failure that reaches it is one that waiting has not
// mended.
//
//	the failure                  another is asked   the one that failed is asked again
//	KindQuota                    yes                not in this session
//	KindModelNotFound            yes                not in this session
//	KindForbidden                yes                not in this session
//	KindCapacity                 yes                after 30 s
//	KindRateLimit, KindServer    yes                with the user's next prompt
//	KindNetwork, KindIncomplete  yes                with the user's next prompt
//	all others, cancelling       no
//
// A refused request, key or account is the user's to put right, a window that
// is too small the agent's; another model would hide that. KindForbidden is not
// among these: it says that this account may not use this model.
//
// Once a chunk of an answer has come, its model has the word: what breaks off
// then is the caller's to mend.
package fallback

import (
	"context"
	"errors"
	"iter"
	"slices"

	"pollux/llm"
)

// Options say who stands in for whom.
type Options struct {
	// Chain returns the models that may answer in a model's place, in the order
	// in which they are asked; nil if there are none. They may be another
	// provider's, if the generator knows whose from the name. The last one is
	// the last resort: it is asked even if it has failed before.
	Chain func(model string) []string
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

// Stream implements [llm.Generator].
func (g *Generator) Stream(ctx context.Context, req *llm.Request) iter.Seq2[*llm.Response, error] {
	chain := g.chain(req.Model)
	if len(chain) == 0 {
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
			if !t.next(ctx, failure) {
				yield(nil, failure)
				return
			}
		}
	}
}

// Generate implements [llm.Generator].
func (g *Generator) Generate(ctx context.Context, req *llm.Request) (*llm.Response, error) {
	chain := g.chain(req.Model)
	if len(chain) == 0 {
		return g.Generator.Generate(ctx, req)
	}
	for t := g.begin(req, chain); ; {
		res, err := g.Generator.Generate(ctx, t.req)
		if err == nil {
			g.health.well(t.req)
			return res, nil
		}
		if !t.next(ctx, err) {
			return nil, err
		}
	}
}

// chain returns who may stand in for model.
func (g *Generator) chain(model string) []string {
	if g.options.Chain == nil {
		return nil
	}
	return slices.DeleteFunc(slices.Clone(g.options.Chain(model)), func(m string) bool { return m == model })
}

// try is a request on its way down a chain.
type try struct {
	*Generator
	first *llm.Request // as the caller made it
	req   *llm.Request // as it is asked now
	rest  []string     // of the chain
}

// begin returns the try that asks the first model which is not known to be
// unable to answer.
func (g *Generator) begin(req *llm.Request, chain []string) *try {
	t := &try{Generator: g, first: req, req: req, rest: chain}
	if err := g.health.of(req.Model, req.PromptID); err != nil {
		t.pass(err)
	}
	return t
}

// next takes the failure of the model that was asked, and reports whether
// there is another one to ask now.
func (t *try) next(ctx context.Context, failure error) bool {
	var e *llm.Error
	if ctx.Err() != nil || !errors.As(failure, &e) || !t.health.failed(t.req, e) {
		return false
	}
	return t.pass(failure)
}

// pass makes the request one to the next model that is well, or else to the
// last resort.
func (t *try) pass(cause error) bool {
	to := ""
	for len(t.rest) > 0 && to == "" {
		model := t.rest[0]
		t.rest = t.rest[1:]
		if len(t.rest) == 0 || t.health.of(model, t.first.PromptID) == nil {
			to = model
		}
	}
	if to == "" {
		return false
	}
	from := t.req.Model
	t.req = t.request(to)
	if t.first.OnSwitch != nil {
		t.first.OnSwitch(llm.Switch{From: from, To: to, Err: cause})
	}
	return true
}

// request returns the caller's request as one to model.
func (t *try) request(model string) *llm.Request {
	req := *t.first
	req.Model = model
	req.Config.CachedContent = "" // which another model's vendor keeps
	if t.options.Config != nil {
		c, to := t.options.Config(model), &req.Config
		to.Temperature, to.TopP, to.TopK = c.Temperature, c.TopP, c.TopK
		to.PresencePenalty, to.FrequencyPenalty = c.PresencePenalty, c.FrequencyPenalty
		to.Thinking = c.Thinking
	}
	return &req
}
