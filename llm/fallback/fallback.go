// Package fallback switches to another model when a model cannot answer.
//
// A [Chain] lists the models that may stand in for a model. The [Policy] of each
// model lists the failures that lead to the next model, either silently or after a
// question to the user, and the state of the model after each failure. A model
// without a chain has no stand-ins. Wrap fallback around the decorator that retries
// failed requests (llm/retry), so that only failures that remain after retries reach
// it.
//
//	failure                           kind         outage
//	KindQuota                         terminal     the session
//	KindModelNotFound, KindForbidden  not_found    the session
//	KindCapacity                      terminal     30 s
//	KindRateLimit                     transient    30 s
//	KindServer (0, 499, 503, 529)     transient    30 s
//	KindServer (any other status)     unknown      30 s
//	KindNetwork, KindNoServer,
//	KindIncomplete                    unreachable  30 s
//	all others, cancellation          none         returned to the caller
//
// The outage is the duration of the state [Unavailable]. The state [StickyRetry]
// lasts until the end of the prompt. Invalid requests, keys and accounts are errors
// for the user to fix, and a full context window is one for the agent; another model
// would hide them. KindForbidden is different: it means that this account may not use
// this model.
//
// After the first chunk of a response the model does not change: a stream that breaks
// off later returns its error. The caller may then call [Generator.Fail].
package fallback

import (
	"context"
	"errors"
	"iter"
	"slices"

	"pollux/llm"
)

// Options configures [Wrap].
type Options struct {
	// Chain returns the chain of a model: its own policy, followed by those of its
	// stand-ins in the order in which to ask them, nil if there are none. The
	// stand-ins may belong to other providers if the generator finds the provider by
	// the model's name. Chain is called for each request.
	Chain func(model string) Chain
	// Handler asks the user about a failure whose action is [Ask]. It must return
	// when ctx ends. It is called for one request at a time; others to a model that the
	// user has switched from meanwhile switch without a question. If Handler is nil, such
	// a failure is returned to the caller.
	Handler func(ctx context.Context, f Failure) Intent
	// Config, if not nil, returns the configuration of a stand-in. Its sampling and
	// thinking settings replace those of the request, which were made for another
	// model. All other settings in it are ignored.
	Config func(model string) llm.Config
	// Window, if not nil, returns the size of a model's context window in tokens, 0 if it is unknown. Stand-ins
	// into which a request does not fit are asked only if no other one is available. The error is then of
	// [llm.KindContextWindow], without a request: the caller makes the conversation shorter and asks again.
	Window func(model string) int
}

// Wrap returns a generator that adds stand-ins to the methods Stream and Generate of
// g. It reports each switch to the request's OnSwitch. If no model can answer, the
// error is that of the last one. CountTokens and Embed have no stand-ins, because
// their results are valid for one model only.
func Wrap(g llm.Generator, o Options) *Generator {
	return &Generator{Generator: g, options: o, asking: make(chan struct{}, 1)}
}

// Generator is the result of [Wrap].
type Generator struct {
	llm.Generator
	options Options
	health  health
	asking  chan struct{} // full while the user is asked
}

var _ llm.Generator = (*Generator)(nil)

func (g *Generator) Unwrap() llm.Generator { return g.Generator }

// Select returns the model that would currently answer a request to model in this
// prompt: model itself while it is available, else its stand-in.
func (g *Generator) Select(model, prompt string) string {
	if g.health.failureOf(model, prompt) == nil {
		return model
	}
	chain := g.chain(model)
	if i := g.nextCandidate(chain[1:], prompt); i >= 0 {
		return chain[1+i].Model
	}
	return model
}

// Fail records that the responses of a model to a prompt break off after their first chunk,
// the last one with err. It returns true if the failure leads to a stand-in without a
// question: then [Generator.Stream] asks that one. It returns false, and records nothing, if
// no stand-in is available.
func (g *Generator) Fail(model, prompt string, err error) bool {
	var e *llm.Error
	chain := g.chain(model)
	isAvailable := func(p Policy) bool { return g.health.failureOf(p.Model, prompt) == nil }
	if !errors.As(err, &e) || !slices.ContainsFunc(chain[1:], isAvailable) {
		return false
	}
	kind := kindOfFailure(e)
	state := chain[0].State(kind)
	if chain[0].Action(kind) != Silent || state == Available {
		return false
	}
	g.health.markFailed(&llm.Request{Model: model, PromptID: prompt}, e, state)
	return g.health.failureOf(model, prompt) != nil
}

// Reset makes all models available again. Call it after the user has chosen another
// model.
func (g *Generator) Reset() { g.health.reset() }

// Stream implements [llm.Generator].
func (g *Generator) Stream(ctx context.Context, req *llm.Request) iter.Seq2[*llm.Response, error] {
	chain := g.chain(req.Model)
	if g.isPassThrough(chain) {
		return g.Generator.Stream(ctx, req)
	}
	return func(yield func(*llm.Response, error) bool) {
		for w := g.startWalk(req, chain); ; {
			if err := w.oversize(); err != nil {
				yield(nil, err)
				return
			}
			hasStarted := false
			var failure error
			for chunk, err := range g.Generator.Stream(ctx, w.req) {
				if err != nil && !hasStarted {
					failure = err
					break
				}
				if !hasStarted && err == nil {
					hasStarted = true
					g.health.markHealthy(w.req)
				}
				if !yield(chunk, err) {
					return
				}
			}
			if failure == nil {
				return
			}
			if err := w.handleFailure(ctx, failure); err != nil {
				yield(nil, err)
				return
			}
		}
	}
}

// Generate implements [llm.Generator].
func (g *Generator) Generate(ctx context.Context, req *llm.Request) (*llm.Response, error) {
	chain := g.chain(req.Model)
	if g.isPassThrough(chain) {
		return g.Generator.Generate(ctx, req)
	}
	for w := g.startWalk(req, chain); ; {
		if err := w.oversize(); err != nil {
			return nil, err
		}
		res, err := g.Generator.Generate(ctx, w.req)
		if err == nil {
			g.health.markHealthy(w.req)
			return res, nil
		}
		if err := w.handleFailure(ctx, err); err != nil {
			return nil, err
		}
	}
}

// chain returns the chain of a model, without duplicates and with the model itself
// first.
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

// isPassThrough reports whether requests with this chain need no changes and no
// fallback.
func (g *Generator) isPassThrough(chain Chain) bool {
	return len(chain) == 1 && chain[0].MaxAttempts == 0 && g.options.Handler == nil
}

// nextCandidate returns the index of the model to ask next: the first available one,
// else the last resort, else -1.
func (g *Generator) nextCandidate(chain Chain, prompt string) int {
	i := slices.IndexFunc(chain, func(p Policy) bool { return g.health.failureOf(p.Model, prompt) == nil })
	if i < 0 {
		i = slices.IndexFunc(chain, func(p Policy) bool { return p.LastResort })
	}
	return i
}
