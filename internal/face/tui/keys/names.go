package keys

import (
	"slices"
	"strconv"
	"strings"
	"unicode"
)

// names has the long names of keys in the order of their codes, with the names that hints show.
var names = [...]struct{ long, hint string }{
	{"up", "Up"},
	{"down", "Down"},
	{"left", "Left"},
	{"right", "Right"},
	{"pageup", "Page Up"},
	{"pagedown", "Page Down"},
	{"home", "Home"},
	{"end", "End"},
	{"tab", "Tab"},
	{"enter", "Enter"},
	{"escape", "Esc"},
	{"backspace", "Backspace"},
	{"delete", "Delete"},
	{"clear", "Clear"},
	{"insert", "Insert"},
	{"capslock", "Caps Lock"},
	{"numlock", "Num Lock"},
	{"scrolllock", "Scroll Lock"},
	{"printscreen", "Print Screen"},
	{"pausebreak", "Pause"},
	{"numpad_add", "Numpad +"},
	{"numpad_subtract", "Numpad -"},
	{"numpad_multiply", "Numpad *"},
	{"numpad_divide", "Numpad /"},
	{"numpad_decimal", "Numpad ."},
	{"numpad_separator", "Numpad ,"},
}

// longName returns the name of a key in a chord, and its name in hints.
func longName(code rune) (long, hint string) {
	switch {
	case code == Space:
		return "space", "Space"
	case code >= F1 && code <= F35:
		n := strconv.Itoa(int(code-F1) + 1)
		return "f" + n, "F" + n
	case code >= Numpad0 && code <= Numpad0+9:
		n := strconv.Itoa(int(code - Numpad0))
		return "numpad" + n, "Numpad " + n
	case code >= Up && code < Numpad0:
		n := names[code-Up]
		return n.long, n.hint
	}
	return string(code), string(code)
}

// namedCode returns the code of a key with a long name in lower case.
func namedCode(name string) (code rune, ok bool) {
	if name == "space" {
		return Space, true
	}
	for i := range names {
		if names[i].long == name {
			return Up + rune(i), true
		}
	}
	if s, ok := strings.CutPrefix(name, "numpad"); ok && len(s) == 1 && s[0] >= '0' && s[0] <= '9' {
		return Numpad0 + rune(s[0]-'0'), true
	}
	s, ok := strings.CutPrefix(name, "f")
	n, err := strconv.Atoi(s)
	if !ok || err != nil || n < 1 || n > 35 || s[0] < '1' || s[0] > '9' {
		return 0, false
	}
	return F1 + rune(n-1), true
}

// String returns the chord as keybindings.json spells it, such as "ctrl+shift+z" or "alt+pageup".
func (c Chord) String() string {
	long, _ := longName(c.Code)
	return c.Mods.join("ctrl+", "alt+", "cmd+", "shift+") + long
}

// Hint returns the chord as people read it, such as "Ctrl+O", "Shift+Tab" or "Esc". A letter without modifiers stays in
// lower case.
func (c Chord) Hint() string {
	_, hint := longName(c.Code)
	if c.Mods != 0 && c.Code <= unicode.MaxRune && c.Code != Space {
		hint = strings.ToUpper(hint)
	}
	return c.Mods.join("Ctrl+", "Alt+", "Cmd+", "Shift+") + hint
}

// join returns the names of the modifiers that are set, in the order of their bits.
func (m Mods) join(names ...string) (s string) {
	for i, name := range names {
		if m&(1<<i) != 0 {
			s += name
		}
	}
	return s
}

// Sequence is one or more chords pressed one after another, such as "ctrl+x ctrl+e".
type Sequence []Chord

// String returns the sequence as keybindings.json spells it, with a space between the chords.
func (s Sequence) String() string { return s.join(Chord.String) }

// Hint returns the sequence as people read it, such as "Ctrl+X Ctrl+E".
func (s Sequence) Hint() string { return s.join(Chord.Hint) }

func (s Sequence) join(name func(Chord) string) string {
	parts := make([]string, len(s))
	for i, c := range s {
		parts[i] = name(c)
	}
	return strings.Join(parts, " ")
}

// hasPrefix reports whether the sequence begins with the chords of p.
func (s Sequence) hasPrefix(p Sequence) bool { return len(s) >= len(p) && slices.Equal(s[:len(p)], p) }
