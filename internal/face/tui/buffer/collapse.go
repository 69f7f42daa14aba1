package buffer

import (
	"slices"
	"sort"
	"strings"
)

// Collapse replaces the text by a changed copy of [Buffer.Escaped] or [Buffer.Value], such as an external editor
// returns, in one step. Pasted text that is unchanged in it becomes a placeholder again if it was one. The cursor moves
// to the end.
func (b *Buffer) Collapse(text string) {
	text = clean(text)
	var found []unit // sorted, with positions in text
	from := 0
	for _, u := range b.units {
		at, n := -1, 0
		for _, form := range u.forms() {
			if at = findApart(text, form, from, found); at >= 0 {
				n = len(form)
				break
			}
		}
		if at < 0 {
			continue
		}
		u.start, u.end = at, at+n
		i := sort.Search(len(found), func(i int) bool { return found[i].start > at })
		found = slices.Insert(found, i, u)
		from = u.end
	}
	c := collapsed(text, found)
	b.step(func() {
		if c.text != string(b.text) || !slices.Equal(c.units, b.units) {
			b.replace(Range{0, len(b.text)}, c)
		}
		b.cursor = len(b.text)
	})
	b.last = other
}

// forms returns the texts that an unchanged unit may be in a copy of the text.
func (u unit) forms() []string {
	if u.isOpen || u.paste.inline == u.paste.content {
		return []string{u.paste.inline}
	}
	return []string{u.paste.inline, u.paste.content}
}

// findApart returns the position of a form in a text that overlaps none of the found units, preferably behind from; -1
// if there is none.
func findApart(text, form string, from int, found []unit) int {
	for _, begin := range [...]int{from, 0} {
		for at := begin; ; {
			i := strings.Index(text[at:], form)
			if i < 0 {
				break
			}
			start := at + i
			k := sort.Search(len(found), func(i int) bool { return found[i].end > start })
			if k == len(found) || found[k].start >= start+len(form) {
				return start
			}
			at = found[k].end
		}
	}
	return -1
}

// collapsed returns a text with placeholders in place of the units that are not open.
func collapsed(text string, found []unit) Clip {
	var out strings.Builder
	units := make([]unit, 0, len(found))
	at := 0
	for _, u := range found {
		out.WriteString(text[at:u.start])
		start := out.Len()
		if u.isOpen {
			out.WriteString(text[u.start:u.end])
		} else {
			out.WriteString(u.label)
		}
		at = u.end
		u.start, u.end = start, out.Len()
		units = append(units, u)
	}
	out.WriteString(text[at:])
	return Clip{text: out.String(), units: units}
}
