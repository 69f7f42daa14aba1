package mcp

import (
	"context"
	"slices"
	"sync"
	"time"

	"pollux/tool"
)

// errand is a request to a server that runs: the server may ask for something meanwhile. Its time stands
// still while a person is asked.
type errand struct {
	ctx context.Context
	ask tool.Ask // nil if no person is there

	mu      sync.Mutex
	asked   int // how often the server has asked for something
	timer   *time.Timer
	ends    time.Time     // while the timer runs
	left    time.Duration // while it stands still
	waiting int           // questions because of which it stands still
}

// errands are the requests to a server that run.
type errands struct {
	mu   sync.Mutex
	list []*errand // the newest last
}

// Limits of the requests of a server: in all, during one request, and at the same time.
const (
	maxAsked   = 20
	maxPending = 8
)

// attended runs a request to the server, of which the server's timeout limits the duration. ask asks a person
// the server's questions meanwhile; nil if no person is there.
func (s *server) attended(ctx context.Context, ask tool.Ask, f func(context.Context) error) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	e := &errand{ctx: ctx, ask: ask, ends: time.Now().Add(s.config.Timeout())}
	e.timer = time.AfterFunc(s.config.Timeout(), func() { cancel(s.timeoutError()) })
	defer e.timer.Stop()
	s.errands.add(e)
	defer s.errands.remove(e)
	err := f(ctx)
	if ctx.Err() != nil && err != nil {
		return context.Cause(ctx)
	}
	return err
}

func (l *errands) add(e *errand) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.list = append(l.list, e)
}

func (l *errands) remove(e *errand) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.list = slices.DeleteFunc(l.list, func(other *errand) bool { return other == e })
}

// all returns the errands that run, the newest last.
func (l *errands) all() []*errand {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Clone(l.list)
}

// hold stops the clocks of all errands, until the function that it returns is called.
func (l *errands) hold() (release func()) {
	held := l.all()
	for _, e := range held {
		e.pause()
	}
	return func() {
		for _, e := range held {
			e.resume()
		}
	}
}

func (e *errand) pause() {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.waiting++; e.waiting == 1 && e.timer.Stop() {
		e.left = time.Until(e.ends)
	}
}

func (e *errand) resume() {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.waiting--; e.waiting == 0 && e.ctx.Err() == nil {
		e.ends = time.Now().Add(e.left)
		e.timer.Reset(e.left)
	}
}

// count counts one more thing that the server asks for, and reports whether that may still be asked.
func (e *errand) count() bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.asked++
	return e.asked <= maxAsked
}
