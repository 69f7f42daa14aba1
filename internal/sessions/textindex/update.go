package textindex

import (
	"bytes"
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"pollux/internal/durable"
	"pollux/internal/journal"
)

const (
	// segmentSize is the size at which a segment is written, in bytes.
	segmentSize = 16 << 20
	// If no more than fewFiles files have changed, fewNew bytes in them are new, and fewOld bytes are to
	// be compared, a search is fast enough without their being indexed again.
	fewFiles, fewNew, fewOld = 16, 1 << 20, 256 << 20
)

// Update indexes the files that have changed or are new, the first ones first, unless there are only
// few. When ctx ends, it keeps complete entries. dir is the directory of the files, and files are all
// that it has: the index of others is removed. isSlow makes it rest as long as it works, and use one
// processor, so that it does not slow others; it then leaves out files that were just written, because their sessions go
// on.
func (x *Index) Update(ctx context.Context, dir string, files []File, isSlow bool) error {
	w := &writer{Index: x, byName: numbers(files), files: files}
	w.survey(ctx)
	stale := w.stale()
	if isSlow {
		stale = slices.DeleteFunc(stale, func(f File) bool { return !f.isSettled(x.time()) })
	}
	if err := ctx.Err(); err != nil || len(stale) == 0 && !slices.ContainsFunc(w.old, func(s *oldSegment) bool { return s.isDirty() }) {
		return err
	}
	if err := x.makeDir(); err != nil {
		return err
	}
	index := func(f File) {
		if w.failed() {
			return
		}
		if e, err := x.index(ctx, filepath.Join(dir, f.Name), f, isSlow); err == nil { // else it is read at each search
			w.add(e)
		}
	}
	if isSlow {
		for _, f := range stale {
			index(f)
		}
	} else {
		inParallel(ctx, stale, index)
	}
	return w.finish()
}

func (x *Index) time() time.Time {
	if x.now != nil {
		return x.now()
	}
	return time.Now()
}

// makeDir makes the directory of the index. It fails if nothing can be written there, so that indexing
// is useless.
func (x *Index) makeDir() error {
	if err := os.Mkdir(x.Dir, 0o700); err != nil && !errors.Is(err, os.ErrExist) {
		return err
	}
	if info, err := os.Lstat(x.Dir); err != nil || !info.IsDir() {
		return errors.Join(syscall.ENOTDIR, err)
	}
	f, err := os.CreateTemp(x.Dir, "."+segmentPrefix+"*.tmp")
	if err != nil {
		return err
	}
	return errors.Join(f.Close(), os.Remove(f.Name()))
}

// Remove removes the entries of files, and those of others if it must.
func (x *Index) Remove(ctx context.Context, names []string) error {
	w := &writer{Index: x, removed: map[string]bool{}}
	for _, name := range names {
		w.removed[name] = true
	}
	w.survey(ctx)
	if err := ctx.Err(); err != nil || !slices.ContainsFunc(w.old, func(s *oldSegment) bool { return s.isDirty() }) {
		return err
	}
	if w.finish() != nil { // the disk is full
		for _, s := range w.old {
			if s.isDirty() {
				_ = os.Remove(s.path) // else nothing can be deleted there
			}
		}
	}
	return nil
}

// index returns the entry of a file, encoded.
func (x *Index) index(ctx context.Context, path string, file File, isSlow bool) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	e := &entry{File: file}
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() || info.Size() < file.Size {
		return nil, errors.Join(errCorrupt, err)
	}
	if !e.isSettled(x.time()) {
		e.State = State{Size: e.Size} // of no file: its blocks are compared at each search
	}
	var blocks []byte
	c, folded := collectors.Get().(*collector), []byte(nil)
	defer collectors.Put(c)
	c.begin(file.Size)
	began := time.Now()
	l, isPlainBlock := newLineReader(f, 0, file.Size), true
	for ctx.Err() == nil {
		line, err := l.next()
		if err != nil && !errors.Is(err, io.EOF) {
			return nil, err
		}
		isPlainBlock = isPlainBlock && isPlain(line)
		for t := range journal.Texts(line) {
			folded = Fold(folded[:0], t.Text)
			c.add(folded)
		}
		if l.read >= blockSize || err != nil && l.read > 0 {
			b := block{at: e.covered, length: l.read, sum: l.sum, isPlain: isPlainBlock}
			e.covered += l.read
			l.read, l.sum, isPlainBlock = 0, 0, true
			e.blocks = append(e.blocks, b)
			blocks = appendBlock(blocks, b, c.take(b.length))
			c.begin(file.Size - e.covered)
			if isSlow {
				rest(ctx, time.Since(began))
				began = time.Now()
			}
		}
		if err != nil || e.covered >= maxCovered {
			return e.encode(blocks), nil
		}
	}
	return nil, ctx.Err()
}

// rest waits for a time, or until ctx ends.
func rest(ctx context.Context, d time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(d):
	}
}

// writer writes segments, and replaces old ones.
type writer struct {
	*Index
	files   []File
	byName  map[string]int // nil to keep all but those removed
	removed map[string]bool
	old     []*oldSegment
	best    map[string]*entry // of each file

	mu   sync.Mutex
	data []byte // of the segment to write
	err  error
}

// oldSegment is a segment that is there.
type oldSegment struct {
	segment
	entries   []*entry
	isDamaged bool
	hasGone   bool  // it knows a file that does not exist
	dead      int64 // length of the entries of which there is a better one
}

// isDirty reports whether the segment is to be replaced.
func (s *oldSegment) isDirty() bool { return s.isDamaged || s.hasGone || s.dead > s.size/4 }

// survey reads which entries there are.
func (w *writer) survey(ctx context.Context) {
	segments := w.segments()
	w.old = make([]*oldSegment, len(segments))
	for i, s := range segments {
		w.old[i] = &oldSegment{segment: s}
	}
	inParallel(ctx, w.old, func(s *oldSegment) {
		err := s.read(nil, func(string) (int64, bool) { return 0, false }, func(e *entry) { s.entries = append(s.entries, e) })
		s.isDamaged = err != nil && !isGone(err)
	})
	w.best = map[string]*entry{}
	for _, s := range w.old {
		s.entries = slices.DeleteFunc(s.entries, func(e *entry) bool {
			isGone := w.isGone(e.Name)
			s.hasGone = s.hasGone || isGone
			return isGone
		})
		for _, e := range s.entries {
			if b := w.best[e.Name]; b == nil || w.isCurrent(e) || !w.isCurrent(b) && e.covered > b.covered {
				w.best[e.Name] = e
			}
		}
	}
	for _, s := range w.old {
		s.entries = slices.DeleteFunc(s.entries, func(e *entry) bool {
			if w.best[e.Name] == e {
				return false
			}
			s.dead += e.end - e.at
			return true
		})
	}
}

// isGone reports whether a file does not exist.
func (w *writer) isGone(name string) bool {
	_, ok := w.byName[name]
	return w.removed[name] || w.byName != nil && !ok
}

// isCurrent reports whether an entry is that of the file as it is now.
func (w *writer) isCurrent(e *entry) bool {
	i, ok := w.byName[e.Name]
	return ok && w.files[i].State == e.State
}

// stale returns the files that are not indexed as they are now, or none if it is not worth it.
func (w *writer) stale() (stale []File) {
	newBytes, oldBytes := int64(0), int64(0)
	for _, f := range w.files {
		e := w.best[f.Name]
		if f.Size == 0 || e != nil && w.isCurrent(e) {
			continue
		}
		stale = append(stale, f)
		newBytes += f.Size
		if e != nil && e.covered <= f.Size {
			newBytes -= e.covered
			oldBytes += e.covered
		}
	}
	if len(stale) <= fewFiles && newBytes <= fewNew && oldBytes <= fewOld {
		return nil
	}
	return stale
}

// add adds an entry. It writes a segment if that is large enough.
func (w *writer) add(entry []byte) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.data) > 0 && len(w.data)+len(entry) > segmentSize {
		w.flush()
	}
	if len(w.data) == 0 {
		w.data = append(make([]byte, 0, len(magic)+len(entry)), magic...)
	}
	w.data = append(w.data, entry...)
}

// failed reports whether a segment could not be written.
func (w *writer) failed() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.err != nil
}

// flush writes a segment.
func (w *writer) flush() {
	if len(w.data) == 0 || w.err != nil {
		return
	}
	w.err = durable.WriteFile(filepath.Join(w.Dir, segmentPrefix+strings.ToLower(rand.Text())+segmentSuffix), w.data, 0o600)
	w.data = nil
}

// finish writes the remaining entries together with the entries of old segments that are to be
// replaced, or are no larger, so that there are few segments. Then it removes those.
func (w *writer) finish() error {
	slices.SortFunc(w.old, func(a, b *oldSegment) int { return cmp.Compare(a.size, b.size) })
	var replaced []*oldSegment
	for _, s := range w.old {
		isSmall := s.size <= int64(len(w.data)) && int64(len(w.data))+s.size <= segmentSize
		if (s.isDirty() || isSmall) && w.err == nil && w.copy(s) {
			replaced = append(replaced, s)
		}
	}
	w.flush()
	if w.err != nil {
		return w.err
	}
	for _, s := range replaced {
		_ = os.Remove(s.path) // else the next update does it
	}
	w.removeLeftovers()
	return nil
}

// copy adds the entries of an old segment. It reports whether it could.
func (w *writer) copy(s *oldSegment) bool {
	if len(s.entries) == 0 {
		return true
	}
	data, err := durable.ReadFile(s.path, maxSegment)
	if err != nil {
		return false
	}
	for _, e := range s.entries {
		if e.end > int64(len(data)) {
			return false
		}
		w.add(bytes.Clone(data[e.at:e.end]))
	}
	return true
}

// removeLeftovers removes partial files of processes that were killed while they wrote a segment.
func (w *writer) removeLeftovers() {
	const age = time.Hour
	entries, err := os.ReadDir(w.Dir)
	if err != nil {
		return
	}
	for _, e := range entries {
		isTemporary := strings.HasPrefix(e.Name(), "."+segmentPrefix) && strings.HasSuffix(e.Name(), ".tmp")
		if info, err := e.Info(); err == nil && isTemporary && time.Since(info.ModTime()) > age {
			_ = os.Remove(filepath.Join(w.Dir, e.Name()))
		}
	}
}
