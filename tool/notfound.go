package tool

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"pollux/tool/spelling"
)

// NotFound returns the message that a model gets when it calls a tool that does not exist. It
// suggests the equivalents of a tool of other programs or of former releases; else the tools whose
// names have its words; else the three with the most similar names.
func (s *Snapshot) NotFound(name string) string {
	text := fmt.Sprintf("Tool %q not found.", name)
	// Comparing a name of megabytes would take seconds.
	words := wordsOf(name[:min(len(name), 256)])
	if slices.Contains(endings, strings.Join(words, "_")) {
		return text + " To end, answer in text, without a call."
	}
	if same := s.namesWith(words); len(same) > 0 {
		return text + suggestion(same)
	}
	if names := successorsOf(strings.Join(words, "_")); len(names) > 0 {
		active := slices.DeleteFunc(slices.Clone(names), func(n string) bool { _, found := s.index()[n]; return !found })
		if len(active) == 0 {
			return text + fmt.Sprintf(" Here it is %q, which is not available now.", names[0])
		}
		return text + suggestion(active) + notes[strings.Join(words, "_")]
	}
	return text + suggestion(s.similar(strings.Join(words, "_")))
}

// Meant returns the names that a call of a tool that does not exist may mean: its name in the
// form of tool names, and the tools that do the same. It returns nil if a tool of the snapshot
// may be meant.
func (s *Snapshot) Meant(name string) []string {
	words := wordsOf(name[:min(len(name), 256)])
	if len(s.namesWith(words)) > 0 {
		return nil
	}
	own := strings.Join(words, "_")
	meant := append([]string{own}, successorsOf(own)...)
	if slices.ContainsFunc(meant, func(n string) bool { _, found := s.index()[n]; return found }) {
		return nil
	}
	return meant
}

// suggestion asks whether one of names was meant.
func suggestion(names []string) string {
	switch len(names) {
	case 0:
		return ""
	case 1:
		return fmt.Sprintf(" Did you mean %q?", names[0])
	}
	quoted := make([]string, len(names))
	for i, n := range names {
		quoted[i] = `"` + n + `"`
	}
	return " Did you mean one of: " + strings.Join(quoted, ", ") + "?"
}

// most is the number of names that are suggested.
const most = 3

// namesWith returns names that have all of words, or beginnings of words that are theirs: first
// those that have no others.
func (s *Snapshot) namesWith(words []string) []string {
	var found []string
	for _, t := range s.tools {
		if name := t.Spec().Name; hasWords(wordsOf(name), words) {
			found = append(found, name)
		}
	}
	slices.SortStableFunc(found, func(a, b string) int { return cmp.Compare(len(wordsOf(a)), len(wordsOf(b))) })
	return found[:min(most, len(found))]
}

// hasWords reports whether each of words begins another word of a name. A single one must be
// that word.
func hasWords(name, words []string) bool {
	left := slices.Clone(name)
	for _, w := range words {
		i := slices.IndexFunc(left, func(of string) bool { return of == w || len(words) > 1 && strings.HasPrefix(of, w) })
		if i < 0 {
			return false
		}
		left = slices.Delete(left, i, i+1)
	}
	return len(words) > 0
}

// similar returns the names that differ from name in the fewest letters.
func (s *Snapshot) similar(name string) []string {
	var names []string
	for _, t := range s.tools {
		names = append(names, t.Spec().Name)
	}
	slices.SortStableFunc(names, func(a, b string) int {
		return cmp.Compare(spelling.Distance(name, a), spelling.Distance(name, b))
	})
	return names[:min(most, len(names))]
}

// wordsOf returns the words of a name in lower case, without a namespace: "read" and "file" of
// "readFile", "Read-File" and "functions.read_file".
func wordsOf(name string) []string {
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

// endings are tools of other programs that end a task.
var endings = []string{"attempt_completion", "complete_task", "task_complete", "final_answer", "finish", "done", "respond", "answer", "submit"}

// successors are tools and the names of those that do the same in other programs, or did in
// former releases, by turns.
var successors = [...]string{
	"run_shell_command", "bash shell sh exec execute command cmd terminal run_command execute_command exec_command execute_bash run_in_terminal run_terminal_cmd " +
		"local_shell container_exec bash_command python code_interpreter execute_code",
	"replace", "edit edit_file file_edit multi_edit multiedit apply_patch apply_diff str_replace string_replace search_replace search_and_replace replace_in_file patch",
	"replace read_file write_file", "str_replace_editor str_replace_based_edit_tool text_editor",
	"write_file", "write create_file new_file save_file write_to_file file_write",
	"read_file", "read view cat open open_file view_file file_read get_file_contents",
	"read_file glob", "read_many_files read_files",
	"grep_search", "grep rg ripgrep search search_text search_code codebase_search code_search search_content",
	"grep_search glob", "search_files find_in_files file_search",
	"grep_search glob read_file", "codebase_investigator",
	"glob", "find find_files find_file find_by_name",
	"list_directory", "ls list list_dir list_files list_folder directory_tree",
	"web_fetch", "fetch webfetch fetch_url browse browser http_get read_url",
	"google_web_search", "websearch web_search search_web internet_search",
	"write_todos", "todowrite todo_write update_plan todo update_todo_list",
	"ask_user", "ask ask_followup_question ask_user_question request_user_input",
	"read_background_output", "bash_output get_terminal_output",
	"replace write_file", "save_memory memory",
	"get_internal_docs", "cli_help",
}

// notes follow the suggestions for some names.
var notes = map[string]string{
	"save_memory": " What is to be remembered stands in GEMINI.md.",
	"memory":      " What is to be remembered stands in GEMINI.md.",
}

// successorsOf returns the tools that do the same as one by another name.
func successorsOf(name string) []string {
	for i := 0; i < len(successors); i += 2 {
		if slices.Contains(strings.Fields(successors[i+1]), name) {
			return strings.Fields(successors[i])
		}
	}
	return nil
}
