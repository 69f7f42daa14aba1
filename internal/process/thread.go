package process

import "sync"

// thread is the thread that has started a confined program. It has the restrictions of the program.
type thread struct {
	calls    chan func()
	once     sync.Once
	released chan struct{}
	ended    chan struct{} // nothing runs on it any more
}

func newThread() *thread {
	return &thread{calls: make(chan func()), released: make(chan struct{}), ended: make(chan struct{})}
}

// serve runs functions until the program has exited and its process is released. The goroutine is locked to the thread.
func (t *thread) serve(exited <-chan struct{}) {
	defer close(t.ended)
	released := t.released
	for exited != nil || released != nil {
		select {
		case call := <-t.calls:
			call()
		case <-exited:
			exited = nil
		case <-released:
			released = nil
		}
	}
}

func (t *thread) release() {
	if t != nil {
		t.once.Do(func() { close(t.released) })
	}
}

// OnThread runs a function on the thread that has started the program, which has the restrictions of the program, and waits for its end. It
// returns false if there is no such thread any more, or [Command.KeepThread] was not set. The function must not block.
func (p *Process) OnThread(f func()) bool {
	if p.thread == nil {
		return false
	}
	done := make(chan struct{})
	select {
	case p.thread.calls <- func() { defer close(done); f() }:
		<-done
		return true
	case <-p.thread.ended:
		return false
	}
}

// HasThread reports whether [Process.OnThread] can run a function.
func (p *Process) HasThread() bool { return p.thread != nil && !isClosed(p.thread.ended) }
