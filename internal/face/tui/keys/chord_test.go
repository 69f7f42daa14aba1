package keys

import (
	"strings"
	"testing"
)

func TestParseChord(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]Chord{
		"a":                {0, 'a'},
		"A":                {Shift, 'a'},
		"É":                {Shift, 'é'},
		"+":                {0, '+'},
		"ctrl++":           {Ctrl, '+'},
		"ctrl+shift+=":     {Ctrl, '+'},
		"ctrl+shift+-":     {Ctrl, '_'},
		"ctrl+_":           {Ctrl, '_'},
		"shift+?":          {0, '?'},
		"ctrl+shift+{":     {Ctrl, '{'},
		"shift+ß":          {Shift, 'ß'},
		"CTRL+Shift+z":     {Ctrl | Shift, 'z'},
		"shift+ctrl+Z":     {Ctrl | Shift, 'z'},
		"opt+Option+ALT+x": {Alt, 'x'},
		"meta+cmd+x":       {Cmd, 'x'},
		"escape":           {0, Escape},
		"PageUp":           {0, PageUp},
		"shift+space":      {Shift, Space},
		"f1":               {0, F1},
		"F35":              {0, F35},
		"numpad0":          {0, Numpad0},
		"ctrl+numpad9":     {Ctrl, Numpad0 + 9},
		"numpad_separator": {0, NumpadSeparator},
		"pausebreak":       {0, PauseBreak},
		"日":                {0, '日'},
	} {
		got, err := ParseChord(in)
		if err != nil || got != want {
			t.Errorf("%q is %v, %v", in, got, err)
		}
		if again, err := ParseChord(got.String()); err != nil || again != got {
			t.Errorf("%q is %q, which is %v, %v", in, got, again, err)
		}
	}
	for _, in := range []string{
		"", " ", "ctrl+", "ctrl+alt+", "ab", "f0", "f36", "f01", "f+1", "numpad", "numpad10", "numpadx", "esc", "super+a",
		"ctrl-a", "\t", "\x1b", "\xff", "ctrl+\u200b", "ctrl+space ", strings.Repeat("ctrl+", 50), strings.Repeat("x", 500),
	} {
		got, err := ParseChord(in)
		if err == nil || got != (Chord{}) || len(err.Error()) > 200 {
			t.Errorf("%q is %v, %v", in, got, err)
		}
	}
}

func TestChordNames(t *testing.T) {
	t.Parallel()
	for in, want := range map[string][2]string{
		"ctrl+o":                   {"ctrl+o", "Ctrl+O"},
		"shift+tab":                {"shift+tab", "Shift+Tab"},
		"escape":                   {"escape", "Esc"},
		"k":                        {"k", "k"},
		"R":                        {"shift+r", "Shift+R"},
		"shift+alt+cmd+ctrl+left":  {"ctrl+alt+cmd+shift+left", "Ctrl+Alt+Cmd+Shift+Left"},
		"f12":                      {"f12", "F12"},
		"ctrl+numpad7 numpad_add":  {"ctrl+numpad7 numpad_add", "Ctrl+Numpad 7 Numpad +"},
		"pagedown ctrl+space":      {"pagedown ctrl+space", "Page Down Ctrl+Space"},
		" ctrl+x\tctrl+e ":         {"ctrl+x ctrl+e", "Ctrl+X Ctrl+E"},
		"numpad_subtract insert a": {"numpad_subtract insert a", "Numpad - Insert a"},
	} {
		s, err := ParseSequence(in)
		if err != nil || s.String() != want[0] || s.Hint() != want[1] {
			t.Errorf("%q is %q, %q, %v", in, s, s.Hint(), err)
		}
	}
	for _, in := range []string{"", " ", "a b c d e", "a bb"} {
		if s, err := ParseSequence(in); err == nil {
			t.Errorf("%q is %v", in, s)
		}
	}
	for code := Up; code <= F35; code++ {
		c := Chord{Ctrl, code}
		if got, err := ParseChord(c.String()); err != nil || got != c {
			t.Errorf("%d is %q, which is %v, %v", code, c, got, err)
		}
	}
}

func FuzzParseSequence(f *testing.F) {
	for _, s := range []string{"ctrl+x ctrl+e", "CTRL+Shift+_", "f35", "İ", "opt++"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, in string) {
		s, err := ParseSequence(in)
		if err != nil {
			return
		}
		again, err := ParseSequence(s.String())
		if err != nil || again.String() != s.String() {
			t.Errorf("%q is %q, which is %q, %v", in, s, again, err)
		}
		for i, c := range s {
			if again[i] != c {
				t.Errorf("%q: %v is not %v", in, c, again[i])
			}
		}
	})
}
