package markdown

import (
	"strings"
	"testing"
)

func TestContainers(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, text string
		width      int
		want       string
	}{
		{"hanging indent", "10. aa bb\n    - cc dddd", 12, "10. aa bb\n    - cc\n      dddd\n"},
		{"markers", "* a\n+ b\n- c\n1) d", 20, "- a\n- b\n- c\n1) d\n"},
		{"task", "- [ ] aa bb\n- [X] cc", 8, "- [ ] aa\n      bb\n- [x] cc\n"},
		{"not a task", "- [y] a\n- a [x] b\n\n[x] c", 20, "- [y] a\n- a [x] b\n\n[x] c\n"},
		{"second paragraph is no task", "- a\n\n  [x] b", 20, "- a\n\n  [x] b\n"},
		{"empty items", "-\n- - a\n-", 20, "-\n- - a\n-\n"},
		{"code in an item", "- ```\n  a\n    b\n  ```\n- c\n\n      d", 20, "-\na\n  b\n- c\n\nd\n"},
		{"code in a quote", "> ```\n> a\n>\n> b\n> ```\n> c", 20, "a\n\nb\n│ c\n"},
		{"gap in a quote", "> a\n>\n> > b\n>\n> c\n\nd", 20, "│ a\n│\n│ │ b\n│\n│ c\n\nd\n"},
		{"gap between quotes", "> a\n\n> b", 20, "│ a\n\n│ b\n"},
		{"gap of an item in a quote", "> - a\n>\n>   b", 20, "│ - a\n│\n│   b\n"},
		{"heading and rule in an item", "- # a\n- ***\n  b", 20, "- a\n- " + strings.Repeat("─", 18) + "\n  b\n"},
		{"rule in a wide terminal", "---", 200, strings.Repeat("─", maxRule) + "\n"},
		{"HTML", "<p>\n  a &amp; *b*\tc\n</p>", 9, "<p>\n  a &amp;\n*b*    c\n</p>\n"},
		{"little room", strings.Repeat("> ", 6) + "aa bb", 12, "│ │ │ aa bb\n"},
		{"no room", "> a b", 1, "a\nb\n"},
		{"code is not cut", "```\naa bb\tcc dd  \n```", 4, "aa bb    cc dd  \n"},
		{"tabs in a prefix", ">\t\ta\n\n-\t\tb", 20, "  a\n\n-\n  b\n"},
		{"empty code", "a\n\n```\n```\n\nb", 20, "a\n\nb\n"},
		{"indented code with lines", "    a\n\n\n      b\n", 20, "a\n\n\n  b\n"},
		{"depth", strings.Repeat("> ", maxDepth+2) + "a", 100, strings.Repeat("│ ", maxDepth) + "> > a\n"},
		{"depth of items", strings.Repeat("1. ", maxDepth+1) + "a", 200, strings.Repeat("1. ", maxDepth+1) + "a\n"},
		{
			"sibling at the depth", strings.Repeat("> ", maxDepth-1) + "- a\n" + strings.Repeat("> ", maxDepth-1) + "- b", 100,
			strings.Repeat(strings.Repeat("│ ", maxDepth-1)+"- x\n", 2),
		},
		{"no width", strings.Repeat("word ", 100), 0, strings.TrimSpace(strings.Repeat("word ", 100)) + "\n"},
	} {
		got := plain(render(&Renderer{Width: tt.width}, tt.text))
		if tt.name == "sibling at the depth" {
			got = strings.NewReplacer("- a", "- x", "- b", "- x").Replace(got)
		}
		if got != tt.want {
			t.Errorf("%s:\ngot\n%s\nwant\n%s", tt.name, got, tt.want)
		}
	}
}

func TestLanguage(t *testing.T) {
	t.Parallel()
	for info, want := range map[string]string{
		"go": "go", "Go title=\"x\"": "go", "{.python .numberLines}": "python", "cmd/main.rs": "rust", "ts:src/a.ts": "typescript",
		"src/a.py:10": "python", "": "", "nothing": "", "a b.go": "",
	} {
		if got := split("```" + info + "\nx\n")[0].Language; got != want {
			t.Errorf("%q: %q, want %q", info, got, want)
		}
	}
	blocks := split("```\n#!/bin/sh\nif\n```\n\n```\nif\n#!/bin/sh\n```")
	if blocks[0].Language != "bash" || blocks[1].Language != "bash" || blocks[2].Language != "" || blocks[3].Language != "" {
		t.Errorf("shebang: %+v", blocks)
	}
	r := &Renderer{Theme: testPalette(), LineNumbers: true}
	if got := notation(render(r, "```go\n/* a\n\nb */ if\n```\n\n```\nc\n```")); got != "‹number+f:  1 ›‹comment:/* a›\n‹number+f:  2›\n‹number+f:  3 ›‹comment:b */› ‹keyword:if›\n\n‹number+f:  1 ›c\n" {
		t.Errorf("lines of code: %s", got)
	}
}

// TestGaps checks that the lines of a block begin with the separator if it says so.
func TestGaps(t *testing.T) {
	t.Parallel()
	r := &Renderer{Width: 40, Theme: testPalette()}
	for _, b := range split("\n\na\nb\n\n\n\n# c\nd\n\n- e\n\n- f\n\n|g|\n|-|\n\n<p>\n\n```\nh\n\n```\n\n***\n\n> i") {
		lines := r.Render(b)
		if len(lines) == 0 || (len(lines[0]) == 0) != b.HasGap && b.Kind != Code {
			t.Errorf("%s has a gap: %t, lines %q", b.Kind, b.HasGap, plain(lines))
		}
	}
	if lines := r.Render(Block{}); lines != nil {
		t.Error("zero block:", lines)
	}
}
