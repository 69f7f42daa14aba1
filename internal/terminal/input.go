package terminal

import (
	"io"
	"sync"
	"time"
)

// Input reads from a terminal's In and can be paused while another program uses the terminal.
// Only one goroutine may call Read; the other methods are safe for concurrent use.
type Input struct {
	r       io.Reader
	fd      int      // of r, if ready is set
	ready   waiter   // nil if the system cannot report whether a Read would block
	changes *changes // of the terminal

	mu     sync.Mutex // held while reading from r
	moved  sync.Cond  // signals a change of paused or closed
	paused bool
	closed bool
}

// waiter waits for input without reading it.
type waiter interface {
	// wait returns when there is input, or wake was called.
	wait()
	// isReady reports whether there is input, or arrives within a time.
	isReady(within time.Duration) bool
	wake()
	close()
}

// Input returns a reader of In.
func (t *Terminal) Input() *Input {
	i := &Input{r: t.In, changes: t.changes}
	i.moved.L = &i.mu
	if f, ok := t.In.(interface{ Fd() uintptr }); ok {
		i.fd = int(f.Fd())
		i.ready = newWaiter(i.fd)
	}
	return i
}

// Read implements [io.Reader]. After Close it returns io.EOF. A terminal can be read again
// after an [io.EOF], which only means that Ctrl+D was pressed.
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
		case i.ready.isReady(0):
			return i.r.Read(p)
		}
		i.mu.Unlock()
		i.ready.wait()
		i.mu.Lock()
	}
}

// Follows reports whether more input arrives within a time. It returns false if the system does
// not support it. Only the goroutine that calls Read may call Follows.
func (i *Input) Follows(within time.Duration) bool {
	return i.ready != nil && i.ready.isReady(within)
}

// TakeUnfinished returns the text of the line that is being typed, which the terminal holds until
// Enter is pressed. The terminal then forgets the text, so the user can no longer change it.
// TakeUnfinished returns nil if the system cannot do that.
func (i *Input) TakeUnfinished() (text []byte) {
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.paused || i.closed || i.ready == nil {
		return nil
	}
	i.changes.do(func() {
		back, err := passUnfinished(i.fd)
		if err != nil {
			return
		}
		defer back()
		for p := make([]byte, 4096); i.ready.isReady(0); {
			n, err := i.r.Read(p)
			if text = append(text, p[:n]...); n == 0 || err != nil {
				return
			}
		}
	})
	return text
}

// Pause stops Read from reading until Resume is called. A running read of something other than
// a terminal or file cannot be interrupted.
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

// Close makes Read return io.EOF. It does not close In.
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
