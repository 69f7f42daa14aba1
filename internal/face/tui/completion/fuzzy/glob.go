package fuzzy

import "strings"

// Glob is a pattern that a part of a text must match: "*" stands for any characters but "/", "**" for any characters,
// "?" for one character. Case does not matter.
type Glob struct {
	literal string      // of a pattern without wildcards
	accepts [256]uint64 // the steps of the pattern that a byte makes, as bits
	skips   [256]uint64 // the steps before which a byte may be skipped
	end     uint64      // the bit behind the last step
}

// NewGlob returns a pattern. It returns false for one with wildcards that is too long: 63 bytes is the maximum.
func NewGlob(pattern string) (*Glob, bool) {
	pattern = fold(pattern)
	if !strings.ContainsAny(pattern, "*?") {
		return &Glob{literal: pattern}, true
	}
	g := &Glob{end: 1}
	g.skip(1, 0, 255) // the match begins anywhere
	for i := 0; i < len(pattern); i++ {
		switch c := pattern[i]; {
		case c == '*' && i+1 < len(pattern) && pattern[i+1] == '*':
			i++
			g.skip(g.end, 0, 255)
			continue
		case c == '*':
			g.skip(g.end, 0, '/'-1)
			g.skip(g.end, '/'+1, 255)
			continue
		case c == '?':
			for b := range g.accepts {
				if b != '/' && (b < 0x80 || b >= 0xC0) {
					g.accepts[b] |= g.end
				}
			}
			g.skip(g.end<<1, 0x80, 0xBF) // the rest of the character
		default:
			g.accepts[c] |= g.end
		}
		if g.end <<= 1; g.end == 0 {
			return nil, false
		}
	}
	return g, true
}

// skip lets the pattern skip the bytes from first to last before a step.
func (g *Glob) skip(step uint64, first, last int) {
	for b := first; b <= last; b++ {
		g.skips[b] |= step
	}
}

// Match reports whether a part of the text matches the pattern.
func (g *Glob) Match(t *Text) bool {
	if g.end == 0 {
		return strings.Contains(t.folded, g.literal)
	}
	at := uint64(1) // the steps that may come next
	for i := 0; at&g.end == 0; i++ {
		if i == len(t.folded) {
			return false
		}
		c := t.folded[i]
		at = at&g.accepts[c]<<1 | at&g.skips[c]
	}
	return true
}
