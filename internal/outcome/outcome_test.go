package outcome

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pollux/internal/terminal"
)

var update = flag.Bool("update", false, "write the golden files again")

type server struct{ name, state, about string }

// sample is an outcome with each kind of part.
func sample() Outcome {
	servers := []server{
		{"files", "connected", "Reads and writes the files of one directory, and searches in them for names and for text"},
		{"a server with a long name", "disabled", "One\ttab, a line\nend and \x1b[31mred"},
	}
	return New(
		Text("Configured servers, each with its state and a description that the server itself gives:"),
		NewTable([]string{"NAME", "STATE", "DESCRIPTION"}, servers, func(s server) []string { return []string{s.name, s.state, s.about} }),
		&Table{Rows: [][]string{{"Other places, as a heading of the rows"}, {"~/.gemini", "read"}}},
		Field{"Provider: ", "gemini, because of the variable GEMINI_API_KEY in the environment of this process"},
		Lines("a line for scripts, which is never wrapped, however long it may be and however narrow the terminal is"),
		Text("The end.\nReally."),
	)
}

func TestGolden(t *testing.T) {
	t.Parallel()
	for _, width := range []int{0, 40, 80, 160} {
		for name, got := range map[string]string{"plain": sample().Plain(width), "markdown": sample().Markdown(width)} {
			file := filepath.Join("testdata", fmt.Sprintf("%s%d.golden", name, width))
			if *update {
				if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(string(want), got); diff != "" {
				t.Errorf("%s: %s", file, diff)
			}
			for line := range strings.Lines(got) {
				tooWide := width > 0 && terminal.Width(strings.TrimRight(line, "\n")) > width
				if tooWide && name == "plain" && !strings.HasPrefix(line, "a line for scripts") {
					t.Errorf("%s: too wide: %s", file, line)
				}
			}
		}
	}
}

// A table is a block of its own in Markdown, also behind a title: a paragraph takes indented lines that follow it at once.
func TestTitle(t *testing.T) {
	t.Parallel()
	table := &Table{Rows: [][]string{{"a", "first"}}}
	if got, want := New(Title("Two:"), table, Title(""), table).Markdown(80), "Two:\n\n    a  first\n\n    a  first\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// TestSame checks that people see the cells that rows share once, also in blocks, and programs in each row.
func TestSame(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("word ", 12)
	table := &Table{Head: []string{"TIME", "COMMAND", "REASON"}, Same: 2, Rows: [][]string{
		{"1", "cat", "a"}, {"1", "cat", "b"}, {"1", "ls", "c"}, {"2", "ls", "d"}, {"2", "ls", "d"},
	}}
	for width, want := range map[int]string{
		80: "TIME  COMMAND  REASON\n1     cat      a\n               b\n1     ls       c\n2     ls       d\n               d\n",
		0:  "TIME  COMMAND  REASON\n1     cat      a\n1     cat      b\n1     ls       c\n2     ls       d\n2     ls       d\n",
	} {
		if got := New(table).Plain(width); got != want {
			t.Errorf("%d columns:\n%s\nwant\n%s", width, got, want)
		}
	}
	blocks := &Table{Head: table.Head, Same: 2, Rows: [][]string{{"1", long, "a"}, {"1", long, "b"}}}
	if got := New(blocks).Plain(40); strings.Count(got, "COMMAND") != 1 || !strings.HasSuffix(got, "  REASON: a\n  REASON: b\n") {
		t.Errorf("blocks are\n%s", got)
	}
}

func TestTableOfNothing(t *testing.T) {
	t.Parallel()
	none := NewTable(nil, []server(nil), func(server) []string { return nil })
	if got := New(none).Plain(80) + New(none).Markdown(80); strings.TrimSpace(got) != "" {
		t.Errorf("%q", got)
	}
	if got := Textf("%d", 1).WithValue(1); got.Value != 1 || got.Plain(0) != "1\n" || got.Markdown(0) != "1" {
		t.Errorf("%+v", got)
	}
}
