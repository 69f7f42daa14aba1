package durable

import (
	"errors"
	"io/fs"
	"os"
	"time"
)

// Lock keeps other sessions, and goroutines of this one, from changing the file at
// path between reading and writing it, until unlock is called. It waits as long as
// another holds the lock, which is a file beside it; one that is ten seconds old
// was left behind by a session that was killed, for no change takes that long.
func Lock(path string) (unlock func(), err error) {
	const (
		stale = 10 * time.Second
		pause = 20 * time.Millisecond
	)
	name := path + ".lock"
	for {
		f, err := os.OpenFile(name, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
		if err == nil {
			return func() { _ = os.Remove(name) }, f.Close() // what cannot be removed gets old
		}
		if !errors.Is(err, fs.ErrExist) {
			return nil, err
		}
		if info, err := os.Stat(name); err == nil && time.Since(info.ModTime()) > stale {
			if err := os.Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
				return nil, err
			}
			continue
		}
		time.Sleep(pause)
	}
}
