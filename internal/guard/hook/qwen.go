package hook

import "math"

// Hooks of Qwen Code have the events, the input and the answers of Claude Code, with tools and time limits like those of Gemini CLI.

// qwenTools are the tools that both have.
var qwenTools = foreignTools{
	{name: "run_shell_command", own: "run_shell_command", args: []rename{{"dir_path", "directory"}}, paths: []string{"directory"}},
	{name: "edit", own: "replace", args: []rename{{"allow_multiple", "replace_all"}}, paths: []string{"file_path"}},
	{name: "write_file", own: "write_file", paths: []string{"file_path"}},
	{name: "read_file", own: "read_file", paths: []string{"file_path"}, write: writeOffset, read: readOffset},
	{name: "glob", own: "glob", args: []rename{{"dir_path", "path"}}, paths: []string{"path"}},
	{name: "grep_search", own: "grep_search", args: []rename{{"dir_path", "path"}, {"include_pattern", "glob"}}, paths: []string{"path"}},
	{name: "list_directory", own: "list_directory", args: []rename{{"dir_path", "path"}}, paths: []string{"path"}},
	{name: "web_fetch", own: "web_fetch"},
	{name: "todo_write", own: "write_todos"},
	{name: "agent", own: "invoke_agent", args: []rename{{"agent_name", "subagent_type"}}},
	{name: "skill", own: "activate_skill", args: []rename{{"name", "skill"}}},
	{name: "ask_user_question", own: "ask_user"},
	{name: "exit_plan_mode", own: "exit_plan_mode"},
}

// otherQwenTools are tools of Qwen Code that Pollux does not have.
var otherQwenTools = []string{"save_memory", "lsp", "cron_create", "cron_list", "cron_delete", "task_stop", "send_message", "monitor", "tool_search"}

// qwenLabels returns the other names that the documentation of Qwen Code has for a tool in matchers.
func qwenLabels(name string) []string {
	switch name {
	case "run_shell_command":
		return []string{"Bash", "Shell"}
	case "edit":
		return []string{"Edit", "replace"}
	case "write_file":
		return []string{"WriteFile", "Write"}
	case "read_file":
		return []string{"ReadFile", "Read"}
	case "glob":
		return []string{"Glob", "FindFiles"}
	case "grep_search":
		return []string{"Grep", "search_file_content"}
	case "list_directory":
		return []string{"ListFiles"}
	case "web_fetch":
		return []string{"WebFetch"}
	case "todo_write":
		return []string{"TodoWrite"}
	case "agent":
		return []string{"Agent", "Task", "task"}
	case "skill":
		return []string{"Skill"}
	}
	return nil
}

// QwenTool returns the name of Pollux's tool for one of Qwen Code's, or for another name of one; "" if there is none.
func QwenTool(name string) string {
	for i := range qwenTools {
		if t := &qwenTools[i]; t.hasQwenName(name) {
			return t.own
		}
	}
	return ""
}

func (t *foreignTool) hasQwenName(name string) bool {
	if t.name == name {
		return true
	}
	for _, label := range qwenLabels(t.name) {
		if label == name {
			return true
		}
	}
	return false
}

// qwenSelects is [Set.selects] for a hook of Qwen Code. Its matchers are regular expressions for names of tools, sources and reasons.
func (s *Set) qwenSelects(h *Hook, at target) (name string, ok bool) {
	switch {
	case h.Event == AfterTool && (h.As == postFailure) != at.hasFailed:
		return "", false
	case at.tool == "" && at.trigger == "":
		return "", true
	case at.tool == "":
		return "", selectsAll(h.Matcher) || s.finds(h.Matcher, claudeTrigger(h.Event, at.trigger))
	}
	name = at.namesFor(Qwen)[0]
	for _, one := range append([]string{name, at.tool}, qwenLabels(name)...) {
		if selectsAll(h.Matcher) || s.finds(h.Matcher, one) {
			return name, true
		}
	}
	return name, false
}

// qwenMode returns Qwen Code's name of an approval mode.
func qwenMode(mode string) string {
	switch mode {
	case "":
		return "default"
	case "auto_edit", "autoEdit", "sandboxed":
		return "auto-edit"
	}
	return mode
}

// writeOffset makes a first and a last line an offset from 0 and a number of lines.
func writeOffset(args Output) {
	writeRange(args)
	if offset := args.number("offset"); offset != nil {
		args.set("offset", *offset-1)
	}
}

func readOffset(args Output) {
	if offset := args.number("offset"); offset != nil {
		args.set("offset", math.Max(0, *offset)+1)
	}
	readRange(args)
}
