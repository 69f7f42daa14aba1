package triggers

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"syscall"

	"pollux/internal/undo/store"
	"pollux/internal/workspace"
)

// set gives the setting of a trigger these values. Programs in the background may exchange the file, and directories above it, with links
// meanwhile: the file that is read and the one that is replaced are in a root, whatever they do.
func (g *Guard) set(ctx context.Context, f *trigger, values []string) error {
	failed := func(err error) error {
		return fmt.Errorf("%s in %s was not changed: %w", displayed(f.setting), f.name, err)
	}
	root, file, err := g.open(f.path)
	if err != nil {
		return failed(err)
	}
	defer root.Close()
	text, mode, err := readConfig(root, file)
	if err == nil {
		text, err = g.options.Git.Edit(ctx, text, f.setting, values)
	}
	if err == nil {
		err = replace(root, file, text, mode)
	}
	if err != nil {
		return failed(err)
	}
	return nil
}

// open opens the root that a file is in. It returns the path of the file in there.
func (g *Guard) open(path string) (root *os.Root, file string, err error) {
	roots := g.options.Roots()
	i := slices.IndexFunc(roots, func(root string) bool { return workspace.IsWithin(path, root) })
	if i < 0 {
		return nil, "", errors.New("it is outside of the workspace")
	}
	file, _ = filepath.Rel(roots[i], path) // it is below
	root, err = os.OpenRoot(roots[i])
	return root, file, err
}

// restored returns the configurations whose text is that before an operation.
func (g *Guard) restored(o *store.Operation, configs map[string]bool) (paths []string) {
	l := &look{Guard: g, o: o}
	for i := range o.Changes {
		if c := &o.Changes[i]; configs[c.Path] && l.isRestored(c) {
			paths = append(paths, c.Path)
		}
	}
	return paths
}

// isRestored reports whether the text of a configuration is that before a change.
func (l *look) isRestored(c *store.Change) bool {
	var before []byte
	if c.Before.State.Size > 0 {
		text, ok := l.text(&c.Before, maxConfig)
		if !ok {
			return false
		}
		before = text
	}
	root, file, err := l.open(c.Path)
	if err != nil {
		return false
	}
	defer root.Close()
	now, _, err := readConfig(root, file)
	return err == nil && bytes.Equal(before, now)
}

// readConfig returns the text and the permissions of a configuration. It does not wait for a pipe.
func readConfig(root *os.Root, file string) (text []byte, mode fs.FileMode, err error) {
	f, err := root.OpenFile(file, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, 0, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err == nil && (!info.Mode().IsRegular() || info.Size() > maxConfig) {
		err = errors.New("it is no configuration")
	}
	if err != nil {
		return nil, 0, err
	}
	text, err = io.ReadAll(io.LimitReader(f, maxConfig))
	return text, info.Mode().Perm(), err
}

// replace replaces a configuration as git does: under a lock file, which becomes the new one.
func replace(root *os.Root, file string, text []byte, mode fs.FileMode) error {
	lock := file + ".lock"
	f, err := root.OpenFile(lock, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if errors.Is(err, fs.ErrExist) {
		return errors.New("git is at work there (" + lock + " exists)")
	}
	if err != nil {
		return err
	}
	_, err = f.Write(text)
	if err = errors.Join(err, f.Sync(), f.Close()); err == nil {
		err = root.Rename(lock, file)
	}
	if err != nil {
		_ = root.Remove(lock)
	}
	return err
}
