package file

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"strings"

	"pollux/internal/workspace"
)

// document is a text file to be changed. A change preserves every other byte of the file: line
// ends, the byte order mark, and bytes that are not valid text.
type document struct {
	exists bool
	data   []byte // content on disk
	enc    encoding
	raw    string // data as text, without the mark
	text   string // raw with "\n" instead of "\r\n"
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
	if _, err := data.ReadFrom(&limited{f, maxFile}); err != nil {
		if errors.Is(err, errTooLarge) {
			err = tooLarge(abs, maxFile+1)
		}
		return nil, err
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	return newDocument(data.Bytes()), nil
}

func newDocument(data []byte) *document {
	enc, mark := detectEncoding(data)
	d := &document{exists: true, data: data, enc: enc, raw: enc.decode(data[len(mark):])}
	if enc.wide() && !bytes.Equal(enc.encode(d.raw), data) {
		// The mark is wrong: keep the bytes as they are.
		d.enc, d.raw = plainUTF8, string(data)
	}
	d.text = strings.ReplaceAll(d.raw, "\r\n", "\n")
	return d
}

// crlf reports whether lines end with "\r\n".
func (d *document) crlf() bool { return len(d.raw) != len(d.text) }

// rewrite returns the document with another text. If d has "\r\n" line ends, so has the
// result.
func (d *document) rewrite(text string) *document {
	if d.enc != plainUTF8 {
		text = strings.TrimPrefix(text, "\uFEFF") // encode adds it
	}
	n := &document{exists: true, enc: d.enc, raw: text, text: strings.ReplaceAll(text, "\r\n", "\n")}
	if d.crlf() {
		n.raw = strings.ReplaceAll(n.text, "\n", "\r\n")
	}
	n.data = n.enc.encode(n.raw)
	return n
}

// change returns the document with changes applied. Their offsets refer to d.text and are
// sorted.
func (d *document) change(changes []change) *document {
	var raw strings.Builder
	raw.Grow(len(d.raw))
	from, at := 0, offsets{raw: d.raw}
	for _, c := range changes {
		raw.WriteString(d.raw[from:at.of(c.start)])
		from = at.of(c.end)
		if d.crlf() {
			c.text = strings.ReplaceAll(c.text, "\n", "\r\n")
		}
		raw.WriteString(c.text)
	}
	raw.WriteString(d.raw[from:])
	n := &document{exists: true, enc: d.enc, raw: raw.String()}
	n.text = strings.ReplaceAll(n.raw, "\r\n", "\n")
	n.data = n.enc.encode(n.raw)
	return n
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

// same reports whether two versions of a file are equal.
func (d *document) same(o *document) bool {
	return d.exists == o.exists && bytes.Equal(d.data, o.data)
}
