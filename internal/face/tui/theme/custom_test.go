package theme

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"
)

const defaultColors = "ffffff afafaf 87afff d7afff ffffff; 000000 2a2a2a 2a2a2a 2b332b 005f00 5f0000; 878787; " +
	"afafaf afafaf 87afff 878787 d7ffd7; ff87af d7ffd7 ffffaf"

func TestParse(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, json string
		kind       Kind
		want, code string
	}{
		{
			"only a name", `{"name":"X","type":"custom"}`,
			Dark, defaultColors, "ffffff 87afff ffffaf d7ffd7 afafaf 87d7d7 ffffff d7afff ffffff afafaf",
		},
		{
			"by meaning", `{"name":"X","text":{"primary":"#111","secondary":"222222","link":"#333","accent":"444","response":"555"},
			"background":{"primary":"fff","diff":{"added":"666","removed":"777"}},"border":{"default":"888","focused":1},
			"ui":{"comment":"999","symbol":"aaa","active":"bbb","focus":"ccc","gradient":["f00","bad"]},
			"status":{"error":"ddd","success":"eee","warning":"123"}}`,
			Light, "111111 222222 333333 444444 555555; ffffff cacaca cacaca fcfcfc 666666 777777; 888888; " +
				"999999 aaaaaa bbbbbb 888888 cccccc; dddddd eeeeee 112233",
			"111111 333333 112233 eeeeee 999999 333333 111111 444444 111111 222222",
		},
		{
			"by name", `{"name":"X","Background":"#101010","Foreground":"RED","LightBlue":"112","AccentBlue":"113","AccentPurple":"114",
			"AccentCyan":"115","AccentGreen":"116","AccentYellow":"117","AccentRed":"orange","DiffAdded":"118","DiffRemoved":"119",
			"Comment":"whitebright","Gray":"11b","DarkGray":"11c","GradientColors":["1a1","1a2"]}`,
			Dark, "ansi1 1111bb 111133 111144 ansi1; 101010 101039 101039 101021 111188 111199; 1111cc; " +
				"ansif 1111bb 111133 1111cc 111166; ffa500 111166 111177",
			"ansi1 111133 111177 111166 ansif 111155 ansi1 111144 ansi1 1111bb",
		},
		{
			"meaning wins", `{"name":"X","text":{"primary":"111","secondary":"222","link":"333","accent":"444"},"Foreground":"f00","Gray":"f00",
			"AccentBlue":"f00","LightBlue":"f00","AccentCyan":"f00","AccentPurple":"f00",
			"background":{"primary":"123","diff":{"added":"666","removed":"777"}},"Background":"fff","DiffAdded":"f00","DiffRemoved":"f00",
			"border":{"default":"888"},"DarkGray":"f00","ui":{"comment":"999","focus":"ccc"},"Comment":"f00","AccentGreen":"f00",
			"status":{"error":"ddd","success":"eee","warning":"321"},"AccentRed":"f00","AccentYellow":"f00"}`,
			Dark, "111111 222222 333333 444444 111111; 112233 15222f 15222f 3d4b58 666666 777777; 888888; " +
				"999999 222222 333333 888888 cccccc; dddddd eeeeee 332211",
			"111111 333333 332211 eeeeee 999999 333333 111111 444444 111111 222222",
		},
		{
			"colors of the terminal", `{"name":"X","background":{"primary":""},"text":{"primary":" ","secondary":null},"Gray":"gray"}`,
			Dark, "- ansi8 87afff d7afff -; - - - - 005f00 5f0000; 878787; afafaf ansi8 87afff 878787 d7ffd7; ff87af d7ffd7 ffffaf",
			"- 87afff ffffaf d7ffd7 afafaf 87d7d7 - d7afff - ansi8",
		},
		{"white of the terminal", `{"name":"X","Background":"white"}`, Light, strings.Replace(defaultColors, "000000 2a2a2a 2a2a2a 2b332b", "ansi7 bcbcbc bcbcbc c5cdc5", 1), ""},
	} {
		got, warnings := Parse("", []byte(tt.json))
		if got.Name != "X" || got.Kind != tt.kind || describe(got) != tt.want || warnings != nil {
			t.Errorf("%s: %q %v\ngot  %s\nwant %s\n%q", tt.name, got.Name, got.Kind, describe(got), tt.want, warnings)
		}
		if code := digits(got.syntax[:]...); tt.code != "" && code != tt.code {
			t.Errorf("%s:\ngot  %s\nwant %s", tt.name, code, tt.code)
		}
	}
}

func TestGradient(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ json, want, warning string }{
		{`{}`, "4796e4 847ace c3677f", ""},
		{`{"ui":{"gradient":["f00","blue"]}}`, "ff0000 ansi4", ""},
		{`{"GradientColors":["0f0"]}`, "00ff00", ""},
		{`{"ui":{"gradient":["f00"]},"GradientColors":["0f0"]}`, "ff0000", ""},
		{`{"ui":{"gradient":["f00","nope",7,""]}}`, "ff0000", `Theme "X": ui.gradient is "nope", which is not a color.|Theme "X": ui.gradient is not a color.`},
		{`{"ui":{"gradient":"f00"}}`, "4796e4 847ace c3677f", `Theme "X": ui.gradient is not a list of colors.`},
		{`{"ui":{"gradient":null}}`, "4796e4 847ace c3677f", ""},
		{`{"ui":{"gradient":[]}}`, "", ""},
	} {
		got, warnings := Parse("X", json.RawMessage(tt.json))
		if list := digits(got.Colors.Gradient...); list != tt.want || strings.Join(warnings, "|") != tt.warning {
			t.Errorf("%s: %s %q", tt.json, list, warnings)
		}
	}
}

func TestParseWarnings(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name string
		v    any
		want string // the name of the theme
		warn string
	}{
		{"", map[string]any{}, "", "Theme: it has no name."},
		{"", map[string]any{"name": "  "}, "", "Theme: it has no name."},
		{"", map[string]any{"name": 7}, "", "Theme: its name is not a text.|Theme: it has no name."},
		{"K", map[string]any{"name": 7.0}, "K", `Theme "K": its name is not a text.`},
		{"K", map[string]any{"name": "own"}, "K", ""},
		{"", map[string]any{"name": " own "}, "own", ""},
		{"", map[string]any{"name": strings.Repeat("é", 50)}, strings.Repeat("é", 50), ""},
		{"", map[string]any{"name": strings.Repeat("a", 51)}, "", `Theme "` + strings.Repeat("a", 51) + `": its name is longer than 50 characters.`},
		{"K", map[string]any{"name": strings.Repeat("a", 51)}, "", `Theme "K": its name is longer than 50 characters.`},
		{strings.Repeat("a", 70), map[string]any{}, "", `Theme "` + strings.Repeat("a", 59) + `…": its name is longer than 50 characters.`},
		{"", 7, "", "Theme: it is not a JSON object."},
		{"K", nil, "", `Theme "K": it is not a JSON object.`},
		{"K", "red", "", `Theme "K": it is not a JSON object.`},
		{"K", []byte("null"), "", `Theme "K": it is not a JSON object.`},
		{"K", []byte("[1]"), "", `Theme "K": it is not a JSON object.`},
		{"K", []byte(`{"a"`), "", `Theme "K": it is not a JSON object.`},
		{"K", map[string]any(nil), "", `Theme "K": it is not a JSON object.`},
		{"K", map[string]any{"text": "red"}, "K", `Theme "K": unknown key "text".`},
		{"K", map[string]any{"text": map[string]any{"primary": "nope"}}, "K", `Theme "K": text.primary is "nope", which is not a color.`},
		{"K", map[string]any{"Gray": 7}, "K", `Theme "K": Gray is not a color.`},
		{"K", map[string]any{"Gray": map[string]any{"a": 1}}, "K", `Theme "K": Gray is not a color.`},
		{"K", map[string]any{"b": 1, "a": 1, "ui": map[string]any{"dark": "red"}}, "K", `Theme "K": unknown key "a".|Theme "K": unknown key "b".|Theme "K": unknown key "ui.dark".`},
		{"K", map[string]any{"\x1b[31m\nred": 1}, "K", `Theme "K": unknown key "red".`},
	} {
		got, warnings := Parse(tt.name, tt.v)
		if got.Name != tt.want || strings.Join(warnings, "|") != tt.warn {
			t.Errorf("%q %v: %q\n%q, want\n%q", tt.name, tt.v, got.Name, warnings, tt.warn)
		}
		if got.Name != "" && describe(got) != defaultColors {
			t.Errorf("%q %v: %s", tt.name, tt.v, describe(got))
		}
		if got.Name == "" && got.Kind != Plain {
			t.Errorf("%q: %+v", tt.name, got)
		}
	}
}

func TestManyWarnings(t *testing.T) {
	t.Parallel()
	object := map[string]any{}
	for _, c := range "abcdefghijklmnopqrst" {
		object[string(c)] = 1
	}
	_, warnings := Parse("K", object)
	if len(warnings) != maxWarnings+1 || warnings[maxWarnings] != `Theme "K": 10 more problems.` {
		t.Errorf("%q", warnings)
	}
}

// TestLongWarnings checks that a warning stays short if its text has many bytes and few columns, and that it is valid
// UTF-8.
func TestLongWarnings(t *testing.T) {
	t.Parallel()
	for _, s := range []string{strings.Repeat("x", 1000), "a" + strings.Repeat("\u0301", 1000), strings.Repeat("é", 1000), "a" + strings.Repeat("é", 1000)} {
		_, warnings := Parse("K", map[string]any{s: 1})
		if len(warnings) != 1 || len(warnings[0]) > 600 || !utf8.ValidString(warnings[0]) {
			t.Errorf("%q", warnings)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add("", `{"name":"X","text":{"primary":"red"},"ui":{"gradient":["#f00",1]},"Gray":"x"}`)
	f.Add("K", `{"background":{"primary":"white","diff":{"added":{}}},"a":1,"b":[],"text":[]}`)
	f.Add("\x1b[1m", `{"name":"`+"\u202e"+`"}`)
	f.Fuzz(func(t *testing.T, name, text string) {
		got, warnings := Parse(name, []byte(text))
		if got.Name == "" && len(warnings) == 0 {
			t.Fatal("no theme and no warning")
		}
		if (got.Name == "") != (got.Kind == Plain) || utf8.RuneCountInString(got.Name) > maxName || len(warnings) > maxWarnings+1 {
			t.Fatalf("%q %v %d", got.Name, got.Kind, len(warnings))
		}
		for _, w := range append(warnings, got.Name) {
			if strings.ContainsFunc(w, unicode.IsControl) || utf8.RuneCountInString(w) > 4096 {
				t.Fatalf("%q", w)
			}
		}
		again, second := Parse(name, json.RawMessage(text))
		if describe(again) != describe(got) || !slices.Equal(warnings, second) {
			t.Fatalf("%q, then %q", warnings, second)
		}
	})
}
