// Package undotest helps tests that take changes back.
package undotest

import (
	"crypto/sha256"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Picture describes each path below a directory: kind, mode, content or target, and the time of files.
type Picture map[string]string

// Take takes a picture. Objects of git are left out: an undo leaves those that were added.
func Take(t testing.TB, dir string) Picture {
	t.Helper()
	p, err := Read(dir)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// Read takes a picture as Take does.
func Read(dir string) (Picture, error) {
	p := Picture{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(dir, path)
		if err != nil {
			return err
		}
		if strings.Contains(filepath.ToSlash(path), "/.git/objects/") {
			return nil
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		p[rel], err = describe(path, info)
		return err
	})
	return p, err
}

func describe(path string, info fs.FileInfo) (string, error) {
	switch mode := info.Mode(); {
	case mode.IsRegular():
		data, err := os.ReadFile(path)
		return fmt.Sprintf("%v %d %x %d", mode, len(data), sha256.Sum256(data), info.ModTime().UnixNano()), err
	case mode&fs.ModeSymlink != 0:
		target, err := os.Readlink(path)
		return "-> " + target, err
	default:
		return mode.String(), nil
	}
}
