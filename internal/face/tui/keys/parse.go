package keys

import (
	"errors"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// maxSequence is the maximum number of chords in a [Sequence].
const maxSequence = 4

// ParseChord parses a chord: modifiers in any order and case ("ctrl+", "shift+", "alt+", "opt+", "option+", "cmd+",
// "meta+"), then one character or the long name of a key. An upper-case letter implies Shift.
func ParseChord(s string) (Chord, error) {
	var c Chord
	rest := s
	for {
		mod, n := leadingMod(rest)
		if n == 0 {
			break
		}
		c.Mods |= mod
		rest = rest[n:]
	}
	r, n := utf8.DecodeRuneInString(rest)
	switch {
	case rest == "":
		return Chord{}, fmt.Errorf("%q has no key", brief(s))
	case n < len(rest):
		code, ok := namedCode(strings.ToLower(rest))
		if !ok {
			return Chord{}, fmt.Errorf("%q is not the name of a key", brief(rest))
		}
		c.Code = code
	case r == utf8.RuneError || !unicode.IsPrint(r) || r == Space:
		return Chord{}, fmt.Errorf("%q is not a key", rest)
	default:
		c.Code = r
	}
	return c.canonical(), nil
}

// leadingMod returns the modifier at the beginning of s, and its length with the plus sign; 0 if there is none.
func leadingMod(s string) (mod Mods, n int) {
	name, _, ok := strings.Cut(s, "+")
	if !ok || len(name) > len("option") {
		return 0, 0
	}
	switch strings.ToLower(name) {
	case "ctrl":
		mod = Ctrl
	case "shift":
		mod = Shift
	case "alt", "opt", "option":
		mod = Alt
	case "cmd", "meta":
		mod = Cmd
	default:
		return 0, 0
	}
	return mod, len(name) + 1
}

// ParseSequence parses one or more chords with white space between them. It accepts up to four.
func ParseSequence(s string) (Sequence, error) {
	fields := strings.Fields(s)
	if len(fields) == 0 {
		return nil, errors.New("the key is empty")
	}
	if len(fields) > maxSequence {
		return nil, fmt.Errorf("a sequence has at most %d chords", maxSequence)
	}
	seq := make(Sequence, len(fields))
	for i, field := range fields {
		c, err := ParseChord(field)
		if err != nil {
			return nil, err
		}
		seq[i] = c
	}
	return seq, nil
}

// brief cuts foreign text for a message.
func brief(s string) string {
	const limit = 60
	n := 0
	for i := range s {
		if n++; n > limit {
			return s[:i] + "…"
		}
	}
	return s
}
