package permit

import (
	"strings"
	"testing"

	"pollux/llm"
	"pollux/tool"
)

// TestTail checks that the end of a result has lines as a program has printed them: not behind a label.
func TestTail(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"<untrusted_context>\nOutput: bash: x: no\nOutput: two": "<untrusted_context>\nbash: x: no\nOutput: two",
		"\nOutput: " + strings.Repeat("x", 5000):                strings.Repeat("x", 4000),
		"":                                                      "",
	} {
		if got := tail(&tool.Result{Content: []llm.Part{llm.Text(text)}}); got != want {
			t.Errorf("%q: %q", text, got)
		}
	}
}

func TestIsWalk(t *testing.T) {
	t.Parallel()
	for command, want := range map[string]bool{
		"grep -r x ~": true, "cd /x && find . -name y | head -3": true, "ls ~/.ssh": true, "rg x | sort | uniq": true,
		"cat ~/.netrc": false, "head ~/.netrc": false, "grep x y; git push": false, "find . -exec cat {} +; ssh host": false, "": false,
	} {
		if got := isWalk(command); got != want {
			t.Errorf("%q: %v", command, got)
		}
	}
}

// TestRefusedLines checks which lines of an output are looked at one by one: a few, each once, and none of a command that looks at many files.
func TestRefusedLines(t *testing.T) {
	t.Parallel()
	denied := func(names string) (text string) {
		for _, name := range strings.Split(names, "") {
			text += "cat: /" + name + ": Permission denied\nread\n"
		}
		return text
	}
	for _, c := range []struct{ command, output, want string }{
		{"cat /a /b /a", denied("aba"), "ab"},
		{"cat /*", denied("abcdefg"), "abcde"},
		{"cat /a", "a\nb\n", ""},
		{"find / | head", denied("ab"), ""},
	} {
		got := ""
		for _, line := range refusedLines(c.command, c.output) {
			got += strings.TrimSuffix(strings.TrimPrefix(line, "cat: /"), ": Permission denied\n")
		}
		if got != c.want {
			t.Errorf("%s: %q, want %q", c.command, got, c.want)
		}
	}
}
