package buffer

import (
	"unicode"
	"unicode/utf8"
)

// class is the kind of a cluster for the word motions of vi.
type class int

const (
	blank   class = iota
	letter        // letters, digits and underscores
	sign          // everything else
	aToken        // a placeholder, a word of its own
	nothing       // behind the end of the text
)

// NextWord returns the start of the next word as vi's w and W do: a run of letters, digits and underscores, a run of
// other characters, or an empty line. If isBig, words are separated by blanks only. At the end it returns the end of
// the text.
func (b *Buffer) NextWord(at int, isBig bool) int {
	if c := b.class(at, isBig); c != blank {
		at = b.skip(at, c, isBig)
	} else if b.isEmptyLine(at) {
		at = b.Next(at)
	}
	for b.class(at, isBig) == blank && !b.isEmptyLine(at) {
		at = b.Next(at)
	}
	return at
}

// PrevWord returns the start of the word before a position as vi's b and B do; see [Buffer.NextWord].
func (b *Buffer) PrevWord(at int, isBig bool) int {
	at = b.Prev(at)
	for at > 0 && b.class(at, isBig) == blank && !b.isEmptyLine(at) {
		at = b.Prev(at)
	}
	c := b.class(at, isBig)
	if c == blank || c == aToken {
		return at
	}
	for at > 0 && b.class(b.Prev(at), isBig) == c {
		at = b.Prev(at)
	}
	return at
}

// WordEnd returns the position of the last cluster of the next word that does not end at this position, as vi's e and E
// do; see [Buffer.NextWord]. If there is none, it returns the position of the last cluster of the text.
func (b *Buffer) WordEnd(at int, isBig bool) int {
	at = b.Next(at)
	for b.class(at, isBig) == blank {
		at = b.Next(at)
	}
	if c := b.class(at, isBig); c != nothing {
		at = b.skip(at, c, isBig)
	}
	return b.Prev(at)
}

// skip returns the end of the run of clusters of a class from a position on.
func (b *Buffer) skip(at int, c class, isBig bool) int {
	at = b.Next(at)
	for c != aToken && at < len(b.text) && b.class(at, isBig) == c {
		at = b.Next(at)
	}
	return at
}

// class returns the class of the cluster at a position.
func (b *Buffer) class(at int, isBig bool) class {
	if at >= len(b.text) {
		return nothing
	}
	r, _ := utf8.DecodeRune(b.text[at:])
	switch _, isToken := b.span(at); {
	case unicode.IsSpace(r):
		return blank
	case isBig:
		return sign
	case isToken:
		return aToken
	case r == '_' || unicode.In(r, unicode.L, unicode.N, unicode.M):
		return letter
	}
	return sign
}

// isEmptyLine reports whether a position is in a line without text that a line feed ends.
func (b *Buffer) isEmptyLine(at int) bool {
	return at < len(b.text) && b.text[at] == '\n' && (at == 0 || b.text[at-1] == '\n')
}
