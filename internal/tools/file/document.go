package file

import (
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"strings"

	"pollux/internal/charset"
	"pollux/internal/workspace"
	"pollux/tool"
)

// document is a text file to be changed. A change preserves every other byte of the file: its
// encoding, line ends, the byte order mark, and bytes that are not valid text.
type document struct {
	exists bool
	data   []byte // content on disk
	enc    charset.Encoding
	raw    string // data as text, without the mark
	text   string // raw with "\n" instead of "\r\n"
	// isExact reports whether raw has all of data, so that a change of a part of it preserves the rest.
	isExact bool
}

// open reads the file at abs to change it. For a missing file it returns an empty document
// whose exists is false.
func open(ctx context.Context, w *workspace.Workspace, abs string) (*document, error) {
	f, err := w.Disk().Open(abs)
	if errors.Is(err, fs.ErrNotExist) {
		return &document{}, nil
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if info.Size() > maxFile {
		return nil, tooLarge(abs, info.Size())
	}
	var data bytes.Buffer
	data.Grow(int(info.Size()) + bytes.MinRead)
	if _, err := data.ReadFrom(io.LimitReader(f, maxFile+1)); err != nil {
		return nil, err
	}
	if data.Len() > maxFile { // it grows
		return nil, tooLarge(abs, maxFile+1)
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	return newDocument(data.Bytes()), nil
}

func newDocument(data []byte) *document {
	enc := charset.Detect(data)
	d := &document{exists: true, data: data, enc: enc, raw: enc.Decode(data), isExact: enc.IsExact(data)}
	d.text = lf(d.raw)
	return d
}

func (d *document) crlf() bool { return len(d.raw) != len(d.text) }

// rewrite returns the document with another text. If d has "\r\n" line ends, so has the
// result. The error is a [*charset.UnsupportedError].
func (d *document) rewrite(text string) (*document, error) {
	enc := d.enc
	if !d.exists || enc.HasMark() && !d.isExact {
		enc = charset.Encoding{} // the mark is wrong
	}
	if enc.HasMark() {
		text = strings.TrimPrefix(text, "\uFEFF") // Encode adds it
	}
	raw := text
	if d.crlf() {
		raw = strings.ReplaceAll(lf(text), "\n", "\r\n")
	}
	return encode(enc, raw)
}

// encode returns the document with a text, in an encoding.
func encode(enc charset.Encoding, raw string) (*document, error) {
	data, err := enc.Encode(raw)
	if err != nil {
		return nil, err
	}
	return &document{exists: true, data: data, enc: enc, raw: raw, text: lf(raw), isExact: true}, nil
}

// change returns the document with changes applied. Their offsets refer to d.text and are
// sorted. Text that a change repeats keeps its line ends; new ones are like the one that
// follows. d must be exact. The error is a [*charset.UnsupportedError].
func (d *document) change(changes []change) (*document, error) {
	var raw strings.Builder
	raw.Grow(len(d.raw))
	from, at, ends := 0, offsets{raw: d.raw}, lineEnds{raw: d.raw}
	for _, c := range changes {
		if d.crlf() {
			c = c.trimmed(d.text)
		}
		start := at.of(c.start)
		raw.WriteString(d.raw[from:start])
		from = at.of(c.end)
		if ends.areCRLF(start) {
			c.text = strings.ReplaceAll(c.text, "\n", "\r\n")
		}
		raw.WriteString(c.text)
	}
	raw.WriteString(d.raw[from:])
	return encode(d.enc, raw.String())
}

// lineEnds tells how the lines at increasing offsets in raw end. A line without an end has that of the line before it.
type lineEnds struct {
	raw    string
	next   int // after the end of the last line that was asked for
	isCRLF bool
}

func (l *lineEnds) areCRLF(offset int) bool {
	if offset < l.next {
		return l.isCRLF
	}
	end := strings.IndexByte(l.raw[offset:], '\n') + offset
	l.next = end + 1
	if end < offset {
		end, l.next = strings.LastIndexByte(l.raw, '\n'), len(l.raw)+1
	}
	l.isCRLF = end > 0 && l.raw[end-1] == '\r'
	return l.isCRLF
}

// notEncoded returns the error for a text that cannot be written because its encoding lacks a
// character; other errors are returned unchanged.
func notEncoded(err error, path string) error {
	var u *charset.UnsupportedError
	if !errors.As(err, &u) {
		return err
	}
	return fail(tool.ErrEditPreparation, "%s is in the encoding %s, which has no character %s: it would be in line %d. Nothing was changed. "+
		"Write the text without that character, or convert the whole file to UTF-8 first if the task allows that.", path, u.Encoding, u.Char(), u.Line())
}

// encodingNote returns ", encoding: GB18030" for a result; "" for UTF-8.
func (d *document) encodingNote() string {
	if name := d.encodingName(); name != "" {
		return ", encoding: " + name
	}
	return ""
}

// encodingName returns the name of the encoding, "" for UTF-8 and data that is not text.
func (d *document) encodingName() string {
	if d.enc.IsUTF8() || !d.enc.IsText() {
		return ""
	}
	return d.enc.Name()
}

// offsets converts offsets in a text to offsets in its form with "\r\n", in increasing order.
type offsets struct {
	raw      string
	from, in int // equivalent offsets in raw and in the text
	next     int // 1 + the distance from there to the next "\r\n"; 0 if unknown
}

func (o *offsets) of(offset int) int {
	for {
		if o.next == 0 {
			if o.next = strings.Index(o.raw[o.from:], "\r\n") + 1; o.next == 0 {
				o.next = len(o.raw) + 1
			}
		}
		if skipped := o.next - 1; offset > o.in+skipped {
			o.from, o.in, o.next = o.from+skipped+2, o.in+skipped+1, 0
			continue
		}
		return o.from + offset - o.in
	}
}

func (d *document) same(o *document) bool {
	return d.exists == o.exists && bytes.Equal(d.data, o.data)
}
