package policy

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestMisspelled checks that entries about no tool are reported with the name that they probably mean.
func TestMisspelled(t *testing.T) {
	t.Parallel()
	s := Settings{
		Allowed: []string{"Bash(ls:*)", "WRITE_FILE", "run_shell_command(git status)", "ReadFileTool", "ShellTool(ls)", "mcp_docs_*", "my_agent", "*"},
		Core:    []string{"read_fil", "Glob"},
		Exclude: []string{"replace"},
	}
	want := []string{
		`tools.allowed names the tool "Bash", which Pollux does not have: did you mean "run_shell_command"?`,
		`tools.allowed names the tool "WRITE_FILE", which Pollux does not have: did you mean "write_file"?`,
		`tools.core names the tool "read_fil", which Pollux does not have: did you mean "read_file"?`,
		`tools.core names the tool "Glob", which Pollux does not have: did you mean "glob"?`,
	}
	if diff := cmp.Diff(want, s.Misspelled()); diff != "" {
		t.Error(diff)
	}
}
