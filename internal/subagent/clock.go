package subagent

import (
	"context"
	"sync"
	"time"
)

// clock ends a context when its time is over. It stands still while a person is asked.
type clock struct {
	cancel context.CancelCauseFunc

	mu      sync.Mutex
	left    time.Duration
	since   time.Time   // when the timer was started
	timer   *time.Timer // nil while the clock stands still
	waiting int         // unanswered questions
}

// startClock returns a context that ends with [errTimeout] after a time.
func startClock(ctx context.Context, left time.Duration) (context.Context, *clock) {
	ctx, cancel := context.WithCancelCause(ctx)
	c := &clock{cancel: cancel, left: left}
	c.run()
	return ctx, c
}

// run starts the timer. The caller holds c.mu, or is the only one that knows the clock.
func (c *clock) run() {
	c.since = time.Now()
	c.timer = time.AfterFunc(c.left, func() { c.cancel(errTimeout) })
}

// pause stops the clock until as many calls of resume have followed.
func (c *clock) pause() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.waiting++
	if c.waiting == 1 && c.timer != nil && c.timer.Stop() {
		c.left -= time.Since(c.since)
		c.timer = nil
	}
}

func (c *clock) resume() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.waiting--; c.waiting == 0 && c.timer == nil {
		c.run()
	}
}

// stop ends the context and releases the timer.
func (c *clock) stop() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.timer != nil {
		c.timer.Stop()
	}
	c.cancel(nil)
}
