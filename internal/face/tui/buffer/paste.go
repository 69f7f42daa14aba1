package buffer

import (
	"fmt"
	"slices"
	"sort"
	"strings"
	"unicode/utf8"
)

// The largest paste that is shown in full, in lines and in characters.
const (
	maxPasteLines = 5
	maxPasteChars = 500
)

// unit is the part of the text that stands for a large paste: a placeholder, which the cursor passes in one step, or
// the unchanged pasted text in its place.
type unit struct {
	start, end int
	label      string // the text of the placeholder
	paste      *paste
	isOpen     bool // the pasted text is shown
}

// paste is the content of a placeholder.
type paste struct {
	content string // as pasted
	inline  string // as shown in the text, with escapes
	name    string // of the label, "" for one that tells the size
}

// moved returns u n bytes further on.
func (u unit) moved(n int) unit {
	u.start, u.end = u.start+n, u.end+n
	return u
}

// Paste writes pasted text at the cursor. It writes a placeholder and returns true if the text is large.
func (b *Buffer) Paste(text string) (isPlaceholder bool) {
	text = clean(text)
	p := &paste{content: text, inline: text}
	if b.EscapeAt {
		p.inline = strings.ReplaceAll(text, "@", `\@`)
	}
	here := Range{b.cursor, b.cursor}
	if strings.Count(text, "\n")+1 <= maxPasteLines && utf8.RuneCountInString(text) <= maxPasteChars {
		b.edit(here, Clip{text: p.inline})
		return false
	}
	b.edit(here, p.clip(p.newLabel(nil), false))
	return true
}

// InsertLabeled writes a placeholder with a label such as "[Image a.png]" at the cursor, for a text without escapes.
func (b *Buffer) InsertLabeled(label, text string) {
	text = clean(text)
	p := &paste{content: text, inline: text, name: strings.Trim(clean(label), "[]")}
	b.edit(Range{b.cursor, b.cursor}, p.clip(p.newLabel(nil), false))
}

// newLabel returns a label for the paste that is not taken.
func (p *paste) newLabel(taken map[string]bool) string {
	if p.name != "" {
		label := "[" + p.name + "]"
		for i := 2; taken[label]; i++ {
			label = fmt.Sprintf("[%s #%d]", p.name, i)
		}
		return label
	}
	n, kind := strings.Count(p.content, "\n")+1, "lines"
	if n <= maxPasteLines {
		n, kind = utf8.RuneCountInString(p.content), "chars"
	}
	label := fmt.Sprintf("[Pasted Text: %d %s]", n, kind)
	for i := 2; taken[label]; i++ {
		label = fmt.Sprintf("[Pasted Text: %d %s #%d]", n, kind, i)
	}
	return label
}

// clip returns the placeholder, or the pasted text if isOpen.
func (p *paste) clip(label string, isOpen bool) Clip {
	text := label
	if isOpen {
		text = p.inline
	}
	return Clip{text: text, units: []unit{{end: len(text), label: label, paste: p, isOpen: isOpen}}}
}

// Expand replaces the placeholder at the cursor by the pasted text, or the pasted text around the cursor by its
// placeholder if the text is unchanged. It returns false if there is neither.
func (b *Buffer) Expand() bool {
	b.last = other
	for _, u := range slices.Backward(b.units) {
		if b.cursor < u.start || b.cursor > u.end {
			continue
		}
		b.step(func() {
			isBefore := b.cursor == u.start && !u.isOpen
			b.write(Range{u.start, u.end}, u.paste.clip(u.label, !u.isOpen))
			if isBefore {
				b.cursor = b.floor(u.start)
			}
		})
		return true
	}
	return false
}

// Value returns the text with all pasted text in place of its placeholders, and without the backslashes of
// [Buffer.EscapeAt].
func (b *Buffer) Value() string {
	return b.expanded(func(p *paste) string { return p.content }, func(text string) string {
		if b.EscapeAt {
			text = strings.ReplaceAll(text, `\@`, "@")
		}
		return text
	})
}

// Escaped returns the text with all pasted text in place of its placeholders, but with the backslashes of
// [Buffer.EscapeAt]: for an external editor, and for finding the files that the user has named with @.
func (b *Buffer) Escaped() string {
	return b.expanded(func(p *paste) string { return p.inline }, func(text string) string { return text })
}

// expanded returns the text with the content of placeholders in place of them. plain maps the text between them.
func (b *Buffer) expanded(content func(*paste) string, plain func(string) string) string {
	var out strings.Builder
	at := 0
	for _, u := range b.units {
		if u.isOpen {
			continue
		}
		out.WriteString(plain(string(b.text[at:u.start])))
		out.WriteString(content(u.paste))
		at = u.end
	}
	out.WriteString(plain(string(b.text[at:])))
	return out.String()
}

// unitAfter returns the index of the first unit that ends behind a position.
func (b *Buffer) unitAfter(at int) int {
	return sort.Search(len(b.units), func(i int) bool { return b.units[i].end > at })
}

// tokenAround returns the placeholder that a position is within, not at its edges.
func (b *Buffer) tokenAround(at int) (unit, bool) {
	if i := b.unitAfter(at); i < len(b.units) && !b.units[i].isOpen && b.units[i].start < at {
		return b.units[i], true
	}
	return unit{}, false
}

// shiftUnits adapts the units to a change of the text. It drops the ones that the change overlaps.
func (b *Buffer) shiftUnits(start, end int, c Clip) {
	first := sort.Search(len(b.units), func(i int) bool { return b.units[i].end > start })
	if first == len(b.units) && len(c.units) == 0 {
		return
	}
	units := slices.Clone(b.units[:first])
	for _, u := range c.units {
		units = append(units, u.moved(start))
	}
	for _, u := range b.units[first:] {
		if u.start >= end {
			units = append(units, u.moved(len(c.text)-(end-start)))
		}
	}
	b.units = units
}
