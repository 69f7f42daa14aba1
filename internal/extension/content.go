package extension

import (
	"errors"
	"os"
	"path/filepath"

	"pollux/internal/durable"
)

// Directory returns the path of a subdirectory of the extension, such as "skills", false if there is none or
// if it is a link that leads out of the extension.
func (e *Extension) Directory(name string) (string, bool) {
	path, err := e.within(name)
	if err != nil {
		return "", false
	}
	info, err := os.Stat(path)
	return path, err == nil && info.IsDir()
}

// file returns the path of a regular file of the extension.
func (e *Extension) file(name string) (string, error) {
	path, err := e.within(name)
	if err != nil {
		return "", err
	}
	info, err := os.Stat(path)
	if err == nil && !info.Mode().IsRegular() {
		err = errors.New("it is not a regular file")
	}
	return path, durable.Cause(err)
}

// within returns the path of a file or directory of the extension. Neither the name nor a link may lead out
// of it.
func (e *Extension) within(name string) (string, error) {
	if !filepath.IsLocal(name) {
		return "", errors.New("it leads out of the extension")
	}
	path := filepath.Join(e.Dir, name)
	target, err := filepath.EvalSymlinks(path)
	if err != nil {
		return "", durable.Cause(err)
	}
	root, err := filepath.EvalSymlinks(e.Dir)
	if err != nil {
		return "", durable.Cause(err)
	}
	if rel, err := filepath.Rel(root, target); err != nil || !filepath.IsLocal(rel) {
		return "", errors.New("it is a link that leads out of the extension")
	}
	return path, nil
}
