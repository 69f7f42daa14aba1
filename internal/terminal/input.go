package terminal

import (
	"io"
	"sync"
)

// Input reads from a terminal's In and can be told to keep its hands off it, for
// as long as another program has the terminal. Read is called by one goroutine,
// the other methods by any.
type Input struct {
	r     io.Reader
	ready waiter // nil where nobody can tell whether a Read would wait

	mu     sync.Mutex // held while something is taken from r
	moved  sync.Cond  // paused or closed has changed
	paused bool
	closed bool
}

// waiter waits for input without taking it.
type waiter interface {
	// wait returns when there is something to read, or wake was called.
	wait()
	// now reports whether there is something to read.
	now() bool
	wake()
	close()
}

// Input returns a reader of In.
func (t *Terminal) Input() *Input {
	i := &Input{r: t.In}
	i.moved.L = &i.mu
	if f, ok := t.In.(interface{ Fd() uintptr }); ok {
		i.ready = newWaiter(int(f.Fd()))
	}
	return i
}

// Read implements [io.Reader]. A terminal may go on after an [io.EOF], which only
// says that Ctrl+D was pressed. After Close it returns io.EOF.
func (i *Input) Read(p []byte) (int, error) {
	i.mu.Lock()
	defer i.mu.Unlock()
	for {
		for i.paused && !i.closed {
			i.moved.Wait()
		}
		switch {
		case i.closed:
			if i.ready != nil {
				i.ready.close()
				i.ready = nil
			}
			return 0, io.EOF
		case i.ready == nil:
			i.mu.Unlock()
			n, err := i.r.Read(p)
			i.mu.Lock()
			return n, err
		case i.ready.now():
			return i.r.Read(p)
		}
		i.mu.Unlock()
		i.ready.wait()
		i.mu.Lock()
	}
}

// Pause keeps Read from taking anything more until Resume is called. (What is
// neither a terminal nor another file cannot be stopped in the middle of a read.)
func (i *Input) Pause() {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.paused = true
}

// Resume ends a Pause.
func (i *Input) Resume() {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.paused = false
	i.moved.Broadcast()
}

// Close makes Read return. In itself stays open.
func (i *Input) Close() {
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.closed {
		return
	}
	i.closed = true
	i.moved.Broadcast()
	if i.ready != nil {
		i.ready.wake()
	}
}
