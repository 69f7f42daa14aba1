package policy

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestMatchNothing checks that entries about no tool are reported with the name that they probably mean.
func TestMatchNothing(t *testing.T) {
	t.Parallel()
	s := Settings{
		Allowed: []string{"Bash(ls:*)", "WRITE_FILE", "run_shell_command(git status)", "ReadFileTool", "ShellTool(ls)", "mcp_docs_*", "my_agent", "*"},
		Core:    []string{"read_fil", "Glob"},
		Exclude: []string{"replace", "replace(x)"},
	}
	want := []string{
		`Warning: Settings (tools.exclude): "replace(x)" restricts nothing: in such a list, only run_shell_command has arguments. Name the whole tool, or write a policy rule with argsPattern.`,
		`Warning: Settings (tools.allowed): there is no tool "Bash": did you mean "run_shell_command"?`,
		`Warning: Settings (tools.allowed): there is no tool "WRITE_FILE": did you mean "write_file"?`,
		`Warning: Settings (tools.core): there is no tool "read_fil": did you mean "read_file"?`,
		`Warning: Settings (tools.core): there is no tool "Glob": did you mean "glob"?`,
	}
	if diff := cmp.Diff(want, MatchNothing(FromSettings(s))); diff != "" {
		t.Error(diff)
	}
}
