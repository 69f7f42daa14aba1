package httpwire

import (
	"context"
	"errors"
	"io"
	"time"
)

// errTimeout is the cause with which a watchdog cancels its context.
var errTimeout = errors.New("no answer in time")

// watchdog cancels a request when the server is silent for too long.
type watchdog struct {
	ctx    context.Context
	cancel context.CancelCauseFunc
	timer  *time.Timer
	idle   time.Duration
}

func newWatchdog(ctx context.Context, headerTimeout, idle time.Duration) *watchdog {
	w := &watchdog{idle: idle}
	w.ctx, w.cancel = context.WithCancelCause(ctx)
	w.timer = time.AfterFunc(headerTimeout, func() { w.cancel(errTimeout) })
	return w
}

// pause stops the timer. After the headers only reads are timed, so that a
// caller may take any time between two reads.
func (w *watchdog) pause() { w.timer.Stop() }
func (w *watchdog) stop()  { w.timer.Stop(); w.cancel(nil) }

func (w *watchdog) watch(r io.Reader) io.Reader { return &watchedReader{r, w} }

type watchedReader struct {
	r io.Reader
	w *watchdog
}

func (r *watchedReader) Read(p []byte) (int, error) {
	r.w.timer.Reset(r.w.idle)
	defer r.w.timer.Stop()
	return r.r.Read(p)
}
