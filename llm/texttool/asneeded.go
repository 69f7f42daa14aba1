package texttool

import (
	"context"
	"errors"
	"iter"
	"sync"

	"pollux/llm"
)

// AsNeeded returns g, but asks models in the way of [Wrap] that o.Always names,
// and others once their server has said that they cannot be given tools
// ([llm.KindNoTools]). What it has learned of a model holds as long as the
// generator does.
func AsNeeded(g llm.Generator, o Options) *Adaptive {
	return &Adaptive{Generator: g, text: Wrap(g, o)}
}

// Adaptive is what [AsNeeded] returns.
type Adaptive struct {
	llm.Generator // of models that call tools by themselves
	text          *Generator
	refused       sync.Map // the names of models that do not
}

var _ llm.Generator = (*Adaptive)(nil)

// Unwrap returns the generator that does the work.
func (a *Adaptive) Unwrap() llm.Generator { return a.Generator }

// Stream implements [llm.Generator].
func (a *Adaptive) Stream(ctx context.Context, req *llm.Request) iter.Seq2[*llm.Response, error] {
	return func(yield func(*llm.Response, error) bool) {
		if !a.refuses(req) {
			for r, err := range a.Generator.Stream(ctx, req) {
				if a.learn(req, err) {
					break // which is the last of it, and nothing was said before
				}
				if !yield(r, err) {
					return
				}
			}
			if !a.refuses(req) {
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
	if !a.refuses(req) {
		r, err := a.Generator.Generate(ctx, req)
		if !a.learn(req, err) {
			return r, err
		}
	}
	return a.text.Generate(ctx, req)
}

// refuses reports whether the model is known to take no tools.
func (a *Adaptive) refuses(req *llm.Request) bool {
	if _, known := a.refused.Load(req.Model); known {
		return true
	}
	always := a.text.options.Always
	if always == nil || !always(req.Model) {
		return false
	}
	a.remember(req.Model)
	return true
}

// learn reports whether err says that the model takes no tools.
func (a *Adaptive) learn(req *llm.Request, err error) bool {
	var e *llm.Error
	if !errors.As(err, &e) || e.Kind != llm.KindNoTools {
		return false
	}
	a.remember(req.Model)
	return true
}

func (a *Adaptive) remember(model string) {
	if _, known := a.refused.LoadOrStore(model, true); !known && a.text.options.Log != nil {
		a.text.options.Log(model, "it takes no tools: it is told of them in words")
	}
}
