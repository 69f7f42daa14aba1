package worktree

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"pollux/internal/durable/flock"
)

// errInUse is the error of a removal while another session of Pollux uses the worktree.
var errInUse = errors.New("another session uses the worktree")

// Discard removes the worktree and its branch if nothing is lost with them and no process is in the
// worktree. It reports whether it did, and otherwise the changes or processes that prevent it. An
// error means that the changes are not known.
func (w *Worktree) Discard(ctx context.Context) (removed bool, changes Changes, err error) {
	err = w.whileAlone(ctx, func() error {
		if changes, err = w.Inspect(ctx); err != nil || !changes.IsEmpty() {
			return err
		}
		removed = true
		return w.remove(context.WithoutCancel(ctx))
	})
	if errors.Is(err, errInUse) {
		return false, Changes{IsInUse: true}, nil
	}
	return removed && err == nil, changes, err
}

// Delete removes the worktree and its branch, whatever is lost with them. It returns the newest
// commit that is lost, or else the last one of the worktree, from which the branch can be made again.
func (w *Worktree) Delete(ctx context.Context) (commit string, err error) {
	err = w.whileAlone(ctx, func() error {
		if err := w.git.check(ctx, w.Path); err != nil {
			return err
		}
		if commit, err = w.lastCommit(ctx); err != nil {
			return err
		}
		return w.remove(ctx, "--force")
	})
	return commit, err
}

// whileAlone calls f while no other session uses the worktree or can begin to.
func (w *Worktree) whileAlone(ctx context.Context, f func() error) error {
	if w.git == nil {
		return errors.New("the session was started in the worktree")
	}
	unlock, err := w.lock(ctx)
	if err != nil {
		return err
	}
	defer unlock()
	if err := w.Hold(); err != nil {
		return err
	}
	if flock.Exclusive(w.use) != nil { // this session may have lost its shared lock
		return errInUse
	}
	return f()
}

// remove removes the worktree, its branch, and its parent directories if they are empty.
func (w *Worktree) remove(ctx context.Context, options ...string) error {
	if _, err := w.git.ask(ctx, w.Root, append(append([]string{"worktree", "remove"}, options...), w.Path)...); err != nil {
		return err
	}
	w.Close()
	if _, err := w.git.ask(ctx, w.Root, "branch", "--quiet", "-D", w.Branch()); err != nil && w.hasBranch(ctx) {
		return fmt.Errorf("cannot delete the branch %s: %w", w.Branch(), err)
	}
	for dir := filepath.Dir(w.Path); dir != filepath.Join(w.Root, dirOf); dir = filepath.Dir(dir) {
		_ = os.Remove(dir) // fails if there are other worktrees in it
	}
	return nil
}

// Hold marks the worktree as in use until it is closed, so that no other session removes it.
func (w *Worktree) Hold() error {
	if w.use != nil {
		return nil
	}
	f, err := os.OpenFile(filepath.Join(w.admin, "pollux"), os.O_RDWR|os.O_CREATE, 0o600)
	if err == nil && errors.Is(flock.Shared(f), flock.ErrHeld) {
		_ = f.Close()
		err = errors.New("another session removes the worktree")
	}
	if err != nil {
		return err
	}
	w.use = f
	return nil
}
