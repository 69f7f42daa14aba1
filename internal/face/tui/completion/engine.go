package completion

import (
	"context"
	"sync"

	"pollux/internal/crash"
)

// Engine answers requests with the first of its sources that is responsible, one request at a time, on a goroutine of
// its own. Its methods may be called from any goroutine.
type Engine struct {
	sources []Source
	found   chan Result
	asked   chan struct{} // there may be a next request
	ctx     context.Context
	close   context.CancelFunc
	done    chan struct{}

	mu     sync.Mutex
	next   *Request
	cancel context.CancelFunc // the request in progress
}

// NewEngine returns an engine, which works until [Engine.Close].
func NewEngine(sources ...Source) *Engine {
	e := &Engine{sources: sources, found: make(chan Result), asked: make(chan struct{}, 1), done: make(chan struct{}), cancel: func() {}}
	e.ctx, e.close = context.WithCancel(context.Background())
	go e.run()
	return e
}

// Ask begins a request in place of the one before, for which no result comes any more. It does not wait.
func (e *Engine) Ask(r Request) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.cancel()
	e.next = &r
	select {
	case e.asked <- struct{}{}:
	default:
	}
}

// Found returns the channel of the results. A request has exactly one, without suggestions if no source has any, unless
// another request replaces it before its result is received.
func (e *Engine) Found() <-chan Result { return e.found }

// Close ends the request in progress and the goroutine, and closes the sources that have a method Close.
func (e *Engine) Close() {
	e.close()
	<-e.done
	for _, source := range e.sources {
		if s, ok := source.(interface{ Close() }); ok {
			s.Close()
		}
	}
}

func (e *Engine) run() {
	defer close(e.done)
	defer crash.Recover()
	for {
		select {
		case <-e.ctx.Done():
			return
		case <-e.asked:
		}
		e.answer()
	}
}

// answer answers the next request, if there is one.
func (e *Engine) answer() {
	ctx, cancel := context.WithCancel(e.ctx)
	defer cancel()
	e.mu.Lock()
	r := e.next
	e.next, e.cancel = nil, cancel
	e.mu.Unlock()
	if r == nil {
		return
	}
	result := e.complete(ctx, *r)
	if ctx.Err() != nil {
		return
	}
	select {
	case e.found <- result:
	case <-ctx.Done():
	}
}

func (e *Engine) complete(ctx context.Context, r Request) Result {
	r.Cursor = max(0, min(r.Cursor, len(r.Text)))
	for _, source := range e.sources {
		if result, ok := source.Complete(ctx, r); ok {
			result.Request = r
			return result
		}
	}
	return Result{Request: r}
}
