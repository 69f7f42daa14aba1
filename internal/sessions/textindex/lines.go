package textindex

import (
	"bufio"
	"bytes"
	"errors"
	"hash/crc32"
	"io"
	"iter"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// maxLine is the length of the longest line that is searched, in bytes.
const maxLine = 8 << 20

// castagnoli returns the table of the CRC that processors calculate. The first call makes it.
func castagnoli() *crc32.Table { return crc32.MakeTable(crc32.Castagnoli) }

// lineReader reads a piece of a file by lines.
type lineReader struct {
	r    *bufio.Reader
	long []byte // a line that is longer than the buffer of r
	read int64  // bytes
	sum  uint32 // of the lines read
}

func newLineReader(r io.ReaderAt, from, to int64) *lineReader {
	const piece = 64 << 10
	return &lineReader{r: bufio.NewReaderSize(io.NewSectionReader(r, from, to-from), int(min(to-from+1, piece)))}
}

// next returns the next line with its line feed, which is valid until the next call; nil for one that is
// too long. The error is io.EOF after the last line, which may have no line feed.
func (l *lineReader) next() ([]byte, error) {
	l.long = l.long[:0]
	isShort := true
	for length := 0; ; {
		line, err := l.r.ReadSlice('\n')
		l.sum = crc32.Update(l.sum, castagnoli(), line)
		l.read += int64(len(line))
		length += len(line)
		isEnd := !errors.Is(err, bufio.ErrBufferFull)
		switch {
		case err != nil && isEnd && !errors.Is(err, io.EOF), isEnd && length == 0:
			return nil, err
		case isEnd && isShort:
			return line, nil
		case length > maxLine:
			l.long = l.long[:0]
		default:
			l.long = append(l.long, line...)
		}
		if isEnd && length > maxLine {
			return nil, nil
		}
		if isEnd {
			return l.long, nil
		}
		isShort = false
	}
}

// Candidates are the lines of a file that can contain a text.
type Candidates struct {
	anchor  []byte  // of the text, see anchorOf
	isSame  bool    // the file is as it was when it was indexed
	blocks  []block // those that can contain the text if isSame, else all
	covered int64   // how far the index knows the file, in bytes
}

// block is a piece of a file that ends with a line.
type block struct {
	at, length int64
	sum        uint32 // of its content
	isPlain    bool   // no letter in it is written as an escape sequence
	isPossible bool   // it can contain the text
}

// IsNone reports whether no line of a file of this size can contain the text.
func (c *Candidates) IsNone(size int64) bool {
	return c.isSame && len(c.blocks) == 0 && c.covered == size
}

// Lines returns the lines of the file that can contain the text, and perhaps others. It reads all that
// the index does not know for sure: the whole file if it was replaced. It leaves out lines that are
// longer than 8 MB, and ends where the file cannot be read. Each line is valid until the next one.
func (c *Candidates) Lines(r io.ReaderAt, size int64) iter.Seq[[]byte] {
	return func(yield func([]byte) bool) {
		blocks, rest := c.blocks, c.covered
		if !c.isSame {
			blocks, rest = unchanged(r, c.blocks, size)
		}
		for _, b := range blocks {
			if b.isPossible && !c.yieldBlock(r, b, yield) {
				return
			}
		}
		if rest < size {
			yieldLines(r, rest, size, yield)
		}
	}
}

// yieldBlock yields the lines of a block that contain the anchor, or all if the anchor is empty. It
// reports whether to go on.
func (c *Candidates) yieldBlock(r io.ReaderAt, b block, yield func([]byte) bool) bool {
	const most = 1 << 20 // bytes of a block in memory
	if !b.isPlain || len(c.anchor) == 0 || b.length > most {
		return yieldLines(r, b.at, b.at+b.length, yield)
	}
	buf := blockBuffers.Get().(*[2][]byte)
	defer blockBuffers.Put(buf)
	for i := range buf {
		buf[i] = slices.Grow(buf[i][:0], int(b.length))[:b.length]
	}
	data, folded := buf[0], buf[1]
	if _, err := r.ReadAt(data, b.at); err != nil {
		return false
	}
	foldASCII(folded, data)
	for from := 0; ; {
		at := bytes.Index(folded[from:], c.anchor)
		if at < 0 {
			return true
		}
		at += from
		from = len(data)
		if n := bytes.IndexByte(data[at:], '\n'); n >= 0 {
			from = at + n + 1
		}
		if !yield(data[bytes.LastIndexByte(data[:at], '\n')+1 : from]) {
			return false
		}
	}
}

// blockBuffers hold the content of a block, as it is and in lower case.
var blockBuffers = sync.Pool{New: func() any { return &[2][]byte{} }}

// anchorOf returns the longest part of a folded text that is written in JSON as it is, or in upper case,
// unless a program escapes letters.
func anchorOf(text []byte) (anchor []byte) {
	for _, part := range bytes.FieldsFunc(text, func(r rune) bool { return !isAsItIs(r) }) {
		if len(part) > len(anchor) {
			anchor = part
		}
	}
	return anchor
}

// isAsItIs reports whether every program writes a character in JSON unescaped. Some escape non-ASCII
// characters and those with a meaning in HTML.
func isAsItIs(r rune) bool {
	return ' ' <= r && r < '\x7f' && !strings.ContainsRune("\"\\/<>&'+=`", r)
}

// isPlain reports whether a line has no escape sequence of a character for which isAsItIs is true.
func isPlain(line []byte) bool {
	for {
		_, rest, ok := bytes.Cut(line, []byte(`\u00`))
		if !ok {
			return true
		}
		if code, err := strconv.ParseUint(string(rest[:min(len(rest), 2)]), 16, 8); err == nil && isAsItIs(rune(code)) {
			return false
		}
		line = rest
	}
}

// unchanged returns the blocks at the beginning of a file that it still has, and where they end.
func unchanged(r io.ReaderAt, blocks []block, size int64) (same []block, end int64) {
	buf := make([]byte, 64<<10)
	for i, b := range blocks {
		var last [1]byte
		if n, _ := r.ReadAt(last[:], b.at+b.length-1); b.at+b.length > size || n == 0 || last[0] != '\n' && b.at+b.length < size {
			return blocks[:i], end
		}
		sum := crc32.New(castagnoli())
		if n, err := io.CopyBuffer(sum, io.NewSectionReader(r, b.at, b.length), buf); err != nil || n != b.length || sum.Sum32() != b.sum {
			return blocks[:i], end
		}
		end = b.at + b.length
	}
	return blocks, end
}

// yieldLines yields the lines of a piece of a file. It reports whether to go on.
func yieldLines(r io.ReaderAt, from, to int64, yield func([]byte) bool) bool {
	for l := newLineReader(r, from, to); ; {
		line, err := l.next()
		if err != nil {
			return errors.Is(err, io.EOF)
		}
		if len(line) > 0 && !yield(line) {
			return false
		}
	}
}
