package buffer

import (
	"unicode/utf8"

	"github.com/rivo/uniseg"

	"pollux/internal/terminal"
)

// tabWidth is the number of columns of a tab.
const tabWidth = 4

// zeroWidthJoiner joins two emoji to one. Whether it does depends on the characters before it.
const zeroWidthJoiner = '\u200d'

// Next returns the position one cluster behind at, or the end of the text.
func (b *Buffer) Next(at int) int {
	at = b.floor(at)
	if at == len(b.text) {
		return at
	}
	limit, isToken := b.span(at)
	if isToken {
		return limit
	}
	return at + firstCluster(b.text[at:limit])
}

// Prev returns the position one cluster before at, or 0.
func (b *Buffer) Prev(at int) int {
	at = b.ceil(at)
	if at == 0 {
		return 0
	}
	return b.floor(at - 1)
}

// floor returns the last cluster boundary that is not behind at.
func (b *Buffer) floor(at int) int {
	if at <= 0 || at >= len(b.text) {
		return max(0, min(at, len(b.text)))
	}
	if u, ok := b.tokenAround(at); ok {
		return u.start
	}
	limit, isToken := b.span(at)
	if isToken {
		return at
	}
	p := b.safe(at)
	for p < at {
		next := p + firstCluster(b.text[p:limit])
		if next > at {
			break
		}
		p = next
	}
	return p
}

// ceil returns the first cluster boundary that is not before at.
func (b *Buffer) ceil(at int) int {
	p := b.floor(at)
	if p >= at || p == len(b.text) {
		return p
	}
	return b.Next(p)
}

// safe returns a cluster boundary before at or at it: the last one that shows from its neighbors alone.
func (b *Buffer) safe(at int) int {
	start := b.spanStart(at)
	for at > start && !utf8.RuneStart(b.text[at]) {
		at--
	}
	for at > start && !b.isBreak(at) {
		_, n := utf8.DecodeLastRune(b.text[:at])
		at -= n
	}
	return at
}

// isBreak reports whether a cluster ends at a position within the text, judged by the characters around it. It returns
// false if that depends on more characters.
func (b *Buffer) isBreak(at int) bool {
	before, after := b.text[at-1], b.text[at]
	if before < utf8.RuneSelf && after < utf8.RuneSelf {
		return true
	}
	r, n := utf8.DecodeLastRune(b.text[:at])
	if r == zeroWidthJoiner {
		return false
	}
	_, m := utf8.DecodeRune(b.text[at:])
	return firstCluster(b.text[at-n:at+m]) == n
}

// span returns the end of the text from at on that is segmented as a whole, and whether it is a placeholder. Clusters
// do not reach across the edges of placeholders.
func (b *Buffer) span(at int) (end int, isToken bool) {
	for _, u := range b.units[b.unitAfter(at):] {
		switch {
		case u.isOpen:
		case u.start <= at:
			return u.end, true
		default:
			return u.start, false
		}
	}
	return len(b.text), false
}

// spanStart returns the end of the last placeholder before at.
func (b *Buffer) spanStart(at int) int {
	for i := b.unitAfter(at) - 1; i >= 0; i-- {
		if u := b.units[i]; !u.isOpen {
			return u.end
		}
	}
	return 0
}

// firstCluster returns the length of the first cluster of a text that is not empty.
func firstCluster(text []byte) int {
	if text[0] < utf8.RuneSelf && (len(text) == 1 || text[1] < utf8.RuneSelf) {
		return 1
	}
	if n := ideograph(text); n > 0 && (n == len(text) || text[n] < utf8.RuneSelf || ideograph(text[n:]) > 0) {
		return n
	}
	cluster, _, _, _ := uniseg.FirstGraphemeCluster(text, -1)
	return len(cluster)
}

// ideograph returns the length of the Chinese or Japanese character at the start of a text, 0 if there is none of the
// common ones. Two of them never join, and each takes two columns, which makes long texts of them quick to lay out.
func ideograph(text []byte) int {
	if text[0] < 0xE3 || text[0] > 0xE9 {
		return 0
	}
	if r, n := utf8.DecodeRune(text); 0x4E00 <= r && r <= 0x9FFF || 0x3041 <= r && r <= 0x3096 || 0x30A1 <= r && r <= 0x30FA {
		return n
	}
	return 0
}

// columns returns the number of columns of a cluster. Invisible characters that are not shown take none.
func columns(cluster []byte) int {
	if len(cluster) == 1 {
		switch cluster[0] {
		case '\t':
			return tabWidth
		case '\n':
			return 0
		}
		return 1
	}
	if ideograph(cluster) == len(cluster) {
		return 2
	}
	return terminal.Width(terminal.Text(string(cluster)))
}

// walker steps through the clusters of a part of the text. It begins at a boundary, or within a placeholder, whose
// characters it takes one by one.
type walker struct {
	b       *Buffer
	at, end int
	limit   int  // the end of the span
	isToken bool // the span is a placeholder
}

// walk returns a walker from a position to the end of its part.
func (b *Buffer) walk(at, end int) walker { return walker{b: b, at: at, end: end, limit: -1} }

// next returns the next cluster without passing it. The walker must not be at its end.
func (w *walker) next() []byte {
	if w.at >= w.limit {
		limit, isToken := w.b.span(w.at)
		w.limit, w.isToken = min(limit, w.end), isToken
	}
	return w.b.text[w.at : w.at+firstCluster(w.b.text[w.at:w.limit])]
}
