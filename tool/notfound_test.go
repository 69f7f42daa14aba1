package tool

import (
	"strings"
	"testing"
)

// A tool that does not exist is answered with the tools that do the same, those with its words,
// or those with similar names.
func TestNotFound(t *testing.T) {
	t.Parallel()
	var tools []Tool
	for name := range strings.FieldsSeq("list_directory read_file grep_search glob replace write_file web_fetch run_shell_command read_background_output") {
		tools = append(tools, toolNamed(name))
	}
	s := NewRegistry(tools...).Snapshot()
	for name, want := range map[string]string{
		"run_shell": `Did you mean "run_shell_command"?`, "shell_command": `Did you mean "run_shell_command"?`, "command": `Did you mean "run_shell_command"?`,
		"readFile": `Did you mean "read_file"?`, "ReadFile": `Did you mean "read_file"?`, "file-read": `Did you mean "read_file"?`, "functions.read_file": `Did you mean "read_file"?`,
		"default_api:read_file": `Did you mean "read_file"?`, "read_fil": `Did you mean "read_file"?`, "file": `Did you mean one of: "read_file", "write_file"?`,
		"search_files": `Did you mean one of: "grep_search", "glob"?`, "search": `Did you mean "grep_search"?`,
		"bash": `Did you mean "run_shell_command"?`, "Bash": `Did you mean "run_shell_command"?`, "execute_command": `Did you mean "run_shell_command"?`,
		"str_replace_editor": `Did you mean one of: "replace", "read_file", "write_file"?`, "apply_patch": `Did you mean "replace"?`, "MultiEdit": `Did you mean "replace"?`,
		"save_memory":     `Did you mean one of: "replace", "write_file"? What is to be remembered stands in GEMINI.md.`,
		"read_many_files": `Did you mean one of: "read_file", "glob"?`, "codebase_investigator": `Did you mean one of: "grep_search", "glob", "read_file"?`,
		"web_search": `Here it is "google_web_search", which is not available now.`, "attempt_completion": `To end, answer in text, without a call.`,
		"globb": `Did you mean one of: "glob", "replace", "read_file"?`, "": `Did you mean one of: "glob", "replace", "read_file"?`,
	} {
		if got := s.NotFound(name); got != `Tool "`+name+`" not found. `+want {
			t.Errorf("%s, want %s", got, want)
		}
	}
	if got := NewRegistry().Snapshot().NotFound("x"); got != `Tool "x" not found.` {
		t.Error(got)
	}
	long := strings.Repeat("x_", 1<<20)
	if got := s.NotFound(long); !strings.Contains(got, "Did you mean") {
		t.Error(got[len(got)-99:])
	}
}
