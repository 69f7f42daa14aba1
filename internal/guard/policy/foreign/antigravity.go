package foreign

import (
	"net/url"
	"strings"

	"pollux/internal/guard/policy"
)

// action translates a permission of Antigravity CLI: an action and its target in parentheses.
func (t *translation) action(text string) {
	action, target, hasTarget := strings.Cut(text, "(")
	if hasTarget {
		var isClosed bool
		if target, isClosed = strings.CutSuffix(target, ")"); !isClosed {
			t.leave("it has no closing parenthesis")
			return
		}
	}
	target = strings.TrimSpace(target)
	isAll := target == "" || target == "*" || target == "**"
	switch tool := actions[action]; {
	case action == "mcp" && isAll:
		t.server("*", "", false)
	case action == "mcp":
		server, name, _ := strings.Cut(target, "/")
		t.server(server, name, false)
	case tool == "":
		t.leave("Pollux has no such action")
	case isAll:
		t.wholeTool(tool)
	case action == "command":
		t.beginning(target)
	case t.decision == policy.Allow:
		t.leave("a rule would allow more than these calls")
	case action == "read_url":
		t.host(hostOf(target))
	default:
		if strings.HasPrefix(target, "/") {
			target = "/" + target // as Claude Code writes absolute paths
		}
		t.path(tool, target)
	}
}

// actions are the tools of Claude Code that do the same as an action of Antigravity CLI.
var actions = map[string]string{"command": "Bash", "read_file": "Read", "write_file": "Edit", "read_url": "WebFetch"}

// beginning translates a target of commands: their beginning, or a regular expression, which Antigravity CLI does not tell apart. What
// restricts counts as both.
func (t *translation) beginning(target string) {
	isPattern := strings.ContainsAny(target, `\^$*+?()[]{}|`)
	switch {
	case t.decision == policy.Allow && isPattern:
		t.leave("it may be a pattern, which a rule would read otherwise")
	case !isPattern && hasOperator(target):
		t.leave("Pollux decides about each command of a command line by itself")
	case t.decision == policy.Allow && strings.ContainsAny(target, `"`):
		t.leave("a rule would allow more than these commands")
	case t.decision == policy.Allow:
		t.add(Rule{Tools: tools["Bash"], Prefix: target})
	default:
		t.add(Rule{Tools: tools["Bash"], Command: quoted(target)})
		if isPattern {
			t.add(Rule{Tools: tools["Bash"], Command: strings.TrimPrefix(target, "^")})
			t.change("it counts as a pattern, and as the beginning of commands")
		}
	}
}

// hostOf returns the host of an address, or the text if it is none.
func hostOf(target string) string {
	if u, err := url.Parse(target); err == nil && u.Host != "" {
		return u.Hostname()
	}
	host, _, _ := strings.Cut(target, "/")
	return host
}
