package terminal

import (
	"os"
	"path/filepath"
	"time"

	"pollux/internal/durable/flock"
)

// mark marks the terminal as one that a program has changed, until remove: with a locked file, which stays without its lock if the program
// is killed. A terminal that cannot be marked is not reset later.
func (t *Terminal) mark() (remove func()) {
	none := func() {}
	path := t.markPath()
	if path == "" || os.MkdirAll(t.Marks, 0o700) != nil {
		return none
	}
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return none
	}
	if flock.Exclusive(f) != nil { // another program has it, or the file system has no locks
		_ = f.Close() // it was not written
		return none
	}
	return func() {
		_ = os.Remove(path) // else the next start resets a terminal that needs none
		flock.Release(f)
	}
}

// ResetKilled resets the terminal if a program that had changed it was killed, and reports whether it did; see [Terminal.Marks].
func (t *Terminal) ResetKilled() bool {
	path := t.markPath()
	if path == "" {
		return false
	}
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return false
	}
	defer flock.Release(f)
	if flock.Exclusive(f) != nil {
		return false
	}
	_ = os.Remove(path) // else the next start resets the terminal once more
	removeOld(t.Marks)
	return t.Reset() == nil
}

// markPath returns the path of the mark of the terminal, "" if it has none.
func (t *Terminal) markPath() string {
	if t.Marks == "" || !t.OutTTY || t.out == nil {
		return ""
	}
	name := markName(t.out)
	if name == "" {
		return ""
	}
	return filepath.Join(t.Marks, name)
}

// removeOld removes marks of terminals that no longer exist.
func removeOld(dir string) {
	const age = 30 * 24 * time.Hour
	entries, _ := os.ReadDir(dir) // none if it fails: they harm nothing
	for _, e := range entries {
		if info, err := e.Info(); err == nil && time.Since(info.ModTime()) > age {
			_ = os.Remove(filepath.Join(dir, e.Name())) // one that is in use is only missed after a kill
		}
	}
}
