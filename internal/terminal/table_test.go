package terminal

import (
	"strings"
	"testing"
)

func TestTable(t *testing.T) {
	t.Parallel()
	head := []string{"Model", "Reqs", "Note"}
	rows := [][]string{{"gemini-2.5-pro", "12", ""}, {"日本", "3", "the second of two notes"}}
	for _, tt := range []struct {
		name  string
		width int
		head  []string
		rows  [][]string
		want  string
	}{
		{"wide enough", 80, head, rows, "Model           Reqs  Note\ngemini-2.5-pro  12\n日本            3     the second of two notes\n"},
		{"no limit", 0, head, rows, "Model           Reqs  Note\ngemini-2.5-pro  12\n日本            3     the second of two notes\n"},
		{"stacked", 40, head, rows, "gemini-2.5-pro\n  Reqs: 12\n日本\n  Reqs: 3\n  Note: the second of two notes\n"},
		{"wrapped", 40, nil, [][]string{{"/help", "List the commands, or explain one of them"}, {"/a", "b"}}, "/help  List the commands, or explain one\n       of them\n/a     b\n"},
		{"wide left column", 60, nil, [][]string{{strings.Repeat("x", 32), "List the commands, or explain one"}}, strings.Repeat("x", 32) + "  List the commands, or\n" + strings.Repeat(" ", 34) + "explain one\n"},
		{"stacked without heads", 30, nil, [][]string{{"/help [command]", "List the commands, or explain one"}}, "/help [command]\n    List the commands, or\n    explain one\n"},
		{"empty", 80, nil, nil, ""},
	} {
		if got := Table(tt.head, tt.rows, tt.width); got != tt.want {
			t.Errorf("%s:\n%s\nwant\n%s", tt.name, got, tt.want)
		}
	}
	for _, width := range []int{20, 40, 60, 80} {
		for line := range strings.Lines(Table(head, rows, width)) {
			if n := Width(strings.TrimSuffix(line, "\n")); n > width {
				t.Errorf("%d columns: %q has %d", width, line, n)
			}
		}
	}
}
