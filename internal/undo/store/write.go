package store

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
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
	path  string // of the operation until it is published
	isDir bool
	next  int   // the number of the last content with a file of its own
	bytes int64 // of all contents

	small  []byte   // contents that are to stand in the record
	packed *os.File // the file for small contents if they are too many for it, else nil
	end    int64    // bytes of small contents
}

// mostSmall is the number of bytes of the contents that a record has.
const mostSmall = 64 << 10

// Begin begins an operation. The caller must call Commit or Abort.
func (b *Base) Begin() *Writer {
	return &Writer{base: b, path: filepath.Join(b.dir, "operation-"+strconv.FormatInt(b.wrote.Add(1), 10))}
}

// Dir returns the directory of the operation, in which the caller may have files whose names are none of the store's: they
// are in the log with it. An operation that needs none has no directory.
func (w *Writer) Dir() (string, error) {
	if !w.isDir {
		if err := os.Mkdir(w.path, 0o700); err != nil {
			return "", fmt.Errorf("keep files for undo: %w", err)
		}
		w.isDir = true
	}
	return w.path, nil
}

// Keep adds a content of a size that a base has, without another copy of it where it is large and the file system allows.
func (w *Writer) Keep(b *Base, number uint32, size int64) (name string, err error) {
	if size == 0 {
		return "", nil
	}
	from, err := b.Content(number, size)
	if err != nil {
		return "", fmt.Errorf("keep files for undo: %w", err)
	}
	return w.Share(from, size)
}

// Share adds a content of a size that the store has already, without another copy of it if it is a file and the file
// system allows that.
func (w *Writer) Share(place content.Place, size int64) (name string, err error) {
	if place.IsFile() {
		name, path, err := w.file()
		if err != nil {
			return "", err
		}
		if os.Link(place.Path, path) == nil {
			w.bytes += size
			return name, nil
		}
	}
	from, err := place.Open()
	if err != nil {
		return "", fmt.Errorf("keep files for undo: %w", err)
	}
	defer from.Close()
	return w.Create(size, func(to io.Writer) (int64, error) { return io.Copy(to, from) })
}

// errSize is returned for a content that has another size than its state says.
var errSize = errors.New("its content has another size")

// Create adds a content of a size that a function writes.
func (w *Writer) Create(size int64, write func(io.Writer) (int64, error)) (name string, err error) {
	if size <= content.MaxSmall {
		data := bytes.NewBuffer(make([]byte, 0, size))
		_, err := write(data)
		if err == nil && int64(data.Len()) != size {
			err = errSize
		}
		if err != nil {
			return "", fmt.Errorf("keep files for undo: %w", err)
		}
		return w.add(data.Bytes())
	}
	name, path, err := w.file()
	if err != nil {
		return "", err
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
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

// Take adds the content of the file at a path, by the cheapest way that keeps it whatever happens to the file.
func (w *Writer) Take(ctx context.Context, path string, size int64) (name string, k content.Kept, err error) {
	if size <= content.MaxSmall {
		var data []byte
		if data, k, err = content.Read(ctx, path); err == nil {
			name, err = w.add(data)
			return name, k, err
		}
		return "", k, fmt.Errorf("keep files for undo: %w", err)
	}
	name, to, err := w.file()
	if err != nil {
		return "", k, err
	}
	k, err = content.Take(ctx, path, to, content.Ways{Clone: true, Copy: true})
	w.bytes += k.Bytes
	if err != nil {
		return "", k, fmt.Errorf("keep files for undo: %w", err)
	}
	return name, k, nil
}

// Read returns a content that was added.
func (w *Writer) Read(name string) ([]byte, error) {
	at, size, isSmall := partOf(name)
	flushed := w.end - int64(len(w.small))
	switch {
	case name == "":
		return nil, nil
	case !isSmall:
		return os.ReadFile(filepath.Join(w.path, name))
	case at >= flushed:
		return slices.Clone(w.small[at-flushed:][:size]), nil
	}
	f, err := content.Place{Path: filepath.Join(w.path, packedFile), At: at, Size: size}.Open()
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(f)
}

// file returns the name and the path of the next content that has a file of its own.
func (w *Writer) file() (name, path string, err error) {
	dir, err := w.Dir()
	w.next++
	name = strconv.Itoa(w.next)
	return name, filepath.Join(dir, name), err
}

// add adds a small content.
func (w *Writer) add(data []byte) (name string, err error) {
	if w.packed == nil && len(w.small)+len(data) > mostSmall {
		if err := w.spill(); err != nil {
			return "", err
		}
	}
	w.small = append(w.small, data...)
	if w.packed != nil && len(w.small) > mostSmall {
		if err := w.flush(); err != nil {
			return "", err
		}
	}
	name = smallName(w.end, int64(len(data)))
	w.end += int64(len(data))
	w.bytes += int64(len(data))
	return name, nil
}

// spill begins the file for small contents.
func (w *Writer) spill() error {
	dir, err := w.Dir()
	if err != nil {
		return err
	}
	if w.packed, err = os.OpenFile(filepath.Join(dir, packedFile), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600); err != nil {
		return fmt.Errorf("keep files for undo: %w", err)
	}
	return w.flush()
}

// flush writes the small contents to their file.
func (w *Writer) flush() error {
	if _, err := w.packed.Write(w.small); err != nil {
		return fmt.Errorf("keep files for undo: %w", err)
	}
	w.small = w.small[:0]
	return nil
}

// close closes the file for small contents.
func (w *Writer) close() (err error) {
	if w.packed != nil {
		err = errors.Join(w.flush(), w.packed.Close())
		w.packed = nil
	}
	return err
}

// Commit adds the operation to the log, sets its number, and lets the oldest ones leave if the contents take too much
// space.
func (w *Writer) Commit(o *Operation) error {
	err := w.commit(o)
	if err != nil {
		w.Abort()
	}
	return err
}

func (w *Writer) commit(o *Operation) error {
	o.count()
	o.Bytes = w.bytes
	if err := w.close(); err != nil {
		return err
	}
	data, err := o.format(w.small)
	record := w.path
	if w.isDir {
		record = filepath.Join(w.path, recordFile)
	}
	if err == nil {
		err = os.WriteFile(record, data, 0o600) // no one sees it before it is published
	}
	if err != nil {
		return fmt.Errorf("keep files for undo: %w", err)
	}
	return w.base.publish(w, o)
}

// Abort removes the operation.
func (w *Writer) Abort() {
	_ = w.close()
	_ = os.RemoveAll(w.path)
}

// publish gives an operation the next number, and lets the oldest ones leave.
func (b *Base) publish(w *Writer, o *Operation) error {
	b.publishing.Lock()
	defer b.publishing.Unlock()
	if b.sizes == nil {
		b.count()
	}
	next := b.newest + 1
	for {
		err := w.place(b.store.path(next))
		if err == nil {
			break
		}
		if !isTaken(err, b.store.path(next)) {
			return fmt.Errorf("keep files for undo: %w", err)
		}
		next++ // another process has taken the number, or something that is no operation has
	}
	record := ""
	if w.isDir {
		record = recordFile
	}
	o.isAt(b.store.path(next), next, record)
	b.newest, b.sizes[next] = next, o.Bytes
	b.used += o.Bytes
	b.evict(next)
	return nil
}

// isTaken reports whether an error of a new name means that something has this name. (Windows denies access if that is a
// directory.)
func isTaken(err error, path string) bool {
	if errors.Is(err, fs.ErrPermission) {
		_, err := os.Lstat(path)
		return err == nil
	}
	return errors.Is(err, fs.ErrExist) || errors.Is(err, syscall.ENOTDIR)
}

// place puts the operation at a path in the log, unless something is there.
func (w *Writer) place(path string) error {
	if w.isDir {
		return os.Rename(w.path, path)
	}
	err := os.Link(w.path, path) // a rename would replace a file
	if err == nil {
		_ = os.Remove(w.path) // else it goes with the base
		return nil
	}
	if errors.Is(err, fs.ErrExist) || w.toDir() != nil {
		return err
	}
	return os.Rename(w.path, path) // the file system has no links
}

// toDir gives an operation a directory whose record is all of it.
func (w *Writer) toDir() error {
	record := w.path + "-" + recordFile
	err := os.Rename(w.path, record)
	if err == nil {
		_, err = w.Dir()
	}
	if err == nil {
		err = os.Rename(record, filepath.Join(w.path, recordFile))
	}
	return err
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

// room removes the oldest operations because the disk is full, and reports whether one has left. As many leave as make room for a content of
// a size; if those from before the base would not be enough, none leaves: the disk would still be full, and nothing could be undone any more.
func (b *Base) room(size int64) (left bool) {
	const block = 4096 // the space of the smallest file
	list, _, err := b.store.List()
	if err != nil {
		return false
	}
	n, freed := 0, int64(0)
	for n < len(list) && list[n].Number <= b.earlier && freed < size+block {
		freed += list[n].Bytes + block
		n++
	}
	if freed < size+block {
		return false
	}
	for _, oldest := range list[:n] {
		left = b.store.remove(oldest.Number, b.dir) == nil || left
	}
	return left
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
