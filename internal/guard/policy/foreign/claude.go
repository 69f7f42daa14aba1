package foreign

import (
	"strings"

	"pollux/internal/guard/policy"
)

// tools are the tools of Pollux that do the work of a tool of Claude Code. Edit and Write stand for each other, so that nothing
// that one of them forbids is left to the other.
var tools = map[string][]string{
	"Bash": {"run_shell_command"}, "Read": {"read_file", "grep_search"}, "Glob": {"glob"}, "Grep": {"grep_search"}, "LS": {"list_directory"},
	"Edit": {"replace", "write_file"}, "MultiEdit": {"replace", "write_file"}, "Write": {"replace", "write_file"},
	"WebFetch": {"web_fetch"}, "WebSearch": {"google_web_search"}, "TodoWrite": {"write_todos"}, "Task": {"invoke_agent"}, "Agent": {"invoke_agent"},
	"Skill": {"activate_skill"},
}

// permission translates a permission: a tool, or a tool and a pattern in parentheses.
func (t *translation) permission(text string) {
	tool, pattern, hasPattern := strings.Cut(text, "(")
	if hasPattern {
		var isClosed bool
		if pattern, isClosed = strings.CutSuffix(pattern, ")"); !isClosed {
			t.leave("it has no closing parenthesis")
			return
		}
	}
	if hasPattern && (pattern == "" || pattern == "*" || pattern == "**" || pattern == ":*") {
		hasPattern = false
	}
	switch {
	case strings.HasPrefix(tool, "mcp__"):
		server, name, _ := strings.Cut(strings.TrimPrefix(tool, "mcp__"), "__")
		t.server(server, name, hasPattern)
	case tools[tool] == nil:
		t.leave("Pollux has no such tool")
	case !hasPattern:
		t.wholeTool(tool)
	case tool == "Bash":
		t.command(pattern)
	case tool == "WebFetch" && strings.HasPrefix(pattern, "domain:"):
		t.host(strings.TrimPrefix(pattern, "domain:"))
	case t.decision == policy.Allow:
		t.leave("a rule would allow more than these calls")
	case tool == "Read", tool == "Edit", tool == "MultiEdit", tool == "Write", tool == "Glob", tool == "Grep", tool == "LS":
		t.path(tool, pattern)
	case tool == "Task" || tool == "Agent":
		t.add(Rule{Tools: tools[tool], Args: `\x00"agent_name":"` + quoted(pattern) + `"\x00`})
	case tool == "Skill" && !strings.ContainsAny(pattern, "*:"):
		t.add(Rule{Tools: tools[tool], Args: `\x00"name":"` + quoted(pattern) + `"\x00`})
	default:
		t.add(Rule{Tools: tools[tool]})
		t.change("the rule is about all calls of the tool")
	}
}

// wholeTool translates a permission for all calls of a tool.
func (t *translation) wholeTool(tool string) {
	if t.decision != policy.Allow {
		t.add(Rule{Tools: tools[tool]})
		return
	}
	switch tool {
	case "WebFetch", "WebSearch", "TodoWrite":
		t.add(Rule{Tools: tools[tool]})
	case "Bash":
		t.leave("it allows every command. See the approval modes")
	case "Edit", "MultiEdit", "Write":
		t.leave("it allows every change. The approval mode auto_edit does it with less risk")
	case "Read", "Glob", "Grep", "LS":
		t.leave("Pollux reads files of the workspace without a rule")
	default:
		t.leave("a rule would allow more")
	}
}

// server translates a permission for an MCP server, or for one of its tools.
func (t *translation) server(server, tool string, hasPattern bool) {
	r := Rule{Server: server, Tools: []string{"*"}}
	isTool := tool != "" && tool != "*"
	switch {
	case server == "":
		t.leave("it names no server")
		return
	case t.decision == policy.Allow && (hasPattern || strings.Contains(server+tool, "*") && tool != "*"):
		t.leave("a rule would allow more than these calls")
		return
	case strings.Contains(server, "*"):
		r.Server, isTool = "*", false
		t.change("the rule is about all servers")
	case isTool && strings.Contains(tool, "*"):
		isTool = false
		t.change("the rule is about all tools of the server")
	case hasPattern:
		t.change("the rule is about all calls of the tool")
	}
	if isTool {
		r.Tools = []string{tool}
	}
	t.add(r)
}
