package agent

import (
	"cmp"
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

func (s StreamRetry) orDefault() StreamRetry {
	return StreamRetry{
		Attempts: cmp.Or(s.Attempts, 4),
		Delay:    cmp.Or(s.Delay, time.Second),
		Linear:   s.Linear,
	}
}

// cutOff repairs a response that broke off: it requests another one as long as an attempt is left.
type cutOff struct{ *requester }

func (c cutOff) sees(t *turn) bool { return t.problem != nil && t.err != nil && !t.isLast }

func (c cutOff) repairs(ctx context.Context, t *turn) (remedy, error) { return c.retry(ctx, t) }

// retry discards the reply of the turn and waits until the next attempt.
func (q *requester) retry(ctx context.Context, t *turn) (remedy, error) {
	next := t.attempt + 1
	if err := q.discard(t, Retried{Cause: *t.problem, Attempt: next, MaxAttempts: q.cfg.Retry.Attempts}); err != nil {
		return stand, err
	}
	return resend, sleep(ctx, max(q.cfg.Retry.delayBefore(next), retryDelay(t.err)))
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

// delayBefore returns the wait before an attempt, from 2 on.
func (s StreamRetry) delayBefore(attempt int) time.Duration {
	if s.Linear {
		return s.Delay
	}
	return s.Delay << (attempt - 2)
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
