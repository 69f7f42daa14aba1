package tool

import (
	"bufio"
	"fmt"
	"os"
	"strconv"
	"strings"
)

const (
	// maxUnits limits the text in memory if the limit of the Collector does not: a UTF-16
	// unit takes up to 3 bytes, so this is 16 MiB.
	maxUnits = 16 << 20 / 3

	// maxFile is the maximum size of a file with the complete text, in bytes. Of longer text, the last maxFileEnd bytes are
	// the end of it: until the text is complete, they are in memory.
	maxFile, maxFileEnd = 16 << 20, 2 << 20

	// spillBuffer is the size of the pieces that are written to it, in bytes.
	spillBuffer = 256 << 10
)

// Collector collects text for the model while a tool produces it, in bounded memory. It keeps
// text that fits the limit. Of longer text it keeps the first fifth of the limit and the last
// four fifths, and writes all of it to a file.
//
// The file is limited to 16 MiB: of longer text it contains the first 14 MiB, a note and the
// last 2 MiB. If the file cannot be created or written, a note in the text reports it.
//
// Write accepts UTF-8 split at any byte. A Collector must not be used by several goroutines at
// once.
type Collector struct {
	// Before and After enclose the text and count as a part of it. They may be set at any time
	// until Text is called. A file that is already open keeps the Before that was set when it
	// was created.
	Before, After string

	limit int
	spill func() (*os.File, error)

	units  int    // UTF-16 units written
	kept   []byte // all text while it fits, then its beginning
	isOver bool   // the text does not fit
	end    *Tail  // the end of the text, if isOver
	file   spillFile
}

// NewCollector returns a collector for up to limit characters (UTF-16 units). A limit of 0 or
// less, or above 5,592,405, is 5,592,405 (16 MiB). spill creates the file for a longer text;
// it is called at most once. A nil spill creates no file.
func NewCollector(limit int, spill func() (*os.File, error)) *Collector {
	if limit <= 0 || limit > maxUnits {
		limit = maxUnits
	}
	return &Collector{limit: limit, spill: spill}
}

// Truncate shortens a text to limit characters (UTF-16 units), as a [Collector]
// does, and returns the name of the file with the whole text, "" if there is none.
// A limit of 0 or less returns the text unchanged.
func Truncate(text string, limit int, spill func() (*os.File, error)) (cut, file string) {
	if limit <= 0 {
		return text, ""
	}
	c := NewCollector(limit, spill)
	c.Before = text
	return c.Text()
}

// The notice before a text that was shortened is one line. The sentence about the file with the
// whole text follows noticeEnd.
const (
	noticeStart    = "Output too large. Showing first "
	noticeEnd      = " characters."
	lineNoticeEnd  = " lines."
	linesTruncated = "... [CONTENT TRUNCATED] ..."
)

// cutNotice returns the text of a shortened output without the notice before it, and the notice's sentence about the
// file with the whole text, "" if there is none.
func cutNotice(text string) (where, body string) {
	if strings.HasPrefix(text, noticeStart) {
		notice, rest, _ := strings.Cut(text, "\n")
		for _, end := range [...]string{noticeEnd, lineNoticeEnd} {
			if _, sentence, ok := strings.Cut(notice, end); ok {
				return sentence, rest
			}
		}
	}
	return "", text
}

// Shorten shortens a text like [Truncate], for a caller that keeps the whole text itself. keep
// stores the text and returns a sentence with its location, "" for none; it is not called
// for a text that was shortened before and has such a sentence. Shorten returns the text unchanged
// if it cannot be made shorter.
func Shorten(text string, limit int, keep func() string) string {
	where, body := cutNotice(text)
	before := 0 // characters that were omitted earlier
	if where != "" {
		if head, tail, n, ok := splitOmission(body); ok {
			body, before = head+tail, n
		}
	}
	cut, _ := Truncate(body, max(limit, 1), nil)
	if len(cut) >= len(body) {
		return text
	}
	if head, tail, n, ok := splitOmission(cut); ok && before > 0 {
		cut = head + omission(n+before) + tail
	}
	if where == "" {
		where = strings.TrimSuffix(" "+keep(), " ")
	}
	notice, rest, _ := strings.Cut(cut, "\n")
	return notice + where + "\n" + rest
}

// ShortenLines shortens a text to its first and last lines, most of them at most: a fifth of them are the first ones. keep
// is that of [Shorten]. A text with no more lines is returned unchanged, and so is every text if most is 0 or less.
func ShortenLines(text string, most int, keep func() string) string {
	if most <= 0 || strings.Count(text, "\n") < most {
		return text
	}
	where, body := cutNotice(text)
	head, tail := body, body
	isCut := false
	if where != "" {
		if h, t, _, ok := splitOmission(body); ok {
			head, tail, isCut = h, t, true
		}
	}
	lines := strings.Count(strings.TrimSuffix(head, "\n"), "\n") + 1
	if isCut {
		lines += strings.Count(strings.TrimSuffix(tail, "\n"), "\n") + 1
	}
	if lines <= most {
		return text
	}
	if where == "" {
		where = strings.TrimSuffix(" "+keep(), " ")
	}
	first := most / 5
	return fmt.Sprintf("%s%s and last %s%s%s\n%s\n\n%s\n\n%s", noticeStart, groupThousands(first), groupThousands(most-first), lineNoticeEnd, where,
		firstLines(head, first), linesTruncated, lastLines(tail, most-first))
}

// firstLines returns the first n lines of a text, without the end of the last one.
func firstLines(text string, n int) string {
	end := 0
	for range n {
		i := strings.IndexByte(text[end:], '\n')
		if i < 0 {
			return text
		}
		end += i + 1
	}
	return text[:max(0, end-1)]
}

// lastLines returns the last n lines of a text.
func lastLines(text string, n int) string {
	start := len(strings.TrimSuffix(text, "\n"))
	for range n {
		i := strings.LastIndexByte(text[:start], '\n')
		if i < 0 {
			return text
		}
		start = i
	}
	return text[start+1:]
}

// The mark in the place of omitted characters has their number between these.
const (
	omissionStart = "\n\n... ["
	omissionEnd   = " characters omitted] ...\n\n"
)

func omission(n int) string { return omissionStart + groupThousands(n) + omissionEnd }

// splitOmission splits a text at the last omission in it and returns the number.
func splitOmission(text string) (head, tail string, n int, ok bool) {
	end := strings.LastIndex(text, omissionEnd)
	if end < 0 {
		return "", "", 0, false
	}
	start := strings.LastIndex(text[:end], omissionStart)
	if start < 0 {
		return "", "", 0, false
	}
	number := text[start+len(omissionStart) : end]
	n, err := strconv.Atoi(strings.ReplaceAll(number, ",", ""))
	return text[:start], text[end+len(omissionEnd):], n, err == nil
}

// IsShortened reports whether text is the result of [Truncate] or [Shorten], or claims to be.
func IsShortened(text string) bool { return strings.HasPrefix(text, noticeStart) }

// Write adds p to the text. It never fails.
func (c *Collector) Write(p []byte) (int, error) {
	c.units += countBytes(p)
	if !c.isOver && c.units > c.limit {
		c.overflow()
	}
	if !c.isOver {
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

// Text returns the collected text, shortened to the limit, and the name of the file with the
// complete text, "" if there is none. It must be called once, after the last Write.
func (c *Collector) Text() (text, file string) {
	total := Units(c.Before) + c.units + Units(c.After)
	if total <= c.limit {
		return c.Before + string(c.kept) + c.After, ""
	}
	headUnits := c.limit / 5
	tailUnits := c.limit - headUnits
	var head, tail string
	if c.isOver {
		head, tail = c.Before+string(c.kept), string(c.end.bytes())+c.After
		file = c.file.finish(c.After)
	} else {
		whole := c.Before
		if len(c.kept) > 0 || c.After != "" {
			whole += string(c.kept) + c.After
		}
		head, tail = whole, whole
		c.file.open(c.spill, whole)
		file = c.file.finish("")
	}
	head, tail = First(head, headUnits), Last(tail, tailUnits)
	omitted := total - Units(head) - Units(tail)

	var b strings.Builder
	fmt.Fprintf(&b, noticeStart+"%s and last %s"+noticeEnd, groupThousands(headUnits), groupThousands(tailUnits))
	switch {
	case file != "":
		b.WriteString(" " + c.file.where(file))
	case c.file.err != nil:
		fmt.Fprintf(&b, " The full output could not be saved: %v", c.file.err)
	}
	b.WriteString("\n" + head + omission(omitted) + tail)
	return b.String(), file
}

// IsCut reports whether the file that [Collector.Text] has returned has only the beginning and the end of the text.
func (c *Collector) IsCut() bool { return c.file.whole > 0 }

// overflow opens the file and reduces the kept text to its beginning and its end.
func (c *Collector) overflow() {
	c.isOver = true
	c.file.open(c.spill, c.Before)
	c.file.write(c.kept)
	c.end = NewTail(c.limit - c.limit/5)
	c.end.write(c.kept)
	beginning := make([]byte, 0, bytesFor(c.limit/5))
	c.kept = append(beginning, c.kept[:min(cap(beginning), len(c.kept))]...)
}

// spillFile is the file for the complete text.
type spillFile struct {
	file *os.File
	text *bufio.Writer // to the file: the kernel needs half the time for large pieces
	size int64
	held int64 // bytes that were not written because the file was full
	end  *Tail // the last of them
	err  error

	whole int64 // size of the text in bytes, if not all of it is in the file, else 0
}

func (s *spillFile) open(create func() (*os.File, error), begin string) {
	if create == nil {
		return
	}
	if s.file, s.err = create(); s.err != nil {
		s.file = nil
		return
	}
	s.text = bufio.NewWriterSize(s.file, spillBuffer)
	s.write(bytesNoCopy(begin))
}

func (s *spillFile) write(p []byte) {
	if s.file == nil || len(p) == 0 {
		return
	}
	if room := maxFile - maxFileEnd - s.size; s.end != nil || int64(len(p)) > room {
		fits := 0
		if s.end == nil {
			fits = int(room)
			for fits > 0 && isContinuation(p[fits]) {
				fits--
			}
			s.end = &Tail{maxBytes: maxFileEnd, buf: make([]byte, 0, maxFileEnd)}
		}
		s.held += int64(len(p) - fits)
		s.end.write(p[fits:])
		p = p[:fits]
	}
	s.append(p)
}

// append writes p even if it exceeds the maximum size of the file.
func (s *spillFile) append(p []byte) {
	if s.file == nil {
		return
	}
	n, err := s.text.Write(p)
	s.size += int64(n)
	if err != nil {
		s.fail(err)
	}
}

// fail removes the file, because it may fill the disk, and stores err.
func (s *spillFile) fail(err error) {
	s.err = err
	_ = s.file.Close() // the first error is reported
	_ = os.Remove(s.file.Name())
	s.file = nil
}

// where returns the sentences that say where the whole text is, or how much of it is kept.
func (s *spillFile) where(file string) string {
	if s.whole == 0 {
		return WhereWhole(file)
	}
	return fmt.Sprintf("Only the first %d and the last %d of its %d MiB are kept: to search the rest, run it again with a filter. For these parts see: %s",
		(maxFile-maxFileEnd)>>20, maxFileEnd>>20, s.whole>>20, file)
}

// finish writes the end of the text that is not yet in the file, and after. It returns the file's name, or "" if there
// is none.
func (s *spillFile) finish(after string) string {
	if s.file == nil {
		return ""
	}
	if s.end != nil {
		first, second := s.end.halves()
		if omitted := s.held - int64(len(first)+len(second)); omitted > 0 {
			s.whole = s.size + s.held
			s.append(fmt.Appendf(nil, "\n\n... [%s bytes omitted: the file is limited to %d MiB] ...\n\n",
				groupThousands(int(omitted)), maxFile>>20))
		}
		s.append(first)
		s.append(second)
	}
	s.append(bytesNoCopy(after))
	if s.file == nil {
		return ""
	}
	if err := s.text.Flush(); err != nil {
		s.fail(err)
		return ""
	}
	if err := s.file.Close(); err != nil {
		s.fail(err)
		return ""
	}
	return s.file.Name()
}

func groupThousands(n int) string {
	s := strconv.Itoa(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}
