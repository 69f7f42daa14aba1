package keys

import (
	"bytes"
	"strings"
	"time"
	"unicode/utf8"
)

// maxPaste is the maximum size of a paste in bytes, and of the reply about the clipboard in base64.
const maxPaste = 16 << 20

// The marks around a bracketed paste.
const (
	pasteBegin = "\x1b[200~"
	pasteEnd   = "\x1b[201~"
)

// body collects the bytes of a paste or string.
type body struct {
	data  []byte
	isCut bool // bytes are missing
}

// add appends bytes, up to a limit of the whole.
func (b *body) add(part []byte, limit int) {
	if rest := max(limit-len(b.data), 0); len(part) > rest {
		part, b.isCut = part[:rest], true
	}
	b.data = append(b.data, part...)
}

// beginPaste begins a bracketed paste.
func (d *Decoder) beginPaste() {
	d.mode, d.start, d.body = inPaste, d.last, body{}
}

// readPaste takes the first part of b into the paste, or drops it if the paste was given up.
func (d *Decoder) readPaste(b []byte, events []Event) (n int, isComplete bool, _ []Event) {
	end := bytes.Index(b, []byte(pasteEnd))
	n = end
	if end < 0 {
		n = len(b) - partialEnd(b)
	}
	if d.mode == inPaste {
		d.body.add(b[:n], maxPaste)
	}
	if end < 0 {
		return n, false, events
	}
	if d.mode == inPaste {
		// A terminal that does not filter a paste passes on an end mark in its text, and the rest of the text would be
		// keys. But the rest arrives at once, and has the real end mark behind it.
		events = append(events, d.paste(d.last))
		d.mode, d.start = inTail, d.last
	} else {
		d.mode = inKeys
	}
	return n + len(pasteEnd), true, events
}

// maxTail is the maximum size of the keys behind a paste in bytes. More is the rest of the paste.
const maxTail = 64 << 10

// readTail takes bytes into the tail of a paste. The bytes before an end mark are the rest of the paste, unless another
// paste begins in them.
func (d *Decoder) readTail(b []byte, events []Event) []Event {
	d.body.data = append(d.body.data, b...)
	for {
		data := d.body.data
		part, _, hasEnd := bytes.Cut(data, []byte(pasteEnd))
		switch {
		case bytes.Contains(part, []byte(pasteBegin)):
			return d.endTail(events)
		case !hasEnd && len(data) > maxTail:
			d.mode, d.start = inPaste, d.last
			return events
		case !hasEnd:
			return events
		case len(part) > 0:
			events = append(events, Paste{Text: pastedText(part), At: d.last})
		}
		d.body.data, d.start = data[len(part)+len(pasteEnd):], d.last
	}
}

// endTail decodes the keys in the tail of a paste.
func (d *Decoder) endTail(events []Event) []Event {
	data := d.body.data
	d.mode, d.body = inKeys, body{}
	return d.decode(data, events)
}

// partialEnd returns the number of bytes at the end of b that may begin the mark that ends a paste.
func partialEnd(b []byte) int {
	for n := min(len(b), len(pasteEnd)-1); n > 0; n-- {
		if bytes.HasSuffix(b, []byte(pasteEnd[:n])) {
			return n
		}
	}
	return 0
}

// paste returns the event of the paste that was collected.
func (d *Decoder) paste(at time.Time) Paste {
	data, isCut := d.body.data, d.body.isCut
	d.body = body{}
	if isCut {
		data = data[:len(data)-partialRune(data)]
	}
	return Paste{Text: pastedText(data), At: at, IsCut: isCut}
}

// partialRune returns the length of an incomplete UTF-8 sequence at the end of b.
func partialRune(b []byte) int {
	for n := 1; n < utf8.UTFMax && n <= len(b); n++ {
		if tail := b[len(b)-n:]; utf8.RuneStart(tail[0]) {
			if utf8.FullRune(tail) {
				return 0
			}
			return n
		}
	}
	return 0
}

// pastedText returns text with "\n" as line ends, and U+FFFD in place of bytes that are not UTF-8.
func pastedText(b []byte) string {
	s := strings.ToValidUTF8(string(b), "\uFFFD")
	return strings.ReplaceAll(strings.ReplaceAll(s, "\r\n", "\n"), "\r", "\n")
}
