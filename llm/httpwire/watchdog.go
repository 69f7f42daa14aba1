package httpwire

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"io"
	"time"
)

// errTimeout is the cause with which a watchdog cancels its context.
var errTimeout = errors.New("no answer in time")

// watchdog cancels a request when the server is silent for too long.
type watchdog struct {
	ctx     context.Context
	cancel  context.CancelCauseFunc
	timer   *time.Timer
	start   time.Time
	read    time.Time     // when the current wait began
	first   time.Duration // for the first read
	idle    time.Duration // for each later read
	hasByte bool          // of the body, but to keep the connection alive
	silence *silence
}

func newWatchdog(ctx context.Context, headerTimeout time.Duration, t Timeouts) *watchdog {
	first := cmp.Or(t.Start, max(headerTimeout, t.Idle))
	now := time.Now()
	w := &watchdog{start: now, read: now, first: first, idle: t.Idle}
	w.ctx, w.cancel = context.WithCancelCause(ctx)
	w.timer = time.AfterFunc(headerTimeout, func() { w.cancel(errTimeout) })
	return w
}

// pause stops the timer. After the headers only reads are timed, so that a
// caller may take any time between two reads.
func (w *watchdog) pause() { w.timer.Stop() }

func (w *watchdog) stop() {
	w.timer.Stop()
	w.silence.end()
	w.cancel(nil)
}

// isKeepAlive reports whether data is nothing but comments of a stream of events, and empty lines. Servers send them while they read a
// long prompt: the response has not begun.
func isKeepAlive(data []byte) bool {
	for line := range bytes.Lines(data) {
		if line = bytes.TrimSpace(line); len(line) > 0 && line[0] != ':' {
			return false
		}
	}
	return true
}

// waited returns the time since the request was sent if no byte of the response's body
// has come but to keep the connection alive, else 0.
func (w *watchdog) waited() time.Duration {
	if w.hasByte {
		return 0
	}
	return time.Since(w.start)
}

func (w *watchdog) watch(r io.Reader) io.Reader { return &watchedReader{r, w} }

type watchedReader struct {
	r io.Reader
	w *watchdog
}

func (r *watchedReader) Read(p []byte) (n int, err error) {
	defer r.w.timer.Stop()
	if r.w.hasByte {
		r.w.read = time.Now()
		r.w.timer.Reset(r.w.idle)
		return r.r.Read(p)
	}
	r.w.timer.Reset(r.w.first)
	r.w.silence.during(func() { n, err = r.r.Read(p) })
	switch {
	case n == 0:
	case isKeepAlive(p[:n]):
		r.w.read, r.w.first = time.Now(), max(r.w.first, r.w.idle)
	default:
		r.w.hasByte = true
		r.w.silence.end()
	}
	return n, err
}
