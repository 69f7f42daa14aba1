// Package textindex finds out which parts of session files can contain a text, so that a search over all
// sessions reads little. Package journal knows the texts of a file, and package sessions lists the files
// and searches the lines that are left.
//
// A session file is divided into blocks of 128 KB or more, which end with a line. Of each block, the
// index has a signature: the set of the hashes of all pairs and triples of bytes that follow each other
// in its texts, folded by [Fold]. A block whose signature lacks one of a text's triples does not contain
// the text. The index takes about 6 % of the size of the session files, at most a twelfth of it and
// 100 bytes a file.
//
// Rules:
//
//   - The index never decides which lines match, only which ones are read. It counts for a file that is in the
//     [State] in which it was indexed. Of another one, [Candidates.Lines] compares the content block by
//     block with CRCs, and reads all from the first difference on.
//   - The index is a directory of segments, files that are written once and replaced by others. Several
//     processes can read and write them at the same time without a lock: at worst a file is indexed
//     twice, or not at all, until the next [Index.Update].
//   - Each entry has a CRC. A damaged entry counts as not indexed, and the next update replaces it. A program that
//     can write into the directory with correct CRCs can hide a session from searches, but could delete
//     the session as well.
//   - It contains hashes and names of files, no text, and nothing of sessions that were deleted (see
//     [Index.Remove]). It can be deleted at any time.
package textindex

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"pollux/internal/crash"
)

// Index is the index of the session files in a directory.
type Index struct {
	// Dir is the directory of the index. It need not exist.
	Dir string

	now func() time.Time // nil for that of the system
}

// Candidates returns the lines of each file that can contain a text, which is folded. It returns all
// lines for a text of one byte.
func (x *Index) Candidates(ctx context.Context, files []File, text []byte) []Candidates {
	candidates := make([]Candidates, len(files))
	anchor, hashes := anchorOf(text), grams(text)
	if len(hashes) == 0 {
		return candidates
	}
	byName := numbers(files)
	var mu sync.Mutex
	inParallel(ctx, x.segments(), func(s segment) {
		_ = s.read(hashes, sizes(files, byName), func(e *entry) { // unreadable files are not indexed
			if i, ok := byName[e.Name]; ok {
				mu.Lock()
				defer mu.Unlock()
				candidates[i].use(e, files[i].State)
				candidates[i].anchor = anchor
			}
		})
	})
	return candidates
}

// use takes an entry for a file if it is better than the one before.
func (c *Candidates) use(e *entry, now State) {
	if c.isSame || e.State != now && e.covered <= c.covered || e.covered > now.Size {
		return
	}
	*c = Candidates{isSame: e.State == now, covered: e.covered}
	for _, b := range e.blocks {
		if b.isPossible || !c.isSame {
			c.blocks = append(c.blocks, b)
		}
	}
}

// numbers returns the index of each file by its name.
func numbers(files []File) map[string]int {
	byName := make(map[string]int, len(files))
	for i := range files {
		byName[files[i].Name] = i
	}
	return byName
}

func sizes(files []File, byName map[string]int) func(name string) (int64, bool) {
	return func(name string) (int64, bool) {
		i, ok := byName[name]
		if !ok {
			return 0, false
		}
		return files[i].Size, true
	}
}

// segment is a file of the index.
type segment struct {
	path string
	size int64
}

const (
	segmentPrefix, segmentSuffix = "text-", ".idx"
	// maxSegment is the size of the largest segment that is read, in bytes. That of a file of maxCovered
	// is smaller.
	maxSegment = 128 << 20
	// maxSegments is the maximum number of segments that are read.
	maxSegments = 10_000
)

// segments returns the files of the index, none if there is no index.
func (x *Index) segments() (segments []segment) {
	if info, err := os.Lstat(x.Dir); err != nil || !info.IsDir() {
		return nil
	}
	entries, err := os.ReadDir(x.Dir)
	if err != nil {
		return nil
	}
	for _, e := range entries[:min(len(entries), maxSegments)] {
		if !strings.HasPrefix(e.Name(), segmentPrefix) || !strings.HasSuffix(e.Name(), segmentSuffix) {
			continue
		}
		if info, err := e.Info(); err == nil && info.Mode().IsRegular() {
			segments = append(segments, segment{filepath.Join(x.Dir, e.Name()), info.Size()})
		}
	}
	return segments
}

// read calls visit for each entry of a segment up to the first one that is damaged. The error means
// that one is.
func (s segment) read(hashes []uint32, sizeOf func(name string) (int64, bool), visit func(*entry)) error {
	f, err := os.OpenFile(s.path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return err
	}
	defer f.Close()
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() || info.Size() > maxSegment {
		return errors.Join(errCorrupt, err)
	}
	r, err := newSegmentReader(f, hashes, sizeOf)
	if err != nil {
		return err
	}
	for {
		e, err := r.next()
		switch {
		case errors.Is(err, io.EOF) && !errors.Is(err, errCorrupt):
			return nil
		case err != nil:
			return err
		}
		visit(e)
	}
}

// isGone reports whether another process has removed a segment.
func isGone(err error) bool { return errors.Is(err, fs.ErrNotExist) }

// inParallel calls do for each element of a list, several at a time, until ctx ends.
func inParallel[T any](ctx context.Context, list []T, do func(T)) {
	var work sync.WaitGroup
	var next atomic.Int64
	for range min(runtime.GOMAXPROCS(0), len(list)) {
		work.Go(func() {
			defer crash.Recover()
			for i := next.Add(1) - 1; i < int64(len(list)) && ctx.Err() == nil; i = next.Add(1) - 1 {
				do(list[i])
			}
		})
	}
	work.Wait()
}
