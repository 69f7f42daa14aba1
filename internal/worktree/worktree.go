// Package worktree runs sessions in Git worktrees of their own: a second working directory of the
// repository, on a branch of its own, so that the changes of one session do not disturb another
// one.
//
// The worktree called NAME is the directory .gemini/worktrees/NAME below the root of the
// repository, on the branch worktree-NAME. [Enter] creates it, or enters the existing one; [Find]
// recognizes one by its path. [Worktree.Inspect] finds work that would be lost with it, and
// [Worktree.Discard] and [Worktree.Delete] remove it.
//
// Git runs no programs that the repository names: no hooks, no filters (see git.go).
package worktree

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"pollux/internal/durable"
	"pollux/internal/durable/flock"
	"pollux/internal/guard/repository"
	"pollux/internal/process"
	"pollux/internal/shellcmd"
)

// Worktree is a worktree of a session.
type Worktree struct {
	Name string
	// Path is the absolute path of its top directory, Root that of the repository's.
	Path, Root string
	// IsNew is set if Enter created the worktree.
	IsNew bool
	// IsEntered is set if the user named the worktree, instead of starting in it.
	IsEntered bool

	admin string   // Git's own directory of the worktree
	git   *git     // nil for one that Find has found
	use   *os.File // keeps the worktree in use, nil if it is not
}

// Options describe the worktree to enter. All fields are required except Name and Check.
type Options struct {
	// Dir is the absolute path of a directory in the repository, without links.
	Dir string
	// Name is the name of the worktree, "" for a new one with a name of its own.
	Name string
	// Environ is the environment of git, as "NAME=value". Git is found in its PATH.
	Environ  []string
	Launcher process.Launcher
	// Check, if not nil, may refuse the worktree that would be at an absolute path.
	Check func(path string) error
	// Warn is called with messages for the user about a new worktree.
	Warn func(text string)
}

// dirOf is the directory of the worktrees below the root of a repository.
var dirOf = filepath.Join(".gemini", "worktrees")

// Enter returns the worktree with a name, and creates it if it does not exist. Its errors are
// sentences for the user. The caller must close the worktree.
func Enter(ctx context.Context, o Options) (_ *Worktree, err error) {
	if o.Name == "" {
		o.Name = newName()
	} else if err := checkName(o.Name); err != nil {
		return nil, err
	}
	g, err := newGit(o)
	if err != nil {
		return nil, err
	}
	root, err := g.root(ctx)
	if err != nil {
		return nil, err
	}
	w := &Worktree{Name: o.Name, Root: root, Path: filepath.Join(root, dirOf, filepath.FromSlash(o.Name)), git: g, IsEntered: true}
	if o.Check != nil {
		if err := o.Check(w.Path); err != nil {
			return nil, err
		}
	}
	if !w.exists() {
		if err := w.canCreate(ctx); err != nil {
			return nil, err
		}
	}
	unlock, err := w.lock(ctx)
	if err != nil {
		return nil, err
	}
	defer unlock()
	if !w.exists() {
		if err := w.create(ctx, o.Warn); err != nil {
			return nil, err
		}
	}
	if err := w.identify(); err != nil {
		return nil, err
	}
	return w, w.Hold()
}

// Find returns the worktree that an absolute path without links is in, nil if it is in none. It
// runs no programs.
func Find(dir string) *Worktree {
	marker := string(filepath.Separator) + dirOf + string(filepath.Separator)
	i := strings.LastIndex(dir, marker)
	if i < 0 {
		return nil
	}
	root := dir[:i]
	for top := dir; len(top) > i+len(marker)-1; top = filepath.Dir(top) {
		w := &Worktree{Name: filepath.ToSlash(top[i+len(marker):]), Path: top, Root: root}
		if w.identify() == nil {
			return w
		}
	}
	return nil
}

// identify finds Git's directory of the worktree. It returns an error if the directory is no
// worktree of the repository at the root.
func (w *Worktree) identify() error {
	admin, common := repository.WorktreeDirs(w.Path)
	lost := Lost(w.Path)
	switch {
	case lost != "":
		return errors.New(lost)
	case admin == "" || filepath.Dir(common) != w.Root:
		return fmt.Errorf("%s exists, but it is not a worktree of %s", w.Path, w.Root)
	case isCreating(admin):
		return fmt.Errorf("creating %s was interrupted. To remove what is left, run: %s", w.Path, shellcmd.Join([]string{"git", "worktree", "remove", "--force", "--force", w.Path}))
	}
	w.admin = admin
	return nil
}

// Lost returns why the directory at an absolute path, which is or was a worktree, has no repository
// any more, as a sentence without a period; "" if it is no worktree, or has one.
func Lost(path string) string {
	line, err := durable.ReadFile(filepath.Join(path, ".git"), 64<<10)
	dir, ok := strings.CutPrefix(strings.TrimSpace(string(line)), "gitdir: ")
	if err != nil || !ok || !filepath.IsAbs(dir) || filepath.Base(filepath.Dir(dir)) != "worktrees" {
		return ""
	}
	if _, err := os.Stat(dir); !errors.Is(err, fs.ErrNotExist) {
		return ""
	}
	return "the repository of the worktree " + path + " is gone: there is no " + dir +
		". If it has moved, run in its new place: " + shellcmd.Join([]string{"git", "worktree", "repair", path})
}

// isCreating reports whether git is creating the worktree, or was killed while doing so.
func isCreating(admin string) bool {
	reason, err := durable.ReadFile(filepath.Join(admin, "locked"), 4<<10)
	return err == nil && strings.TrimSpace(string(reason)) == "initializing"
}

// lock keeps other sessions from creating or removing the worktree. It creates the directory of the
// worktrees.
func (w *Worktree) lock(ctx context.Context) (unlock func(), err error) {
	dir := w.Root
	for _, name := range strings.Split(filepath.Dir(w.Path)[len(w.Root)+1:], string(filepath.Separator)) {
		dir = filepath.Join(dir, name)
		info, err := os.Lstat(dir)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			if err := os.Mkdir(dir, 0o777); err != nil && !errors.Is(err, fs.ErrExist) {
				return nil, err
			}
		case err != nil:
			return nil, err
		case !info.IsDir(): // Git would follow a link of the repository
			return nil, fmt.Errorf("%s is not a directory", dir)
		}
		if _, err := os.Lstat(filepath.Join(dir, ".git")); err == nil {
			return nil, fmt.Errorf("%s is a worktree itself. Choose another name", dir)
		}
	}
	return durable.LockContext(ctx, w.Path)
}

func (w *Worktree) exists() bool {
	_, err := os.Lstat(w.Path)
	return !errors.Is(err, fs.ErrNotExist)
}

// canCreate returns an error if git cannot create the worktree, or could start programs.
func (w *Worktree) canCreate(ctx context.Context) error {
	if err := w.git.check(ctx, w.Root); err != nil {
		return fmt.Errorf("%w. To create the worktree yourself, run: %s", err, shellcmd.Join([]string{"git", "worktree", "add", "-b", w.Branch(), w.Path}))
	}
	if _, err := w.git.ask(ctx, w.Root, "rev-parse", "--quiet", "--verify", "HEAD^{commit}"); err != nil {
		return errors.New("the repository has no commits yet. Make the first one, and try again")
	}
	return nil
}

// create creates the worktree, on its branch if that exists.
func (w *Worktree) create(ctx context.Context, warn func(string)) error {
	if err := w.exclude(ctx); err != nil {
		return err
	}
	// It may be registered, if its directory was removed without Git.
	_, _ = w.git.ask(ctx, w.Root, "worktree", "remove", w.Path)
	args := []string{"worktree", "add", "--quiet", "--no-track", "-b", w.Branch(), w.Path}
	if w.hasBranch(ctx) {
		args = []string{"worktree", "add", "--quiet", w.Path, w.Branch()}
	}
	if _, err := w.git.ask(ctx, w.Root, args...); err != nil {
		return err
	}
	w.IsNew = true
	if changed, err := w.git.ask(ctx, w.Root, "status", "--porcelain", "--ignore-submodules=all"); err == nil && changed != "" && warn != nil {
		warn("The worktree has the files of the last commit, without the changes in " + w.Root + " that are not committed.")
	}
	return nil
}

func (w *Worktree) hasBranch(ctx context.Context) bool {
	_, err := w.git.ask(ctx, w.Root, "rev-parse", "--quiet", "--verify", "refs/heads/"+w.Branch())
	return err == nil
}

// exclude has Git ignore the directory of the worktrees, so that they are no untracked files of the
// repository and no search of the repository finds their files.
func (w *Worktree) exclude(ctx context.Context) error {
	if _, err := w.git.ask(ctx, w.Root, "check-ignore", "--quiet", "--no-index", filepath.ToSlash(dirOf)+"/x"); err == nil {
		return nil
	}
	const most = 1 << 20
	path := filepath.Join(w.git.common, "info", "exclude")
	info, err := os.Lstat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		return err
	case !info.Mode().IsRegular():
		return nil // not a file of Git's
	}
	rules, err := durable.ReadFile(path, most)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("read %s: %w", path, err)
	}
	if n := len(rules); n > 0 && rules[n-1] != '\n' {
		rules = append(rules, '\n')
	}
	if err := durable.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		return err
	}
	return durable.WriteFile(path, append(rules, "/"+filepath.ToSlash(dirOf)+"/\n"...), 0o666)
}

// Branch returns the name of the worktree's own branch.
func (w *Worktree) Branch() string { return "worktree-" + w.Name }

// Close ends the use of the worktree, which stays.
func (w *Worktree) Close() {
	if w.use != nil {
		flock.Release(w.use)
		w.use = nil
	}
}
