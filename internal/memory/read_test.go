package memory_test

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf16"

	"pollux/internal/memory"
)

func TestEncodings(t *testing.T) {
	t.Parallel()
	wide := func(s string, high int) string {
		var b strings.Builder
		for _, u := range utf16.Encode([]rune("\ufeff" + s)) {
			pair := []byte{byte(u), byte(u >> 8)}
			b.WriteByte(pair[high])
			b.WriteByte(pair[1-high])
		}
		return b.String()
	}
	for text, want := range map[string]string{
		"plain":                        "plain",
		"\ufeff\r\nbyte order\r\nmark": "byte order\nmark",
		"a \xff\xc3 b":                 "a \ufffd b",
		wide("grüß 😀\r\n!", 0):         "grüß 😀\n!",
		wide("grüß", 1):                "grüß",
		wide("odd", 0) + "x":           "odd",
		"\xff\xfe":                     "",
		"\xd7\xdc\xca\xc7\xd3\xc3\xd6\xd0\xce\xc4\xbb\xd8\xb4\xf0": "总是用中文回答", // GBK
		"a\x00b": "",
		" \n\t ": "",
		"":       "",
	} {
		p := newPlace(t, map[string]string{"p/GEMINI.md": text})
		m := memory.New(p.options())
		files := m.Files()
		switch {
		case want == "" && len(files) > 0:
			t.Errorf("%q: %q, want no file", text, files[0].Text)
		case want != "" && (len(files) != 1 || files[0].Text != want):
			t.Errorf("%q: %+v, want %q", text, files, want)
		}
	}
}

func TestHugeFile(t *testing.T) {
	t.Parallel()
	line := strings.Repeat("rule ", 20) + "\n"
	p := newPlace(t, map[string]string{"p/GEMINI.md": strings.Repeat(line, 5<<20/len(line))})
	m := memory.New(p.options())
	f := m.Files()[0]
	text, note, ok := strings.Cut(f.Text, "\n<!-- ")
	if !ok || note != "Cut here: the file is too large -->" || !f.Cut || len(f.Text) > 257<<10 || len(f.Text) < 255<<10 || len(text)%len(line) != len(line)-1 {
		t.Errorf("%d bytes that end in %q", len(f.Text), f.Text[len(f.Text)-100:])
	}
	p.wantSaid("Warning: /p/GEMINI.md is too large or imports a file that is too large. Pollux uses only the beginning.")
}

// Without ends of lines too, and no character is cut in two.
func TestHugeLine(t *testing.T) {
	t.Parallel()
	for _, start := range []string{"", "x", "xx"} {
		p := newPlace(t, map[string]string{"p/GEMINI.md": start + strings.Repeat("日", 1<<20)})
		f := memory.New(p.options()).Files()[0]
		text, _, _ := strings.Cut(f.Text, "\n")
		if strings.Trim(text, "x日") != "" || len(text) < 255<<10 || len(text) > 256<<10 {
			t.Errorf("%d bytes that end in %q", len(text), text[len(text)-10:])
		}
	}
}

// All of them together are bounded, at the start and later.
func TestManyFiles(t *testing.T) {
	t.Parallel()
	p := newPlace(t, map[string]string{"p/.git/": "", "p/GEMINI.md": strings.Repeat("a rule\n", 10<<10)})
	for i := range 30 {
		p.write(fmt.Sprintf("p/d%02d/GEMINI.md", i), strings.Repeat("0123456789abcde\n", 4<<10))
	}
	m := memory.New(p.options())
	total := len(m.Texts().Project)
	for i := range 30 {
		total += len(m.Discover(p.at(fmt.Sprintf("p/d%02d", i))))
	}
	if total > 1<<20+30<<8 || total < 1<<20 {
		t.Errorf("%d bytes", total)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.said) != 2 || !strings.Contains(p.said[0], "/p/d14/GEMINI.md is too large") || !strings.Contains(p.said[1], "Too many context files; /p/d15/GEMINI.md and the following ones are not loaded.") {
		t.Errorf("said %q", p.said)
	}
}
