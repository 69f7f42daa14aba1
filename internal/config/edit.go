package config

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"strings"

	"pollux/internal/durable"
	"pollux/internal/exit"
)

// Set writes a value for a key's path into the settings file of a scope, and creates the file
// if necessary. v must be a result of [ParseValue]. Set removes old names of the key. The rest of
// the file is preserved, including comments and order.
//
// If the file is a symbolic link, Set writes its target, except in a project, where the link
// could lead anywhere. The error has exit code 52 if the file is such a link, cannot be
// parsed, or is locked by another process.
func (p *Paths) Set(scope Scope, path string, v any) error {
	return p.edit(scope, func(text []byte) ([]byte, error) {
		d, err := openDocument(text)
		if err != nil {
			return nil, err
		}
		// In the first layout the model's name was at the place of today's group.
		if name, ok := d.stringAt("model"); ok && strings.HasPrefix(path, "model.") {
			if text, err = d.set([]string{"model"}, map[string]any{"name": name}); err != nil {
				return nil, err
			}
			if d, err = openDocument(text); err != nil {
				return nil, err
			}
		}
		edited, err := d.set(strings.Split(path, "."), v)
		if err != nil {
			return nil, err
		}
		if err := verify(text, edited, func(tree map[string]any) { put(tree, path, v) }); err != nil {
			return nil, err
		}
		tree, err := ParseObject(edited)
		if got, ok := at(tree, path); err != nil || !ok || !reflect.DeepEqual(got, v) {
			return nil, errLayout
		}
		for _, old := range oldNames(path) {
			if edited, err = unsetAll(edited, strings.Split(old, ".")); err != nil {
				return nil, err
			}
		}
		return edited, nil
	})
}

// Unset removes a key's path from the settings file of a scope, including its old names. It
// reports whether there was anything to remove. Its errors are those of [Paths.Set].
func (p *Paths) Unset(scope Scope, path string) (found bool, err error) {
	var paths [][]string
	for _, name := range append(oldNames(path), path) {
		paths = append(paths, strings.Split(name, "."))
	}
	return p.unset(scope, paths...)
}

func (p *Paths) unset(scope Scope, paths ...[]string) (found bool, err error) {
	if _, err := os.Lstat(p.File(scope)); errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	err = p.edit(scope, func(text []byte) ([]byte, error) {
		for _, path := range paths {
			after, err := unsetAll(text, path)
			if err != nil {
				return nil, err
			}
			found = found || !bytes.Equal(text, after)
			text = after
		}
		return text, nil
	})
	return found, err
}

// unsetAll removes all members with a path: if a file has a name twice, the first would become
// effective when the second is removed.
func unsetAll(text []byte, path []string) ([]byte, error) {
	const most = 20
	for range most {
		d, err := openDocument(text)
		if err != nil {
			return nil, err
		}
		if _, ok := d.stringAt("model"); path[0] == "model" && len(path) == 1 && !ok {
			return text, nil // it is the group
		}
		edited, found := d.unset(path)
		if !found {
			return text, nil
		}
		if err := verify(text, edited, func(tree map[string]any) { drop(tree, path) }); err != nil {
			return nil, err
		}
		text = edited
	}
	return nil, fmt.Errorf("it has %q more than %d times", strings.Join(path, "."), most)
}

// stringAt returns the string member called name of the outermost object.
func (d *document) stringAt(name string) (string, bool) {
	tree, err := ParseObject(d.text)
	if err != nil {
		return "", false
	}
	text, ok := tree[name].(string)
	return text, ok
}

var errLayout = errors.New("it is laid out in a way that cannot be edited safely: please do it by hand")

// verify returns an error if an edit has changed anything else than intended.
func verify(before, after []byte, change func(tree map[string]any)) error {
	want, err := ParseObject(before)
	if err != nil {
		return err
	}
	got, err := ParseObject(after)
	if err == nil {
		change(want)
		change(got) // it is already changed, so nothing happens
	}
	if err != nil || !reflect.DeepEqual(got, want) {
		return errLayout
	}
	return nil
}

// drop removes the value at a path, and objects that become empty.
func drop(tree map[string]any, path []string) {
	if len(path) > 1 {
		below, ok := tree[path[0]].(map[string]any)
		if !ok {
			return
		}
		if drop(below, path[1:]); len(below) > 0 {
			return
		}
	}
	delete(tree, path[0])
}

// edit changes the text of a scope's file under a lock.
func (p *Paths) edit(scope Scope, change func(text []byte) ([]byte, error)) error {
	path := p.File(scope)
	if path == "" {
		return exit.Errorf(exit.General, "The home directory has no workspace settings. Use the user settings.")
	}
	if err := p.editFile(scope, path, change); err != nil {
		return exit.Errorf(exit.Config, "%s was not changed: %w", path, err)
	}
	return nil
}

func (p *Paths) editFile(scope Scope, path string, change func(text []byte) ([]byte, error)) error {
	perm, dirPerm := fs.FileMode(0o600), fs.FileMode(0o700)
	if scope != User {
		dirPerm = 0o755
	}
	if scope == System || scope == SystemDefaults {
		perm = 0o644 // all users of the machine read it
	}
	path, err := resolveTarget(path, scope == Workspace)
	if err != nil {
		return err
	}
	dirPath, name := filepath.Split(path)
	if err := durable.MkdirAll(dirPath, dirPerm); err != nil {
		return fmt.Errorf("its directory cannot be made: %w", err)
	}
	dir, err := openDir(filepath.Clean(dirPath), scope == Workspace)
	if err != nil {
		return err
	}
	defer dir.Close()
	unlock, err := durable.Lock(path)
	if err != nil {
		return plain(err)
	}
	defer unlock()
	text, err := readFile(path, maxSettings)
	switch {
	case errors.Is(err, errAbsent):
		text = []byte("{}")
	case err != nil:
		return err
	}
	mark := []byte("\uFEFF")
	old, marked := bytes.CutPrefix(text, mark)
	edited, err := change(old)
	if err != nil {
		return err
	}
	if marked {
		edited = append(mark, edited...)
	}
	if bytes.Equal(edited, text) {
		return nil
	}
	if len(edited) > maxSettings {
		return fmt.Errorf("it would be larger than %d MB", maxSettings>>20)
	}
	return plain(durable.WriteFileAt(dir, name, edited, perm))
}

// resolveTarget returns the file to write for path, which may be a symbolic link: some people
// keep their settings with their other dotfiles. In a project it must not be a link, which
// could lead to the settings of another project.
func resolveTarget(path string, project bool) (string, error) {
	to, err := os.Readlink(path)
	if err != nil {
		return path, nil // not a link, or missing; reading reports other errors
	}
	to = filepath.Base(path) + " is a symbolic link to " + Printable(to)
	if project {
		return "", errors.New(to + ": edit that file itself")
	}
	if _, err := os.Stat(path); err != nil {
		return "", fmt.Errorf("%s: %w", to, plain(err))
	}
	return filepath.EvalSymlinks(path)
}

// openDir opens a directory. In a project it must not be a link, which could lead to the
// settings of another project.
func openDir(path string, project bool) (*os.File, error) {
	if project {
		if _, err := resolveTarget(path, project); err != nil {
			return nil, err
		}
	}
	dir, err := durable.OpenDir(path)
	if err != nil {
		return nil, plain(err)
	}
	if !project {
		return dir, nil
	}
	opened, err := dir.Stat()
	if err == nil {
		var seen fs.FileInfo
		if seen, err = os.Lstat(path); err == nil && !os.SameFile(opened, seen) {
			err = errors.New(path + " was replaced by a link")
		}
	}
	if err != nil {
		_ = dir.Close() // report the first error, not this one
		return nil, plain(err)
	}
	return dir, nil
}

// oldNames returns the paths of a key in older layouts.
func oldNames(path string) []string {
	var names []string
	if path == string(ModelName) {
		names = append(names, "model")
	}
	for _, moves := range [][]move{flat[:], renamed[:]} {
		for _, m := range moves {
			to := strings.TrimPrefix(m.to, "!")
			if rest, ok := strings.CutPrefix(path, to); ok && to != "" && (rest == "" || rest[0] == '.') {
				names = append(names, m.from+rest)
			}
		}
	}
	return names
}
