package models

import (
	"context"
	"iter"

	"pollux/llm"
)

var _ llm.Generator = (*Directory)(nil)

// generator returns the generator for a request, and the request to send to it.
func (d *Directory) generator(req *llm.Request) (llm.Generator, *llm.Request, error) {
	switch {
	case d.unavailable != nil:
		return nil, nil, d.unavailable
	case d.accountModels == nil:
		return d.fixed, req, nil
	}
	return d.accountModels.generator(req)
}

// Stream implements [llm.Generator].
func (d *Directory) Stream(ctx context.Context, req *llm.Request) iter.Seq2[*llm.Response, error] {
	asked := req.Model
	g, req, err := d.generator(req)
	if err != nil {
		return func(yield func(*llm.Response, error) bool) { yield(nil, withModel(err, asked)) }
	}
	return func(yield func(*llm.Response, error) bool) {
		for r, err := range g.Stream(ctx, req) {
			if err != nil {
				err = withModel(err, asked)
			}
			if !yield(r, err) {
				return
			}
		}
	}
}

// withModel returns err with the model that failed, which may be another one than the user has chosen.
func withModel(err error, model string) error {
	e, ok := err.(*llm.Error)
	if !ok || e.Model != "" {
		return err
	}
	named := *e
	named.Model = model
	return &named
}

// Generate implements [llm.Generator].
func (d *Directory) Generate(ctx context.Context, req *llm.Request) (*llm.Response, error) {
	asked := req.Model
	g, req, err := d.generator(req)
	if err != nil {
		return nil, withModel(err, asked)
	}
	r, err := g.Generate(ctx, req)
	if err != nil {
		return nil, withModel(err, asked)
	}
	return r, nil
}

// CountTokens implements [llm.Generator].
func (d *Directory) CountTokens(ctx context.Context, req *llm.Request) (int, error) {
	g, req, err := d.generator(req)
	if err != nil {
		return 0, err
	}
	return g.CountTokens(ctx, req)
}

// Embed implements [llm.Generator].
func (d *Directory) Embed(ctx context.Context, model string, texts []string) ([][]float32, error) {
	g, req, err := d.generator(&llm.Request{Model: model})
	if err != nil {
		return nil, err
	}
	return g.Embed(ctx, req.Model, texts)
}
