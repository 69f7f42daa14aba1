package journal

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sync"
	"time"

	"pollux/internal/crash"
	"pollux/internal/durable"
	"pollux/internal/durable/flock"
)

// ErrInUse is the error for a session file that another process has open for writing.
var ErrInUse = errors.New("another process has this session open")

// errForeign is the error for a file that another program has changed since this process wrote to it
// last.
var errForeign = errors.New("another program writes to the session's file")

// log is a file of lines that is open for appending. It may be used from several goroutines at once.
type log struct {
	path string

	mu   sync.Mutex // held while writing
	f    *os.File
	size int64 // in bytes, after the last write

	syncing sync.Mutex // held during a sync; taken before mu
	synced  int64      // size up to which the content is on the disk; guarded by mu
	isNew   bool       // the directory entry may not be on the disk; guarded by syncing
	failed  error      // of a sync: the system reports it once, and drops the written data; guarded by syncing
	soon    sync.WaitGroup
	pending bool          // a sync in the background will begin; guarded by mu
	began   time.Time     // the last sync in the background; guarded by mu
	closing chan struct{} // is closed when no sync waits any more
	hurry   func()        // closes closing; may be called again
}

// syncInterval is the time between two syncs in the background. Each takes a part of the time of a short turn.
const syncInterval = 200 * time.Millisecond

// create creates a file and locks it.
func create(path string) (*log, error) {
	return open(path, os.O_CREATE|os.O_EXCL, true)
}

// reopen opens an existing file, locks it, and ends an incomplete last line. The error is [ErrInUse]
// if another process has it open for writing.
func reopen(path string) (*log, error) {
	l, err := open(path, 0, false)
	if err != nil {
		return nil, err
	}
	last := make([]byte, 1)
	if l.size > 0 {
		if _, err := l.f.ReadAt(last, l.size-1); err != nil {
			l.close()
			return nil, durable.Cause(err)
		}
		if last[0] != '\n' {
			if err := l.append([]byte("\n")); err != nil {
				l.close()
				return nil, err
			}
		}
	}
	return l, nil
}

func open(path string, flags int, isNew bool) (*log, error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_APPEND|nonBlocking|noFollow|flags, 0o600)
	if err != nil {
		if isLink(err) {
			return nil, errors.New("it is a symbolic link")
		}
		return nil, durable.Cause(err)
	}
	l := &log{path: path, f: f, isNew: isNew, closing: make(chan struct{})}
	l.hurry = sync.OnceFunc(func() { close(l.closing) })
	info, err := f.Stat()
	switch {
	case err != nil:
	case !info.Mode().IsRegular():
		err = errors.New("it is not a regular file")
	default:
		err = lock(f)
	}
	if err == nil {
		// A writer that has just left may have written after the first look.
		if info, err = f.Stat(); err == nil {
			l.size, l.synced = info.Size(), info.Size()
			return l, nil
		}
	}
	_ = f.Close() // nothing was written
	return nil, err
}

// append writes lines at the end of the file. If only a part of them can be written, it removes that
// part. The error is errForeign if the file is not as the last append left it, or was removed.
func (l *log) append(lines []byte) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	info, err := l.f.Stat()
	switch {
	case isStale(err):
		return errForeign
	case err != nil:
		return durable.Cause(err)
	case info.Size() != l.size || isRemoved(info):
		return errForeign
	}
	n, err := l.f.Write(lines)
	if isStale(err) {
		return errForeign
	}
	if err != nil {
		if n > 0 {
			_ = l.f.Truncate(l.size) // else the line stays incomplete, which readers ignore
		}
		return durable.Cause(err)
	}
	l.size += int64(n)
	return nil
}

// isLost reports whether the file at the path was removed or cut since the last write.
func (l *log) isLost() bool {
	info, err := os.Stat(l.path)
	return err != nil || info.Size() < l.size
}

// sync returns when all that was written is on the disk.
func (l *log) sync() error {
	l.syncing.Lock()
	defer l.syncing.Unlock()
	if l.failed != nil {
		return l.failed
	}
	l.mu.Lock()
	size, isDone := l.size, l.size == l.synced && !l.isNew
	l.mu.Unlock()
	if isDone {
		return nil
	}
	if err := l.f.Sync(); err != nil {
		l.failed = durable.Cause(err)
		return l.failed
	}
	if l.isNew {
		if err := syncDirs(filepath.Dir(l.path)); err != nil {
			return err
		}
		l.isNew = false
	}
	l.mu.Lock()
	l.synced = size
	l.mu.Unlock()
	return nil
}

// syncDirs syncs the directory of the session files, and those that can be as new: the project's, that of
// all projects, ~/.gemini, and the home directory that holds it.
func syncDirs(dir string) error {
	err := durable.SyncDir(dir)
	for range 4 {
		dir = filepath.Dir(dir)
		_ = durable.SyncDir(dir) // where it is not possible, the directory was there before
	}
	return err
}

// syncSoon begins a sync in the background: at once, or when the interval since the last one is over. Its error comes
// back at the next sync.
func (l *log) syncSoon() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.pending {
		return
	}
	l.pending = true
	wait := time.Until(l.began.Add(syncInterval))
	l.soon.Go(func() {
		defer crash.Recover()
		if wait > 0 {
			select {
			case <-time.After(wait):
			case <-l.closing:
				return // close syncs
			}
		}
		l.mu.Lock()
		l.pending, l.began = false, time.Now()
		l.mu.Unlock()
		_ = l.sync()
	})
}

// close syncs and closes the file, and releases its lock.
func (l *log) close() {
	l.hurry()
	l.soon.Wait()
	_ = l.sync() // an error was reported when it mattered
	flock.Release(l.f)
}

// lock locks a file until it is released. On a file system without locks it does nothing.
func lock(f *os.File) error {
	if errors.Is(flock.Exclusive(f), flock.ErrHeld) {
		return ErrInUse
	}
	return nil
}

// lineReader reads the lines of a file with a limited amount of memory.
type lineReader struct {
	r    io.ReaderAt
	size int64
}

// maxLine is the length of the longest line that is read, in bytes. Longer ones are left out.
const maxLine = 64 << 20

// read returns the line at an offset, without its line feed.
func (lr *lineReader) read(at, length int64) ([]byte, error) {
	if length > maxLine {
		return nil, fmt.Errorf("a record of %d MB is too large", length>>20)
	}
	line := make([]byte, length)
	if _, err := lr.r.ReadAt(line, at); err != nil && !(errors.Is(err, io.EOF) && at+length == lr.size) {
		return nil, err
	}
	return line, nil
}
