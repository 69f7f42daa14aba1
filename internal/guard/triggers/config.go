package triggers

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"syscall"

	"pollux/internal/workspace"
)

// set gives the setting of a trigger these values. Programs in the background may exchange the file, and directories above it, with links
// meanwhile: the file that is read and the one that is replaced are in a root, whatever they do.
func (g *Guard) set(ctx context.Context, f *trigger, values []string) error {
	failed := func(err error) error { return fmt.Errorf("%s in %s was not changed: %w", f.setting, f.name, err) }
	roots := g.options.Roots()
	i := slices.IndexFunc(roots, func(root string) bool { return workspace.IsWithin(f.path, root) })
	if i < 0 {
		return failed(errors.New("it is outside of the workspace"))
	}
	root, err := os.OpenRoot(roots[i])
	if err != nil {
		return failed(err)
	}
	defer root.Close()
	file, _ := filepath.Rel(roots[i], f.path) // it is below
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
