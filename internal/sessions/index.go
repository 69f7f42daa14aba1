package sessions

import (
	"bytes"
	"context"
	"encoding/json"
	"io/fs"
	"path/filepath"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"github.com/go-faster/jx"

	"pollux/internal/durable"
)

// An index is a file of lines of JSON beside the session files. Each line has what was read of a file,
// so that it is read again only if it has changed. Gemini CLI ignores files that do not begin with
// "session-".

// entry is a session file in an index.
type entry struct {
	Name    string `json:"name"` // in the directory of the index, with slashes
	Size    int64  `json:"size"`
	ModTime int64  `json:"mtime"` // nanoseconds since 1970

	path string
	read int64 // number of bytes that were read in this process
}

func (e *entry) base() *entry { return e }

func (e *entry) modTime() time.Time { return time.Unix(0, e.ModTime) }

// isSame reports whether a file is as it was when known was read.
func (e *entry) isSame(known *entry) bool { return e.Size == known.Size && e.ModTime == known.ModTime }

// newEntry returns the file with this name in a directory. ok is false if there is no regular file.
func newEntry(dir, name string, d fs.DirEntry) (e entry, ok bool) {
	if !d.Type().IsRegular() {
		return entry{}, false
	}
	info, err := d.Info()
	if err != nil { // it was deleted in the meantime
		return entry{}, false
	}
	return entry{Name: name, Size: info.Size(), ModTime: info.ModTime().UnixNano(), path: filepath.Join(dir, name)}, true
}

// indexed is an [entry] with what an index stores of the file.
type indexed[T any] interface {
	*T
	base() *entry
	// load reads the file, or takes over what the index has of it. known is nil if that has nothing.
	load(known *T)
	// decode decodes a line of the index.
	decode(line []byte) error
}

// maxIndex is the maximum size of an index, in bytes.
const maxIndex = 512 << 20

// load completes the files of a directory. It reads only those that have changed since the index was
// written.
func load[T any, P indexed[T]](ctx context.Context, index string, files []T) error {
	if len(files) == 0 {
		return nil
	}
	known := readIndex[T, P](index, len(files))
	inParallel(ctx, len(files), func(i int) {
		f := P(&files[i])
		f.load(known[f.base().Name])
	})
	if err := ctx.Err(); err != nil {
		return err
	}
	if isWorthIndexing[T, P](files, len(known)) {
		_ = writeIndex(index, files) // it is only faster with an index
	}
	return nil
}

// isWorthIndexing reports whether it took much to read what is not in the index.
func isWorthIndexing[T any, P indexed[T]](files []T, known int) bool {
	const fewFiles, fewBytes = 8, 1 << 20
	count, bytes := 0, int64(0)
	for i := range files {
		if f := P(&files[i]).base(); f.read > 0 {
			count++
			bytes += f.read
		}
	}
	return count > fewFiles+len(files)/100 || bytes > fewBytes || known > 2*len(files)+fewFiles
}

// readIndex returns the entries of an index by their names.
func readIndex[T any, P indexed[T]](index string, n int) map[string]*T {
	data, err := durable.ReadFile(index, maxIndex)
	if err != nil {
		return nil
	}
	lines := bytes.Split(data, []byte("\n"))
	files := make([]T, len(lines))
	inParallel(context.Background(), len(lines), func(i int) {
		var f T
		if P(&f).decode(lines[i]) == nil {
			files[i] = f
		}
	})
	known := make(map[string]*T, n)
	for i := range files {
		known[P(&files[i]).base().Name] = &files[i]
	}
	return known
}

func writeIndex[T any](index string, files []T) error {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	for i := range files {
		if err := e.Encode(&files[i]); err != nil {
			return err
		}
	}
	return durable.WriteFile(index, b.Bytes(), 0o600)
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

// decodeLine decodes a line of an index. member decodes what is not of the entry itself.
func (e *entry) decodeLine(line []byte, member func(d *jx.Decoder, key string) error) error {
	d := jx.GetDecoder()
	defer jx.PutDecoder(d)
	d.ResetBytes(line)
	return d.ObjBytes(func(d *jx.Decoder, key []byte) (err error) {
		switch string(key) {
		case "name":
			e.Name, err = d.Str()
		case "size":
			e.Size, err = d.Int64()
		case "mtime":
			e.ModTime, err = d.Int64()
		default:
			err = member(d, string(key))
		}
		return err
	})
}
