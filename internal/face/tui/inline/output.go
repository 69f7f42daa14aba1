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
	written chan Result
	done    chan struct{}
	isBusy  bool
}

// Result is the end of a frame.
type Result struct {
	Began, Ended time.Time // of the writing
	Err          error
}

// ShownAt returns the time from which the terminal may show the frame: the beginning of the writing, because a terminal can be
// faster than the report of its end, or the end if the terminal has taken no output for a while.
func (r Result) ShownAt() time.Time {
	const stall = 100 * time.Millisecond
	if r.Ended.Sub(r.Began) < stall {
		return r.Began
	}
	return r.Ended
}

// NewOutput returns an output. Close ends it.
func NewOutput(w io.Writer) *Output {
	o := &Output{frames: make(chan []byte), written: make(chan Result, 1), done: make(chan struct{})}
	go func() {
		defer close(o.done)
		defer crash.Recover()
		for b := range o.frames {
			began := time.Now()
			_, err := w.Write(b)
			o.written <- Result{Began: began, Ended: time.Now(), Err: err}
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
func (o *Output) Written() <-chan Result { return o.written }

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
	case r := <-o.written:
		o.isBusy = false
		return r.Err, true
	case <-late.C:
		return nil, false
	}
}

// Close ends the output after the frame in progress, without waiting for it.
func (o *Output) Close() { close(o.frames) }
