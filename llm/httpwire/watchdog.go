package httpwire

import (
	"context"
	"errors"
	"io"
	"time"
)

// errSilent is the cause of a context that a watchdog ended.
var errSilent = errors.New("no answer in time")

// watchdog ends a request whose server has gone silent.
type watchdog struct {
	ctx    context.Context
	cancel context.CancelCauseFunc
	timer  *time.Timer
	idle   time.Duration
}

func watchContext(ctx context.Context, patience, idle time.Duration) *watchdog {
	w := &watchdog{idle: idle}
	w.ctx, w.cancel = context.WithCancelCause(ctx)
	w.timer = time.AfterFunc(patience, func() { w.cancel(errSilent) })
	return w
}

// arrived stops the clock: from here on only reads are timed, and a caller may
// take as long as it likes between two of them.
func (w *watchdog) arrived() { w.timer.Stop() }
func (w *watchdog) stop()    { w.timer.Stop(); w.cancel(nil) }

func (w *watchdog) reader(r io.Reader) io.Reader { return &watchedReader{r, w} }

type watchedReader struct {
	r io.Reader
	w *watchdog
}

func (r *watchedReader) Read(p []byte) (int, error) {
	r.w.timer.Reset(r.w.idle)
	defer r.w.timer.Stop()
	return r.r.Read(p)
}
