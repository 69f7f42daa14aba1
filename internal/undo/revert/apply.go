package revert

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"pollux/internal/undo/content"
	"pollux/internal/undo/state"
	"pollux/internal/undo/store"
)

// applying is the name of the file in an operation that is being carried out.
const applying = "applying"

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
	h.Kind, h.Undoes, h.Began = store.Undo, p.Operations, time.Now()
	h.Ended = h.Began
	w, err := b.Begin()
	if err != nil {
		return nil, err
	}
	o := &store.Operation{Header: h}
	for _, step := range steps {
		c, err := note(ctx, w, step)
		if err != nil {
			w.Abort()
			return nil, err
		}
		o.Changes = append(o.Changes, c)
	}
	if err := os.WriteFile(filepath.Join(w.Dir(), applying), nil, 0o600); err != nil {
		w.Abort()
		return nil, fmt.Errorf("keep files for undo: %w", err)
	}
	if err := w.Commit(o); err != nil {
		return nil, err
	}
	return o, finish(ctx, p.store, o)
}

// note adds the present and the future version of a path to an operation.
func note(ctx context.Context, w *store.Writer, s Step) (c store.Change, err error) {
	c = store.Change{Path: s.Path, After: s.To.Version}
	c.After.State.Inode, c.After.State.Changed = 0, 0 // it will be another file
	if s.To.Place != "" {
		if c.After.Content, err = w.Share(s.To.Place, s.To.State.Size); err != nil {
			return c, err
		}
	}
	now, err := state.Read(s.Path)
	if err != nil {
		return c, err
	}
	c.Before.State = now
	switch now.Kind {
	case state.Link:
		c.Before.Target, err = readLink(s.Path)
	case state.Special:
		c.Before.Lost = "it is a FIFO, a socket or a device"
	case state.Regular:
		if now.Size > 0 {
			var k content.Kept
			c.Before.Content, k, err = w.Take(ctx, s.Path)
			c.Before.Way, c.Before.Sum = k.Way, k.Sum
			if err == nil {
				c.Before.State = k.State
			}
		}
	}
	return c, err
}

// Finish completes the operations that were being carried out when a process was killed.
func Finish(ctx context.Context, s *store.Store) error {
	numbers, err := s.Numbers()
	if err != nil {
		return err
	}
	for _, n := range numbers {
		if _, err := os.Lstat(s.Content(n, applying)); err != nil {
			continue
		}
		o, err := s.Read(n)
		if err != nil {
			_ = os.Remove(s.Content(n, applying))
			return err
		}
		if err := finish(ctx, s, o); err != nil {
			return err
		}
	}
	return nil
}

// finish changes the paths of an operation that is in the log, as far as they are still as they were before it.
func finish(ctx context.Context, s *store.Store, o *store.Operation) error {
	var steps []Step
	for _, c := range o.Changes {
		step := Step{Path: c.Path, From: Version{Version: c.Before}, To: Version{Version: c.After}}
		if c.Before.Content != "" {
			step.From.Place = s.Content(o.Number, c.Before.Content)
		}
		if c.After.Content != "" {
			step.To.Place = s.Content(o.Number, c.After.Content)
		}
		isDone, err := step.check(ctx)
		if err != nil {
			return err
		}
		if !isDone && (step.Problem == "" || step.IsOverwritable && c.Before.State.Kind == state.Directory) {
			steps = append(steps, step)
		}
	}
	err := change(steps)
	return errors.Join(err, os.Remove(s.Content(o.Number, applying)))
}

// change changes paths, in an order in which each directory is there when it is needed.
func change(steps []Step) error {
	d := &disk{}
	defer d.close()
	var failed []error
	try := func(s Step, err error) {
		if err != nil {
			failed = append(failed, fmt.Errorf("%s: %w", s.Path, cause(err)))
		}
	}
	for _, s := range slices.Backward(steps) { // entries before their directory
		if isDirectory(s.From) != isDirectory(s.To) || s.To.State.Kind == state.Absent {
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

// fill copies a content into a file.
func fill(to *os.File, place string) error {
	from, err := os.Open(place)
	if err != nil {
		return err
	}
	defer from.Close()
	if content.Clone(to, from) == nil {
		return nil
	}
	_, err = io.Copy(to, from)
	return err
}

// isBusy reports whether a directory stays because of entries that others have made.
func isBusy(err error) bool {
	return errors.Is(err, syscall.ENOTEMPTY) || errors.Is(err, syscall.EEXIST)
}
