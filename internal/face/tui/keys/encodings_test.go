package keys

import (
	"fmt"
	"strings"
	"testing"
	"unicode"
)

// encoder spells chords as terminals do. Each method returns "" if the encoding cannot express the chord.
type encoder struct{}

// xtermMod returns the number of the modifiers in CSI sequences.
func xtermMod(m Mods) int {
	n := 1
	for i, bit := range []Mods{Shift, Alt, Ctrl, Cmd} {
		if m&bit != 0 {
			n += 1 << i
		}
	}
	return n
}

// functional spells keys that have the same sequences in all encodings.
func (encoder) functional(c Chord) string {
	final := map[rune]string{Up: "A", Down: "B", Right: "C", Left: "D", End: "F", Home: "H", F1 + 3: "S"}[c.Code]
	number := map[rune]int{Delete: 3, PageUp: 5, PageDown: 6, F1 + 8: 20, F1 + 11: 24}[c.Code]
	mod := xtermMod(c.Mods)
	switch {
	case final == "S" && mod == 1:
		return "\x1bOS"
	case final != "" && mod == 1:
		return "\x1b[" + final
	case final != "":
		return fmt.Sprintf("\x1b[1;%d%s", mod, final)
	case number != 0 && mod == 1:
		return fmt.Sprintf("\x1b[%d~", number)
	case number != 0:
		return fmt.Sprintf("\x1b[%d;%d~", number, mod)
	}
	return ""
}

func (e encoder) legacy(c Chord) string {
	if s := e.functional(c); s != "" {
		return s
	}
	if c.Mods&Cmd != 0 {
		return ""
	}
	alt := ""
	if c.Mods&Alt != 0 {
		alt, c.Mods = "\x1b", c.Mods&^Alt
	}
	if c.Mods == 0 {
		switch c.Code {
		case Enter:
			return alt + "\r"
		case Tab:
			return alt + "\t"
		case Escape:
			return alt + "\x1b"
		case Backspace:
			return alt + "\x7f"
		}
		return alt + string(c.Code)
	}
	switch {
	case c == (Chord{Shift, Tab}) && alt == "":
		return "\x1b[Z"
	case c.Mods == Shift && unicode.IsLetter(c.Code):
		return alt + strings.ToUpper(string(c.Code))
	case c.Mods == Ctrl && (c.Code >= 'a' && c.Code <= 'z' && c.Code != 'i' && c.Code != 'm' || c.Code == '_'):
		return alt + string(c.Code&0x1F)
	}
	return ""
}

func (e encoder) modifyOtherKeys(c Chord) string {
	code := c.Code
	switch {
	case c.Mods == 0 || e.functional(c) != "":
		return e.legacy(c)
	case c.Code == Enter:
		code = '\r'
	case c.Code == Tab:
		code = '\t'
	case c.Code == Backspace:
		code = 0x7F
	case c.Code == '_':
		c.Mods |= Shift
	case c.Mods&Shift != 0:
		code = unicode.ToUpper(code)
	}
	return fmt.Sprintf("\x1b[27;%d;%d~", xtermMod(c.Mods), code)
}

func (e encoder) kitty(c Chord) string {
	code := c.Code
	switch {
	case c == (Chord{Code: Escape}):
		return "\x1b[27u"
	case c.Mods == 0 || e.functional(c) != "":
		return e.legacy(c)
	case c.Mods == Shift && unicode.IsLetter(code):
		return strings.ToUpper(string(code))
	case c.Code == Enter:
		code = '\r'
	case c.Code == Tab:
		code = '\t'
	case c.Code == Backspace:
		code = 0x7F
	case c.Code == '_':
		code = '-'
		c.Mods |= Shift
	}
	return fmt.Sprintf("\x1b[%d;%du", code, xtermMod(c.Mods))
}

// TestDefaultChords checks that each default chord gives its command in each encoding that can express it.
func TestDefaultChords(t *testing.T) {
	t.Parallel()
	var e encoder
	encodings := []struct {
		name   string
		encode func(Chord) string
		least  int // of the commands
	}{{"legacy", e.legacy, 77}, {"modifyOtherKeys", e.modifyOtherKeys, 77}, {"kitty", e.kitty, 77}}
	for _, goos := range []string{"linux", "darwin", "windows"} {
		b := Default(goos)
		for _, enc := range encodings {
			reached := 0
			for _, info := range Commands() {
				isReached := false
				for _, seq := range b.Chords(info.Command) {
					in := ""
					for _, c := range seq {
						part := enc.encode(c)
						if part == "" && enc.name != "legacy" {
							t.Errorf("%s: %s cannot express %v", info.Command, enc.name, c)
						}
						in += part
						if part == "" {
							in = ""
							break
						}
					}
					if in == "" {
						continue
					}
					isReached = true
					if got := commandOf(b, in, info.Command); got != info.Command {
						t.Errorf("%s: %v of %s in %s, %q, gives %q", goos, seq, info.Command, enc.name, in, got)
					}
				}
				if isReached {
					reached++
				}
			}
			if reached < enc.least {
				t.Errorf("%s reaches %d commands on %s, not %d", enc.name, reached, goos, enc.least)
			}
		}
	}
}

// commandOf returns the command that input gives in a context of one command.
func commandOf(b *Bindings, in string, id Command) (got Command) {
	var m Matcher
	for _, e := range decodeAll(&Decoder{}, in) {
		k, ok := e.(Key)
		if !ok {
			return "not a key"
		}
		got = m.Press(b, k.Chord, id).Command
	}
	return got
}

// TestEveryChord checks all keys with all modifiers against the two encodings that can express them.
func TestEveryChord(t *testing.T) {
	t.Parallel()
	var e encoder
	codes := []rune{Up, Down, Left, Right, PageUp, PageDown, Home, End, Tab, Enter, Backspace, Delete, F1 + 11, Space}
	for r := 'a'; r <= 'z'; r++ {
		codes = append(codes, r)
	}
	for _, code := range codes {
		for mods := range 1 << 4 {
			c := Chord{Mods(mods), code}
			for _, in := range []string{e.modifyOtherKeys(c), e.kitty(c)} {
				checkKeys(t, &Decoder{}, in, c)
			}
		}
	}
}
