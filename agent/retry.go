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
