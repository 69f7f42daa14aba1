package skill

import (
	"strings"
	"testing"
	"unicode/utf8"

	"pollux/internal/frontmatter"
)

func TestParseHeader(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, text, want, description string }{
		{"plain", "---\nname: tidy\ndescription: Tidies up\n---\n", "tidy", "Tidies up"},
		{"Windows", "---\r\nname: tidy\r\ndescription: Tidies up\r\n---\r\nbody", "tidy", "Tidies up"},
		{"byte order mark", "\ufeff---\nname: tidy\ndescription: x\n---", "tidy", "x"},
		{"quoted", "---\nname: \"a: b\"\ndescription: 'it''s'\n---\n", "a: b", "it's"},
		{"folded", "---\nname: t\ndescription: >-\n  one\n  two\nlicense: MIT\n---\n", "t", "one two"},
		{"literal", "---\nname: t\ndescription: |\n  one\n  two\n---\n", "t", "one\ntwo\n"},
		{"other keys", "---\nmetadata:\n  name: no\nname: t\nallowed-tools: [a, b]\ndescription: x\n---\n", "t", "x"},
		{"colon", "---\nname: t\ndescription: Use it: always\n---\n", "t", "Use it: always"},
		{"colon, several lines", "---\nname: t\ndescription: Use it: always\n  and: ever\n\tagain\nlicense: x: y\n---\n", "t", "Use it: always and: ever again"},
		{"colon, text below", "---\nname: t: u\ndescription:\n  Use it: always\n\n  not this\n---\n", "t: u", "Use it: always"},
		{"number", "---\nname: 1.0\ndescription: x\n---\n", "1.0", "x"},
		{"twice", "---\nname: a\nname: b\ndescription: x\n---\n", "b", "x"},
		{"invalid UTF-8", "---\nname: t\ndescription: \xff\n---\n", "t", "\ufffd"},
		{"none", "name: t\ndescription: x\n", "", ""},
		{"late", "\n---\nname: t\ndescription: x\n---\n", "", ""},
		{"open", "---\nname: t\ndescription: x\n", "", ""},
		{"no description", "---\nname: t\n---\n", "", ""},
		{"no name", "---\ndescription: t\n---\n", "", ""},
		{"words", "---\nname\ndescription\n---\n", "", ""},
		{"empty", "---\n---\n", "", ""},
		{"list", "---\n- name: t\n---\n", "", ""},
	} {
		h, err := parseHeader(tt.text, "")
		if h.name != tt.want || h.description != tt.description || (err == nil) != (tt.want != "") {
			t.Errorf("%s: %q, %q, %v", tt.name, h.name, h.description, err)
		}
	}
}

func TestCutFrontMatter(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"---\na\n---\n\n body \n": "body", "---\na\n---": "", "---\na\n--- \nb\n---\nc": "b\n---\nc", "---\na\n----\n---\nb": "b", "---\n---\nb": "b",
	} {
		if _, body, ok := frontmatter.Cut(text); body != want || !ok {
			t.Errorf("%q: %q, %v", text, body, ok)
		}
	}
}

func TestCleanName(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		"tidy": "tidy", ` a:b\c/d<e>f*g?h"i|j `: "a-b-c-d-e-f-g-h-i-j", "two words": "two words", "../x": "..-x", "a\x1b[31m\nb\u202e": `a b-u202e`, "\x07": "",
	} {
		if got := cleanName(name); got != want {
			t.Errorf("%q: %q, want %q", name, got, want)
		}
	}
}

// A SKILL.md of any content is refused, or results in a name and a description that can be shown.
func FuzzParse(f *testing.F) {
	for _, seed := range []string{
		"---\nname: a\ndescription: b\n---\nbody", "---\nname: a: b\ndescription: b: c\n  d\n---\n", "---\n\xff: &a [*a]\n---\n", "---\nname: !!binary x\ndescription: >\n---\n", "---\r\n<<: {name: x}\r\n---",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		h, err := parseHeader(text, "")
		if err != nil {
			return
		}
		name, description := cleanName(h.name), cleanDescription(h.description)
		if strings.ContainsAny(name, "\n\r\x1b:/\\<>\"") || strings.ContainsAny(description, "\r\x1b") || !utf8.ValidString(name) || !utf8.ValidString(description) {
			t.Errorf("%q, %q", name, description)
		}
		if _, _, ok := frontmatter.Cut(text); !ok {
			t.Error("a header without front matter")
		}
	})
}

// What needs no parser of YAML means the same to it.
func FuzzParsePlain(f *testing.F) {
	for _, seed := range []string{
		"name: a\ndescription: Writes b, (c) and d.\n", "name: a\ndescription: null\n", "name: a b  c\ndescription: x - y\n",
		"description: x\nname: yes\n", "name: a\nname: b\n", "name: a \ndescription: b'c\n", "name:  a\ndescription: b\n", "name: a\n  b\n", "name: a\ndescription: b\r\n",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, front string) {
		got, ok := parsePlain(front)
		if want, valid := parseYAML(front, ""); ok && (!valid || got != want) {
			t.Errorf("%q: %+v, want %+v, %t", front, got, want, valid)
		}
	})
}
