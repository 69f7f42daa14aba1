package app

import (
	"context"
	"errors"
	"iter"
	"strings"

	"pollux/llm"
)

// discreet returns g with the key taken out of its errors: vendors and proxies
// repeat it in some, and errors are printed, logged and kept.
func discreet(g llm.Generator, key string) llm.Generator {
	if key == "" {
		return g
	}
	return &secretive{g, strings.NewReplacer(key, "***")}
}

type secretive struct {
	llm.Generator
	key *strings.Replacer
}

var _ llm.Generator = (*secretive)(nil)

// Unwrap returns the generator below.
func (s *secretive) Unwrap() llm.Generator { return s.Generator }

func (s *secretive) Stream(ctx context.Context, req *llm.Request) iter.Seq2[*llm.Response, error] {
	return func(yield func(*llm.Response, error) bool) {
		for r, err := range s.Generator.Stream(ctx, req) {
			if !yield(r, s.hide(err)) {
				return
			}
		}
	}
}

func (s *secretive) Generate(ctx context.Context, req *llm.Request) (*llm.Response, error) {
	r, err := s.Generator.Generate(ctx, req)
	return r, s.hide(err)
}

func (s *secretive) CountTokens(ctx context.Context, req *llm.Request) (int, error) {
	n, err := s.Generator.CountTokens(ctx, req)
	return n, s.hide(err)
}

func (s *secretive) Embed(ctx context.Context, model string, texts []string) ([][]float32, error) {
	v, err := s.Generator.Embed(ctx, model, texts)
	return v, s.hide(err)
}

func (s *secretive) hide(err error) error {
	var e *llm.Error
	if err == nil || !errors.As(err, &e) {
		return err
	}
	clean := *e
	clean.Message, clean.Body = s.key.Replace(e.Message), s.key.Replace(e.Body)
	return &clean
}
