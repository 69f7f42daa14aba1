package file

import (
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestMoved(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, matched, old, replacement, want string }{
		{"agreed", "\ta\n  b", "\ta\n  b", "\t x\n      y\n \t\nz", "\t x\n      y\n \t\nz"},
		{"four spaces for a tab", "\ta\n\t\tb", "    a\n        b", "    a\n        x\n            y", "\ta\n\t\tx\n\t\t\ty"},
		{"two", "\ta\n\t\tb", "  a\n    b", "  a\n    x\n      y", "\ta\n\t\tx\n\t\t\ty"},
		{"eight", "\ta\n\t\tb", "        a\n                b", "        x\n                b", "\tx\n\t\tb"},
		{"spaces and not as deep", "\t\ta\n\t\t\tb", "a\n    b", "a\n    x\n        y", "\t\ta\n\t\t\tx\n\t\t\t\ty"},
		{"spaces, one level", "\ta\n\tb", "a\nb", "a\nif {\n  b\n}", "\ta\n\tif {\n\t\tb\n\t}"},
		{"spaces that align", "\t/*\n\t * a\n\t */", "/*\n * a\n */", "/*\n * b\n * c\n */", "\t/*\n\t * b\n\t * c\n\t */"},
		{"a dedent", "\t\ta\n\t}", "        a\n    }", "        x\n    }\n}", "\t\tx\n\t}\n}"},
		{"tabs for spaces", "    a\n        b", "\ta\n\t\tb", "\ta\n\t\tx\n\t\t\ty\nz", "    a\n        x\n            y\nz"},
		{"tabs for two spaces", "  a\n    b", "\ta\n\t\tb", "\ta\n\t\t\ty", "  a\n      y"},
		{"deeper with tabs", "\t\ta\n\t\t\tb", "a\n\tb", "a\n\tx\n\t\ty\n\t * z", "\t\ta\n\t\t\tx\n\t\t\t\ty\n\t\t\t * z"},
		{"deeper with spaces", "    a\n      b", "a\n  b", "a\n  x\n\n    y", "    a\n      x\n\n        y"},
		{"not as deep", "a\n  b", "    a\n      b", "    a\n      x\n    y", "a\n  x\ny"},
		{"a dedent that stays", "    a\n    b", "a \n    b", "x\n    b\ny", "    x\n    b\ny"},
		{"two spaces for four", "    a\n        b", "  a\n    b", "  a\n      x\ny", "    a\n            x\ny"},
		{"four for two", "  a\n    b", "    a\n        b", "    a\n            x\ny", "  a\n      x\ny"},
		{"blank lines", "\ta", "    a", "    x\n  \n    y\n", "\tx\n\n\ty\n"},
		{"nothing", "\ta", "    a", "", ""},
	} {
		m, err := find(c.matched+"\nend", c.old, c.replacement, never)
		got := ""
		if len(m.changes) == 1 {
			got = m.changes[0].text
		}
		if err != nil || got != c.want {
			t.Errorf("%s: %v %q, want %q", c.name, err, got, c.want)
		}
	}
}

// TestReplaceSpacesForTabs checks the tool with a call that has spaces where the file has tabs,
// by each lenient strategy.
func TestReplaceSpacesForTabs(t *testing.T) {
	t.Parallel()
	const text = "func f() {\n\tif x {\n\t\tg( 1 )\n\t}\n}\n"
	for how, old := range map[string]string{
		"flexible": "    if x {\n        g( 1 )\n    }\n",
		"regex":    "    if  x {\n        g( 1 )\n    }\n",
		"fuzzy":    "    if x {\n        gg( 1 )\n    }\n",
	} {
		got, made := "", ""
		w := newWorkspace(t, map[string]string{"f.go": text})
		edit := NewReplace(w, nil, nil, EditObserver{Made: func(how string) { made = how }})
		r := run(t, edit, args{
			"file_path": "f.go", "instruction": "i", "old_string": old,
			"new_string": strings.Replace(old, "    }", "        for {\n            h(2)\n        }\n    }", 1),
		})
		if r.Error == nil {
			got = get(t, w.Root()+"/f.go")
		}
		if want := "func f() {\n\tif x {\n\t\tg( 1 )\n\t\tfor {\n\t\t\th(2)\n\t\t}\n\t}\n}\n"; got != want || made != how {
			t.Errorf("%s: by %q %v, %q", how, made, r.Error, got)
		}
	}
}

// TestOtherIndentation checks that an edit whose texts are indented in another way than the
// file has the result of the exact edit: with spaces for tabs or tabs for spaces, with another
// number of spaces, and with texts that begin at the margin.
func TestOtherIndentation(t *testing.T) {
	t.Parallel()
	type line struct {
		level int
		text  string
	}
	word := rapid.SampledFrom([]string{"a()", "b := 1", "if c {", "}", "// note", "return d", "e, f = f, e"})
	// A block's lines go one level deeper at most from one to the next.
	draw := func(r *rapid.T, name string, from int) []line {
		all := []line{{from, word.Draw(r, name)}}
		for i := rapid.IntRange(0, 7).Draw(r, name+" lines"); i > 0; i-- {
			level := max(from, all[len(all)-1].level+rapid.IntRange(-1, 1).Draw(r, name+" level"))
			all = append(all, line{level, word.Draw(r, name)})
		}
		return all
	}
	render := func(lines []line, unit string, dedent int) string {
		var out []string
		for _, l := range lines {
			out = append(out, strings.Repeat(unit, l.level-dedent)+l.text)
		}
		return strings.Join(out, "\n")
	}
	unit := rapid.SampledFrom([]string{"\t", "\t", "  ", "   ", "    ", "        "})
	rapid.Check(t, func(r *rapid.T) {
		from := rapid.IntRange(1, 3).Draw(r, "from")
		old, replacement := draw(r, "old", from), draw(r, "new", from)
		old[0].text += " // here" // so that it is found once
		theirs, ours := unit.Draw(r, "file"), unit.Draw(r, "call")
		// A level deeper shows how wide one is; among spaces alone old must show it.
		replacement = append(replacement, line{from + 1, "deeper()"}, line{from, "end()"})
		if theirs != "\t" && theirs != ours {
			old = append(old, line{from + 1, "deep()"}, line{from, "last()"})
		}
		before, after := render(draw(r, "before", 1), theirs, 0), render(draw(r, "after", 1), theirs, 0)
		text := "top {\n" + before + "\n" + render(old, theirs, 0) + "\n" + after + "\n}\n"
		want := strings.Replace(text, render(old, theirs, 0), render(replacement, theirs, 0), 1)

		dedent := rapid.SampledFrom([]int{0, from}).Draw(r, "dedent")
		m, err := find(text, render(old, ours, dedent), render(replacement, ours, dedent), never)
		if err != nil {
			return
		}
		if m.how == "exact" && (ours != theirs || dedent > 0) {
			return // a line at the margin, which is found within one of the file
		}
		if m.count != 1 {
			r.Fatalf("%d places", m.count)
		}
		c := m.changes[0]
		if got := text[:c.start] + c.text + text[c.end:]; got != want {
			r.Fatalf("%q for %q, dedent %d, %s:\n%q\n%q, want\n%q", ours, theirs, dedent, m.how, text, got, want)
		}
	})
}
