package sessions

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/go-faster/jx"

	"pollux/internal/durable"
	"pollux/internal/journal"
	"pollux/internal/sessions/textindex"
)

// file is a session file with its outline. In the index it is a line of JSON.
type file struct {
	Name    string           `json:"name"`
	Size    int64            `json:"size"`
	ModTime int64            `json:"mtime"` // nanoseconds since 1970
	Title   string           `json:"title,omitempty"`
	Outline *journal.Outline `json:"outline,omitempty"` // nil if the file holds no session

	path  string
	state textindex.State
	// isKnown reports whether the outline is that of the index.
	isKnown bool
	read    int64 // number of bytes that were read for the outline in this process
}

func (f *file) modTime() time.Time { return time.Unix(0, f.ModTime) }

// updated returns when the session was used last. Clocks can jump: a time before the start is the
// start, and a time after the last write is that of the last write.
func (f *file) updated() time.Time {
	t := f.Outline.Updated
	if t.Before(f.Outline.Start) {
		t = f.Outline.Start
	}
	if limit := f.modTime().Add(24 * time.Hour); t.IsZero() || t.After(limit) {
		return f.modTime()
	}
	return t
}

const (
	// indexName is the name of the index in the directory of the session files. Gemini CLI ignores
	// files that do not begin with "session-".
	indexName = ".pollux-sessions.jsonl"
	// maxIndex and maxEntry are the maximum sizes of the index and of an entry in it, in bytes.
	maxIndex, maxEntry = 512 << 20, 1 << 20
)

// files returns the session files with their outlines. It reads only those that have changed since
// the index was written.
func (s *Store) files(ctx context.Context) ([]file, error) {
	files, err := s.entries()
	if err != nil || len(files) == 0 {
		return nil, err
	}
	known, count := s.readIndex(ctx, files)
	inParallel(ctx, len(files), func(i int) {
		if !files[i].isKnown {
			files[i].outline(known[i])
		}
	})
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if isWorthIndexing(files, count) {
		_ = s.writeIndex(files) // it is only faster with an index
	}
	return files, nil
}

// entries returns the session files without outlines.
func (s *Store) entries() ([]file, error) {
	entries, err := os.ReadDir(s.Dir)
	if errors.Is(err, fs.ErrNotExist) || s.Dir == "" {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	files := make([]file, len(entries))
	inParallel(context.Background(), len(entries), func(i int) {
		e := entries[i]
		if !e.Type().IsRegular() || !isSessionName(e.Name()) {
			return
		}
		if info, err := e.Info(); err == nil { // else it was deleted in the meantime
			path := filepath.Join(s.Dir, e.Name())
			name := path[len(path)-len(e.Name()):] // without memory of its own
			files[i] = file{Name: name, Size: info.Size(), ModTime: info.ModTime().UnixNano(), path: path, state: textindex.StateOf(info)}
		}
	})
	return slices.DeleteFunc(files, func(f file) bool { return f.Name == "" }), nil
}

// isSessionName reports whether a file has a name that Gemini CLI takes for a session's.
func isSessionName(name string) bool {
	return strings.HasPrefix(name, "session-") && (strings.HasSuffix(name, ".jsonl") || strings.HasSuffix(name, ".json"))
}

// outline reads the outline of a file. known is its entry in the index from before it was changed, nil
// for none.
func (f *file) outline(known *file) {
	var before *journal.Outline
	if known != nil {
		before = known.Outline
	}
	if known != nil && f.Size <= known.Size {
		before = nil // it was not only appended to
	}
	f.read = f.Size
	f.Outline, _ = journal.Peek(f.path, before) // nil if it cannot be read
	if f.Outline != nil {
		f.Title = title(f.Outline)
		f.Outline.ProjectHash, f.Outline.Directories = "", nil // a list does not need them
	}
	if f.Outline != nil && before != nil && before.Read > 0 && before.Read <= f.Size {
		f.read -= before.Read
	}
}

// isWorthIndexing reports whether it took much to read what is not in the index.
func isWorthIndexing(files []file, known int) bool {
	const fewFiles, fewBytes = 8, 1 << 20
	count, bytes := 0, int64(0)
	for i := range files {
		if files[i].read > 0 {
			count++
			bytes += files[i].read
		}
	}
	return count > fewFiles+len(files)/100 || bytes > fewBytes || known > 2*len(files)+fewFiles
}

// readIndex sets the outlines of the files that have not changed since the index was written. It returns
// the entries of the others by the numbers of their files, and how many entries there are. Little of the
// index is in memory at a time, because it can be long.
func (s *Store) readIndex(ctx context.Context, files []file) (changed map[int]*file, count int) {
	index, err := os.OpenFile(filepath.Join(s.Dir, indexName), os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, 0
	}
	defer index.Close()
	if info, err := index.Stat(); err != nil || !info.Mode().IsRegular() || info.Size() > maxIndex {
		return nil, 0
	}
	changed = map[int]*file{}
	var mu sync.Mutex
	use := func(entry file) {
		i, ok := slices.BinarySearchFunc(files, entry.Name, func(f file, name string) int { return strings.Compare(f.Name, name) })
		mu.Lock()
		defer mu.Unlock()
		count++
		switch {
		case !ok:
		case files[i].Size == entry.Size && files[i].ModTime == entry.ModTime:
			files[i].Outline, files[i].Title, files[i].isKnown = entry.Outline, entry.Title, true
		default:
			changed[i] = &entry
		}
	}
	var work sync.WaitGroup
	pieces := make(chan []byte)
	for range runtime.GOMAXPROCS(0) {
		work.Go(func() {
			for piece := range pieces {
				for line := range bytes.SplitSeq(piece, []byte("\n")) {
					if entry, err := parseFile(line); err == nil {
						use(entry)
					}
				}
			}
		})
	}
	var rest []byte // of a line
	for err == nil && ctx.Err() == nil && len(rest) <= maxEntry {
		const pieceSize = 256 << 10
		piece := append(make([]byte, 0, len(rest)+pieceSize), rest...)
		var n int
		n, err = io.ReadFull(index, piece[len(rest):cap(piece)])
		piece = piece[:len(rest)+n]
		end := bytes.LastIndexByte(piece, '\n') + 1
		rest = piece[end:]
		pieces <- piece[:end]
	}
	close(pieces)
	work.Wait()
	return changed, count
}

// inParallel calls do with the numbers below n, several at a time, until ctx ends.
func inParallel(ctx context.Context, n int, do func(i int)) {
	var work sync.WaitGroup
	var next atomic.Int64
	for range min(runtime.GOMAXPROCS(0), n) {
		work.Go(func() {
			for i := next.Add(1) - 1; i < int64(n) && ctx.Err() == nil; i = next.Add(1) - 1 {
				do(int(i))
			}
		})
	}
	work.Wait()
}

// parseFile decodes a line of the index.
func parseFile(line []byte) (f file, err error) {
	d := jx.GetDecoder()
	defer jx.PutDecoder(d)
	d.ResetBytes(line)
	return f, d.ObjBytes(func(d *jx.Decoder, key []byte) (err error) {
		switch string(key) {
		case "name":
			f.Name, err = d.Str()
		case "title":
			f.Title, err = d.Str()
		case "size":
			f.Size, err = d.Int64()
		case "mtime":
			f.ModTime, err = d.Int64()
		case "outline":
			raw, err := d.Raw()
			if err != nil {
				return err
			}
			f.Outline = &journal.Outline{}
			return f.Outline.UnmarshalJSON(raw)
		default:
			err = d.Skip()
		}
		return err
	})
}

func (s *Store) writeIndex(files []file) error {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	for i := range files {
		if err := e.Encode(&files[i]); err != nil {
			return err
		}
	}
	return durable.WriteFile(filepath.Join(s.Dir, indexName), b.Bytes(), 0o600)
}
