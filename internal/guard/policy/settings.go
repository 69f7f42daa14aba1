package policy

import (
	"fmt"
	"slices"
	"strings"

	"pollux/tool"
)

// Settings are the settings that become rules.
type Settings struct {
	Exclude              []string // tools.exclude
	ConfirmationRequired []string // tools.confirmationRequired
	// ProjectConfirmations are the entries of tools.confirmationRequired that only the project has. They do not turn denials into questions.
	ProjectConfirmations []string
	Allowed              []string // tools.allowed or --allowed-tools
	Core                 []string // tools.core; nil if not set: an empty list allows nothing

	ExcludedServers []string // mcp.excluded
	TrustedServers  []string // servers with trust set in mcpServers
	AllowedServers  []string // mcp.allowed or --allowed-mcp-server-names
	// HeadlessServers are all configured servers if mcp.autoAllowInHeadless is set.
	HeadlessServers []string
}

// noUser is the source of the rule that denies questions to the user in headless runs.
const noUser = "no one can approve"

// FromSettings returns the rules for settings.
func FromSettings(s Settings) []Rule {
	var rules []Rule
	add := func(more ...Rule) { rules = append(rules, more...) }
	notPlan := In(Default, AutoEdit, Yolo)

	for _, server := range s.ExcludedServers {
		add(Rule{Tools: serverTools(server), Decision: Deny, Priority: 4.9, Source: "Settings (mcp.excluded)"})
	}
	add(Rule{Tools: []string{"ask_user"}, Decision: Deny, Priority: 4.4, When: Headless, Source: "Settings (" + noUser + ")"})
	add(entryRules(s.Exclude, Rule{Decision: Deny, Priority: 4.4, Source: "Settings (tools.exclude)"})...)
	add(entryRules(s.ConfirmationRequired, Rule{Decision: Ask, Priority: 4.35, Source: "Settings (tools.confirmationRequired)"})...)
	add(entryRules(s.ProjectConfirmations, Rule{Decision: Ask, Priority: 4.35, restricts: true, Source: "Settings (tools.confirmationRequired, of the project)"})...)
	allowed := entryRules(s.Allowed, Rule{Decision: Allow, Priority: 4.3, Source: "Settings (tools.allowed)"})
	add(allowed...)
	if slices.ContainsFunc(allowed, func(r Rule) bool { return len(r.Prefixes) > 0 || strings.HasPrefix(r.Tools[0], shellTool+"(") }) {
		add(Rule{Tools: []string{shellTool}, Decision: Deny, Priority: 4.29, Source: "Settings (tools.allowed, other commands)"})
	}
	if s.Core != nil {
		add(entryRules(s.Core, Rule{Decision: Allow, Priority: 4.25, Modes: notPlan, Source: "Settings (tools.core)"})...)
		// A subagent that tools.core permits must be able to end, and a model to find the tools of servers that it permits.
		add(Rule{Tools: []string{"complete_task", "search_tools"}, Decision: Allow, Priority: 4.25, Modes: notPlan, Source: "Settings (tools.core)"})
		add(Rule{Tools: []string{"*"}, Decision: Deny, Priority: 4.24, Modes: notPlan, Source: "Settings (tools.core, other tools)"})
	}
	for _, server := range s.TrustedServers {
		add(Rule{Tools: serverTools(server), owner: server, Decision: Allow, Priority: 4.2, Modes: notPlan, Source: "Settings (mcpServers.trust)"})
	}
	for _, server := range s.AllowedServers {
		add(Rule{Tools: serverTools(server), owner: oneOrAll(server), Decision: Allow, Priority: 4.1, Modes: notPlan, Source: "Settings (mcp.allowed)"})
	}
	for _, server := range s.HeadlessServers {
		add(Rule{Tools: serverTools(server), owner: server, Decision: Allow, Priority: 4.1, Modes: notPlan, When: Headless, Source: "Settings (mcp.autoAllowInHeadless)"})
	}
	return rules
}

// ExtensionRules returns the rules for the tools that an extension excludes in the file manifest, as the setting
// tools.exclude does.
func ExtensionRules(name, manifest string, excluded []string) []Rule {
	name = plainly(name)
	return entryRules(excluded, Rule{Decision: Deny, Priority: 4.4, Source: "Extension (" + name + "): excludeTools", extension: name, manifest: manifest})
}

// MatchNothing returns a warning for each rule of an entry in a list of tools that matches no call: write_file(x) in a list of
// excluded tools, or a misspelled name.
func MatchNothing(rules []Rule) (warnings []string) {
	for i := range rules {
		r := &rules[i]
		if strings.HasPrefix(r.Source, "Settings (mcp") {
			continue // of servers
		}
		name, _, hasArg := strings.Cut(r.Tools[0], "(")
		warning, suggestion := "", SuggestTool(name)
		if name == "Bash" { // in Claude Code
			suggestion = fmt.Sprintf("did you mean %q?", shellTool)
		}
		switch {
		case hasArg && r.Decision != Allow:
			warning = fmt.Sprintf("Warning: %s: %.100q restricts nothing: in such a list, only run_shell_command has arguments. "+
				"Name the whole tool, or write a policy rule with argsPattern.", r.Source, strings.TrimSuffix(r.Tools[0], "()"))
		case suggestion != "" && !strings.HasSuffix(name, "Tool"): // as in the source of Gemini CLI
			warning = fmt.Sprintf("Warning: %s: there is no tool %.100q: %s", r.Source, name, suggestion)
		}
		if warning != "" && !slices.Contains(warnings, warning) {
			warnings = append(warnings, warning)
		}
	}
	return warnings
}

// Runners returns the programs that tools.allowed and tools.core allow with any arguments, and that
// run others, such as git.
func (s Settings) Runners() []string {
	var names []string
	for _, r := range entryRules(slices.Concat(s.Allowed, s.Core), Rule{Decision: Allow}) {
		for _, prefix := range r.Prefixes {
			if name := runner(prefix); name != "" && !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
	}
	return names
}

// Registers reports whether tools.core permits a built-in tool in the session. Unlike the
// rules for tools.core, this applies to plan mode too.
func (s Settings) Registers(t *tool.Spec) bool {
	if s.Core == nil {
		return true
	}
	q := newQuery(Call{Name: t.Name, Aliases: t.Aliases})
	return slices.ContainsFunc(entryRules(s.Core, Rule{Decision: Allow}), func(r Rule) bool { return r.hasTool(r.Tools[0], q) })
}

// Names reports whether the user's lists of wanted tools name this one. Some tools are
// registered only in this case.
func (s Settings) Names(t *tool.Spec) bool {
	q := newQuery(Call{Name: t.Name, Aliases: t.Aliases})
	return slices.ContainsFunc(entryRules(slices.Concat(s.Core, s.Allowed), Rule{}), func(r Rule) bool {
		return r.Tools[0] != "*" && r.hasTool(r.Tools[0], q)
	})
}

func serverTools(server string) []string {
	if server == "*" {
		return []string{"mcp_*"}
	}
	return []string{"mcp_" + server + "_*"}
}

// oneOrAll returns the owner of a rule for a name of a server in a list, where "*" stands for all.
func oneOrAll(server string) string {
	if server == "*" {
		return ""
	}
	return server
}

// entryRules returns the rule for each entry of a list of tools.
func entryRules(entries []string, r Rule) []Rule {
	var rules []Rule
	for _, entry := range entries {
		rules = append(rules, entryRule(entry, r))
	}
	return rules
}

// entryRule completes a rule with an entry of a list of tools. An entry is a tool, or
// tool(argument). For the shell tool the argument is the beginning of a command. For other
// tools it is ignored, so that the entry allows, or asks about, the whole tool; in a list of
// excluded tools, it matches nothing. An entry without an end, or with an empty beginning of commands, allows nothing, and
// restricts the whole tool.
func entryRule(entry string, r Rule) Rule {
	entry = strings.TrimSpace(entry)
	name, rest, hasArg := strings.Cut(entry, "(")
	name = strings.TrimSpace(name)
	arg, isClosed := strings.CutSuffix(rest, ")")
	isShell := name == shellTool || name == legacyShellTool
	if isShell {
		name, arg = shellTool, strings.TrimSpace(arg)
	}
	switch isClear := isClosed && (!isShell || arg != ""); {
	case !hasArg:
	case !isClear && r.Decision == Allow, isClear && !isShell && r.Decision == Deny:
		name += "(" + rest
	case isClear && isShell:
		r.Prefixes = []string{arg}
	}
	if name == "" {
		name = entry + "()" // matches nothing
	}
	r.Tools = []string{name}
	return r
}
