package fence_test

import (
	"strings"
	"testing"

	"pollux/llm/fence"
)

// TestTracker checks the state at the mark | in a text, in chunks of any size.
func TestTracker(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		text string
		want string // l at the start of a line, f in a fence, s in a span; the info behind a colon
	}{
		{"|", "l"},
		{" \t|", "l"},
		{"a|", ""},
		{"a\r\n |", "l"},
		{"```go\n|", "lf:go"},
		{"```\nx|", "f:"},
		{"``` JSON x\nx|", "f:json"},
		{"~~~\n```\n|", "lf:"},
		{"~~~ a`b\n|", "lf:a`b"},
		{"```\n```\n|", "l"},
		{"```\n````  \n|", "l"},
		{"````\n```\n|", "lf:"},
		{"```\n``` go\n|", "lf:"},
		{"- ```sh\n|", "lf:sh"},
		{"1. ```sh\n   ```\n|", "l"},
		{"> ```sh\n|", "lf:sh"},
		{"- |", ""},
		{"```a```\n|", "l"},
		{"```a``` |", ""},
		{"```a|", ""},
		{"`|", "s"},
		{"`a|", "s"},
		{"`a`|", ""},
		{"a ``b` |", "s"},
		{"a ``b` c``|", ""},
		{"a `|", "s"},
		{"a `b\n|", "l"},
		{"`` a|", "s"},
		{"~a|", ""},
		{"```\n`|", "f:"},
	} {
		text := strings.TrimSuffix(c.text, "|")
		for size := 1; size <= len(text)+1; size++ {
			var tr fence.Tracker
			for rest := text; rest != ""; {
				n := min(size, len(rest))
				tr.Add(rest[:n])
				rest = rest[n:]
			}
			got := ""
			if tr.IsLineStart() {
				got += "l"
			}
			if tr.InFence() {
				got += "f:" + tr.Info()
			}
			if tr.InSpan() {
				got += "s"
			}
			if got != c.want {
				t.Errorf("%q in pieces of %d: %q, want %q", c.text, size, got, c.want)
			}
		}
	}
}

// TestCloses checks which lines close a block.
func TestCloses(t *testing.T) {
	t.Parallel()
	var tr fence.Tracker
	tr.Add("````md\n")
	for _, c := range []struct {
		char  byte
		size  int
		words string
		want  bool
	}{{'`', 4, "", true}, {'`', 5, " \r", true}, {'`', 3, "", false}, {'~', 4, "", false}, {'`', 4, "json", false}} {
		if got := tr.Closes(c.char, c.size, c.words); got != c.want {
			t.Errorf("%d %c %q: %v", c.size, c.char, c.words, got)
		}
	}
}

func BenchmarkTracker(b *testing.B) {
	s := strings.Repeat("The quick `brown` fox jumps over the lazy dog and goes on.\n", 1000)
	b.SetBytes(int64(len(s)))
	for b.Loop() {
		var tr fence.Tracker
		tr.Add(s)
	}
}

// TestInQuote checks which lines are those of a quotation or a table, and which places only marks
// of lists precede.
func TestInQuote(t *testing.T) {
	t.Parallel()
	for text, want := range map[string][2]bool{ // in a quotation, at the head of a line
		"":              {false, true},
		"> ":            {true, true},
		"> a":           {true, false},
		" - > b":        {true, false},
		"a > b":         {false, false},
		"> a\n":         {false, true},
		"| a | ":        {true, false},
		"a | b":         {false, false},
		"- ":            {false, true},
		"12. ":          {false, true},
		"- | a":         {false, false},
		"> ```json\n> ": {true, true},
		"> a\n> ":       {true, true},
	} {
		for size := 1; size <= len(text)+1; size++ {
			var tr fence.Tracker
			for rest := text; rest != ""; {
				n := min(size, len(rest))
				tr.Add(rest[:n])
				rest = rest[n:]
			}
			if got := [2]bool{tr.InQuote(), tr.IsLineHead()}; got != want {
				t.Errorf("%q in pieces of %d: %v", text, size, got)
			}
		}
	}
}
