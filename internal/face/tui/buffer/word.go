package buffer

import (
	"unicode"
	"unicode/utf8"

	"github.com/rivo/uniseg"
)

// wordLeft returns the start of the last word that begins before a position in its line, the start of the line if there
// is none, and from there the end of the line above.
func (b *Buffer) wordLeft(at int) int {
	start := b.LineStart(at)
	if at == start {
		return max(at-1, 0)
	}
	for end := at; end > start; {
		from := b.wordStart(end-1, start)
		found := -1
		for w := b.words(from, end); w.next(); {
			if w.isWord {
				found = w.start
			}
		}
		if found >= 0 {
			return b.floor(found)
		}
		end = from
	}
	return start
}

// wordRight returns the end of the first word that ends behind a position in its line, the end of the line if there is
// none, and from there the start of the next line.
func (b *Buffer) wordRight(at int) int {
	end := b.LineEnd(at)
	if at == end {
		return min(at+1, len(b.text))
	}
	for w := b.words(b.wordStart(at, b.LineStart(at)), end); w.next(); {
		if w.isWord && w.end > at {
			return b.ceil(w.end)
		}
	}
	return end
}

// wordStart returns a word boundary at a position or before it in a line with this start: a visible ASCII character
// behind a space, where words end whatever is around them. It may be within a placeholder.
func (b *Buffer) wordStart(at, start int) int {
	for at > start && (b.text[at-1] != ' ' || b.text[at] <= ' ' || b.text[at] >= utf8.RuneSelf) {
		at--
	}
	return at
}

// words steps through the words, spaces and other segments of a part of a line.
type words struct {
	b          *Buffer
	start, end int // of the current segment
	isWord     bool

	stop  int // segments that begin here are not returned
	limit int // the end of the span
	state int
}

// words returns the segments from a word boundary on that begin before stop.
func (b *Buffer) words(from, stop int) *words {
	return &words{b: b, end: from, stop: stop, limit: -1}
}

// next goes to the next segment. It returns false if there is none.
func (w *words) next() bool {
	w.start = w.end
	if w.start >= w.stop {
		return false
	}
	if w.start >= w.limit {
		limit, isToken := w.b.span(w.start)
		if isToken {
			w.end, w.isWord = limit, true
			return true
		}
		w.limit, w.state = min(limit, w.b.LineEnd(w.start)), -1
	}
	word, _, state := uniseg.FirstWord(w.b.text[w.start:w.limit], w.state)
	w.end, w.state, w.isWord = w.start+len(word), state, hasLetter(word)
	return true
}

// hasLetter reports whether text has a letter or a digit.
func hasLetter(text []byte) bool {
	for len(text) > 0 {
		r, n := utf8.DecodeRune(text)
		if unicode.IsLetter(r) || unicode.IsNumber(r) {
			return true
		}
		text = text[n:]
	}
	return false
}
