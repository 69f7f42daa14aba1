package policy

import (
	"fmt"
	"slices"
	"strings"

	"pollux/tool/spelling"
)

// never returns problems of a rule that can match no call, or whose parts can match none. servers are the
// names of the MCP servers, nil if they are not known.
func (r *Rule) never(servers []string) (problems []Problem) {
	severity := "error" // without a match, a rule that denies or asks lets calls through
	if r.Decision == Allow {
		severity = "warning"
	}
	add := func(severity, message, suggestion string) {
		problems = append(problems, Problem{r.file, r.line, severity, message, suggestion})
	}
	for _, name := range r.Tools {
		if message, suggestion := unknownTool(name, r, servers); message != "" {
			add("warning", message, suggestion)
		}
	}
	if r.Server != "" && r.Server != "*" && servers != nil && !slices.Contains(servers, r.Server) {
		add("warning", fmt.Sprintf("No MCP server is called %q", r.Server), meant(r.Server, servers, "add it to mcpServers, or remove the rule"))
	}
	for _, prefix := range r.Prefixes {
		if strings.TrimSpace(prefix) != prefix {
			add(severity, matchesNothing(prefix), "remove the space")
		}
	}
	pattern, key := r.Args.String(), "argsPattern"
	if command := r.Args.command(); command != "" {
		pattern, key = command, "commandRegex"
	}
	if reason, suggestion := neverFound(pattern, key == "commandRegex"); pattern != "" && reason != "" {
		add(severity, fmt.Sprintf("%s %q can never match: %s", key, pattern, reason), suggestion)
	}
	return problems
}

// unknownTool returns a problem with the name of a tool in a rule, "" if a tool may have it.
func unknownTool(name string, r *Rule, servers []string) (message, suggestion string) {
	rest, isRemote := strings.CutPrefix(name, "mcp_")
	switch {
	case name == "*" || name == "" || slices.Contains(toolNames, name) || r.Server != "" || r.owner != "",
		strings.HasPrefix(name, "discovered_tool_"), SuggestTool(name) != "": // which is reported already
		return "", ""
	case strings.Contains(name, "*") && (!isRemote || strings.Count(name, "*") > 1 || rest != "*" && !strings.HasPrefix(rest, "*_") && !strings.HasSuffix(rest, "_*")):
		return fmt.Sprintf("toolName %q can never match: * is only for all tools and for MCP servers", name), "write *, mcp_*, mcp_<server>_* or mcp_*_<tool>, or a list of names"
	case isRemote && servers != nil && !strings.Contains(name, "*") && ServerOf(name, servers) == "",
		isRemote && servers != nil && strings.HasSuffix(rest, "_*") && !slices.ContainsFunc(servers, func(s string) bool { return plainName(s) == strings.TrimSuffix(rest, "_*") }):
		server, _, _ := strings.Cut(rest, "_")
		return fmt.Sprintf("No MCP server has a tool like %q", name), meant(server, servers, "add the server to mcpServers, or remove the rule")
	case isRemote:
		return "", ""
	}
	return fmt.Sprintf("No tool is called %q: the rule is only about a subagent with this name", name), ""
}

// meant returns a suggestion for a name that is none of names.
func meant(name string, names []string, other string) string {
	if near := spelling.Closest(name, slices.Values(names)); near != "" {
		return fmt.Sprintf("did you mean %q?", near)
	}
	return other
}

// neverFound returns why an expression can find nothing in the arguments of calls, "" if it may. Arguments are
// JSON in one line without spaces between its parts. isCommand is set for an expression that begins where
// the text of a command does.
func neverFound(source string, isCommand bool) (reason, suggestion string) {
	if strings.Contains(source, "|") {
		return "", "" // one of several may match
	}
	if rest, ok := strings.CutPrefix(source, "^"); ok {
		switch {
		case isCommand:
			return "it begins at the beginning of the command, and ^ is the beginning of all arguments", "remove the ^"
		case rest != "" && strings.IndexByte(`\([.`, rest[0]) < 0 && rest[0] != '{', strings.HasPrefix(rest, `\x00`), strings.HasPrefix(rest, `\"`):
			return "^ is the beginning of all arguments, which is {", `write "name":"text of the argument`
		}
	}
	if rest, ok := strings.CutSuffix(source, "$"); ok && trailingBackslashes(rest)%2 == 0 && rest != "" {
		last := rest[len(rest)-1]
		isLiteral := strings.IndexByte(`)]}*+?.`, last) < 0
		switch {
		case isCommand && (isLiteral || last == '}'):
			return "$ is the end of all arguments, which is behind the command", `write " instead of $`
		case !isCommand && isLiteral:
			return "$ is the end of all arguments, which is }", `write " instead of $ for the end of a text`
		}
	}
	for _, escape := range []string{`\n`, `\t`, `\r`, `\f`, `\v`} {
		if i := strings.Index(source, escape); i >= 0 && trailingBackslashes(source[:i])%2 == 0 && !strings.ContainsAny(source, "[*?{") {
			return fmt.Sprintf("%s is not in JSON, where it is a backslash and a letter", escape), `write \` + escape
		}
	}
	for _, text := range requiredTexts(source) {
		if i := strings.Index(text, `": `); i >= 0 && (i == 0 || text[i-1] != '\\') {
			return "there is no space between a name and its value", `remove the space after the colon`
		}
		if !isCommand {
			continue
		}
		if i := strings.IndexByte(text, '"'); i > 0 && text[i-1] != '\\' && i+1 < len(text) && strings.IndexByte("\x00,:}", text[i+1]) < 0 {
			return `a quote inside a command is \" in JSON`, `write \\" instead of "`
		}
	}
	return "", ""
}

// trailingBackslashes counts the backslashes at the end of a text.
func trailingBackslashes(text string) int { return len(text) - len(strings.TrimRight(text, `\`)) }
