//go:build unix

package shell

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"strings"
	"syscall"
)

// maxRead is the size of the end of a log, in bytes, that is read at once.
const maxRead = 64 << 10

// openLog opens a log, which must be a regular file.
func openLog(path string) (*os.File, error) {
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NOFOLLOW|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	fi, err := f.Stat()
	if err == nil && !fi.Mode().IsRegular() {
		err = fmt.Errorf("%s is not a regular file", path)
	}
	if err != nil {
		_ = f.Close() // it was not read
		return nil, err
	}
	return f, nil
}

// logEnd is the end of a log.
type logEnd struct {
	text     []byte
	isCut    bool  // there is something before it that is wanted, too
	before   int   // the number of these lines
	complete int64 // the position of the end of its last complete line, or of the log if there is none
}

// readEnd reads the part of a log between two positions, of which the second one is its end, or the last 64 KiB of it.
func readEnd(f *os.File, from, size int64) (part logEnd, err error) {
	start := max(from, size-maxRead)
	text := make([]byte, size-start)
	n, err := f.ReadAt(text, start)
	if err != nil && !errors.Is(err, io.EOF) {
		return logEnd{}, err
	}
	part = logEnd{text: text[:n], isCut: start > from, complete: size}
	if i := bytes.LastIndexByte(part.text, '\n'); i >= 0 {
		part.complete = start + int64(i) + 1
	}
	if !part.isCut {
		return part, nil
	}
	if part.before, err = countLines(io.NewSectionReader(f, from, start-from)); err != nil {
		return logEnd{}, err
	}
	if i := bytes.IndexByte(part.text, '\n'); i >= 0 && i < len(part.text)-1 {
		part.text = part.text[i+1:]
		part.before++
	}
	return part, nil
}

// LastLines returns at most n lines, the last ones of the output in the last 64 KiB of the log, as a terminal shows them. It
// returns none if there is no log.
func (p Process) LastLines(n int) ([]string, error) {
	f, err := openLog(p.Log)
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	fi, err := f.Stat()
	if err != nil {
		return nil, err
	}
	start := max(0, fi.Size()-maxRead)
	end, err := io.ReadAll(io.NewSectionReader(f, start, maxRead))
	if err != nil {
		return nil, err
	}
	if start > 0 { // a character may be cut
		_, end, _ = bytes.Cut(end, []byte{'\n'})
	}
	e := lineEditor{hold: maxFrame}
	end = append(bytes.Clone(e.edit(end)), e.finish()...)
	text := strings.ToValidUTF8(strings.TrimRight(string(end), "\n"), "\uFFFD")
	if text == "" {
		return nil, nil
	}
	lines := strings.Split(text, "\n")
	return lines[max(0, len(lines)-n):], nil
}

// unread returns the number of lines in a log from a position on, or from the beginning if the log is shorter. to is its end.
func unread(f *os.File, from int64, to *mark) int {
	if from > to.size {
		from = 0
	}
	n, err := countLines(io.NewSectionReader(f, from, to.size-from))
	if err != nil {
		return math.MaxInt
	}
	if to.to < to.size { // the last line is not complete
		n++
	}
	return n
}

// countLines counts the newlines in a log. It reads at most twice maxLogSize.
func countLines(r io.Reader) (int, error) {
	r = io.LimitReader(r, 2*maxLogSize)
	buf := make([]byte, 64<<10)
	for n := 0; ; {
		k, err := r.Read(buf)
		n += bytes.Count(buf[:k], []byte{'\n'})
		if err == io.EOF {
			return n, nil
		}
		if err != nil {
			return 0, err
		}
	}
}
