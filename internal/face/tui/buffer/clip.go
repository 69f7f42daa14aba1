package buffer

import (
	"slices"
	"strings"
)

// Clip is copied or killed text with the placeholders in it.
type Clip struct {
	text  string
	units []unit // with positions in text
}

// NewClip returns a clip of foreign text.
func NewClip(text string) Clip { return Clip{text: clean(text)} }

// String returns the text of the clip as shown.
func (c Clip) String() string { return c.text }

// Copy returns a part of the text.
func (b *Buffer) Copy(r Range) Clip {
	r = b.fit(r)
	c := Clip{text: string(b.text[r.Start:r.End])}
	for _, u := range b.units[b.unitAfter(r.Start):] {
		if u.start >= r.Start && u.end <= r.End {
			c.units = append(c.units, u.moved(-r.Start))
		}
	}
	return c
}

// Put writes a clip in place of a range, as [Buffer.Replace] does with text. Placeholders get new numbers if theirs are
// in use.
func (b *Buffer) Put(r Range, c Clip) { b.edit(r, c) }

// join returns a clip followed by another one.
func (c Clip) join(next Clip) Clip {
	joined := Clip{text: c.text + next.text, units: slices.Clone(c.units)}
	for _, u := range next.units {
		joined.units = append(joined.units, u.moved(len(c.text)))
	}
	return joined
}

// relabel returns a clip whose labels differ from each other and from those outside a range of the text.
func (b *Buffer) relabel(r Range, c Clip) Clip {
	if len(c.units) == 0 {
		return c
	}
	taken := map[string]bool{}
	for _, u := range b.units {
		if u.end <= r.Start || u.start >= r.End {
			taken[u.label] = true
		}
	}
	var text strings.Builder
	units := make([]unit, 0, len(c.units))
	at := 0
	for _, u := range c.units {
		text.WriteString(c.text[at:u.start])
		at = u.end
		if taken[u.label] {
			u.label = u.paste.newLabel(taken)
		}
		taken[u.label] = true
		start := text.Len()
		if u.isOpen {
			text.WriteString(u.paste.inline)
		} else {
			text.WriteString(u.label)
		}
		u.start, u.end = start, text.Len()
		units = append(units, u)
	}
	text.WriteString(c.text[at:])
	return Clip{text: text.String(), units: units}
}
