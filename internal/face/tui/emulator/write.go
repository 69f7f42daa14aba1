package emulator

import (
	"bytes"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/vt"
)

// Writer writes output of a program to an emulator. A wide character that ends in the last column makes the next character go to the next
// row, and one that has no room there goes to the next row itself. The emulator alone loses characters at both places.
type Writer struct {
	Emulator *vt.Emulator

	rest []byte // the beginning of a character, whose end has not come
}

// Write implements [io.Writer].
func (w *Writer) Write(p []byte) (int, error) {
	n := len(p)
	if len(w.rest) > 0 {
		p, w.rest = append(w.rest, p...), nil
	}
	for len(p) > 0 {
		narrow := bytes.IndexFunc(p, isOther)
		if narrow < 0 {
			_, err := w.Emulator.Write(p)
			return n, err
		}
		if _, err := w.Emulator.Write(p[:narrow]); err != nil {
			return 0, err
		}
		p = p[narrow:]
		others := bytes.IndexFunc(p, func(r rune) bool { return !isOther(r) })
		if others < 0 {
			others = len(p) - unfinished(p)
		}
		if err := w.writeOthers(string(p[:others])); err != nil {
			return 0, err
		}
		if p = p[others:]; !utf8.FullRune(p) {
			w.rest = bytes.Clone(p)
			break
		}
	}
	return n, nil
}

// isOther reports whether a character is none of ASCII.
func isOther(r rune) bool { return r >= utf8.RuneSelf }

// unfinished returns the number of bytes at the end of p that are the beginning of a character.
func unfinished(p []byte) int {
	for n := 1; n < utf8.UTFMax && n <= len(p); n++ {
		if last := p[len(p)-n:]; utf8.RuneStart(last[0]) {
			if utf8.FullRune(last) {
				return 0
			}
			return n
		}
	}
	return 0
}

// writeOthers writes a text without ASCII.
func (w *Writer) writeOthers(text string) error {
	from := 0
	for at := 0; at < len(text); {
		cluster, width := ansi.FirstGraphemeCluster(text[at:], ansi.GraphemeWidth)
		if width == 2 {
			if _, err := w.Emulator.WriteString(text[from:at]); err != nil {
				return err
			}
			if err := w.writeWide(cluster); err != nil {
				return err
			}
			from = at + len(cluster)
		}
		at += len(cluster)
	}
	_, err := w.Emulator.WriteString(text[from:])
	return err
}

// writeWide writes a character of two columns.
func (w *Writer) writeWide(cluster string) error {
	e := w.Emulator
	before, last := e.CursorPosition(), e.Width()-1
	if _, err := e.WriteString(cluster); err != nil || before.X < last-1 {
		return err
	}
	after := e.CursorPosition()
	switch {
	case after.X != last || after.Y != before.Y:
		return nil // it stood behind the last column, and is in the next row
	case before.X == last: // it has no room, but the emulator takes the row for full
		_, err := e.WriteString(cluster)
		return err
	}
	cell := *e.CellAt(before.X, before.Y)
	if _, err := e.WriteString(" "); err != nil { // so that the emulator takes the row for full
		return err
	}
	e.SetCell(before.X, before.Y, &cell)
	return nil
}
