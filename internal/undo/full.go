package undo

import (
	"fmt"
	"syscall"
)

// waits returns the error for a call while the changes of another run wait for room.
func waits() error {
	return fmt.Errorf("the changes of another call are not recorded yet: %w", syscall.ENOSPC)
}

// enter counts a run that begins.
func (r *Recorder) enter() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.isFull {
		return waits()
	}
	r.active++
	return nil
}

// exit counts a run that has ended. The caller holds mu.
func (r *Recorder) exit() {
	if r.active--; r.active == 0 && r.isFull && !r.closed {
		r.abandon()
	}
}

// abandon leaves the base to the recorder that opens the log next, which may be this one: [Recover] records the changes of the runs that have not been, as if
// the process had been killed. No run goes on, and the caller holds mu.
func (r *Recorder) abandon() {
	if r.reading != nil {
		r.cancel()
		<-r.reading
	}
	if r.watcher != nil {
		r.watcher.Close()
	}
	if r.saved != nil {
		_ = r.saved.file.Close() // the versions before a run were written when it began
	}
	r.opening.Lock()
	defer r.opening.Unlock()
	r.base.DropAfter(r.needed) // it may be a second name of the file that fills the disk
	r.base.Leave()
	r.base, r.keep = nil, nil
	r.reading, r.trees, r.watcher, r.unread, r.saved = nil, nil, nil, nil, nil
	r.isFull, r.needed, r.isLost, r.alive, r.noted = false, 0, false, nil, 0
	clear(r.claimed)
	clear(r.thinned)
}
