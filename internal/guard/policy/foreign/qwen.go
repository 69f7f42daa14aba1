package foreign

import (
	"strings"

	"pollux/internal/guard/policy"
)

// qwen translates a permission of Qwen Code, which has the form of Claude Code's with other names of tools. One about reading is about all
// tools that read.
func (t *translation) qwen(text string) {
	name, rest, hasRest := strings.Cut(text, "(")
	pattern, _ := strings.CutSuffix(rest, ")")
	tool := qwenTool(strings.TrimSpace(name))
	if tool == "WebFetch" && hasRest && pattern != "" && pattern != "*" && !strings.HasPrefix(pattern, "domain:") {
		rest = "domain:" + rest
	}
	if hasRest {
		rest = "(" + rest
	}
	if tool != "Read" || t.decision == policy.Allow {
		t.permission(tool + rest)
		return
	}
	for _, one := range []string{"Read", "Glob", "LS"} {
		if t.permission(one + rest); t.isLeft {
			return
		}
	}
	t.notes = unique(t.notes)
}

// qwenTool returns Claude Code's name of a tool of Qwen Code, or the name itself.
func qwenTool(name string) string {
	switch name {
	case "run_shell_command", "Shell", "ShellTool":
		return "Bash"
	case "edit", "EditTool", "replace":
		return "Edit"
	case "write_file", "WriteFile", "WriteFileTool":
		return "Write"
	case "read_file", "ReadFile", "ReadFileTool":
		return "Read"
	case "grep_search", "GrepTool", "search_file_content", "SearchFiles":
		return "Grep"
	case "glob", "GlobTool", "FindFiles":
		return "Glob"
	case "list_directory", "ListFiles", "ListFilesTool", "ReadFolder":
		return "LS"
	case "web_fetch", "WebFetchTool":
		return "WebFetch"
	case "todo_write", "TodoWriteTool":
		return "TodoWrite"
	case "agent", "AgentTool", "task", "TaskTool":
		return "Agent"
	case "skill", "SkillTool":
		return "Skill"
	}
	return name
}

// unique returns the texts of a list once, in their order.
func unique(list []string) (once []string) {
	seen := map[string]bool{}
	for _, text := range list {
		if !seen[text] {
			once = append(once, text)
		}
		seen[text] = true
	}
	return once
}
