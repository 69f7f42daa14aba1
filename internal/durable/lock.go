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
	// lockStale is the age after which a lock that nobody is known to hold was
	// left behind by a crash; other programs that know this lock say the same.
	lockStale = 10 * time.Second
	// lockWait bounds the wait for a lock that others hold.
	lockWait = 30 * time.Second
)

// Lock keeps other processes, and goroutines of this one, from changing the file
// at path between reading and writing it, until unlock is called. It waits as long
// as another holds the lock, half a minute at most.
//
// The lock is the directory path.lock, as Gemini CLI and other programs have it
// (spec/cli.md §4.4): who makes it holds it, and after ten seconds without a sign
// of life it was left behind. Between processes of ours the system knows better:
// the holder has the directory open under flock(2), so that a holder that was
// put to sleep keeps its lock, and of many that find a lock left behind one gets it.
// Unlock is due soon: the lock is not renewed.
func Lock(path string) (unlock func(), err error) {
	return LockContext(context.Background(), path)
}

// LockContext is [Lock], which waits no longer than ctx: its cause is then the error.
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

// tryLock takes the lock, or returns nil, nil while another holds it.
func tryLock(name string) (unlock func(), err error) {
	err = os.Mkdir(name, 0o700)
	made := err == nil
	if !made && !errors.Is(err, fs.ErrExist) {
		return nil, err
	}
	return hold(name, made)
}

// stale reports whether a lock shows no sign of life.
func stale(lock fs.FileInfo) bool { return time.Since(lock.ModTime()) > lockStale }

// setAside removes a lock that is stale, where the system does not know its holder.
// Renaming it first makes sure that of several that find it so one removes it.
func setAside(name string) error {
	aside := name + "." + strconv.FormatUint(rand.Uint64(), 36)
	if err := os.Rename(name, aside); err != nil {
		if errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrPermission) {
			return nil // another was faster, or has it open
		}
		return err
	}
	if moved, err := os.Lstat(aside); err == nil && !stale(moved) {
		_ = os.Rename(aside, name) // another has broken it and made its own: give it back
		return nil
	}
	return os.Remove(aside)
}
