// Package retry repeats requests after failures that may pass.
package retry

import (
	"context"
	"errors"
	"iter"
	"math/rand/v2"
	"time"

	"pollux/llm"
)

// Options sets the number of attempts and the waits between them. The zero value has
// the defaults of Gemini CLI, except FetchErrors.
type Options struct {
	// MaxAttempts is the maximum number of attempts, the first one included. The
	// default and the maximum are 10.
	MaxAttempts int
	// InitialDelay is the wait after the first failure, by default 5 s. Each later
	// wait is twice as long, up to MaxDelay, by default 30 s.
	InitialDelay time.Duration
	MaxDelay     time.Duration
	// FetchErrors also retries after network errors without a code, and after streams
	// that end before their first frame is complete.
	FetchErrors bool
	// Sleep replaces waiting in tests. It must return early with an error when ctx is
	// done.
	Sleep func(ctx context.Context, d time.Duration) error
}

// Wrap returns g with retries of Stream and Generate. A stream is repeated only after
// a failure before its first chunk: later the caller may have shown a part of it, and
// must decide.
//
// A request may lower the number of attempts (MaxAttempts). If another model will
// answer instead (Standby), a model without capacity is asked only twice more, after 1
// and 3 s and without calling OnRetry, and not at all if the server asks for a longer
// wait. An auxiliary question ([llm.Use.Aside]) is repeated at most
// once, and not after a wait of more than 10 s.
//
// A request that got no byte of a response for more than 5 minutes is repeated at most
// once.
//
// CountTokens and Embed are not repeated, as their callers can do without.
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

// Generator is the result of [Wrap].
type Generator struct {
	llm.Generator
	options Options
}

var _ llm.Generator = (*Generator)(nil)

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
	if req.Use.IsAuxiliary() {
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
	if !errors.As(failure, &e) {
		return failure
	}
	if e.Waited > longestWait {
		b.most = min(b.most, silentAttempts)
	}
	if !b.passes(e) || b.attempts >= b.most {
		return failure
	}
	d, quiet := b.next(e.RetryAfter), false
	if e.Kind == llm.KindCapacity && req.Standby {
		if b.attempts > len(standbyDelays) || e.RetryAfter > standbyDelays[b.attempts-1] {
			return failure
		}
		d, quiet = standbyDelays[b.attempts-1], true
	}
	if req.Use.IsAuxiliary() && d > asideDelay || endsWithin(ctx, d) {
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

// asideAttempts and asideDelay limit the retries of a question on the side.
const (
	asideAttempts = 2
	asideDelay    = 10 * time.Second
)

// endsWithin reports whether ctx would end a wait, which then leads to nothing.
func endsWithin(ctx context.Context, d time.Duration) bool {
	end, ok := ctx.Deadline()
	return ok && time.Until(end) < d
}

// longestWait is the longest that a server may ask for: no user waits for more.
const longestWait = 5 * time.Minute

// silentAttempts is the number of attempts with a server that was silent for longer than
// longestWait. A third attempt would be silent as well.
const silentAttempts = 2

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
// many clients do not come back together; or the delay that the server asked
// for and up to 20 % more, never less.
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
