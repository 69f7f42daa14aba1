package sessions

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"pollux/internal/journal"
	"pollux/internal/terminal"
)

// Found is a session that contains a text.
type Found struct {
	Info
	Excerpts []Excerpt
}

// Excerpt is a place in a session where the text is.
type Excerpt struct {
	Kind string // user, gemini or tool
	Time time.Time
	Text string // on one line
}

// Bounds of a search.
const (
	maxExcerpts    = 3       // of a session
	maxSearched    = 8 << 20 // length of the longest line that is decoded, in bytes
	excerptBefore  = 40      // characters before the text
	excerptAfter   = 80      // characters from its beginning on
	searchedAtOnce = 1 << 20 // bytes of a file in memory
)

// Search returns the sessions whose text contains a text, the one used last first. It takes upper and
// lower case of ASCII letters for the same.
func Search(ctx context.Context, infos []Info, text string) ([]Found, error) {
	needle := newNeedle(text)
	if len(needle.raw) == 0 {
		return nil, nil
	}
	infos = slices.Clone(infos)
	slices.SortStableFunc(infos, func(a, b Info) int { return b.Updated.Compare(a.Updated) })
	found := make([]Found, len(infos))
	var work sync.WaitGroup
	var next atomic.Int64
	for range min(runtime.GOMAXPROCS(0), len(infos)) {
		work.Go(func() {
			buf := make([]byte, 0, searchedAtOnce)
			for i := next.Add(1) - 1; i < int64(len(infos)) && ctx.Err() == nil; i = next.Add(1) - 1 {
				found[i] = Found{infos[i], needle.search(ctx, infos[i].Path, buf)}
			}
		})
	}
	work.Wait()
	return slices.DeleteFunc(found, func(f Found) bool { return len(f.Excerpts) == 0 }), ctx.Err()
}

// needle is a text to find.
type needle struct {
	text string // in lower case
	raw  []byte // as it is in JSON
}

func newNeedle(text string) *needle {
	text = lower(strings.TrimSpace(text))
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	_ = e.Encode(text) // a string
	return &needle{text, bytes.Trim(bytes.TrimSuffix(b.Bytes(), []byte("\n")), `"`)}
}

// lower returns a text with ASCII letters in lower case, so that offsets stay the same.
func lower(text string) string {
	b := []byte(text)
	lowerBytes(b)
	return string(b)
}

func lowerBytes(b []byte) {
	for i, c := range b {
		if c-'A' < 26 {
			b[i] = c + 'a' - 'A'
		}
	}
}

// search returns excerpts of a session file around the text; none if the file cannot be read. It keeps
// only a piece of the file in memory. buf is memory for it.
func (n *needle) search(ctx context.Context, path string, buf []byte) []Excerpt {
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil
	}
	defer f.Close()
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() {
		return nil
	}
	var excerpts []Excerpt
	offset := int64(0) // of buf in the file
	buf = buf[:0]
	for ctx.Err() == nil {
		got, err := io.ReadFull(f, buf[len(buf):cap(buf)])
		lowerBytes(buf[len(buf) : len(buf)+got])
		buf = buf[:len(buf)+got]
		for at := 0; ; {
			i := bytes.Index(buf[at:], n.raw)
			if i < 0 {
				break
			}
			line, end := lineAround(f, offset+int64(at+i))
			excerpts = n.excerpts(excerpts, line)
			if len(excerpts) >= maxExcerpts {
				return excerpts[:maxExcerpts]
			}
			if at = int(min(end-offset, int64(len(buf)))); at <= 0 {
				break
			}
		}
		if err != nil {
			return excerpts
		}
		// The text can begin at the end of this piece.
		keep := min(len(n.raw)-1, len(buf))
		offset += int64(len(buf) - keep)
		buf = buf[:copy(buf[:cap(buf)], buf[len(buf)-keep:])]
	}
	return nil
}

// lineAround returns the line at an offset, and where the next one begins. It returns no line if that is
// too long.
func lineAround(f *os.File, at int64) (line []byte, end int64) {
	from := max(0, at-maxSearched)
	buf := make([]byte, min(at-from, 4<<10))
	start := at
	for start > from {
		n := min(int64(len(buf)), start-from)
		if _, err := f.ReadAt(buf[:n], start-n); err != nil {
			return nil, at + 1
		}
		if i := bytes.LastIndexByte(buf[:n], '\n'); i >= 0 {
			start -= n - int64(i) - 1
			break
		}
		start -= n
	}
	if start == from && from > 0 {
		return nil, at + 1
	}
	size := int64(16 << 10)
	for {
		line = make([]byte, size)
		n, err := f.ReadAt(line, start)
		line = line[:n]
		if i := bytes.IndexByte(line[min(int64(n), at-start):], '\n'); i >= 0 {
			line = line[:at-start+int64(i)]
			return line, start + int64(len(line)) + 1
		}
		switch {
		case errors.Is(err, io.EOF):
			return line, start + int64(n)
		case err != nil, size > 2*maxSearched:
			return nil, start + int64(n)
		}
		size *= 4
	}
}

// excerpts adds the places in a line where the text is.
func (n *needle) excerpts(to []Excerpt, line []byte) []Excerpt {
	for t := range journal.Texts(line) {
		i := strings.Index(lower(t.Text), n.text)
		if i < 0 {
			continue
		}
		e := Excerpt{t.Kind, t.Time, excerpt(t.Text, i)}
		if !slices.ContainsFunc(to, func(other Excerpt) bool { return other.Text == e.Text }) {
			to = append(to, e)
		}
		if len(to) == maxExcerpts {
			break
		}
	}
	return to
}

// excerpt returns the text around an offset, on one line.
func excerpt(text string, at int) string {
	const most = 4 // bytes of a character
	before, after := text[max(0, at-excerptBefore*most):at], text[at:min(len(text), at+excerptAfter*most)]
	head, tail := []rune(strings.ToValidUTF8(before, "")), []rune(strings.ToValidUTF8(after, ""))
	first, last := "", ""
	if len(head) > excerptBefore {
		head, first = head[len(head)-excerptBefore:], "..."
	}
	if len(tail) > excerptAfter {
		tail, last = tail[:excerptAfter], "..."
	}
	return first + terminal.Line(string(head)+string(tail)) + last
}
