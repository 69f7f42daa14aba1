package agent

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"

	"pollux/llm"
)

// WithHooks returns g such that the hooks around the model see the requests that an agent does not send itself, and their
// responses: those of the compressor, the router, the loop detector and the tools, for example. An agent runs its hooks
// around its own requests, which pass. A refused request is an error that wraps a [*HookError]; a response that the hook
// gives in place of the model's is not used, because it would become a summary or a decision. hooks returns nil for none.
func WithHooks(g llm.Generator, hooks func() Hooks) llm.Generator { return &hooked{g, hooks} }

type hooked struct {
	llm.Generator
	hooks func() Hooks
}

// ModelWatcher is an optional ability of [Hooks].
type ModelWatcher interface {
	// SeesModel reports whether a hook runs around requests to a model.
	SeesModel() bool
}

// around returns the hooks around a request, nil for none.
func (g *hooked) around(use llm.Use) Hooks {
	switch use {
	case "", llm.UseMain, llm.UseSubagent, llm.UseAside:
		return nil
	}
	return g.watching()
}

// watching returns the hooks if they run around requests, else nil.
func (g *hooked) watching() Hooks {
	h := g.hooks()
	if w, ok := h.(ModelWatcher); ok && !w.SeesModel() {
		return nil
	}
	return h
}

// Generate implements [llm.Generator].
func (g *hooked) Generate(ctx context.Context, req *llm.Request) (*llm.Response, error) {
	h := g.around(req.Use)
	if h == nil {
		return g.Generator.Generate(ctx, req)
	}
	req, err := before(ctx, h, req)
	if err != nil {
		return nil, err
	}
	r, err := g.Generator.Generate(ctx, req)
	if err != nil {
		return nil, err
	}
	return after(ctx, h, req, r)
}

// Stream implements [llm.Generator].
func (g *hooked) Stream(ctx context.Context, req *llm.Request) iter.Seq2[*llm.Response, error] {
	h := g.around(req.Use)
	if h == nil {
		return g.Generator.Stream(ctx, req)
	}
	return func(yield func(*llm.Response, error) bool) {
		req, err := before(ctx, h, req)
		if err != nil {
			yield(nil, err)
			return
		}
		for chunk, err := range g.Generator.Stream(ctx, req) {
			if err == nil {
				chunk, err = after(ctx, h, req, chunk)
			}
			if !yield(chunk, err) || err != nil {
				return
			}
		}
	}
}

// CountTokens implements [llm.Generator]. It sends nothing past the hooks: where they run around requests, it returns an
// error that wraps [errors.ErrUnsupported].
func (g *hooked) CountTokens(ctx context.Context, req *llm.Request) (int, error) {
	if g.watching() != nil {
		return 0, fmt.Errorf("count tokens without the hooks around the model: %w", errors.ErrUnsupported)
	}
	return g.Generator.CountTokens(ctx, req)
}

// before runs the hooks before a request, and returns the request to send.
func before(ctx context.Context, h Hooks, req *llm.Request) (*llm.Request, error) {
	changed := *req // the caller may send it again
	if v, _ := h.BeforeModel(ctx, &changed); v.Stop || v.Block {
		return nil, refusedBy(ctx, v)
	}
	return &changed, nil
}

// after runs the hooks after a response or a chunk of it, and returns what the caller gets.
func after(ctx context.Context, h Hooks, req *llm.Request, r *llm.Response) (*llm.Response, error) {
	v, instead := h.AfterModel(ctx, req, r)
	if v.Stop || v.Block {
		return nil, refusedBy(ctx, v)
	}
	return cmp.Or(instead, r), nil
}

// refusedBy returns the error of a request or a response that a hook refused. The same request would be refused again.
func refusedBy(ctx context.Context, v Verdict) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	e := &HookError{v}
	return &llm.Error{Kind: llm.KindBadRequest, Message: e.Error(), Err: e}
}
