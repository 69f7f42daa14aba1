package subagent

import (
	"slices"
	"strings"
)

// toolNames are the names of tools that a definition may list, beside those of MCP servers and of the
// user's programs. They are those of Gemini CLI and Pollux; tools that a session lacks are left out.
var toolNames = []string{
	"glob", "write_todos", "write_file", "google_web_search", "web_fetch", "replace", "run_shell_command", "grep_search", "read_many_files", "read_file",
	"list_directory", "activate_skill", "ask_user", "tracker_create_task", "tracker_update_task", "tracker_get_task", "tracker_list_tasks",
	"tracker_add_dependency", "tracker_visualize", "get_internal_docs", "enter_plan_mode", "exit_plan_mode", "update_topic", "complete_task",
	"invoke_agent", "read_mcp_resource", "list_mcp_resources",
	"search_file_content", "save_memory", "list_background_processes", "read_background_output", "stop_background_process",
}

// isToolName reports whether a definition may list a tool under this name.
func isToolName(name string) bool {
	if name == "*" || name == "mcp_*" || slices.Contains(toolNames, name) || strings.HasPrefix(name, "discovered_tool_") {
		return true
	}
	rest, isMCP := strings.CutPrefix(name, "mcp_")
	server, tool, found := strings.Cut(rest, "_")
	if !isMCP || !found || !isMCPName(server) {
		return false
	}
	return tool == "*" || isMCPName(tool) && strings.Trim(tool, "_") != ""
}

// isMCPName reports whether a name of a server or tool has only characters that are in the names of tools.
func isMCPName(name string) bool { return isSlug(strings.Map(plainRune, name)) }

// plainRune replaces the characters that [isSlug] does not know.
func plainRune(r rune) rune {
	switch {
	case r >= 'A' && r <= 'Z', r == '.', r == ':':
		return '-'
	}
	return r
}

// Selects returns the place of the first entry of Tools that grants a tool by its names, -1 if none does;
// server is that of an MCP tool, "" for others. It is 0 if the definition grants all tools.
func (d *Definition) Selects(names []string, server string) int {
	if d.Tools == nil {
		return 0
	}
	return slices.IndexFunc(d.Tools, func(pattern string) bool {
		switch {
		case pattern == "*", slices.Contains(names, pattern):
			return true
		case pattern == "mcp_*":
			return server != ""
		}
		rest, isMCP := strings.CutPrefix(pattern, "mcp_")
		of, isWild := strings.CutSuffix(rest, "_*")
		return isMCP && isWild && server != "" && of == server
	})
}
