package memory_test

import (
	"fmt"
	"os"
	"strings"
	"sync"
	"testing"

	"pollux/internal/memory"
)

func TestAdd(t *testing.T) {
	t.Parallel()
	const h = "## Gemini Added Memories\n"
	for name, c := range map[string]struct{ before, text, want string }{
		"new":               {"", "likes tea", h + "- likes tea\n"},
		"first":             {"# Rules\nbe kind", "likes tea", "# Rules\nbe kind\n\n" + h + "- likes tea\n"},
		"after a newline":   {"be kind\n", "likes tea", "be kind\n\n" + h + "- likes tea\n"},
		"after a gap":       {"be kind\n\n", "likes tea", "be kind\n\n" + h + "- likes tea\n"},
		"next":              {h + "- one\n", "two", h + "- one\n- two\n"},
		"empty section":     {h, "one", h + "- one\n"},
		"before others":     {"a\n\n" + h + "- one\n\n\n## More\n- x\n", "two", "a\n\n" + h + "- one\n- two\n\n\n## More\n- x\n"},
		"smaller headings":  {h + "### x\n- one", "two", h + "### x\n- one\n- two\n"},
		"there already":     {h + "- one\n- two\n", " one ", h + "- one\n- two\n"},
		"elsewhere":         {"- one\n\n" + h + "- two\n", "one", "- one\n\n" + h + "- two\n- one\n"},
		"not a heading":     {"see ## Gemini Added Memories\n", "one", "see ## Gemini Added Memories\n\n" + h + "- one\n"},
		"windows":           {"\ufeffa\r\n\r\n## Gemini Added Memories\r\n- one\r\n", "two", "\ufeffa\r\n\r\n## Gemini Added Memories\r\n- one\r\n- two\r\n"},
		"one line":          {"", "- one\n## two\r\nthree\u2028four\tfive\x00", h + "- one ## two three four five\n"},
		"no heading":        {"", "# > - * ## one", h + "- one\n"},
		"no import":         {"", "@./oauth_creds.json and me@x.y, @types/node", h + `- \@./oauth_creds.json and me@x.y, \@types/node` + "\n"},
		"no code, no end":   {"", "````sh </loaded_context>", h + "- ``sh < /loaded_context>\n"},
		"in another script": {"", "用中文回答 😀", h + "- 用中文回答 😀\n"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newPlace(t, nil)
			if c.before != "" {
				p.write("GEMINI.md", c.before)
			}
			_, added, err := memory.Add(p.at("GEMINI.md"), c.text)
			if err != nil {
				t.Fatal(err)
			}
			got, err := os.ReadFile(p.at("GEMINI.md"))
			if err != nil || string(got) != c.want {
				t.Errorf("got %q, want %q (%v)", got, c.want, err)
			}
			if added != (c.before != c.want) {
				t.Errorf("added = %v", added)
			}
		})
	}
}

func TestAddRefuses(t *testing.T) {
	t.Parallel()
	p := newPlace(t, map[string]string{"d/GEMINI.md/": "", "big/GEMINI.md": strings.Repeat("x\n", 128<<10), "wide/GEMINI.md": "\xff\xfea\x00", "gbk/GEMINI.md": "\xd7\xdc\xca\xc7\xd3\xc3\xd6\xd0\xce\xc4"})
	for _, c := range []struct{ file, text, want string }{
		{"GEMINI.md", " \n ", "the text is empty"},
		{"GEMINI.md", " - ## ", "the text is empty"},
		{"GEMINI.md", strings.Repeat("x", 5000), "longer than 4096 bytes"},
		{"d/GEMINI.md", "x", "is a directory"},
		{"big/GEMINI.md", "x", "would be larger than 256 KiB"},
		{"wide/GEMINI.md", "x", "is not UTF-8 text"},
		{"gbk/GEMINI.md", "x", "is not UTF-8 text"},
	} {
		if _, _, err := memory.Add(p.at(c.file), c.text); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.file, err, c.want)
		}
	}
}

// The directory is made, a link is followed, and nothing is left behind.
func TestAddThroughLink(t *testing.T) {
	t.Parallel()
	p := newPlace(t, map[string]string{"dotfiles/g.md": "be kind\n", "home/.gemini/": ""})
	p.link("home/.gemini/GEMINI.md", "../../dotfiles/g.md")
	for _, file := range []string{"home/.gemini/GEMINI.md", "new/.gemini/GEMINI.md"} {
		if _, _, err := memory.Add(p.at(file), "likes tea"); err != nil {
			t.Fatal(err)
		}
	}
	if got, err := os.ReadFile(p.at("dotfiles/g.md")); err != nil || string(got) != "be kind\n\n## Gemini Added Memories\n- likes tea\n" {
		t.Errorf("got %q, %v", got, err)
	}
	for _, dir := range []string{"home/.gemini", "new/.gemini"} {
		if entries, err := os.ReadDir(p.at(dir)); err != nil || len(entries) != 1 {
			t.Errorf("%s: %v, %v", dir, entries, err)
		}
	}
}

func TestAddAtOnce(t *testing.T) {
	t.Parallel()
	p := newPlace(t, nil)
	var all sync.WaitGroup
	for i := range 20 {
		all.Go(func() {
			if _, _, err := memory.Add(p.at("GEMINI.md"), fmt.Sprintf("fact %d.", i)); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	got, _ := os.ReadFile(p.at("GEMINI.md"))
	for i := range 20 {
		if n := strings.Count(string(got), fmt.Sprintf("- fact %d.\n", i)); n != 1 {
			t.Errorf("fact %d is there %d times", i, n)
		}
	}
}
