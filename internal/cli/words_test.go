package cli

import (
	"strings"
	"testing"

	"pollux/internal/exit"
)

func TestWrongWords(t *testing.T) {
	t.Parallel()
	for args, want := range map[string][2]string{
		"config|gett|x":    {"Unknown arguments: gett, x", `Did you mean "pollux config get"?`},
		"config|xyzzy":     {"Unknown argument: xyzzy", ""},
		"memory|shwo":      {"Unknown argument: shwo", `Did you mean "pollux memory show"?`},
		"memory|add":       {"Not enough non-option arguments: got 0, need at least 1", ""},
		"memory|list|x":    {"Unknown argument: x", ""},
		"demo|surplus":     {"Unknown argument: surplus", ""},
		"demo|a\x1b[2J|b":  {"Unknown arguments: a, b", ""},
		"config|get":       {"pollux config get takes 1 argument, not 0.", ""},
		"completion|a|b":   {"Choose a shell: bash, zsh, fish.", ""},
		"config|--bogus|x": {"Unknown argument: bogus", ""},
	} {
		s := (&start{args: strings.Split(args, "|"), commands: []subcommand{sample(nil), noun("config"), noun("memory")}}).do()
		if s.code != exit.General || !strings.HasPrefix(s.err.String(), want[0]) || !strings.Contains(s.err.String(), " Run 'pollux ") {
			t.Errorf("%s: code %d, %q, want %q", args, s.code, s.err, want[0])
		}
		got := hintOf(s)
		if got != want[1] {
			t.Errorf("%s: the hint is %q, want %q", args, got, want[1])
		}
	}
}
