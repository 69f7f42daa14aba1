package sessions

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/go-faster/jx"

	"pollux/internal/crash"
	"pollux/internal/durable"
	"pollux/internal/sessions/textindex"
)

// An index is a file of lines of JSON beside the session files. Each line has the summary of a file,
// so that only changed files are read again. Gemini CLI ignores files that do not begin with
// "session-".

// entry is a session file in an index.
type entry struct {
	Name    string `json:"name"` // in the directory of the index, with slashes
	Size    int64  `json:"size"`
	ModTime int64  `json:"mtime"` // nanoseconds since 1970

	path  string
	state textindex.State
	read  int64 // number of bytes that were read in this process
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
	return entry{Name: name, Size: info.Size(), ModTime: info.ModTime().UnixNano(), path: filepath.Join(dir, name), state: textindex.StateOf(info)}, true
}

// indexed is an [entry] with the data that an index stores of the file.
type indexed[T any] interface {
	*T
	base() *entry
	// load reads the file, or takes over its entry in the index, known, if that is not nil.
	load(known *T)
	// decode decodes a line of the index.
	decode(line []byte) error
}

// maxIndex and maxEntry are the maximum sizes of an index and of an entry in it, in bytes.
const maxIndex, maxEntry = 512 << 20, 1 << 20

// load completes the files of a directory. It reads only those that have changed since the index was
// written.
func load[T any, P indexed[T]](ctx context.Context, index string, files []T) error {
	if len(files) == 0 {
		return nil
	}
	isLoaded, known := loadKnown[T, P](ctx, index, files)
	inParallel(ctx, len(files), func(i int) {
		if !isLoaded[i] {
			P(&files[i]).load(nil)
		}
	})
	if err := ctx.Err(); err != nil {
		return err
	}
	if isWorthIndexing[T, P](files, known) {
		_ = writeIndex(index, files) // it is only faster with an index
	}
	return nil
}

// isWorthIndexing reports whether reading the files that are not in the index took long.
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

// loadKnown completes the files that an index has, and returns which they are and how many entries there
// are. Little of the index is in memory at a time, because it can be long.
func loadKnown[T any, P indexed[T]](ctx context.Context, index string, files []T) (isLoaded []bool, known int) {
	isLoaded = make([]bool, len(files))
	f, err := os.OpenFile(index, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return isLoaded, 0
	}
	defer f.Close()
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() || info.Size() > maxIndex {
		return isLoaded, 0
	}
	numbers := make(map[string]int, len(files))
	for i := range files {
		numbers[P(&files[i]).base().Name] = i
	}
	var mu sync.Mutex
	isFirst := func(name string) (i int, ok bool) {
		mu.Lock()
		defer mu.Unlock()
		known++
		i, ok = numbers[name]
		if ok = ok && !isLoaded[i]; ok {
			isLoaded[i] = true
		}
		return i, ok
	}
	eachPiece(ctx, f, func(piece []byte) {
		for line := range bytes.SplitSeq(piece, []byte("\n")) {
			var entry T
			if P(&entry).decode(line) != nil {
				continue
			}
			if i, ok := isFirst(P(&entry).base().Name); ok {
				P(&files[i]).load(&entry)
			}
		}
	})
	return isLoaded, known
}

// eachPiece calls do with pieces of a file that consist of whole lines, several at a time.
func eachPiece(ctx context.Context, f *os.File, do func(piece []byte)) {
	var work sync.WaitGroup
	pieces := make(chan []byte)
	for range runtime.GOMAXPROCS(0) {
		work.Go(func() {
			defer crash.Recover()
			for piece := range pieces {
				do(piece)
			}
		})
	}
	var rest []byte // of a line
	var err error
	for err == nil && ctx.Err() == nil && len(rest) <= maxEntry {
		const pieceSize = 256 << 10
		piece := append(make([]byte, 0, len(rest)+pieceSize), rest...)
		var n int
		n, err = io.ReadFull(f, piece[len(rest):cap(piece)])
		piece = piece[:len(rest)+n]
		end := bytes.LastIndexByte(piece, '\n') + 1
		rest = piece[end:]
		pieces <- piece[:end]
	}
	close(pieces)
	work.Wait()
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
			defer crash.Recover()
			for i := next.Add(1) - 1; i < int64(n) && ctx.Err() == nil; i = next.Add(1) - 1 {
				do(int(i))
			}
		})
	}
	work.Wait()
}

// decodeLine decodes a line of an index. member decodes the members that are not of the entry
// itself.
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
