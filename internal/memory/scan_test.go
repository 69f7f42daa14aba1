package memory

import (
	"strings"
	"testing"
)

func FuzzScan(f *testing.F) {
	f.Add("See @./a.md and `@b.md`.\n```\n@c.md\n```\n@d/e me@x.y @someone")
	f.Add("``a` @a.md ``` b\n\n` @/b ~~~\n~~~ @c.d")
	f.Add("@a/b@c/d \t@.x/ @" + strings.Repeat("/", 5000))
	f.Fuzz(func(t *testing.T, text string) {
		end := 0
		for _, r := range codeRegions(text) {
			if r.start < end || r.end <= r.start || r.end > len(text) {
				t.Fatalf("regions overlap or are empty: %v", codeRegions(text))
			}
			if c := strings.TrimLeft(text[r.start:r.end], " \t\v\f\r\u0085\u00a0"); c != "" && c[0] != '`' && c[0] != '~' && c[0] < 0x80 {
				t.Fatalf("code begins with %q", c)
			}
			end = r.end
		}
		end = 0
		for _, s := range imports(text) {
			word := text[s.start:s.end]
			switch {
			case s.start < end || word[0] != '@' || !startsPath(word[1]) || strings.ContainsAny(word, " \t\r\n"):
				t.Fatalf("%q at %d", word, s.start)
			case s.start > 0 && !isSpace(text[s.start-1]) || s.end < len(text) && !isSpace(text[s.end]):
				t.Fatalf("%q is a part of a word", word)
			}
			for _, r := range codeRegions(text) {
				if r.start <= s.start && s.start < r.end {
					t.Fatalf("%q is in code", word)
				}
			}
			end = s.end
		}
	})
}

// Text added to a file is one more line of it, brings no import and no heading, and is there
// only once.
func FuzzAdd(f *testing.F) {
	f.Add("", "likes tea")
	f.Add("# Notes\n\n## Gemini Added Memories\n- a\n\n## More\n`", "x\n## y\n- @./z ```")
	f.Add("\ufeffa\r\n\r\n## Gemini Added Memories\r\n- a\r\n", "- # > @a.md </loaded_context>")
	f.Add("## Gemini Added Memories", "` @/a")
	f.Fuzz(func(t *testing.T, content, text string) {
		item, err := Item(text)
		if err != nil {
			return
		}
		if strings.ContainsAny(item, "\r\n") || strings.Contains(item, "</") || strings.Contains(item, "```") {
			t.Fatalf("item %q", item)
		}
		for _, word := range strings.Fields(item) {
			if word[0] == '@' {
				t.Fatalf("an import in %q", item)
			}
		}
		after := AppendItem(content, item)
		if again := AppendItem(after, item); again != after {
			t.Fatalf("added twice: %q, %q", after, again)
		}
		lines := func(s string) []string {
			return strings.Split(strings.ReplaceAll(strings.TrimSpace(s), "\r\n", "\n"), "\n")
		}
		left, added := lines(content), 0
		for _, line := range lines(after) {
			switch {
			case len(left) > 0 && strings.TrimSpace(line) == strings.TrimSpace(left[0]):
				left = left[1:]
			case line == item:
				added++
			case line != heading && strings.TrimSpace(line) != "":
				t.Fatalf("%q is new in %q", line, after)
			}
		}
		for _, line := range left {
			if strings.TrimSpace(line) != "" {
				t.Fatalf("%q is gone: %q", line, after)
			}
		}
		if added > 1 || added == 0 && !strings.Contains(content, item) {
			t.Fatalf("added %d times: %q", added, after)
		}
	})
}
