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
		{"wide left cell", 40, nil, [][]string{{"/compress (summarize)", "Free up context"}, {"/a", "b"}}, "/compress (summarize)\n    Free up context\n/a  b\n"},
		{
			"left cell wider than the table", 40, nil,
			[][]string{{"  install <source> [--ref=R] [--plugin=NAME] [--auto-update]", "Install"}, {"  list", "b"}},
			"  install <source> [--ref=R]\n        [--plugin=NAME] [--auto-update]\n        Install\n  list  b\n",
		},
		{"stacked without heads", 30, nil, [][]string{{"/help [command]", "List the commands, or explain one"}}, "/help [command]\n    List the commands, or\n    explain one\n"},
		{"headings", 80, nil, [][]string{{"A long heading"}, {"  a", "b"}, {""}, {"  cc", "d"}}, "A long heading\n  a   b\n\n  cc  d\n"},
		{
			"stacked with a long first cell", 27, nil,
			[][]string{{"/compress (summarize, compact) [what to keep]", "Summarize the conversation"}},
			"/compress (summarize,\n      compact) [what to\n      keep]\n    Summarize the\n    conversation\n",
		},
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
