package watch

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"strings"
	"sync"
	"unsafe"

	"golang.org/x/sys/unix"

	"pollux/internal/crash"
)

// mask are the events that may change an entry. IN_CLOSE_WRITE reports a file that was changed through
// a memory map.
const mask = unix.IN_CREATE | unix.IN_DELETE | unix.IN_MODIFY | unix.IN_ATTRIB | unix.IN_CLOSE_WRITE |
	unix.IN_MOVED_FROM | unix.IN_MOVED_TO | unix.IN_DELETE_SELF | unix.IN_MOVE_SELF |
	unix.IN_ONLYDIR | unix.IN_DONT_FOLLOW | unix.IN_EXCL_UNLINK

// Watcher watches directories. It may be used from several goroutines at once.
type Watcher struct {
	fd   int // inotify, not blocking
	wake [2]int
	done chan struct{} // closed when the reading has ended

	mu      sync.Mutex
	paths   map[int32]string // the path of each watched directory
	numbers map[string]int32
	changed Changes
	isLost  bool // the kernel's queue was full: entries are missing in changed
	buffer  [64 << 10]byte
}

// Open opens a watcher without directories. The caller must close it.
func Open() (*Watcher, error) {
	fd, err := unix.InotifyInit1(unix.IN_NONBLOCK | unix.IN_CLOEXEC)
	if err != nil {
		return nil, fmt.Errorf("watch directories: %w", err)
	}
	w := &Watcher{fd: fd, done: make(chan struct{}), paths: map[int32]string{}, numbers: map[string]int32{}, changed: Changes{}}
	if err := unix.Pipe2(w.wake[:], unix.O_CLOEXEC|unix.O_NONBLOCK); err != nil {
		_ = unix.Close(fd)
		return nil, fmt.Errorf("watch directories: %w", err)
	}
	go w.collect()
	return w, nil
}

// collect empties the kernel's queue, so that it does not overflow while a program changes many files.
func (w *Watcher) collect() {
	defer close(w.done)
	defer crash.Recover()
	fds := []unix.PollFd{{Fd: int32(w.fd), Events: unix.POLLIN}, {Fd: int32(w.wake[0]), Events: unix.POLLIN}}
	for {
		if _, err := unix.Poll(fds, -1); err != nil && !errors.Is(err, unix.EINTR) {
			return
		}
		if fds[1].Revents != 0 {
			return
		}
		w.mu.Lock()
		w.read()
		w.mu.Unlock()
	}
}

// Add watches a directory, whose last name is not followed if it is a link. A directory that was moved is watched by
// its new path. The error is [unix.ENOSPC] if the user's watches are used up.
func (w *Watcher) Add(dir string) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	n, err := unix.InotifyAddWatch(w.fd, dir, mask)
	if err != nil {
		return fmt.Errorf("watch %s: %w", dir, err)
	}
	number := int32(n)
	if old, found := w.paths[number]; found && old != dir {
		delete(w.numbers, old)
	}
	w.paths[number], w.numbers[dir] = dir, number
	return nil
}

// Has reports whether a directory is watched. The watch of one that was deleted has ended when its last event was taken, also
// if another directory has its path and its inode number now.
func (w *Watcher) Has(dir string) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	_, found := w.numbers[dir]
	return found
}

// Remove ends the watch of a directory and of those below it, which may have been moved away.
func (w *Watcher) Remove(dir string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for path, number := range w.numbers {
		if path == dir || strings.HasPrefix(path, dir+"/") {
			_, _ = unix.InotifyRmWatch(w.fd, uint32(number)) // the directory may be gone, and its watch with it
			delete(w.numbers, path)
			delete(w.paths, number)
		}
	}
}

// Drain returns the entries that may have changed since the last Drain. isLost reports that others may have changed,
// too, because there were more changes than the kernel keeps.
func (w *Watcher) Drain() (changed Changes, isLost bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.read()
	changed, isLost = w.changed, w.isLost
	w.changed, w.isLost = Changes{}, false
	return changed, isLost
}

// read takes the events that the kernel has queued. The caller holds mu.
func (w *Watcher) read() {
	for {
		n, err := unix.Read(w.fd, w.buffer[:])
		if errors.Is(err, unix.EINTR) {
			continue
		}
		if err != nil || n <= 0 {
			return // EAGAIN: the queue is empty
		}
		for rest := w.buffer[:n]; len(rest) >= unix.SizeofInotifyEvent; {
			size := unix.SizeofInotifyEvent + int(binary.NativeEndian.Uint32(rest[unsafe.Offsetof(unix.InotifyEvent{}.Len):]))
			if size > len(rest) {
				break
			}
			w.take(rest[:size])
			rest = rest[size:]
		}
	}
}

// take notes one event.
func (w *Watcher) take(event []byte) {
	number := int32(binary.NativeEndian.Uint32(event))
	what := binary.NativeEndian.Uint32(event[4:])
	if what&unix.IN_Q_OVERFLOW != 0 {
		w.isLost = true
		return
	}
	dir, found := w.paths[number]
	if !found {
		return
	}
	if what&(unix.IN_IGNORED|unix.IN_UNMOUNT) != 0 {
		delete(w.paths, number)
		if w.numbers[dir] == number {
			delete(w.numbers, dir)
		}
	}
	name := event[unix.SizeofInotifyEvent:]
	if end := bytes.IndexByte(name, 0); end >= 0 {
		name = name[:end]
	}
	w.changed.add(dir, string(name))
}

// Close ends all watches.
func (w *Watcher) Close() {
	_, _ = unix.Write(w.wake[1], []byte{0})
	<-w.done
	_ = unix.Close(w.fd)
	_ = unix.Close(w.wake[0])
	_ = unix.Close(w.wake[1])
}
