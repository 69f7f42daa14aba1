package completion

import (
	"context"

	"pollux/internal/crash"
)

// Detached runs functions that may hang, such as those that read a network disk which does not answer.
type Detached struct{ slots chan struct{} }

// NewDetached returns a Detached that runs at most so many functions at once.
func NewDetached(most int) *Detached { return &Detached{make(chan struct{}, most)} }

// Run runs f on a goroutine and waits until it returns or ctx ends. It returns false if f has not returned: then f may
// still run, and must not use anything of the caller.
func (d *Detached) Run(ctx context.Context, f func()) bool {
	select {
	case d.slots <- struct{}{}:
	case <-ctx.Done():
		return false
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		defer func() { <-d.slots }()
		defer crash.Recover()
		f()
	}()
	select {
	case <-done:
		return true
	case <-ctx.Done():
		return false
	}
}
