package logs

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"errors"
	"io"
	"os"
	"syscall"
	"time"

	"pollux/internal/durable"
)

// Selection selects the lines of a log to read.
type Selection struct {
	Since time.Time // leaves out older records
	Last  uint      // leaves out all but the last lines; 0 leaves out none
	Wait  bool      // waits for more
}

// Read calls line with each selected line of a log, without its line feed. If it waits for more, it
// ends with ctx, and goes on when the log loses its older half. Lines that are too long for a record
// are left out. The error is that of reading the file, of ctx, or of line.
func Read(ctx context.Context, path string, s Selection, line func([]byte) error) error {
	r := &reader{path: path, selection: s, line: line}
	for {
		f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
		if err != nil {
			return durable.Cause(err)
		}
		if r.last != nil {
			_, _ = f.Seek(endOf(f, r.last), io.SeekStart) // else lines repeat
		}
		err = r.read(ctx, f)
		_ = f.Close() // it was only read
		if !errors.Is(err, errReplaced) {
			return err
		}
	}
}

// reader reads a log, and the file that replaces it.
type reader struct {
	path      string
	selection Selection
	line      func([]byte) error
	held      [][]byte // lines until the end of the file, if only the last ones are wanted
	isPast    bool     // the end of the file was reached once
	last      []byte   // the last line that was read
}

// see takes a line of the file.
func (r *reader) see(line []byte) error {
	r.last = line
	if !r.selection.Since.IsZero() {
		if record, _ := Parse(line); record.Time.Before(r.selection.Since) {
			return nil
		}
	}
	if r.selection.Last == 0 || r.isPast {
		return r.line(line)
	}
	if r.held = append(r.held, line); uint(len(r.held)) > r.selection.Last {
		r.held = r.held[1:]
	}
	return nil
}

// end takes the end of the file.
func (r *reader) end() error {
	r.isPast = true
	for _, line := range r.held {
		if err := r.line(line); err != nil {
			return err
		}
	}
	r.held = nil
	return nil
}

// endOf returns the offset behind the last line that is equal to text, 0 if there is none.
func endOf(f *os.File, text []byte) (end int64) {
	offset := int64(0)
	in := bufio.NewReaderSize(f, maxLine)
	for {
		piece, err := in.ReadSlice('\n') // a longer line is not equal
		offset += int64(len(piece))
		switch {
		case err == nil && bytes.Equal(piece[:len(piece)-1], text):
			end = offset
		case err != nil && !errors.Is(err, bufio.ErrBufferFull):
			return end
		}
	}
}

// errReplaced is the error for a log that is another file now.
var errReplaced = errors.New("the log was replaced")

// followInterval is the time after which a log is read again.
const followInterval = 200 * time.Millisecond

func (r *reader) read(ctx context.Context, f *os.File) error {
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() {
		return errors.New("it is not a regular file")
	}
	in := lineReader{r: bufio.NewReaderSize(f, maxLine)}
	for {
		isCurrent := isAt(f, r.path) // before the last lines are read
		for ctx.Err() == nil {
			line, err := in.next()
			if errors.Is(err, io.EOF) {
				break
			}
			if err == nil {
				err = r.see(line)
			}
			if err != nil {
				return err
			}
		}
		if rest := in.rest(); !r.selection.Wait && len(rest) > 0 {
			if err := r.see(rest); err != nil {
				return err
			}
		}
		if err := r.end(); err != nil || !r.selection.Wait {
			return cmp.Or(err, ctx.Err())
		}
		if !isCurrent {
			return errReplaced
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(followInterval):
		}
	}
}

// isAt reports whether a path still leads to a file.
func isAt(f *os.File, path string) bool {
	here, err := f.Stat()
	if err != nil {
		return true
	}
	there, err := os.Stat(path)
	return err != nil || os.SameFile(here, there)
}

// lineReader reads lines, of which the last one may be incomplete for a time.
type lineReader struct {
	r       *bufio.Reader
	partial []byte // the beginning of an incomplete line
	isLong  bool   // the line is too long
}

// next returns the next complete line. The error is [io.EOF] if there is none yet.
func (l *lineReader) next() ([]byte, error) {
	for {
		piece, err := l.r.ReadSlice('\n')
		if !l.isLong {
			l.partial = append(l.partial, piece...)
		}
		l.isLong = l.isLong || len(l.partial) > maxLine+1
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
			continue
		case err != nil:
			return nil, err
		}
		line, isLong := l.partial, l.isLong
		l.partial, l.isLong = nil, false
		if !isLong {
			return line[:len(line)-1], nil
		}
	}
}

// rest returns the incomplete last line.
func (l *lineReader) rest() []byte {
	if l.isLong {
		return nil
	}
	return l.partial
}
