package file

import (
	"strings"
	"testing"
)

// TestNearest checks the description of the lines that are most similar to an old_string that is not there.
func TestNearest(t *testing.T) {
	t.Parallel()
	const file = "func f() error {\n\terr := open(name, flags)\n\tif err != nil {\n\t\treturn fmt.Errorf(\"open: %w\", err)\n\t}\n\treturn read(name)\n}\n"
	for name, c := range map[string]struct{ old, want string }{
		"words after indentation": {
			"    err := open(name, flags)\n    if err != nil {\n        return wrap(err)",
			"The most similar text is at lines 2-4. The first difference is in line 4, which has `fmt.Errorf(\"open: %w\", err)` where old_string has \"wrap(err)\". The file has:\n\terr := open",
		},
		"cut lines": {
			"open(name, flags)\n    if err == nil {\n        return fmt.Errorf(",
			"The most similar text is at lines 2-4. The first difference is in line 3, which has \"!= nil {\" where old_string has \"== nil {\".",
		},
		"cut lines alone": {
			"open(name, flags)\n    x\n    }\n    return read(",
			"The most similar text is at lines 2-5. The first difference is in line 3, which has \"if err != nil {\" where old_string has \"x\".",
		},
		"cut at the end": {
			"if err != nil {\n        panic()\n    }\n    return read(",
			"The most similar text is at lines 3-6. The first difference is in line 4, ",
		},
		"white space": {
			"\n    err := open(name, flags)\n\tif err != nil {",
			"The most similar text is at lines 1-3. The first difference is in line 1, which has \"func f() error {\" where old_string has the line end.",
		},
	} {
		q := &query{text: file, old: c.old, stop: never}
		if got := q.nearest(); !strings.Contains(got, c.want) {
			t.Errorf("%s: %s\nwant %s", name, got, c.want)
		}
	}
}

// TestFirstDifference checks how a difference in white space alone is named.
func TestFirstDifference(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ file, old, want string }{
		{"\ta", "    a", "Only white space differs, first in line 1, which has a tab where old_string has 4 spaces. The file has:"},
		{"a\n\t  b", "a\n b", "first in line 2, which has a tab and 2 spaces where old_string has a space."},
		{"a\n\t\tb", "a\nb", "first in line 2, which has 2 tabs where old_string has none."},
		{"a  b", "a b", "first in line 1, which has 2 spaces where old_string has a space."},
		{"\ta\nb", "a\nc", "The first difference is in line 2, which has \"b\" where old_string has \"c\"."},
		{"x a\nb y", "a\nb", "The file has:"},
		{"a\nb y", "a\n", "The file has:"},
	} {
		q := &query{text: c.file, old: c.old, stop: never}
		if got := q.firstDifference(0, q.oldLines()); !strings.Contains(got, c.want) {
			t.Errorf("%q in %q: %s", c.old, c.file, got)
		}
	}
}
