// Package retry sends a request again when its failure is one that passes
// (spec/agent.md §10.1).
package retry

import (
	"context"
	"errors"
	"iter"
	"math/rand/v2"
	"time"

	"pollux/llm"
)

// Options says how often and how long to wait. The zero value is Gemini CLI's
// default but for FetchErrors.
type Options struct {
	// MaxAttempts counts the first attempt too; 10 where it is 0, never more.
	MaxAttempts int
	// InitialDelay is the wait after the first failure, by default 5 s; each
	// later one is twice as long, up to MaxDelay, by default 30 s.
	InitialDelay time.Duration
	MaxDelay     time.Duration
	// FetchErrors also retries network errors that have no code and streams
	// that end before their first frame is whole.
	FetchErrors bool
	// Sleep replaces the wait, for tests. It returns early, with an error, when
	// ctx is done.
	Sleep func(ctx context.Context, d time.Duration) error
}

// Wrap returns g with retries of Stream and Generate. Of a stream only a
// failure before the first chunk is retried here: after it something may have
// been shown, and what then is right only the caller knows.
//
// A request may ask for fewer attempts (MaxAttempts). Where another model will
// answer in its place (Standby), one without room for the account is tried only
// twice more, after 1 and 3 s and without a word, and not at all if the server
// asks for a longer wait. A question on the side ([llm.Use.Aside]) is tried once more
// at most, and not if that is more than 10 s away: what it is for can do without.
//
// CountTokens and Embed are not retried, as their callers do without.
func Wrap(g llm.Generator, o Options) *Generator {
	if o.MaxAttempts <= 0 || o.MaxAttempts > maxAttempts {
		o.MaxAttempts = maxAttempts
	}
	if o.InitialDelay <= 0 {
		o.InitialDelay = 5 * time.Second
	}
	if o.MaxDelay <= 0 {
		o.MaxDelay = 30 * time.Second
	}
	if o.Sleep == nil {
		o.Sleep = sleep
	}
	return &Generator{Generator: g, options: o}
}

const maxAttempts = 10

// Generator is what [Wrap] returns.
type Generator struct {
	llm.Generator
	options Options
}

var _ llm.Generator = (*Generator)(nil)

// Unwrap returns the generator that does the work.
func (g *Generator) Unwrap() llm.Generator { return g.Generator }

// Stream implements [llm.Generator].
func (g *Generator) Stream(ctx context.Context, req *llm.Request) iter.Seq2[*llm.Response, error] {
	return func(yield func(*llm.Response, error) bool) {
		for b := g.backoff(req); ; {
			begun := false
			var failure error
			for chunk, err := range g.Generator.Stream(ctx, req) {
				if err != nil && !begun {
					failure = err
					break
				}
				begun = true
				if !yield(chunk, err) {
					return
				}
			}
			if failure == nil {
				return
			}
			if err := b.wait(ctx, req, failure); err != nil {
				yield(nil, err)
				return
			}
		}
	}
}

// Generate implements [llm.Generator].
func (g *Generator) Generate(ctx context.Context, req *llm.Request) (*llm.Response, error) {
	for b := g.backoff(req); ; {
		res, err := g.Generator.Generate(ctx, req)
		if err == nil {
			return res, nil
		}
		if err := b.wait(ctx, req, err); err != nil {
			return nil, err
		}
	}
}

func (g *Generator) backoff(req *llm.Request) *backoff {
	b := &backoff{Options: &g.options, most: g.options.MaxAttempts, delay: g.options.InitialDelay}
	if req.MaxAttempts > 0 {
		b.most = min(b.most, req.MaxAttempts)
	}
	if req.Use.Aside() {
		b.most = min(b.most, asideAttempts)
	}
	return b
}

// backoff is the state of one request.
type backoff struct {
	*Options
	most     int // attempts
	attempts int // that failed
	delay    time.Duration
}

// wait waits until the request should be sent again, or returns the error that
// the caller is to get: failure itself when no other attempt is due.
func (b *backoff) wait(ctx context.Context, req *llm.Request, failure error) error {
	b.attempts++
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	var e *llm.Error
	if !errors.As(failure, &e) || !b.passes(e) || b.attempts >= b.most {
		return failure
	}
	d, quiet := b.next(e.RetryAfter), false
	if e.Kind == llm.KindCapacity && req.Standby {
		if b.attempts > len(standbyDelays) || e.RetryAfter > standbyDelays[b.attempts-1] {
			return failure
		}
		d, quiet = standbyDelays[b.attempts-1], true
	}
	if req.Use.Aside() && d > asideDelay || endsWithin(ctx, d) {
		return failure
	}
	if req.OnRetry != nil && !quiet {
		req.OnRetry(llm.Retry{Attempt: b.attempts, MaxAttempts: b.most, Delay: d, Err: failure, Model: req.Model})
	}
	if err := b.Sleep(ctx, d); err != nil {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		return err
	}
	return nil
}

// standbyDelays are the waits for a model without room where another one will
// answer if that does not help.
var standbyDelays = [...]time.Duration{time.Second, 3 * time.Second}

// asideAttempts and asideDelay bound what a question on the side is worth.
const (
	asideAttempts = 2
	asideDelay    = 10 * time.Second
)

// endsWithin reports whether ctx would end a wait, which then leads to nothing.
func endsWithin(ctx context.Context, d time.Duration) bool {
	end, ok := ctx.Deadline()
	return ok && time.Until(end) < d
}

// longestWait is the longest that a server may ask for: nobody sits through more.
const longestWait = 5 * time.Minute

// passes reports whether e may be over by the next attempt.
func (b *backoff) passes(e *llm.Error) bool {
	if e.RetryAfter > longestWait {
		return false
	}
	switch e.Kind {
	case llm.KindRateLimit, llm.KindServer, llm.KindCapacity:
		return true
	case llm.KindNetwork:
		return e.Code != "" || b.FetchErrors
	case llm.KindIncomplete:
		return b.FetchErrors
	}
	return false
}

// next returns the next delay: twice the last one, give or take 30 %, so that
// many clients do not come back together; or what the server asked for and up
// to 20 % more, never less.
func (b *backoff) next(asked time.Duration) time.Duration {
	d := b.delay
	if asked > 0 {
		d = max(d, asked)
		b.delay = min(2*d, b.MaxDelay)
		return d + time.Duration(rand.Float64()*0.2*float64(d))
	}
	b.delay = min(2*d, b.MaxDelay)
	return d + time.Duration((rand.Float64()*2-1)*0.3*float64(d))
}

func sleep(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-t.C:
		return nil
	}
}
