package confine_test

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pollux/internal/sandbox/confine"
)

func TestIsWalk(t *testing.T) {
	t.Parallel()
	for command, want := range map[string]bool{
		"grep -r x ~": true, "cd /x && find . -name y | head -3": true, "ls ~/.ssh": true, "rg x | sort | uniq": true,
		"cat ~/.netrc": false, "head ~/.netrc": false, "grep x y; git push": false, "find . -exec cat {} +; ssh host": false, "": false,
	} {
		if got := (&confine.Run{Command: command}).IsWalk(); got != want {
			t.Errorf("%q: %v", command, got)
		}
	}
}

// TestSeveral checks that the advice and the log name all files that a command was refused: a few, each once, and the first one of a command that
// looks at many.
func TestSeveral(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		command   string
		names     string // of files that a line each refuses
		hasFailed bool
		want      string // of those that are refused
	}{
		{"cat a b a", "aba", true, "ab"},
		{"cat a b a; true", "aba", false, "ab"},
		{"cat *", "abcdefg", true, "abcde"},
		{"cat a", "", true, ""},
		{"find . | head", "ab", false, "a"},
	} {
		c, home := confinement(t)
		if err := c.Open(); err != nil {
			t.Skipf("NOT TESTED: %v", err)
		}
		c.Ask(func(context.Context) confine.Run { return confine.Run{Command: test.command} })
		output, dir := "", filepath.Join(home, "other")
		for _, name := range strings.Split(test.names, "") {
			output += fmt.Sprintf("touch: %s/%s: Permission denied\nread\n", dir, name)
		}
		advice, missed := c.Advise(t.Context(), output, test.hasFailed), c.Missed(output, confine.Run{Command: test.command})
		var wishes, reasons []string
		for i, name := range strings.Split(test.want, "") {
			path := dir + "/" + name
			wishes, reasons = append(wishes, "to create "+path), append(reasons, "The sandbox does not let it create "+path+".")
			if i == 0 && !strings.Contains(advice, ": "+path+" is outside") || i > 0 && !strings.Contains(advice, "to create "+path) {
				t.Errorf("%s: the advice lacks %s: %s", test.command, path, advice)
			}
		}
		display := func(list []string) []string { // paths of the home directory are shown with ~
			for i := range list {
				list[i] = strings.ReplaceAll(list[i], "~/", home+"/")
			}
			return list
		}
		var refused []string
		for _, wish := range c.Refused() {
			refused = append(refused, wish.Text)
		}
		if got := display(refused); !slices.Equal(got, wishes) {
			t.Errorf("%s: refused %q, want %q", test.command, got, wishes)
		}
		if got := display(missed); !slices.Equal(got, reasons) {
			t.Errorf("%s: missed %q, want %q", test.command, got, reasons)
		}
		if test.want == "" && advice != "" || len(test.want) == 1 && strings.Contains(advice, "also") {
			t.Errorf("%s: %s", test.command, advice)
		}
	}
}
