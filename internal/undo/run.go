package undo

import (
	"cmp"
	"context"
	"errors"
	"path/filepath"
	"slices"
	"time"

	"pollux/internal/durable"
	"pollux/internal/undo/state"
	"pollux/internal/undo/store"
	"pollux/internal/undo/tree"
)

// window is a time in which calls run that may change anything.
type window struct {
	running int
	runs    []*Run
	after   int      // the newest operation in the log when it began
	beside  []string // programs that went on in the background then
}

// Run is something that runs and may change files, between Begin and End.
type Run struct {
	recorder *Recorder
	header   store.Header
	number   uint32
	trees    []*tree.Tree // of the paths that it is known to change
	window   *window      // nil if it changes nothing else
	known    int64        // bytes of the manifest when it began
	last     uint32       // the last content then
}

// Scope names the paths that a run may change.
type Scope struct {
	Paths    []string // absolute, without links
	Anywhere bool     // in the roots, too
}

// Begin records the paths that a run may change, before it starts. If it returns an error, changes of the run could not
// be taken back. Where nothing can be kept at all, as in a home that is read-only, it records nothing.
func (r *Recorder) Begin(ctx context.Context, h store.Header, may Scope) (begun *Run, err error) {
	if r.isOff.Load() {
		return &Run{}, nil
	}
	if err := r.enter(); err != nil {
		return nil, err
	}
	defer func() {
		if err != nil || begun.recorder == nil {
			r.mu.Lock()
			defer r.mu.Unlock()
			r.exit()
		}
	}()
	if err := r.open(); err != nil {
		if durable.IsFull(err) {
			return nil, err
		}
		if !r.isOff.Swap(true) && r.opts.Left != nil {
			r.opts.Left("", err)
		}
		return &Run{}, nil
	}
	h.Began = time.Now()
	run := &Run{recorder: r, header: h}
	if may.Anywhere {
		if err := run.beginAnywhere(ctx); err != nil {
			return nil, err
		}
	}
	err = run.beginAt(ctx, may.Paths)
	if err == nil {
		err = run.note()
	}
	if err != nil {
		for _, t := range run.trees {
			t.Drop()
		}
		r.mu.Lock()
		defer r.mu.Unlock()
		run.leave()
		return nil, err
	}
	run.last = r.base.Last()
	return run, nil
}

// mostNamed is the number of files and directories at one of the paths that a run may change.
const mostNamed = 20_000

// beginAt reads the paths that the run may change.
func (run *Run) beginAt(ctx context.Context, paths []string) error {
	if len(paths) == 0 {
		return nil
	}
	o := run.recorder.optionsOutside()
	o.Max = mostNamed
	for _, path := range topmost(paths) {
		t := tree.New(path, o)
		if err := t.Read(ctx); err != nil {
			t.Drop()
			if isFatal(ctx, err) {
				return err
			}
			continue
		}
		run.trees = append(run.trees, t)
	}
	return nil
}

// topmost returns, for each path, itself or the first directory above it that does not exist, each once.
func topmost(paths []string) (list []string) {
	for _, path := range paths {
		for dir := filepath.Dir(path); dir != filepath.Dir(dir); dir = filepath.Dir(dir) {
			if s, err := state.Read(dir); err != nil || s.Kind != state.Absent {
				break
			}
			path = dir
		}
		if !slices.Contains(list, path) {
			list = append(list, path)
		}
	}
	return list
}

// beginAnywhere brings the trees up to date.
func (run *Run) beginAnywhere(ctx context.Context) error {
	r := run.recorder
	r.Start()
	r.mu.Lock()
	reading := r.reading
	r.mu.Unlock()
	if reading == nil {
		return errors.New("the session has ended")
	}
	select {
	case <-reading:
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if err := r.unread; err != nil {
		r.forget()
		return err
	}
	if r.window == nil {
		if len(r.base.PendingOfOthers(nil)) > 0 { // else the calls of a session that was killed would go on
			_ = Recover(ctx, r.base.Store(), r.keep.git) // the next one tries again
		}
		if err := r.readNew(ctx); err != nil {
			return err
		}
		if err := r.lookBetween(ctx); err != nil {
			return err
		}
		r.window = &window{after: r.seen, beside: r.alive}
	}
	run.window, run.known = r.window, r.saved.size
	run.window.running++
	run.window.runs = append(run.window.runs, run)
	return nil
}

// own returns the header of the operation of the window's runs, of which this one ends last, and the changes that they have
// made.
func (w *window) own(last *Run, changes []change) (h store.Header, own []change) {
	main, began := last, last.header.Began
	for _, run := range w.runs {
		if main.header.Kind == store.Command && run.header.Kind == store.Call { // it is more to a person than a hook beside it
			main = run
		}
		if run.header.Began.Before(began) {
			began = run.header.Began
		}
	}
	others := last.recorder.othersSince(w.after)
	h = main.header
	h.Began, h.IsAnywhere, h.Beside, h.HasBackground = began, true, others.besides(), len(w.beside) > 0
	for _, program := range w.beside {
		h.Beside = append(h.Beside, program+" (in the background)")
	}
	for _, run := range w.runs {
		if run != main {
			h.Beside = append(h.Beside, describe(run.header))
		}
	}
	return h, others.divide(changes)
}

// leave ends the part in a window, and reports whether the window ends with it. The caller holds the recorder's mu.
func (run *Run) leave() (isLast bool) {
	if run.window == nil {
		return false
	}
	run.window.running--
	if run.window.running > 0 {
		return false
	}
	run.recorder.window = nil
	return true
}

// End records the changes since Begin, as an operation. It is nil if there are none, or while another run goes on that
// may have made them: then they belong to the run that ends last. With an error of [durable.IsFull], they are recorded when there is room.
func (run *Run) End(ctx context.Context) (o *store.Operation, err error) {
	if run.recorder == nil {
		return nil, nil
	}
	ctx = context.WithoutCancel(ctx)
	r := run.recorder
	changes, failed := run.lookAtPaths(ctx)
	h := run.header
	r.mu.Lock()
	defer r.mu.Unlock()
	isLast := run.leave()
	defer func() {
		if r.isFull = r.isFull || o == nil && durable.IsFull(err); r.isFull {
			r.needed = max(r.needed, run.last)
		}
		r.exit()
	}()
	switch {
	case failed != nil:
		return nil, failed
	case r.isFull: // a look would let go of the contents that the other run waits for
		return nil, waits()
	}
	var alive []string
	if isLast {
		alive = r.background()
		more, err := r.look(ctx)
		if err != nil {
			return nil, err
		}
		var own []change
		h, own = run.window.own(run, more)
		changes = append(changes, own...)
	}
	if o, err = r.commit(ctx, h, changes); durable.IsFull(err) {
		return nil, err
	}
	run.forget() // before the contents before it go
	if isLast {
		err = errors.Join(err, r.hasLooked(alive))
	}
	for _, t := range run.trees {
		t.Drop()
	}
	return o, err
}

// lookAtPaths returns the changes of the known paths, which no other run has then.
func (run *Run) lookAtPaths(ctx context.Context) (changes []change, err error) {
	for _, t := range run.trees {
		list, err := t.RefreshAll(ctx)
		if err != nil {
			return nil, err
		}
		for _, c := range list {
			changes = append(changes, change{path: absolute(t.Root(), c.Path), Change: c})
		}
	}
	run.recorder.mu.Lock()
	defer run.recorder.mu.Unlock()
	for _, c := range changes {
		run.recorder.claimed[c.path] = true
	}
	return changes, nil
}

// commit writes an operation to the log; nil if there are no changes.
func (r *Recorder) commit(ctx context.Context, h store.Header, changes []change) (*store.Operation, error) {
	if len(changes) == 0 {
		return nil, nil
	}
	w := r.base.Begin()
	h.Ended = time.Now()
	o := &store.Operation{Header: h}
	e := r.keep.exporter(w, changes)
	defer e.close()
	for _, c := range changes {
		var err error
		out := store.Change{Path: c.path, IsShared: c.isShared}
		if c.from != nil {
			out.Before, err = e.share(c.from)
		} else {
			out.Before, err = e.export(ctx, c.Before, true)
		}
		if err == nil {
			out.After, err = e.export(ctx, c.After, false)
		}
		if err != nil {
			w.Abort()
			return nil, err
		}
		o.Changes = append(o.Changes, out)
	}
	if err := w.Commit(o); err != nil {
		return nil, err
	}
	r.own[o.Number] = true
	r.warnLost(o)
	if r.opts.Recorded != nil {
		r.opts.Recorded(o)
	}
	return o, nil
}

// warnLost passes on which files cannot come back, because there was no room for their contents.
func (r *Recorder) warnLost(o *store.Operation) {
	var paths []string
	why := ""
	for _, c := range o.Changes {
		if b := c.Before; b.IsLost() && b.State.Kind == state.Regular {
			paths, why = append(paths, c.Path), cmp.Or(why, b.Lost)
		}
	}
	if len(paths) > 0 && r.opts.Lost != nil {
		r.opts.Lost(paths, why)
	}
}
