package texttool

import (
	"context"
	"errors"
	"iter"

	"pollux/llm"
	"pollux/llm/lessons"
)

// AsNeeded returns a generator that passes requests to g, but uses tools in text as
// [Wrap] does for models that need it:
//
//   - models for which o.Always returns true,
//   - models whose server has refused tools ([llm.KindNoTools]),
//   - models whose server has passed a call on as text, and has never returned one.
//
// This is remembered for the lifetime of the generator.
//
// A call that a server passes on as text is understood if the server has never returned one, and
// o.HasCalled does not know it to. The call must end the answer: it begins a line or a section of
// special tokens, nothing but other calls follows it, it is no quotation (see the package comment),
// not in a fence of a programming language, and its tool is declared. All else is text.
func AsNeeded(g llm.Generator, o Options) *Adaptive {
	return &Adaptive{Generator: g, text: Wrap(g, o)}
}

// Adaptive is the result of [AsNeeded].
type Adaptive struct {
	llm.Generator // for models with tool calling
	text          *Generator
	models        lessons.Memory[toolCalling]
}

// toolCalling describes the tool calling of a model.
type toolCalling struct {
	needsText bool // it gets its tools in text
	isNative  bool // its server has returned a call
}

var _ llm.Generator = (*Adaptive)(nil)

func (a *Adaptive) Unwrap() llm.Generator { return a.Generator }

// Stream implements [llm.Generator].
func (a *Adaptive) Stream(ctx context.Context, req *llm.Request) iter.Seq2[*llm.Response, error] {
	return func(yield func(*llm.Response, error) bool) {
		if !a.needsText(req) {
			hasRefused := false
			for r, err := range a.stream(ctx, req) {
				if hasRefused = a.learnFrom(req, err); hasRefused {
					break // the error is the first and last element
				}
				if !yield(r, err) {
					return
				}
			}
			if !hasRefused {
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

// stream requests an answer with tools, and returns calls in its text as calls.
func (a *Adaptive) stream(ctx context.Context, req *llm.Request) iter.Seq2[*llm.Response, error] {
	return func(yield func(*llm.Response, error) bool) {
		if a.hasCalled(req.Model) {
			a.Generator.Stream(ctx, req)(yield)
			return
		}
		n := newNativeAnswer(&a.text.options, req, declaredTools(&req.Config))
		if n.stream(a.Generator.Stream(ctx, req), yield) {
			a.learnCalling(req.Model, n)
		}
	}
}

// Generate implements [llm.Generator].
func (a *Adaptive) Generate(ctx context.Context, req *llm.Request) (*llm.Response, error) {
	if a.needsText(req) {
		return a.text.Generate(ctx, req)
	}
	r, err := a.Generator.Generate(ctx, req)
	if a.learnFrom(req, err) {
		return a.text.Generate(ctx, req)
	}
	if err != nil || a.hasCalled(req.Model) {
		return r, err
	}
	n := newNativeAnswer(&a.text.options, req, declaredTools(&req.Config))
	r = n.whole(r)
	a.learnCalling(req.Model, n)
	return r, nil
}

// hasCalled reports whether the server of a model is known to return calls.
func (a *Adaptive) hasCalled(model string) bool {
	if known := a.models.Get(model); known != nil && known.isNative {
		return true
	}
	return a.text.options.HasCalled != nil && a.text.options.HasCalled(model)
}

func (a *Adaptive) needsText(req *llm.Request) bool {
	if !a.isKnownToNeedText(req.Model) {
		return false
	}
	a.useText(req.Model, "it is known to take no tools")
	return true
}

// learnFrom reports whether err means that the model does not support tools, and
// remembers it.
func (a *Adaptive) learnFrom(req *llm.Request, err error) bool {
	var e *llm.Error
	if !errors.As(err, &e) || e.Kind != llm.KindNoTools {
		return false
	}
	a.useText(req.Model, "its server refuses tools")
	return true
}

// learnCalling remembers whether the server has returned a call or passed one on as
// text.
func (a *Adaptive) learnCalling(model string, n *nativeAnswer) {
	switch {
	case n.hasCall:
		a.models.GetOrCreate(model, func() *toolCalling { return &toolCalling{} })
		a.models.Update(model, func(k toolCalling) *toolCalling {
			k.isNative = true
			return &k
		})
	case len(n.parser.calls) > 0:
		a.useText(model, "its server passes its calls on as text")
	}
}

// useText remembers that a model needs its tools in text.
func (a *Adaptive) useText(model, why string) {
	a.models.GetOrCreate(model, func() *toolCalling { return &toolCalling{} })
	isNew := false
	a.models.Update(model, func(k toolCalling) *toolCalling {
		isNew = !k.needsText
		k.needsText = true
		return &k
	})
	if isNew {
		a.log(model, why+": it gets them in text from now on")
	}
}

func (a *Adaptive) log(model, message string) {
	if a.text.options.Log != nil {
		a.text.options.Log(model, message)
	}
}
