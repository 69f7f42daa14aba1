package foreign

import (
	"slices"
	"strings"
)

// Words returns the words of a tool's name in lower case, without a namespace: "read" and "file"
// of "readFile", "Read-File" and "functions.read_file".
func Words(name string) []string {
	name = name[:min(len(name), maxName)]
	name = name[strings.LastIndexAny(strings.TrimRight(name, ".:/"), ".:/")+1:]
	var b strings.Builder
	wasLower := false
	for _, r := range name {
		isUpper := 'A' <= r && r <= 'Z'
		if isUpper && wasLower {
			b.WriteByte('_')
		}
		wasLower = 'a' <= r && r <= 'z' || '0' <= r && r <= '9'
		b.WriteRune(r)
	}
	return strings.FieldsFunc(strings.ToLower(b.String()), func(r rune) bool { return strings.ContainsRune("_-. :/", r) })
}

// maxName is the number of bytes of a name that are read: comparing a name of megabytes would
// take seconds.
const maxName = 256

// Key returns a tool's name in the form of Pollux's names: read_file for "ReadFile".
func Key(name string) string { return strings.Join(Words(name), "_") }

// Successors returns Pollux's tools that do the same as one of another program or of a former
// release. The name is a [Key].
func Successors(key string) []string {
	for _, table := range [...][]string{similar[:], same[:]} {
		for i := 0; i < len(table); i += 2 {
			if slices.Contains(strings.Fields(table[i+1]), key) {
				return strings.Fields(table[i])
			}
		}
	}
	return nil
}

// same has tools, and the names of those that do the same in other programs, by turns. Their calls
// are read as calls of the tool.
var same = [...]string{
	"run_shell_command", "bash shell sh exec execute command cmd terminal run_command execute_command exec_command execute_bash run_in_terminal run_terminal_cmd " +
		"local_shell container_exec bash_command run_shell shell_command",
	"replace", "edit edit_file file_edit multi_edit multiedit str_replace string_replace search_replace search_and_replace replace_in_file",
	"replace read_file write_file", "str_replace_editor str_replace_based_edit_tool text_editor",
	"write_file", "write create_file new_file save_file write_to_file file_write",
	"read_file", "read view cat open open_file view_file file_read get_file_contents read_many_files read_files",
	"grep_search", "grep rg ripgrep search search_text search_code search_content",
	"glob", "find find_files find_file find_by_name",
	"list_directory", "ls list list_dir list_files list_folder",
	"web_fetch", "fetch webfetch fetch_url browse http_get read_url",
	"google_web_search", "websearch web_search search_web internet_search",
	"write_todos", "todowrite todo_write update_plan todo update_todo_list",
	"invoke_agent", "task agent dispatch_agent codebase_investigator",
	"ask_user", "ask ask_followup_question ask_user_question request_user_input",
	"read_background_output", "bash_output get_terminal_output",
	"stop_background_process", "kill_shell kill_bash kill_process kill_terminal",
}

// similar has tools, and the names of those with a similar purpose, by turns. Their arguments mean
// something else, so the tools are only suggested.
var similar = [...]string{
	"run_shell_command", "python code_interpreter execute_code",
	"replace", "apply_patch apply_diff patch",
	"read_file glob", "read_many_files read_files", // with patterns
	"grep_search", "codebase_search code_search",
	"grep_search glob read_file", "codebase_investigator", // without subagents
	"grep_search glob", "search_files find_in_files file_search",
	"list_directory", "directory_tree",
	"web_fetch", "browser",
	"replace write_file", "save_memory memory",
	"get_internal_docs", "cli_help",
}

// Meant returns the tools whose calls a tool's name can mean.
func Meant(name string) []string {
	key := Key(name)
	for i := 0; i < len(same); i += 2 {
		if slices.Contains(strings.Fields(same[i+1]), key) {
			return strings.Fields(same[i])
		}
	}
	return nil
}
