package kit

import (
	"cmp"
	"context"
	"slices"
	"time"

	"pollux/internal/exit"
	"pollux/internal/wording"
)

// Run opens the session and works until the person leaves. It returns nil if the person left, the cause of ctx if ctx was
// cancelled, and another error if the session could not be opened or the person left without waiting for work. Run must be
// called only once. Call [Driver.Close] afterwards.
func (d *Driver) Run(ctx context.Context) error {
	d.ctx, d.stop = context.WithCancelCause(ctx)
	d.batch = time.NewTimer(time.Hour)
	d.batch.Stop()
	defer close(d.done)
	defer close(d.events)
	defer d.stop(nil)
	d.openSession()
	d.serve()
	if d.ctx.Err() == nil && d.current() != nil && d.leaveErr == nil && d.interrupts < 3 {
		d.endSession()
		d.serve()
	}
	switch {
	case d.ctx.Err() != nil:
		return context.Cause(d.ctx)
	case d.interrupts >= 3:
		return &exit.Error{Code: exit.Interrupted, Message: wording.Cancelled}
	}
	return d.leaveErr
}

// serve works until the session is over.
func (d *Driver) serve() {
	defer d.abandon()
	for d.takeWarnings(); !d.isOver(); d.takeWarnings() {
		d.step()
	}
}

// step does the next thing. It takes nothing of the work in progress while there are events that the face has not taken.
func (d *Driver) step() {
	var out chan<- Event
	var first Event
	var work, side <-chan func()
	switch {
	case len(d.out) > 0:
		out, first = d.events, d.out[0]
	default:
		side = d.side
		if d.job != nil {
			work = d.job.steps
		}
	}
	select {
	case <-d.ctx.Done():
	case f := <-d.requests:
		f()
	case out <- first:
		d.out = d.out[1:]
	case f, ok := <-work:
		if !ok {
			d.finishJob()
			return
		}
		f()
	case f := <-side:
		d.sideCount--
		f()
	case <-d.batch.C:
		d.askNext()
	case <-d.wake: // for warnings
	}
}

// emit reports an event, behind the warnings so far.
func (d *Driver) emit(e Event) {
	d.takeWarnings()
	d.out = append(d.out, e)
}

// takeWarnings reports the texts of [Driver.Warn], and the hooks that run.
func (d *Driver) takeWarnings() {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, w := range d.warnings {
		d.out = append(d.out, w)
	}
	d.warnings = nil
	if d.hooks == nil {
		return
	}
	d.out = slices.DeleteFunc(d.out, func(e Event) bool { _, isOld := e.(HooksRunning); return isOld })
	d.out = append(d.out, *d.hooks)
	d.hooks = nil
}

func (d *Driver) isOver() bool {
	switch {
	case d.ctx.Err() != nil, d.interrupts >= 3:
		return true
	case d.job != nil, len(d.out) > 0:
		return false
	}
	return d.isLeaving || d.inputEnded && d.sideCount == 0 && d.open == nil && len(d.pending) == 0
}

// LeaveHint is the text of the [Notice] after an interrupt without work in progress.
const LeaveHint = "Press Ctrl+C again to exit."

func (d *Driver) interrupt(isLent bool) {
	now := time.Now()
	if now.Sub(d.lastInterrupt) >= repeatWindow {
		d.interrupts = 0
	}
	d.lastInterrupt, d.isLent = now, isLent
	d.interrupts++
	if isLent {
		return
	}
	switch {
	case d.interrupts >= 3:
		if s := d.current(); s != nil {
			s.RecordForcedExit()
		}
	case d.interrupts == 2:
		d.leave(nil)
		if d.job != nil {
			d.emit(Notice{"Exiting as soon as everything has stopped. Press Ctrl+C again to exit at once."})
		}
	case d.job != nil:
		d.job.cancelByPerson()
	default:
		d.emit(Notice{LeaveHint})
	}
	d.dismiss()
}

// leave ends the session after the work in progress has stopped.
func (d *Driver) leave(err error) {
	d.isLeaving, d.leaveErr = true, cmp.Or(d.leaveErr, err)
	if d.job != nil {
		d.job.isInterrupted = d.job.isInterrupted || d.job.isOpening && (d.open != nil || len(d.pending) > 0)
		d.job.cancel(d.leaveErr)
	}
}

// abandon cancels the work in progress and waits for it a little, but not after a third interrupt.
func (d *Driver) abandon() {
	j := d.job
	if j != nil {
		d.job = nil
		j.cancel(cmp.Or(context.Cause(d.ctx), d.leaveErr)) // before the questions are dismissed: that is no answer of the person
		close(j.abandoned)
	}
	d.dismiss()
	if j == nil || d.interrupts >= 3 && !d.isLent {
		return
	}
	end := time.NewTimer(grace)
	defer end.Stop()
	for {
		select {
		case f := <-d.requests:
			f()
		case _, ok := <-j.steps:
			if !ok {
				return
			}
		case <-end.C:
			return
		}
	}
}
