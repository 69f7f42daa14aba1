package buffer

import (
	"slices"
	"strings"
)

// maxKey is the length of text in bytes up to which it may be a single key.
const maxKey = 64

// Insert writes text at the cursor. Single characters that follow each other are one step for Undo up to the next
// space or move of the cursor.
func (b *Buffer) Insert(text string) {
	text = clean(text)
	if text == "" {
		return
	}
	isKey := len(text) <= maxKey && firstCluster([]byte(text)) == len(text)
	write := func() { b.replace(Range{b.cursor, b.cursor}, Clip{text: text}) }
	if isKey && b.last == typed && b.open == nil && strings.TrimSpace(text) != "" {
		b.extend(write)
	} else {
		b.step(write)
	}
	b.last = other
	if isKey {
		b.last = typed
	}
}

// Replace writes text in place of a range and leaves the cursor behind it. A range that covers a part of a cluster
// covers all of it.
func (b *Buffer) Replace(r Range, text string) {
	b.edit(r, Clip{text: clean(text)})
}

// SetText replaces all text in one step, without placeholders, and moves the cursor to a position in the new text, or
// to the nearest end if the position is outside.
func (b *Buffer) SetText(text string, cursor int) {
	b.step(func() {
		b.replace(Range{0, len(b.text)}, Clip{text: clean(text)})
		b.cursor = b.floor(cursor)
	})
	b.last = other
}

// Clear removes all text. Undo brings it back.
func (b *Buffer) Clear() { b.edit(Range{0, len(b.text)}, Clip{}) }

// DeleteLeft removes the cluster before the cursor.
func (b *Buffer) DeleteLeft() { b.edit(Range{b.Prev(b.cursor), b.cursor}, Clip{}) }

// DeleteRight removes the cluster behind the cursor.
func (b *Buffer) DeleteRight() { b.edit(Range{b.cursor, b.Next(b.cursor)}, Clip{}) }

// edit replaces a range in one step.
func (b *Buffer) edit(r Range, c Clip) {
	b.step(func() { b.replace(r, c) })
	b.last = other
}

// replace writes a clip in place of a range, extended to whole clusters, as a part of a step.
func (b *Buffer) replace(r Range, c Clip) { b.write(b.fit(r), c) }

// write writes a clip in place of exactly a range, as a part of a step, and leaves the cursor behind it. Placeholders
// whose labels are in use outside the range get new ones.
func (b *Buffer) write(r Range, c Clip) {
	if r.Start == r.End && c.text == "" {
		return
	}
	c = b.relabel(r, c)
	b.splice(r.Start, r.End, c)
	b.cursor = b.ceil(r.Start + len(c.text))
}

// splice applies a change to the text and records it in the open step.
func (b *Buffer) splice(start, end int, c Clip) {
	b.open.record(start, string(b.text[start:end]), c.text)
	b.apply(start, end, c)
}

// apply replaces text, and moves everything that refers to positions but the cursor.
func (b *Buffer) apply(start, end int, c Clip) {
	n := len(c.text)
	if grown := n - (end - start); grown > 0 {
		b.text = slices.Grow(b.text, grown)
	}
	tail := len(b.text) - end
	old := b.text
	b.text = b.text[:start+n+tail]
	copy(b.text[start+n:], old[end:])
	copy(b.text[start:], c.text)

	b.shiftUnits(start, end, c)
	b.shiftLayouts(start, end, n, strings.Contains(c.text, "\n"))
	switch {
	case b.top >= end:
		b.top += n - (end - start)
	case b.top > start:
		b.top = start
	}
	b.hasTokens = false
}
