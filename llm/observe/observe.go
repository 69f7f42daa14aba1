// Package observe shows the requests to a model, and its responses, to observers that
// count, log or record them.
package observe

import (
	"context"
	"iter"

	"pollux/llm"
)

// Observer observes requests to a model. Several goroutines may call it at once.
type Observer interface {
	// Begin is called before a request is sent, and must not change it. It returns the
	// observer of the response, nil for none.
	Begin(req *llm.Request) Call
}

// Call observes one request. One goroutine at a time calls it.
type Call interface {
	// See is called with each chunk of a streamed response, or with a whole response.
	// In case of an error the response is nil; no other call of See follows.
	See(r *llm.Response, err error)
	// End is called once, after the response or when its consumer has left.
	End()
}

// ContextObserver is an [Observer] that also observes the layers below the protocol: it
// adds values to the contexts of requests, token counts and embeddings.
type ContextObserver interface {
	Observer
	// Context returns the context with which a request is sent.
	Context(ctx context.Context) context.Context
}

// Wrap returns a generator that shows each request to g, and its response, to the
// observers, in their order. Token counts and embeddings are shown to no
// [Observer.Begin]. Without observers it returns g.
//
// To observe each attempt of a request, Wrap must be inside the retry decorator.
func Wrap(g llm.Generator, observers ...Observer) llm.Generator {
	if len(observers) == 0 {
		return g
	}
	o := &observed{Generator: g, observers: observers}
	for _, one := range observers {
		if c, ok := one.(ContextObserver); ok {
			o.contexts = append(o.contexts, c)
		}
	}
	return o
}

type observed struct {
	llm.Generator
	observers []Observer
	contexts  []ContextObserver
}

var _ llm.Generator = (*observed)(nil)

func (o *observed) Unwrap() llm.Generator { return o.Generator }

func (o *observed) context(ctx context.Context) context.Context {
	for _, c := range o.contexts {
		ctx = c.Context(ctx)
	}
	return ctx
}

// calls are the observations of one request.
type calls []Call

func (o *observed) begin(req *llm.Request) calls {
	all := make(calls, 0, len(o.observers))
	for _, one := range o.observers {
		if c := one.Begin(req); c != nil {
			all = append(all, c)
		}
	}
	return all
}

func (all calls) see(r *llm.Response, err error) {
	for _, c := range all {
		c.See(r, err)
	}
}

func (all calls) end() {
	for _, c := range all {
		c.End()
	}
}

// Stream implements [llm.Generator].
func (o *observed) Stream(ctx context.Context, req *llm.Request) iter.Seq2[*llm.Response, error] {
	return func(yield func(*llm.Response, error) bool) {
		all := o.begin(req)
		defer all.end()
		for r, err := range o.Generator.Stream(o.context(ctx), req) {
			all.see(r, err)
			if !yield(r, err) {
				return
			}
		}
	}
}

// Generate implements [llm.Generator].
func (o *observed) Generate(ctx context.Context, req *llm.Request) (*llm.Response, error) {
	all := o.begin(req)
	defer all.end()
	r, err := o.Generator.Generate(o.context(ctx), req)
	all.see(r, err)
	return r, err
}

// CountTokens implements [llm.Generator].
func (o *observed) CountTokens(ctx context.Context, req *llm.Request) (int, error) {
	return o.Generator.CountTokens(o.context(ctx), req)
}

// Embed implements [llm.Generator].
func (o *observed) Embed(ctx context.Context, model string, texts []string) ([][]float32, error) {
	return o.Generator.Embed(o.context(ctx), model, texts)
}
