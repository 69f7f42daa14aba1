package files

import (
	"strings"
	"testing"
	"unicode/utf8"
)

func TestTokenAt(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		marked string // the cursor is at "|"
		whole  string // the text of the token
		query  string
	}{
		{"@|", "@", ""},
		{"see @src/ma|", "@src/ma", "src/ma"},
		{"see @src|/main.go now", "@src/main.go", "src/main.go"},
		{"/plan @x|", "@x", "x"},
		{"one\n@two|\nthree", "@two", "two"},
		{`@a\ b|`, `@a\ b`, "a b"},
		{`@a\ b|\ c d`, `@a\ b\ c`, "a b c"},
		{`@a\b|`, `@a\b`, `a\b`},
		{`@a\|`, `@a\`, `a\`},
		{"(@foo|)", "@foo", "foo"},
		{"(@foo)|", "@foo)", "foo)"},
		{"@app/[id|", "@app/[id", "app/[id"},
		{"@app/[i|d].tsx", "@app/[id", "app/[id"},
		{"@foo/@types/x|", "@foo/@types/x", "foo/@types/x"},
		{"@a,@b|", "@b", "b"},
		{"@a#@b|", "@a#@b", "a#@b"},
		{"看@文|", "@文", "文"},
		{`@"my di|`, `@"my di`, "my di"},
		{`@"my di|r/x" y`, `@"my dir/x"`, "my dir/x"},
		{`@"my dir/"|`, `@"my dir/"`, "my dir/"},
		{`@"my dir/"fo\ o|x y`, `@"my dir/"fo\ ox`, "my dir/fo ox"},
		{`@|"x"`, `@`, ""},
		{`@"|`, `@"`, ""},
		{`@"a @b|" c`, `@"a @b"`, "a @b"},
		{"@a b @c|", "@c", "c"},
		{`\\@a @c|`, "@c", "c"},
		{"@é\u00a0|", "", ""},
	} {
		before, after, _ := strings.Cut(c.marked, "|")
		text := before + after
		got, ok := tokenAt(text, len(before))
		whole := text[got.Start:got.End]
		if ok != (c.whole != "") || whole != c.whole || got.query != c.query {
			t.Errorf("%q: %q, %q, %v", c.marked, whole, got.query, ok)
		}
	}
	for _, marked := range []string{"|", "|@a", "a|", "me@host|", `\@a|`, "@a |", "@a\n|", `@"a"|`, `@"a" |`, `@"a/" b|`, "@a b|", "x_@a|", `@"a/"b c|`} {
		before, after, _ := strings.Cut(marked, "|")
		if got, ok := tokenAt(before+after, len(before)); ok {
			t.Errorf("%q: %+v", marked, got)
		}
	}
}

func FuzzTokenAt(f *testing.F) {
	f.Add(`@"a/"b\ c`, 8)
	f.Add("x @\\", 4)
	f.Add("@\xff\\\xff@", 5)
	f.Fuzz(func(t *testing.T, text string, cursor int) {
		cursor = max(0, min(cursor, len(text)))
		got, ok := tokenAt(text, cursor)
		if ok && (got.Start >= cursor || got.End < cursor || got.End > len(text) || text[got.Start] != '@') {
			t.Errorf("%q, %d: %+v", text, cursor, got)
		}
		if utf8.ValidString(text) && !utf8.ValidString(got.query) && utf8.ValidString(text[cursor:]) {
			t.Errorf("%q, %d: %q", text, cursor, got.query)
		}
	})
}
