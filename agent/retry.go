package agent

import (
	"context"
	"errors"
	"time"

	"pollux/llm"
)

// StreamRetry limits how often a request is sent again after an unusable response. The zero
// value is the default: 4 attempts, with 1, 2 and 4 seconds between them.
type StreamRetry struct {
	Attempts int
	Delay    time.Duration // before the second attempt
	Linear   bool          // the delay stays the same
}

// cutOff repairs a response that broke off: it requests another one as long as an attempt is left.
type cutOff struct{ *requester }

func (c cutOff) sees(t *turn) bool { return t.problem != nil && t.err != nil && !t.isLast }

func (c cutOff) repairs(ctx context.Context, t *turn) (remedy, error) { return c.retry(ctx, t) }

// retry discards the reply of the turn and waits until the next attempt.
func (q *requester) retry(ctx context.Context, t *turn) (remedy, error) {
	limits := q.cfg.Retry
	e := Retried{Cause: *t.problem, Attempt: t.attempt + 1, MaxAttempts: limits.Attempts}
	if err := q.discard(t, e); err != nil {
		return stand, err
	}
	if !limits.Linear {
		limits.Delay <<= t.attempt - 1
	}
	return resend, sleep(ctx, max(limits.Delay, retryDelay(t.err)))
}

// discard reports that the reply of the turn is void, because of a problem that the next attempt
// is to avoid.
func (q *requester) discard(t *turn, e Retried) error {
	if t.reply.usage != nil {
		q.spend(t.reply)
	}
	q.cfg.LoopDetector.Observe(e) // discard the text of this attempt
	t.previous = t.problem
	return q.out.emit(e)
}

// retryDelay returns the delay that the vendor asks for, at most one minute. If the next
// request comes too early, its error reports the delay again.
func retryDelay(err error) time.Duration {
	var e *llm.Error
	if !errors.As(err, &e) {
		return 0
	}
	return min(e.RetryAfter, time.Minute)
}

func sleep(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
