package terminal

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"
)

// hidden are characters that a terminal acts on or does not show, by their kind.
var hidden = map[string]string{
	"NUL": "\x00", "BEL": "\a", "backspace": "\b", "ESC": "\x1b", "unit separator": "\x1f", "DEL": "\x7f", "NEL": "\u0085", "CSI": "\u009b", "OSC": "\u009d",
	"direction left": "\u202a", "direction right": "\u202b", "end of direction": "\u202c", "override": "\u202e", "isolate": "\u2066", "end of isolate": "\u2069",
	"left mark": "\u200e", "right mark": "\u200f", "Arabic mark": "\u061c", "line separator": "\u2028", "paragraph separator": "\u2029",
	"zero width space": "\u200b", "word joiner": "\u2060", "byte order mark": "\ufeff", "soft hyphen": "\u00ad", "invisible times": "\u2062",
	"tag": "\U000e0041", "end of tags": "\U000e007f", "language tag": "\U000e0001", "selector 17": "\U000e0100", "annotation": "\ufff9", "shorthand": "\U0001bca0",
	"Hangul filler": "\u3164", "half width filler": "\uffa0",
}

// needed are invisible characters that some texts need.
var needed = map[string]string{"ZWJ": "\u200d", "ZWNJ": "\u200c", "grapheme joiner": "\u034f", "selector 1": "\ufe00", "selector 16": "\ufe0f", "jamo filler": "\u115f", "Mongolian selector": "\u180b"}

func TestHidden(t *testing.T) {
	t.Parallel()
	for name, c := range hidden {
		want := "ab"
		if strings.Contains("\u0085\u2028\u2029", c) {
			want = "a\nb"
		}
		if got := Text("a" + c + "b"); strings.Contains(got, c) || utf8.RuneCountInString(got) > len(want) || want != "ab" && got != want {
			t.Errorf("%s in a text: %q", name, got)
		}
		if got := Line("a" + c + "b"); strings.Contains(got, c) || []rune(c)[0] > 0x9f && got == "ab" {
			t.Errorf("%s in a line: %q", name, got)
		}
	}
	for name, c := range needed {
		if got := Text("a" + c + "b"); got != "a"+c+"b" {
			t.Errorf("%s is not in the text: %q", name, got)
		}
		if got := Line("a" + c + "b"); strings.Contains(got, c) || got == "ab" {
			t.Errorf("%s in a line: %q", name, got)
		}
	}
	for _, c := range []string{"é 日本 ñ", "می\u200cخواهم", "क्\u200dष", "👩\u200d🚀", "❤\ufe0f", "1\ufe0f\u20e3", "👩🏽\u200d⚕\ufe0f", "\u0600 12", "🏳\ufe0f\u200d🌈"} {
		if got := Line(c); got != c {
			t.Errorf("%q in a line: %q", c, got)
		}
		if got := Text(c); got != c {
			t.Errorf("%q in a text: %q", c, got)
		}
	}
	if got, want := Visible("a\rb\r\nc\td\ve\u202e\U000e0041"), "a\nb\nc\td\ne\\u202e\\U000e0041"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestAppendJSON(t *testing.T) {
	t.Parallel()
	for _, list := range []map[string]string{hidden, needed} {
		for name, c := range list {
			text, err := json.Marshal("é" + c + "b👩")
			if err != nil {
				t.Fatal(err)
			}
			got := string(AppendJSON([]byte("[1,"), text))
			var back string
			if err := json.Unmarshal([]byte(strings.TrimPrefix(got, "[1,")), &back); err != nil || back != "é"+c+"b👩" {
				t.Errorf("%s: %s is %q, %v", name, got, back, err)
			}
			if strings.Contains(got, c) || !strings.Contains(got, "é") || !strings.Contains(got, "👩") {
				t.Errorf("%s: %q", name, got)
			}
		}
	}
	if got := string(AppendJSON(nil, []byte("\"\xff\xe6\x97\""))); got != "\"\ufffd\ufffd\ufffd\"" {
		t.Errorf("got %q", got)
	}
}

// JSON has the same value after AppendJSON, and nothing in it that a terminal does not show.
func FuzzAppendJSON(f *testing.F) {
	f.Add(`{"a":["\u202e` + "\u202e\U000e0041\x7f" + `"]}`)
	f.Fuzz(func(t *testing.T, s string) {
		var before, after any
		if !utf8.ValidString(s) || json.Unmarshal([]byte(s), &before) != nil {
			t.Skip()
		}
		got := AppendJSON(nil, []byte(s))
		if err := json.Unmarshal(got, &after); err != nil {
			t.Fatalf("%q became %q: %v", s, got, err)
		}
		x, _ := json.Marshal(before)
		y, _ := json.Marshal(after)
		if string(x) != string(y) {
			t.Errorf("%q became %q", s, got)
		}
		if strings.ContainsFunc(string(got), func(r rune) bool { return r == 0x7f || r >= 0x80 && r < 0xa0 || IsHidden(r) }) {
			t.Errorf("%q became %q", s, got)
		}
	})
}

// Visible text stays the same if it is made visible once more.
func FuzzVisible(f *testing.F) {
	for _, s := range []string{"a\u202eb", "1\ufe0f\u20e3", "a\u200d\u200d", "👩\u200d🚀", "\r\u200b\r\n", "\x1b]0;\u202e"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		got := Visible(s)
		if again := Visible(got); again != got {
			t.Errorf("%q became %q, and that %q", s, got, again)
		}
		if strings.ContainsFunc(got, func(r rune) bool { return r < ' ' && r != '\n' && r != '\t' || r >= 0x7f && r < 0xa0 || isUnseen(r) }) {
			t.Errorf("%q became %q", s, got)
		}
	})
}
