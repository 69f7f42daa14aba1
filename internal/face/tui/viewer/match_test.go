package viewer

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pollux/internal/face/tui/styled"
	"pollux/internal/face/tui/viewer/rows"
)

func found(q string, l *rows.Look, text string) (list []string) {
	v := New((&talk{}).answer(text).source(), Options{})
	v.sheet.look = *l
	v.sheet.clear()
	all := v.sheet.rows(0, 0)
	for _, m := range newQuery(q).find(all) {
		var parts []string
		for _, s := range m {
			parts = append(parts, all[s.row].Line.String()[s.from:s.to])
		}
		list = append(list, strings.Join(parts, "|"))
	}
	return list
}

func TestMatches(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		query, text string
		width       int
		want        []string
	}{
		{"b", "aBb", 20, []string{"B", "b"}},
		{"B", "aBb", 20, []string{"B"}},
		{"aa", "aaaa a", 20, []string{"aa", "aa"}},
		{"two three", "one two three four", 9, []string{"two|three"}},
		{"defghijk", "```\nabcdefghijklmnop\n```", 6, []string{"def|ghijk"}},
		{"d  e", "```\nabcd  efgh\n```", 5, []string{"d | e"}},
		{"one two", "one\n\ntwo", 20, nil},
		{"ä", "Ä ä a", 20, []string{"Ä", "ä"}},
		{"k", "\u212a k", 20, []string{"k"}},
		{"e", "e\u0301x e", 20, []string{"e\u0301", "e"}},
		{"👩", "a 👩‍👩‍👧 b", 20, []string{"👩‍👩‍👧", "👩‍👩‍👧"}},
		{"中文", "一中文字", 20, []string{"中文"}},
		{" ", "one two", 6, nil},
		{"bold text", "a **bold** text", 20, []string{"bold text"}},
		{"**", "a **bold** text", 20, nil},
	} {
		if got := found(tt.query, &rows.Look{Width: tt.width}, tt.text); !slices.Equal(got, tt.want) {
			t.Errorf("%q in %q: %q, not %q", tt.query, tt.text, got, tt.want)
		}
	}
}

func TestHighlight(t *testing.T) {
	t.Parallel()
	v := New((&talk{}).answer("the **word** is a word").source(), Options{})
	v.View(40, 3, dark)
	typeText(v, "word")
	press(v, "enter")
	line := v.View(40, 3, dark).Lines[0]
	var got []string
	for _, s := range line {
		if s.Style.Attrs&styled.Reverse != 0 {
			got = append(got, fmt.Sprint(s.Text, s.Style.Underline != 0))
		}
	}
	if !slices.Equal(got, []string{"wordfalse", "wordtrue"}) {
		t.Errorf("the matches are %q in %q", got, line)
	}
	if text := line.String(); text != "▌ ✦ the word is a word" {
		t.Errorf("the row is %q", text)
	}
}

func FuzzMatches(f *testing.F) {
	f.Add("word", "some word and\n\nWORD", 10)
	f.Add("👩", "👩‍👩‍👧\x1b[1m", 3)
	f.Fuzz(func(t *testing.T, q, text string, width int) {
		if width < 1 || width > 200 || len(text) > 2000 {
			return
		}
		v := New((&talk{}).prompt(text).source(), Options{})
		if v.sheet.isEmpty() {
			return
		}
		v.sheet.look.Width = width
		all := v.sheet.rows(0, 0)
		for _, m := range newQuery(q).find(all) {
			for _, s := range m {
				line := all[s.row].Line
				marked := reversed(line, s.from, s.to, true)
				if marked.String() != line.String() || marked.Width() != line.Width() {
					t.Errorf("%q becomes %q", line, marked)
				}
			}
		}
	})
}
