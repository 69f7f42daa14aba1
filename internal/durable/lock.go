package durable

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"strconv"
	"time"
)

const (
	// lockStale is the age after which a lock without a known holder counts as left behind by
	// a crash. Other programs that use this kind of lock have the same limit.
	lockStale = 10 * time.Second
	// lockWait is the maximum time to wait for a lock.
	lockWait = 30 * time.Second
)

// Lock locks the file at path against changes by other processes and goroutines until unlock
// is called. It waits up to 30 seconds while another process holds the lock, and returns an
// error after that.
//
// The lock is the directory path.lock, which Gemini CLI and other programs use too: the
// process that creates it holds the lock, and a lock older than ten seconds counts as
// abandoned. Between Pollux processes on one machine the lock is safer: the holder keeps the directory locked
// with flock(2), so that a suspended holder keeps its lock, and only one of several waiting
// processes can take over an abandoned lock. The sticky bit marks a directory that Pollux has made:
// without a flock its holder is dead, and it can be taken over at once. On a network file system,
// whose flock may not reach other machines, only its age counts. Windows refuses to remove the directory of a
// holder that lives. The lock is not renewed: hold it only for a short time.
func Lock(path string) (unlock func(), err error) {
	return LockContext(context.Background(), path)
}

// LockContext is like [Lock], but stops waiting when ctx ends. The error is then the cause of
// ctx.
func LockContext(ctx context.Context, path string) (unlock func(), err error) {
	name := path + ".lock"
	deadline := time.Now().Add(lockWait)
	for pause := 2 * time.Millisecond; ; pause = min(2*pause, 100*time.Millisecond) {
		unlock, err := tryLock(name)
		if unlock != nil || err != nil {
			return unlock, err
		}
		if time.Now().After(deadline) {
			return nil, fmt.Errorf("%s is held by another process; if none is running, remove it", name)
		}
		select {
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		case <-time.After(pause):
		}
	}
}

// tryLock takes the lock. It returns nil, nil if another process holds it.
func tryLock(name string) (unlock func(), err error) {
	err = os.Mkdir(name, 0o700|os.ModeSticky)
	made := err == nil
	if !made && !errors.Is(err, fs.ErrExist) {
		return nil, err
	}
	return acquire(name, made)
}

// isStale reports whether a lock is older than lockStale.
func isStale(lock fs.FileInfo) bool { return time.Since(lock.ModTime()) > lockStale }

// breakStale removes a stale lock where flock does not work. It renames the lock first, so
// that only one of several processes removes it.
func breakStale(name string) error {
	aside := name + "." + strconv.FormatUint(rand.Uint64(), 36)
	if err := os.Rename(name, aside); err != nil {
		if errors.Is(err, fs.ErrNotExist) || isBusy(err) {
			return nil // another process was faster, or has it open
		}
		return err
	}
	if moved, err := os.Lstat(aside); err == nil && !isStale(moved) {
		_ = os.Rename(aside, name) // another process has replaced it with a lock of its own: put that back
		return nil
	}
	return os.Remove(aside)
}
