package sessions

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/go-faster/jx"

	"pollux/internal/crash"
	"pollux/internal/durable"
	"pollux/internal/journal"
)

// file is a session file with its outline. In the index it is a line of JSON.
type file struct {
	Name    string           `json:"name"`
	Size    int64            `json:"size"`
	ModTime int64            `json:"mtime"` // nanoseconds since 1970
	Title   string           `json:"title,omitempty"`
	Outline *journal.Outline `json:"outline,omitempty"` // nil if the file holds no session

	path string
	read int64 // number of bytes that were read for the outline in this process
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
	// maxIndex is the maximum size of the index, in bytes.
	maxIndex = 512 << 20
)

// files returns the session files with their outlines. It reads only those that have changed since
// the index was written.
func (s *Store) files(ctx context.Context) ([]file, error) {
	files, err := s.entries()
	if err != nil || len(files) == 0 {
		return nil, err
	}
	known := s.readIndex(len(files))
	inParallel(ctx, len(files), func(i int) { files[i].outline(known[files[i].Name]) })
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if isWorthIndexing(files, len(known)) {
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
	var files []file
	for _, e := range entries {
		if !e.Type().IsRegular() || !isSessionName(e.Name()) {
			continue
		}
		if info, err := e.Info(); err == nil { // else it was deleted in the meantime
			files = append(files, file{Name: e.Name(), Size: info.Size(), ModTime: info.ModTime().UnixNano(), path: filepath.Join(s.Dir, e.Name())})
		}
	}
	return files, nil
}

// isSessionName reports whether a file has a name that Gemini CLI takes for a session's.
func isSessionName(name string) bool {
	return strings.HasPrefix(name, "session-") && (strings.HasSuffix(name, ".jsonl") || strings.HasSuffix(name, ".json"))
}

// outline sets the outline of a file. known is its entry in the index, nil for none.
func (f *file) outline(known *file) {
	var before *journal.Outline
	if known != nil {
		before = known.Outline
		if known.Size == f.Size && known.ModTime == f.ModTime {
			f.Outline, f.Title = before, known.Title
			return
		}
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

// readIndex returns the entries of the index by their names.
func (s *Store) readIndex(n int) map[string]*file {
	data, err := durable.ReadFile(filepath.Join(s.Dir, indexName), maxIndex)
	if err != nil {
		return nil
	}
	lines := bytes.Split(data, []byte("\n"))
	files := make([]file, len(lines))
	inParallel(context.Background(), len(lines), func(i int) {
		if f, err := parseFile(lines[i]); err == nil {
			files[i] = f
		}
	})
	known := make(map[string]*file, n)
	for i := range files {
		known[files[i].Name] = &files[i]
	}
	return known
}

// inParallel calls do with the numbers below n, several at a time, until ctx ends.
func inParallel(ctx context.Context, n int, do func(i int)) {
	var work sync.WaitGroup
	var next atomic.Int64
	for range min(runtime.GOMAXPROCS(0), n) {
		work.Go(func() {
			defer crash.Recover()
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
