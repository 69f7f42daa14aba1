package tool

import (
	"fmt"
	"os"
	"strconv"
	"strings"
)

const (
	// maxUnits bounds what is held in memory where the limit does not: a
	// character takes up to 3 bytes, so this is 16 MiB.
	maxUnits = 16 << 20 / 3

	// maxFile bounds the file that takes the whole text, in bytes.
	maxFile = 128 << 20
)

// Collector holds text for the model while it is being produced, however much
// there is of it (spec/tools.md §4.1). Text that fits the limit is kept in
// memory. Of longer text it keeps the first fifth of the limit and the last
// four fifths, and the whole goes to a file as it comes.
//
// The file is bounded too (128 MiB): of what is longer it has the beginning,
// a note and the end. A file that can't be made or written costs a note in
// the text and nothing else.
//
// Write takes UTF-8, split anywhere. A Collector is used by one goroutine at a time.
type Collector struct {
	// Before and After frame the text. They count as a part of it, and may be
	// set at any time until Text; a file that was begun earlier keeps the
	// Before it was begun with.
	Before, After string

	limit int
	spill func() (*os.File, error)

	units int    // characters written
	kept  []byte // all of them while they fit, then the beginning
	over  bool   // they do not fit
	end   *Tail  // the last of them, once they do not fit
	file  spillFile
}

// NewCollector returns a collector for up to limit characters (UTF-16 units).
// A limit of 0 or less, or one beyond what should be held in memory, is
// 5,592,405: 16 MiB. spill makes the file for longer texts, at most once; nil
// is none.
func NewCollector(limit int, spill func() (*os.File, error)) *Collector {
	if limit <= 0 || limit > maxUnits {
		limit = maxUnits
	}
	return &Collector{limit: limit, spill: spill}
}

// Truncate does for a whole text what a [Collector] does for one that is
// being produced.
func Truncate(text string, limit int, spill func() (*os.File, error)) (cut, file string) {
	if limit <= 0 {
		return text, ""
	}
	c := NewCollector(limit, spill)
	c.Before = text
	return c.Text()
}

// Write adds p to the text. It never fails.
func (c *Collector) Write(p []byte) (int, error) {
	c.units += countBytes(p)
	if !c.over && c.units > c.limit {
		c.overflow()
	}
	if !c.over {
		c.kept = append(c.kept, p...)
		return len(p), nil
	}
	if room := cap(c.kept) - len(c.kept); room > 0 {
		c.kept = append(c.kept, p[:min(room, len(p))]...)
	}
	c.end.write(p)
	c.file.write(p)
	return len(p), nil
}

// Empty reports whether nothing has been written.
func (c *Collector) Empty() bool { return c.units == 0 && len(c.kept) == 0 }

// Text returns the text, or what the model gets of it together with the name
// of the file that has the whole. It is called once, after the last Write.
func (c *Collector) Text() (text, file string) {
	total := Units(c.Before) + c.units + Units(c.After)
	if total <= c.limit {
		return c.Before + string(c.kept) + c.After, ""
	}
	headUnits := c.limit / 5
	tailUnits := c.limit - headUnits
	var head, tail string
	if c.over {
		end := c.end.bytes()
		head, tail = c.Before+string(c.kept), string(end)+c.After
		file = c.file.finish(end, c.After)
	} else {
		whole := c.Before
		if len(c.kept) > 0 || c.After != "" {
			whole += string(c.kept) + c.After
		}
		head, tail = whole, whole
		c.file.open(c.spill, whole)
		file = c.file.finish(bytesOf(Last(whole, tailUnits)), "")
	}
	head, tail = first(head, headUnits), Last(tail, tailUnits)
	omitted := total - Units(head) - Units(tail)

	var b strings.Builder
	fmt.Fprintf(&b, "Output too large. Showing first %s and last %s characters.", group(headUnits), group(tailUnits))
	switch {
	case file != "":
		fmt.Fprintf(&b, " For full output see: %s", file)
	case c.file.err != nil:
		fmt.Fprintf(&b, " The full output could not be saved: %v", c.file.err)
	}
	fmt.Fprintf(&b, "\n%s\n\n... [%s characters omitted] ...\n\n%s", head, group(omitted), tail)
	return b.String(), file
}

// overflow goes over from keeping everything to keeping both ends.
func (c *Collector) overflow() {
	c.over = true
	c.file.open(c.spill, c.Before)
	c.file.write(c.kept)
	c.end = NewTail(c.limit - c.limit/5)
	c.end.write(c.kept)
	beginning := make([]byte, 0, bytesFor(c.limit/5))
	c.kept = append(beginning, c.kept[:min(cap(beginning), len(c.kept))]...)
}

// spillFile is the file that takes the whole text.
type spillFile struct {
	f    *os.File
	size int64
	lost int64 // bytes that came after the file was full
	err  error
}

func (s *spillFile) open(create func() (*os.File, error), begin string) {
	if create == nil {
		return
	}
	if s.f, s.err = create(); s.err != nil {
		s.f = nil
		return
	}
	s.write(bytesOf(begin))
}

func (s *spillFile) write(p []byte) {
	if s.f == nil || len(p) == 0 {
		return
	}
	if room := maxFile - s.size; s.lost > 0 || int64(len(p)) > room {
		fits := 0
		if s.lost == 0 {
			fits = int(room)
			for fits > 0 && isContinuation(p[fits]) {
				fits--
			}
		}
		s.lost += int64(len(p) - fits)
		p = p[:fits]
	}
	s.append(p)
}

// append writes p, whether or not it fits the file's bound.
func (s *spillFile) append(p []byte) {
	if s.f == nil {
		return
	}
	n, err := s.f.Write(p)
	s.size += int64(n)
	if err != nil {
		s.fail(err)
	}
}

// fail gives the file up. What there is of it may be what fills the disk.
func (s *spillFile) fail(err error) {
	s.err = err
	_ = s.f.Close() // the first error is the one to tell
	_ = os.Remove(s.f.Name())
	s.f = nil
}

// finish ends the file with end, as far as that is not in it yet, and after.
// It returns the file's name, or "" if there is none.
func (s *spillFile) finish(end []byte, after string) string {
	if s.f == nil {
		return ""
	}
	if dropped := s.lost - int64(len(end)); s.lost > 0 && dropped <= 0 {
		s.append(end[-dropped:])
	} else if s.lost > 0 {
		s.append(fmt.Appendf(nil, "\n\n... [%s bytes omitted: the file is limited to %d MiB] ...\n\n",
			group(int(dropped)), maxFile>>20))
		s.append(end)
	}
	s.append(bytesOf(after))
	if s.f == nil {
		return ""
	}
	if err := s.f.Close(); err != nil {
		s.fail(err)
		return ""
	}
	return s.f.Name()
}

// group writes n with separators of thousands.
func group(n int) string {
	s := strconv.Itoa(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}
