package app

import (
	"context"
	"iter"

	"pollux/llm"
)

// unreachable is the model of a user who can reach none: each request is answered
// with what keeps it from them.
type unreachable struct{ err error }

var _ llm.Generator = unreachable{}

func (u unreachable) Stream(context.Context, *llm.Request) iter.Seq2[*llm.Response, error] {
	return func(yield func(*llm.Response, error) bool) { yield(nil, u.err) }
}

func (u unreachable) Generate(context.Context, *llm.Request) (*llm.Response, error) {
	return nil, u.err
}

func (u unreachable) CountTokens(context.Context, *llm.Request) (int, error) { return 0, u.err }

func (u unreachable) Embed(context.Context, string, []string) ([][]float32, error) {
	return nil, u.err
}
