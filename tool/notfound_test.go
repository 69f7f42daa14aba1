package tool

import (
	"slices"
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
	server := NewRegistry(append(tools[5:], toolNamed("write_todos"), toolNamed("google_web_search"), toolNamed("mcp_box_bash"))...).Snapshot()
	for name, want := range map[string]string{
		"bash": `Did you mean one of: "run_shell_command", "mcp_box_bash"?`, "search": `Did you mean "google_web_search"?`, "Write": `Did you mean "write_file"?`,
		"Read": `Here it is "read_file", which is not available now.`, "Grep": `Here it is "grep_search", which is not available now.`,
	} {
		if got := server.NotFound(name); got != `Tool "`+name+`" not found. `+want {
			t.Errorf("%s, want %s", got, want)
		}
	}
	if got := server.Meant("Read"); !slices.Equal(got, []string{"read", "read_file"}) {
		t.Error(got)
	}
	if got := server.Meant("bash"); got != nil {
		t.Error(got)
	}
	if got := NewRegistry().Snapshot().NotFound("x"); got != `Tool "x" not found.` {
		t.Error(got)
	}
	long := strings.Repeat("x_", 1<<20)
	if got := s.NotFound(long); !strings.Contains(got, "Did you mean") {
		t.Error(got[len(got)-99:])
	}
}

// TestSuggestions has the names of tools of other agents and the tools that are suggested if their
// arguments are not clear.
func TestSuggestions(t *testing.T) {
	t.Parallel()
	var tools []Tool
	for name := range strings.FieldsSeq("list_directory read_file grep_search glob replace write_file web_fetch run_shell_command list_background_processes " +
		"read_background_output google_web_search ask_user write_todos exit_plan_mode invoke_agent activate_skill") {
		tools = append(tools, toolNamed(name))
	}
	s := NewRegistry(tools...).Snapshot()
	for _, c := range [][2]string{
		{"Bash shell local_shell exec_command shell_command run_terminal_cmd execute_command run_in_terminal container.exec", "run_shell_command"},
		{"Edit MultiEdit str_replace replace_in_file search_replace apply_patch apply_diff", "replace"},
		{"Write write_to_file create_file", "write_file"},
		{"Read view open_file", "read_file"},
		{"Grep rg codebase_search", "grep_search"},
		{"Glob find find_by_name", "glob"},
		{"LS list_dir list_files", "list_directory"},
		{"WebFetch fetch", "web_fetch"},
		{"WebSearch", "google_web_search"},
		{"TodoWrite update_plan update_todo_list", "write_todos"},
		{"Task Agent dispatch_agent", "invoke_agent"},
		{"AskUserQuestion ask_followup_question", "ask_user"},
		{"ExitPlanMode", "exit_plan_mode"},
		{"BashOutput", "read_background_output"},
		{"Skill", "activate_skill"},
	} {
		for name := range strings.FieldsSeq(c[0]) {
			if got, want := s.NotFound(name), `Tool "`+name+`" not found. Did you mean "`+c[1]+`"?`; got != want {
				t.Errorf("%s, want %s", got, want)
			}
		}
	}
}
