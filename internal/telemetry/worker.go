package telemetry

import (
	"context"
	"time"

	"pollux/internal/crash"
)

// sink is the destination of records. Only one goroutine uses it. log, span and metrics buffer
// records; flush writes the buffer, and drops records that cannot be written.
type sink interface {
	log(*record)
	span(*span)
	metrics([]reading)
	flush(context.Context) error
	full() bool           // the buffer should be flushed
	pause() time.Duration // how long records may be buffered
	close()
}

// work writes queued records until Close.
func (t *Telemetry) work() {
	defer close(t.done)
	w := &worker{Telemetry: t}
	counts := time.NewTicker(period)
	defer counts.Stop()
	defer crash.Recover()
	var memory <-chan time.Time
	if t.o.Memory > 0 {
		ticker := time.NewTicker(t.o.Memory)
		defer ticker.Stop()
		memory = ticker.C
	}
	for {
		select {
		case item := <-t.queue:
			w.take(item)
		case <-w.later:
			w.flush()
		case <-counts.C:
			w.count()
		case <-memory:
			t.measure()
		case <-t.closing:
			w.end()
			return
		}
	}
}

// worker is the state of the writing goroutine.
type worker struct {
	*Telemetry
	later <-chan time.Time // when to flush the buffer
}

// take passes an item to the sink.
func (w *worker) take(item any) {
	w.waiting.Add(-sizeOf(item))
	switch item := item.(type) {
	case *record:
		w.sink.log(item)
	case *span:
		w.sink.span(item)
	}
	pause := w.sink.pause()
	switch {
	case w.sink.full(), pause == 0 && len(w.queue) == 0: // otherwise flush together with the following items
		w.flush()
	case w.later == nil:
		w.later = time.After(pause)
	}
}

func (w *worker) flush() {
	w.later = nil
	ctx, cancel := context.WithTimeout(w.ctx, period)
	defer cancel()
	if err := w.sink.flush(ctx); err != nil && w.failure == nil {
		w.failure = err
	}
}

func (w *worker) count() {
	w.sink.metrics(w.meters.read())
	w.flush()
}

// end writes all remaining records as long as there is time.
func (w *worker) end() {
	for w.ctx.Err() == nil && len(w.queue) > 0 {
		w.take(<-w.queue)
	}
	w.dropped.Add(int64(len(w.queue)))
	if w.o.Memory > 0 {
		w.measure()
	}
	w.count()
	w.sink.close()
}
