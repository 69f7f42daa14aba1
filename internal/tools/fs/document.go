package fs

import (
	"bytes"
	"context"
	"errors"
	iofs "io/fs"
	"strings"

	"pollux/internal/workspace"
)

// document is a text file that is to be changed. A change leaves all that it
// is not about as it is on the disk, down to the byte: ends of lines, the byte
// order mark, bytes that are not valid text.
type document struct {
	exists bool
	data   []byte // as on the disk
	enc    encoding
	raw    string // data as text, without the mark
	text   string // raw with "\n" for "\r\n"
}

// open reads the file at abs to change it. A file that is not there is an
// empty document that doesn't exist.
func open(ctx context.Context, w *workspace.Workspace, abs string) (*document, error) {
	f, err := w.Disk().Open(abs)
	if errors.Is(err, iofs.ErrNotExist) {
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
		// Not what its mark says: then its bytes are all that is sure.
		d.enc, d.raw = plainUTF8, string(data)
	}
	d.text = strings.ReplaceAll(d.raw, "\r\n", "\n")
	return d
}

// crlf reports whether lines end with "\r\n", as far as one can say.
func (d *document) crlf() bool { return len(d.raw) != len(d.text) }

// rewrite returns the document with text in place of its own. If d has "\r\n",
// so has all of the result.
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

// change returns the document with changes made to it. Their places are in
// d.text, in order.
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

// offsets finds the places of a text in its form with "\r\n", in order.
type offsets struct {
	raw      string
	from, in int // what is before from in raw is before in in the text
	next     int // 1 + how far it is from there to the next "\r\n"; 0 for not known yet
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

// same reports whether the file is still what it was when d was read.
func (d *document) same(o *document) bool {
	return d.exists == o.exists && bytes.Equal(d.data, o.data)
}
