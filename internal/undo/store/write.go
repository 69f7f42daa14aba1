package store

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"syscall"

	"pollux/internal/durable"
	"pollux/internal/undo/content"
)

// Writer writes an operation. It is used by one goroutine at a time.
type Writer struct {
	base  *Base
	dir   string
	next  int
	bytes int64
}

// Begin begins an operation. The caller must call Commit or Abort.
func (b *Base) Begin() (*Writer, error) {
	dir, err := os.MkdirTemp(b.dir, "operation-")
	if err != nil {
		return nil, fmt.Errorf("keep files for undo: %w", err)
	}
	return &Writer{base: b, dir: dir}, nil
}

// Dir returns the directory of the operation, in which the caller may have temporary files whose names are no
// numbers.
func (w *Writer) Dir() string { return w.dir }

// File returns the file with a content that was added.
func (w *Writer) File(name string) string { return filepath.Join(w.dir, name) }

// Keep adds a content of a size that a base has, without another copy of it where the file system allows.
func (w *Writer) Keep(b *Base, number uint32, size int64) (name string, err error) {
	if number&packed == 0 {
		return w.Share(b.place(number), size)
	}
	from, err := b.Read(number, size)
	if err != nil {
		return "", fmt.Errorf("keep files for undo: %w", err)
	}
	defer from.Close()
	name = w.name()
	return name, w.copy(name, from)
}

// Share adds a content that the store has at a path already, without another copy of it where the file system allows.
// size is the number of bytes that it takes.
func (w *Writer) Share(path string, size int64) (name string, err error) {
	name = w.name()
	if err := os.Link(path, filepath.Join(w.dir, name)); err == nil {
		w.bytes += size
		return name, nil
	}
	from, err := os.Open(path)
	if err != nil {
		return "", fmt.Errorf("keep files for undo: %w", err)
	}
	defer from.Close()
	return name, w.copy(name, from)
}

// Create adds a content that a function writes.
func (w *Writer) Create(write func(io.Writer) (int64, error)) (name string, err error) {
	name = w.name()
	f, err := os.OpenFile(filepath.Join(w.dir, name), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return "", fmt.Errorf("keep files for undo: %w", err)
	}
	n, err := write(f)
	if err := errors.Join(err, f.Close()); err != nil {
		_ = os.Remove(f.Name())
		return "", fmt.Errorf("keep files for undo: %w", err)
	}
	w.bytes += n
	return name, nil
}

func (w *Writer) copy(name string, from io.Reader) error {
	f, err := os.OpenFile(filepath.Join(w.dir, name), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err == nil {
		var n int64
		n, err = io.Copy(f, from)
		w.bytes += n
		err = errors.Join(err, f.Close())
	}
	if err != nil {
		return fmt.Errorf("keep files for undo: %w", err)
	}
	return nil
}

func (w *Writer) name() string {
	w.next++
	return strconv.Itoa(w.next)
}

// Commit adds the operation to the log, sets its number, and lets the oldest ones leave if the contents take too much
// space.
func (w *Writer) Commit(o *Operation) error {
	o.count()
	o.Bytes = w.bytes
	data, err := o.format()
	if err == nil {
		err = os.WriteFile(filepath.Join(w.dir, "record"), data, 0o600) // no one sees it before it is published
	}
	if err != nil {
		w.Abort()
		return fmt.Errorf("keep files for undo: %w", err)
	}
	if err := w.base.publish(w.dir, o); err != nil {
		w.Abort()
		return err
	}
	return nil
}

// Abort removes the operation.
func (w *Writer) Abort() { _ = os.RemoveAll(w.dir) }

// publish gives the operation in a directory the next number, and lets the oldest ones leave.
func (b *Base) publish(dir string, o *Operation) error {
	b.publishing.Lock()
	defer b.publishing.Unlock()
	if b.sizes == nil {
		b.count()
	}
	for next := b.newest + 1; ; next++ {
		err := os.Rename(dir, b.store.path(next))
		if err == nil {
			o.Number, b.newest, b.sizes[next] = next, next, o.Bytes
			b.used += o.Bytes
			break
		}
		if !errors.Is(err, syscall.ENOTEMPTY) && !errors.Is(err, syscall.EEXIST) && !errors.Is(err, syscall.ENOTDIR) {
			return fmt.Errorf("keep files for undo: %w", err)
		} // else another process has taken the number, or something that is no operation has
	}
	b.evict(o.Number)
	return nil
}

// count reads the log. Operations that other processes add later are counted when the log is full.
func (b *Base) count() {
	numbers, _ := b.store.Numbers() // if they cannot be read, the rename fails, too
	b.sizes, b.used = make(map[int]int64, len(numbers)), 0
	for _, n := range numbers {
		h, _ := b.store.header(n) // a damaged one counts nothing, and leaves in its turn
		b.sizes[n] = h.Bytes
		b.used += h.Bytes
		b.newest = max(b.newest, n)
	}
}

// most is the number of operations that the log may have.
const most = 2000

// evict removes the oldest operations until the contents take no more than the limit. The newest stays.
func (b *Base) evict(newest int) {
	if b.used <= b.store.limit && len(b.sizes) <= most {
		return
	}
	b.count()
	for _, oldest := range slices.Sorted(maps.Keys(b.sizes)) {
		if b.used <= b.store.limit && len(b.sizes) <= most || oldest == newest {
			return
		}
		_ = b.store.remove(oldest, b.dir) // one that cannot leave is tried again with the next operation
		b.used -= b.sizes[oldest]
		delete(b.sizes, oldest)
	}
}

// room removes the oldest operation because the disk is full, and reports whether one has left.
func (b *Base) room() bool {
	numbers, err := b.store.Numbers()
	if err != nil || len(numbers) == 0 {
		return false
	}
	return b.store.remove(numbers[0], b.dir) == nil
}

// remove removes an operation: first from the log, to a directory on the same file system, so that no one sees a part of
// it.
func (s *Store) remove(number int, to string) error {
	gone := filepath.Join(to, "gone-"+strconv.Itoa(number))
	if err := os.Rename(s.path(number), gone); err != nil {
		if _, e := os.Lstat(s.path(number)); durable.IsAbsent(e) {
			return nil // another process has removed it
		}
		return err
	}
	_ = os.RemoveAll(gone) // the rest goes with the base
	return nil
}

// Usage returns the number of operations and of bytes of their contents.
func (s *Store) Usage() (operations int, bytes int64) {
	list, _, _ := s.List() // damaged operations count nothing
	for _, h := range list {
		bytes += h.Bytes
	}
	return len(list), bytes
}

// Take adds the content of the file at a path, by the cheapest way that keeps it whatever happens to the file.
func (w *Writer) Take(ctx context.Context, path string) (name string, k content.Kept, err error) {
	name = w.name()
	k, err = content.Take(ctx, path, filepath.Join(w.dir, name), content.Ways{Clone: true, Copy: true})
	w.bytes += k.Bytes
	if err != nil {
		return "", k, fmt.Errorf("keep files for undo: %w", err)
	}
	return name, k, nil
}
