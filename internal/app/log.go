package app

import (
	"context"
	"iter"
	"log/slog"
	"time"

	"pollux/llm"
)

// logged returns g with a line in the log for each request and its end. What is
// asked and answered is not in them, and neither is anything secret.
func logged(g llm.Generator, log *slog.Logger) llm.Generator {
	if !log.Enabled(context.Background(), slog.LevelDebug) {
		return g
	}
	return &logging{g, log}
}

type logging struct {
	llm.Generator
	log *slog.Logger
}

var _ llm.Generator = (*logging)(nil)

// Unwrap returns the generator below.
func (l *logging) Unwrap() llm.Generator { return l.Generator }

func (l *logging) Stream(ctx context.Context, req *llm.Request) iter.Seq2[*llm.Response, error] {
	return func(yield func(*llm.Response, error) bool) {
		end := l.begin(req)
		chunks, usage := 0, (*llm.Usage)(nil)
		var failure error
		defer func() { end(chunks, usage, failure) }()
		for r, err := range l.Generator.Stream(ctx, req) {
			chunks++
			if failure = err; r != nil && r.Usage != nil {
				usage = r.Usage
			}
			if !yield(r, err) {
				return
			}
		}
	}
}

func (l *logging) Generate(ctx context.Context, req *llm.Request) (*llm.Response, error) {
	end := l.begin(req)
	r, err := l.Generator.Generate(ctx, req)
	var usage *llm.Usage
	if r != nil {
		usage = r.Usage
	}
	end(1, usage, err)
	return r, err
}

// begin logs a request; the function that it returns logs the end.
func (l *logging) begin(req *llm.Request) func(chunks int, usage *llm.Usage, failure error) {
	l.log.Debug("request", "model", req.Model, "for", req.Use, "messages", len(req.Contents))
	start := time.Now()
	return func(chunks int, usage *llm.Usage, failure error) {
		took := slog.Duration("took", time.Since(start).Round(time.Millisecond))
		switch {
		case failure != nil:
			l.log.Debug("request failed", took, "error", failure)
		case usage != nil:
			l.log.Debug("answer", took, "chunks", chunks, "prompt", usage.Prompt, "cached", usage.CachedContent,
				"answered", usage.Candidates, "thoughts", usage.Thoughts)
		default:
			l.log.Debug("answer", took, "chunks", chunks)
		}
	}
}
