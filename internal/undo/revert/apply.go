package revert

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"pollux/internal/durable"
	"pollux/internal/undo/content"
	"pollux/internal/undo/state"
	"pollux/internal/undo/store"
)

// changed is called after each change on the disk. A test kills the process in it.
var changed = func() {}

// Apply carries out the plan, and returns the operation, which is in the log and can itself be taken back. The header
// says who asked for it. Paths with a problem stay as they are. If a path cannot be changed, the others are, and the
// error says which.
func (p *Plan) Apply(ctx context.Context, b *store.Base, h store.Header) (*store.Operation, error) {
	steps := p.Changes()
	if len(steps) == 0 {
		return nil, errors.New("nothing to undo")
	}
	if lock := gitLock(steps); lock != "" {
		return nil, fmt.Errorf("git is at work (%s exists); try again when it is done", lock)
	}
	release, err := p.lock()
	if err != nil {
		return nil, err
	}
	defer release()
	w, o := b.Begin(), p.operation(h)
	var failed error
	for _, step := range steps {
		c, err := note(ctx, w, step, p.twins)
		switch {
		case err == nil:
			o.Changes = append(o.Changes, c)
		case ctx.Err() != nil, durable.IsFull(err):
			w.Abort()
			return nil, err
		default:
			failed = errors.Join(failed, fmt.Errorf("%s: %w", step.Path, cause(err)))
			o.IsPartial = o.IsPartial || !errors.Is(err, errChanged)
		}
	}
	if len(o.Changes) == 0 {
		w.Abort()
		return nil, failed
	}
	dir, err := w.Dir()
	if err == nil {
		err = createJournal(filepath.Join(dir, applying))
	}
	if err != nil {
		w.Abort()
		return nil, err
	}
	changed()
	if err := w.Commit(o); err != nil {
		return nil, err
	}
	changed()
	return o, errors.Join(failed, finish(ctx, p.store, o, false))
}

// Note records in an operation that the plan's operations are taken back although no path changes: all are as they were before.
func (p *Plan) Note(b *store.Base, h store.Header) error {
	release, err := p.lock()
	if err != nil {
		return err
	}
	defer release()
	return b.Begin().Commit(p.operation(h))
}

// lock keeps other undos of the project out until release is called.
func (p *Plan) lock() (release func(), err error) {
	release, err = p.store.Lock()
	switch {
	case err != nil:
		return nil, fmt.Errorf("keep files for undo: %w", err)
	case release == nil:
		return nil, errors.New("another undo is at work in this project; try again when it is done")
	}
	return release, nil
}

// operation returns the operation that takes those of the plan back, without changes.
func (p *Plan) operation(h store.Header) *store.Operation {
	h.Kind, h.Undoes, h.Began = store.Undo, p.Operations, time.Now()
	h.Ended = h.Began
	h.IsPartial = h.IsPartial || p.isPartial
	return &store.Operation{Header: h}
}

// errChanged is returned for a path that someone has changed since the plan was made.
var errChanged = errors.New("it was changed meanwhile")

// note adds the present and the future version of a path to an operation.
func note(ctx context.Context, w *store.Writer, s Step, t twins) (c store.Change, err error) {
	c.Path = s.Path
	if c.Before, err = notePresent(ctx, w, s, t); err != nil {
		return c, err
	}
	if s.Merges {
		c.After, err = s.noteMerged(w, &c.Before)
		return c, err
	}
	c.After = s.To.Version
	c.After.State.Inode, c.After.State.Changed = 0, 0 // it will be another file
	if !s.To.Place.IsNowhere() {
		c.After.Content, err = w.Share(s.To.Place, s.To.State.Size)
	}
	return c, err
}

// notePresent adds the present version of a path.
func notePresent(ctx context.Context, w *store.Writer, s Step, t twins) (v store.Version, err error) {
	now, err := t.read(s.Path)
	if err == nil && !now.IsSame(s.now) {
		err = errChanged
	}
	if err != nil {
		return v, err
	}
	v.State = now
	switch now.Kind {
	case state.Link:
		v.Target, err = readLink(s.Path)
	case state.Special:
		v.Lost = "it is a FIFO, a socket or a device"
	case state.Regular:
		if now.Size > 0 {
			var k content.Kept
			v.Content, k, err = w.Take(ctx, s.Path, now.Size)
			v.Way, v.Sum = k.Way, k.Sum
			if err == nil {
				v.State = k.State
			}
		}
	}
	return v, err
}

// Finish completes the operations that were being carried out when a process was killed. It leaves one alone that a
// living process carries out.
func Finish(ctx context.Context, s *store.Store) error {
	numbers, err := s.Numbers()
	if err != nil {
		return err
	}
	numbers = slices.DeleteFunc(numbers, func(n int) bool {
		_, err := os.Lstat(s.File(n, applying))
		return err != nil
	})
	if len(numbers) == 0 {
		return nil
	}
	release, err := s.Lock()
	if err != nil {
		return fmt.Errorf("complete an undo that was interrupted: %w", err)
	}
	if release == nil {
		return nil
	}
	defer release()
	var failed error
	for _, n := range numbers {
		o, err := s.Read(n)
		switch {
		case err == nil:
			err = finish(ctx, s, o, true)
		case !errors.Is(err, fs.ErrNotExist):
			_ = os.Remove(s.File(n, applying))
		}
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			failed = errors.Join(failed, err)
		}
	}
	return failed
}

// finish changes the paths of an operation that is in the log, as far as they are still as they were before it.
func finish(ctx context.Context, s *store.Store, o *store.Operation, isAgain bool) error {
	j, err := openJournal(s.File(o.Number, applying))
	if err != nil {
		return err
	}
	defer j.file.Close()
	d := &disk{journal: j}
	defer d.close()
	if isAgain {
		d.sweep(o.Changes)
	}
	all := make([]Step, 0, len(o.Changes))
	for _, c := range o.Changes {
		all = append(all, Step{Path: c.Path, From: versionOf(o, c.Before), To: versionOf(o, c.After)})
	}
	twins := twinsOf(all)
	var steps []Step
	for _, step := range all {
		isDone, err := step.check(ctx, twins)
		if err != nil {
			return err
		}
		if !isDone && (step.Problem == "" || step.goesOn(twins)) {
			steps = append(steps, step)
		}
	}
	failed := d.change(steps)
	if d.isPartial {
		failed = errors.Join(failed, s.SetPartial(o.Number))
	}
	_ = j.file.Close() // else Windows does not remove it; it is not needed any more
	return errors.Join(failed, os.Remove(s.File(o.Number, applying)))
}

// goesOn makes the step start from the remains of an interrupted change: nothing, or all but the attributes.
// It is false if someone else has changed the path.
func (s *Step) goesOn(t twins) bool {
	now, err := t.read(s.Path)
	if err != nil || !s.IsOverwritable || now.Kind != state.Absent && !s.hasContent && !(now.Kind == state.Directory && isDirectory(s.To)) {
		return false
	}
	s.From = Version{Version: store.Version{State: now}}
	return true
}

// change changes paths, in an order in which each directory is there when it is needed.
func (d *disk) change(steps []Step) error {
	var failed []error
	try := func(s Step, err error) {
		if err != nil {
			failed = append(failed, fmt.Errorf("%s: %w", s.Path, cause(err)))
			d.isPartial = d.isPartial || !errors.Is(err, errChanged)
		}
	}
	for _, s := range slices.Backward(steps) { // entries before their directory
		if s.From.State.Kind != state.Absent && (isDirectory(s.From) != isDirectory(s.To) || s.To.State.Kind == state.Absent) {
			try(s, d.remove(s))
		}
	}
	for _, s := range steps { // a directory before its entries
		if isDirectory(s.To) {
			try(s, d.mkdir(s))
		}
	}
	for _, s := range steps {
		switch s.To.State.Kind {
		case state.Regular:
			if s.hasContent {
				try(s, d.attributes(s))
				continue
			}
			try(s, d.write(s))
		case state.Link:
			try(s, d.link(s))
		}
	}
	for _, s := range slices.Backward(steps) {
		if isDirectory(s.To) {
			try(s, d.attributes(s))
		}
	}
	return errors.Join(append(failed, d.lendBack())...)
}

func isDirectory(v Version) bool { return v.State.Kind == state.Directory }

// cause returns the error below those that name a path, which the caller names.
func cause(err error) error {
	var p *fs.PathError
	var l *os.LinkError
	switch {
	case errors.As(err, &p):
		return p.Err
	case errors.As(err, &l):
		return l.Err
	}
	return err
}

// gitLock returns the path of the lock of a repository in which git is at work, "" if there is none.
func gitLock(steps []Step) string {
	seen := map[string]bool{}
	for _, s := range steps {
		at := strings.Index(slashed(s.Path), "/.git/")
		if at < 0 {
			continue
		}
		lock := filepath.Join(s.Path[:at], ".git", "index.lock")
		if seen[lock] || slices.ContainsFunc(steps, func(s Step) bool { return s.Path == lock }) {
			continue
		}
		seen[lock] = true
		if _, err := os.Lstat(lock); err == nil {
			return lock
		}
	}
	return ""
}

func slashed(path string) string { return filepath.ToSlash(path) }

func readLink(path string) (string, error) { return os.Readlink(path) }

// errDamaged is returned for a content that is no longer the one that was kept.
var errDamaged = errors.New("its content in the undo log is damaged")

// fill copies the content of a version into a file.
func fill(to *os.File, v *Version) error {
	from, err := v.Place.Open()
	if err != nil {
		return err
	}
	defer from.Close()
	if v.Sum == (content.Sum{}) && from.CloneTo(to) == nil {
		return nil
	}
	h := sha256.New()
	n, err := io.Copy(io.MultiWriter(to, h), from)
	if err == nil && (n != v.State.Size || v.Sum != content.Sum{} && v.Sum != content.Sum(h.Sum(nil))) {
		err = errDamaged
	}
	return err
}

// isBusy reports whether a directory stays because of entries that others have made.
func isBusy(err error) bool {
	return errors.Is(err, fs.ErrExist) // which a directory that is not empty is, too
}
