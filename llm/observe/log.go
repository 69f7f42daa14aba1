package observe

import (
	"log/slog"
	"time"

	"pollux/llm"
)

// Log returns an observer that logs each request and its end at the debug level, without
// the texts of either.
func Log(log *slog.Logger) Observer { return logger{log} }

type logger struct{ log *slog.Logger }

// Begin implements [Observer].
func (l logger) Begin(req *llm.Request) Call {
	l.log.Debug("request", "model", req.Model, "for", req.Use, "messages", len(req.Contents))
	return &loggedCall{log: l.log, began: time.Now()}
}

// loggedCall is a request in progress.
type loggedCall struct {
	log    *slog.Logger
	began  time.Time
	chunks int
	usage  *llm.Usage
	err    error
}

// See implements [Call].
func (c *loggedCall) See(r *llm.Response, err error) {
	c.chunks++
	if c.err = err; r != nil && r.Usage != nil {
		c.usage = r.Usage
	}
}

// End implements [Call].
func (c *loggedCall) End() {
	took := slog.Duration("took", time.Since(c.began).Round(time.Millisecond))
	switch {
	case c.err != nil:
		c.log.Debug("request failed", took, "error", c.err)
	case c.usage != nil:
		c.log.Debug("answer", took, "chunks", c.chunks, "prompt", c.usage.Prompt, "cached", c.usage.CachedContent,
			"answered", c.usage.Candidates, "thoughts", c.usage.Thoughts)
	default:
		c.log.Debug("answer", took, "chunks", c.chunks)
	}
}
