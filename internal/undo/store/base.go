package store

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"sync/atomic"
	"syscall"

	"pollux/internal/durable"
	"pollux/internal/durable/flock"
	"pollux/internal/undo/aside"
	"pollux/internal/undo/content"
)

// Base is the part of the store that one process keeps while it runs: the contents of files as they are now, and operations that it writes.
// Its methods may be called from several goroutines at once.
type Base struct {
	store *Store
	dir   string
	lock  *os.File
	// earlier is the number of the last operation that was in the log before the base.
	earlier int

	last   atomic.Uint32
	copied atomic.Int64 // bytes of copies
	dirs   sync.Map     // those made below dir
	taken  sync.Map     // content.Kept of each content, by its number
	pack   *content.Pack
	runs   runs
	aside  *aside.Dirs  // contents on other file systems
	wrote  atomic.Int64 // the number of operations that were begun

	publishing sync.Mutex    // guards the following
	sizes      map[int]int64 // bytes of each operation in the log; nil before the first look
	used       int64         // the sum of sizes
	newest     int           // number
}

// packFile is the name of the file with the packed contents, whose numbers have the bit packed.
const (
	packFile = "pack"
	packed   = 1 << 31
)

// held is the name of the file that a living process holds in its base.
const held = "held"

// Open opens a base, and removes those of processes that were killed. The caller must close it.
func (s *Store) Open() (*Base, error) {
	bases := filepath.Join(s.dir, "bases")
	if err := errors.Join(durable.MkdirAll(bases, 0o700), durable.MkdirAll(s.operations(), 0o700)); err != nil {
		return nil, fmt.Errorf("keep files for undo: %w", err)
	}
	s.sweep(bases)
	for {
		dir, err := os.MkdirTemp(bases, strconv.Itoa(os.Getpid())+"-")
		if err != nil {
			return nil, fmt.Errorf("keep files for undo: %w", err)
		}
		lock, err := hold(filepath.Join(dir, held))
		if err != nil && !durable.IsAbsent(err) {
			_ = os.RemoveAll(dir)
			return nil, fmt.Errorf("keep files for undo: lock %s: %w", dir, err)
		}
		if lock != nil {
			b := &Base{store: s, dir: dir, lock: lock, pack: content.NewPack(filepath.Join(dir, packFile)), aside: aside.New(dir, reap)}
			if numbers, _ := s.Numbers(); len(numbers) > 0 { // if they cannot be read, none leaves for others
				b.earlier = numbers[len(numbers)-1]
			}
			return b, nil
		} // another process has swept it before it was held
	}
}

// reap removes the base of any store at a path if its process is gone.
func reap(base string) {
	if bases := filepath.Dir(base); filepath.Base(bases) == "bases" {
		Open(filepath.Dir(bases), 0).sweep(bases)
	}
}

// Avoid sets the function that returns the directories in which contents on other file systems are kept only if there is no other place.
func (b *Base) Avoid(roots func() []string) { b.aside.Avoid(roots) }

// sweep removes the bases of processes that are gone.
func (s *Store) sweep(bases string) {
	_ = s.eachDead(bases, func(b *Base) {
		if len(b.Pending()) == 0 {
			b.Close()
			return
		}
		flock.Release(b.lock)
	})
}

// Abandoned returns the bases with runs that have not ended of processes that are gone, or have left them. The caller must close them, or leave
// them again.
func (s *Store) Abandoned() (list []*Base, err error) {
	err = s.eachDead(filepath.Join(s.dir, "bases"), func(b *Base) {
		if len(b.Pending()) > 0 {
			list = append(list, b)
			return
		}
		b.Close()
	})
	return list, err
}

// eachDead passes the bases of processes that are gone to a function, which lets go of them.
func (s *Store) eachDead(bases string, take func(*Base)) error {
	entries, err := os.ReadDir(bases)
	if err != nil && !durable.IsAbsent(err) {
		return fmt.Errorf("read the undo log: %w", err)
	}
	for _, e := range entries {
		dir := filepath.Join(bases, e.Name())
		lock, err := hold(filepath.Join(dir, held))
		if err != nil || lock == nil {
			continue
		}
		take(&Base{store: s, dir: dir, lock: lock, aside: aside.Load(dir)})
	}
	return nil
}

// Store returns the log that the base belongs to.
func (b *Base) Store() *Store { return b.store }

// File returns the path of a file in the base, whose name is neither a number nor that of another part of the store.
func (b *Base) File(name string) string { return filepath.Join(b.dir, name) }

// Close removes the base.
func (b *Base) Close() {
	if b.pack != nil { // else the process that had it was killed
		_ = b.pack.Close()
		b.runs.close()
	}
	b.aside.Close()
	removeHeld(b.dir, b.lock)
}

// Leave lets go of the base without removing it: if it has runs that have not ended, see [Store.Abandoned].
func (b *Base) Leave() {
	if b.pack != nil {
		_ = b.pack.Close()
		b.runs.close()
	}
	flock.Release(b.lock)
}

// Copied returns the number of bytes that the base takes.
func (b *Base) Copied() int64 { return b.copied.Load() }

// Taken is a content in a base.
type Taken struct {
	content.Kept
	Number uint32
}

// Take keeps the content of a file, by one of these ways. If the disk is full, it lets the oldest operations from before the base leave.
func (b *Base) Take(ctx context.Context, path string, ways content.Ways) (t Taken, err error) {
	t.Number = b.last.Add(1)
	place := b.place(t.Number)
	size := func() int64 {
		if info, err := os.Lstat(path); err == nil && ways.Copy {
			return info.Size()
		}
		return 0
	}
	return b.take(size, func() (Taken, error) {
		if dir := filepath.Dir(place); !b.has(dir) {
			if err := os.MkdirAll(dir, 0o700); err != nil {
				return t, err
			}
			b.dirs.Store(dir, true)
		}
		if t.Kept, err = content.Take(ctx, path, place, ways); ways.Aside && errors.Is(err, syscall.EXDEV) {
			err = b.aside.Link(path, name(t.Number), func(place string) error {
				t.Kept, err = content.Take(ctx, path, place, content.Ways{Link: true})
				return err
			})
		}
		return t, err
	})
}

// Pack is Take for a file of at most [content.MaxSmall] bytes, in less time: it makes no file for the copy.
func (b *Base) Pack(ctx context.Context, path string) (Taken, error) {
	data, kept, err := content.Read(ctx, path)
	if err != nil {
		return Taken{}, err
	}
	size := func() int64 { return int64(len(data)) }
	return b.take(size, func() (Taken, error) {
		place, err := b.pack.Add(data)
		return Taken{kept, place | packed}, err
	})
}

// take keeps a content of a size. On a full disk it tries once more when others have left.
func (b *Base) take(size func() int64, once func() (Taken, error)) (t Taken, err error) {
	t, err = once()
	if durable.IsFull(err) && b.room(size()) {
		t, err = once()
	}
	if err != nil {
		return Taken{}, err
	}
	b.copied.Add(t.Bytes)
	b.taken.Store(t.Number, t.Kept)
	return t, nil
}

func (b *Base) has(dir string) bool {
	_, found := b.dirs.Load(dir)
	return found
}

// name returns the path of a content that is not packed, in the base or in a directory on another file system.
func name(number uint32) string {
	return filepath.Join(strconv.FormatUint(uint64(number>>10), 10), strconv.FormatUint(uint64(number), 10))
}

// place returns the path of a content in the base.
func (b *Base) place(number uint32) string { return filepath.Join(b.dir, name(number)) }

// find returns the path of a content wherever it is.
func (b *Base) find(number uint32) string {
	place := b.place(number)
	if aside, found := b.aside.Find(name(number)); found && !isThere(place) {
		return aside
	}
	return place
}

func isThere(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

// IsAside reports whether a content is on another file system than the log, where it stays only until the base is closed.
func (b *Base) IsAside(number uint32) bool {
	return number&packed == 0 && b.find(number) != b.place(number)
}

// Content returns where a content of a size is.
func (b *Base) Content(number uint32, size int64) (content.Place, error) {
	if number&packed == 0 {
		return content.Place{Path: b.find(number)}, nil
	}
	return content.Packed(filepath.Join(b.dir, packFile), number&^packed, size)
}

// Link makes another name of a content, which must not be packed.
func (b *Base) Link(number uint32, path string) error { return os.Link(b.place(number), path) }

// Drop removes a content.
func (b *Base) Drop(number uint32) {
	k, found := b.taken.LoadAndDelete(number)
	if !found {
		return
	}
	size := k.(content.Kept).Bytes
	if number&packed != 0 {
		b.pack.Drop(number&^packed, size)
	} else {
		_ = os.Remove(b.find(number)) // else it takes space until the base is closed
	}
	b.copied.Add(-size)
}

// Last returns the number of the last content with a file of its own.
func (b *Base) Last() uint32 { return b.last.Load() }

// DropAfter removes the contents with a file of their own that were kept after the one with a number.
func (b *Base) DropAfter(last uint32) {
	for number := range b.taken.Range {
		if n := number.(uint32); n&packed == 0 && n > last {
			b.Drop(n)
		}
	}
}

// Find returns the description of a content.
func (b *Base) Find(number uint32) (content.Kept, bool) {
	k, found := b.taken.Load(number)
	if !found {
		return content.Kept{}, false
	}
	return k.(content.Kept), true
}
