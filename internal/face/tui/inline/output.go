package inline

import (
	"io"
	"time"

	"pollux/internal/crash"
)

// Output writes frames on a goroutine of its own, so that a terminal that takes no output for a while holds up nothing but
// the screen. It writes one frame at a time: the caller makes the next one when [Output.Written] has reported the end of the last, and so
// leaves out the states between.
type Output struct {
	frames  chan []byte
	written chan error
	done    chan struct{}
	isBusy  bool
}

// NewOutput returns an output. Close ends it.
func NewOutput(w io.Writer) *Output {
	o := &Output{frames: make(chan []byte), written: make(chan error, 1), done: make(chan struct{})}
	go func() {
		defer close(o.done)
		defer crash.Recover()
		for b := range o.frames {
			_, err := w.Write(b)
			o.written <- err
		}
	}()
	return o
}

// IsBusy reports whether a frame is being written. Only the goroutine that calls Write may call it.
func (o *Output) IsBusy() bool { return o.isBusy }

// Write begins to write a frame. It must not be called while the output is busy. An empty frame is none.
func (o *Output) Write(frame []byte) {
	if len(frame) == 0 {
		return
	}
	o.isBusy = true
	o.frames <- frame
}

// Written returns the channel with the result of each frame. The caller passes each result to Done.
func (o *Output) Written() <-chan error { return o.written }

// Done ends the frame whose result came from Written.
func (o *Output) Done() { o.isBusy = false }

// Wait waits until the frame in progress is written, and returns its error. It reports false if that takes longer than a time.
func (o *Output) Wait(most time.Duration) (error, bool) {
	if !o.isBusy {
		return nil, true
	}
	late := time.NewTimer(most)
	defer late.Stop()
	select {
	case err := <-o.written:
		o.isBusy = false
		return err, true
	case <-late.C:
		return nil, false
	}
}

// Close ends the output after the frame in progress, without waiting for it.
func (o *Output) Close() { close(o.frames) }
