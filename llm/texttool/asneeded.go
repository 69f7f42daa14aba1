package texttool

import (
	"context"
	"errors"
	"iter"
	"sync"

	"pollux/llm"
)

// AsNeeded returns a generator that passes requests to g, but uses tools in text as
// [Wrap] does for models that need it. These are models for which o.Always returns
// true, and models whose server has refused tools ([llm.KindNoTools]). Refusals are
// remembered for the lifetime of the generator.
func AsNeeded(g llm.Generator, o Options) *Adaptive {
	return &Adaptive{Generator: g, text: Wrap(g, o)}
}

// Adaptive is the result of [AsNeeded].
type Adaptive struct {
	llm.Generator // for models with tool calling
	text          *Generator
	noTools       sync.Map // names of models without tool calling
}

var _ llm.Generator = (*Adaptive)(nil)

// Unwrap returns the wrapped generator.
func (a *Adaptive) Unwrap() llm.Generator { return a.Generator }

// Stream implements [llm.Generator].
func (a *Adaptive) Stream(ctx context.Context, req *llm.Request) iter.Seq2[*llm.Response, error] {
	return func(yield func(*llm.Response, error) bool) {
		if !a.needsText(req) {
			for r, err := range a.Generator.Stream(ctx, req) {
				if a.learnFrom(req, err) {
					break // the error is the first and last element
				}
				if !yield(r, err) {
					return
				}
			}
			if !a.needsText(req) {
				return
			}
		}
		for r, err := range a.text.Stream(ctx, req) {
			if !yield(r, err) {
				return
			}
		}
	}
}

// Generate implements [llm.Generator].
func (a *Adaptive) Generate(ctx context.Context, req *llm.Request) (*llm.Response, error) {
	if !a.needsText(req) {
		r, err := a.Generator.Generate(ctx, req)
		if !a.learnFrom(req, err) {
			return r, err
		}
	}
	return a.text.Generate(ctx, req)
}

// needsText reports whether the model is known not to support tools.
func (a *Adaptive) needsText(req *llm.Request) bool {
	if _, known := a.noTools.Load(req.Model); known {
		return true
	}
	always := a.text.options.Always
	if always == nil || !always(req.Model) {
		return false
	}
	a.useText(req.Model)
	return true
}

// learnFrom reports whether err means that the model does not support tools, and
// remembers it.
func (a *Adaptive) learnFrom(req *llm.Request, err error) bool {
	var e *llm.Error
	if !errors.As(err, &e) || e.Kind != llm.KindNoTools {
		return false
	}
	a.useText(req.Model)
	return true
}

// useText remembers that a model does not support tools.
func (a *Adaptive) useText(model string) {
	if _, known := a.noTools.LoadOrStore(model, true); !known && a.text.options.Log != nil {
		a.text.options.Log(model, "it takes no tools: it is told of them in words")
	}
}
