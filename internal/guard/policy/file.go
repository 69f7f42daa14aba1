package policy

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Tier is the origin of rules. Those of higher tiers have precedence.
type Tier int

// The tiers, lowest first.
const (
	TierDefault Tier = 1 + iota
	TierExtension
	TierWorkspace
	TierUser
	TierAdmin
)

// String returns the tier's name, as in the sources of rules.
func (t Tier) String() string {
	return [...]string{"Default", "Extension", "Workspace", "User", "Admin"}[t-1]
}

// priority returns the overall priority for a priority in a file (0 to 999).
func (t Tier) priority(p int64) float64 { return float64(int64(t)*1000+p) / 1000 }

// problem is a problem with a file, in the parts of Gemini CLI's message.
type problem struct {
	warning                      bool
	message, details, suggestion string
	places                       []place // the lines that details are about
}

// place is a line of a file with its part of a problem's details.
type place struct {
	line int
	text string
}

func (p problem) text(from origin, file string) string {
	severity := "error"
	if p.warning {
		severity = "warning"
	}
	owner := from.tier.String()
	if from.tier != TierExtension {
		owner = cmp.Or(from.label, owner)
	}
	text := fmt.Sprintf("[%s] Policy file %s in %s:\n  %s", strings.ToUpper(owner), severity, file, p.message)
	if p.details != "" {
		text += "\n" + p.details
	}
	if p.suggestion != "" {
		text += "\n  Suggestion: " + p.suggestion
	}
	return text
}

// origin is where a file comes from.
type origin struct {
	tier Tier
	// label replaces the tier's name in the sources of rules, unless it is "".
	label string
	// restricts reports whether the file may only restrict: rules that allow are left out.
	restricts bool
	// isChecked reports whether all problems are wanted, not only the first ones.
	isChecked bool
}

func (o origin) source(file string) string { return cmp.Or(o.label, o.tier.String()) + ": " + file }

// parsed is the content of a file.
type parsed struct {
	rules    []Rule
	checkers []Checker
	problems []problem
	lost     []string // see [Files]
	content  *section // nil after a syntax error
	err      error    // for a rule without a tool
}

// parseFile parses a policy file. After a syntax error or an invalid value, none of the file's
// rules is used: some rules may allow calls that the others deny. source is the name of the
// file in its rules.
func parseFile(data []byte, from origin, source string) parsed {
	top, err := parseTOML(data)
	if err != nil {
		p := problem{
			message: "TOML parsing failed", details: "  " + err.Error(),
			suggestion: "fix this line; Pollux ignores the file until then",
		}
		var syntax *tomlError
		if errors.As(err, &syntax) {
			p.places = []place{{syntax.line, fmt.Sprintf("column %d: %s", syntax.column, syntax.message)}}
		}
		return parsed{problems: []problem{p}, lost: []string{err.Error()}}
	}
	r := fileReader{origin: from, source: source}
	r.content = top
	r.top(top)
	if len(r.wrong) > 0 {
		r.problems = append(r.misspelt, problem{
			message: "Schema validation failed", details: strings.Join(r.wrong, "\n"),
			suggestion: "fix these fields; Pollux ignores the file until then", places: r.fields,
		})
		r.rules, r.checkers, r.err = nil, nil, nil
		if !onlyAllows(top, "rule", "safety_checker") {
			r.lost = append(r.lost, strings.Join(r.wrongFields(), "; "))
		}
	} else {
		r.problems = append(r.misspelt, r.problems...)
		r.warnOfRunners()
		if from.isChecked && len(r.noTool) > 0 { // else the error names it
			r.problems = append(r.problems, problem{message: "Invalid policy rule", suggestion: "use '*' for all tools", places: r.noTool})
		}
	}
	r.problems = few(r.problems, from)
	return r.parsed
}

// wrongFields describes the first invalid fields, each in one line.
func (r *fileReader) wrongFields() []string {
	const most = 3
	var list []string
	for _, p := range r.fields[:min(len(r.fields), most)] {
		list = append(list, fmt.Sprintf("line %d: %s", p.line, p.text))
	}
	return list
}

// onlyAllows reports whether all tables of arrays are rules that allow, so that nothing is restricted without them.
func onlyAllows(s *section, arrays ...string) bool {
	for _, array := range arrays {
		m, isSet := s.members[array]
		rules, ok := m.value.([]*section)
		if isSet && (!ok || array == "safety_checker" || slices.ContainsFunc(rules, func(rule *section) bool { return rule.members["decision"].value != string(Allow) })) {
			return false
		}
	}
	return true
}

// few limits the number of problems that are reported for one file.
func few(list []problem, from origin) []problem {
	const most = 20
	if len(list) <= most || from.isChecked {
		return list
	}
	more := problem{warning: true, message: fmt.Sprintf("and %d more problems", len(list)-most)}
	return append(list[:most:most], more)
}

// fileReader converts the tables of a file to rules.
type fileReader struct {
	parsed
	origin   origin
	source   string
	wrong    []string // descriptions of invalid fields
	fields   []place  // the same, for each field
	noTool   []place  // rules without a tool
	runners  []place  // programs that a rule allows and that run others
	misspelt []problem
}

func (r *fileReader) top(s *section) {
	r.names(s, "", "rule", "safety_checker")
	for _, key := range slices.Sorted(maps.Keys(s.members)) {
		if key != "rule" && key != "safety_checker" && meant(key, []string{"rule", "safety_checker"}, "") != "" && !onlyAllows(s, key) {
			r.lost = append(r.lost, fmt.Sprintf("line %d: unknown key %q", s.members[key].line, key))
		}
	}
	for i, rule := range r.tables(s, "rule") {
		r.rule(fields{r, rule, "rule", i})
	}
	for i, checker := range r.tables(s, "safety_checker") {
		r.checker(fields{r, checker, "safety_checker", i})
	}
}

// tables returns an array of tables in either TOML notation.
func (r *fileReader) tables(s *section, key string) []*section {
	m := s.members[key]
	switch v := m.value.(type) {
	case nil:
		return nil
	case []*section:
		return v
	case []any:
		var list []*section
		for _, item := range v {
			if t, ok := item.(*section); ok {
				list = append(list, t)
			}
		}
		if len(list) == len(v) {
			return list
		}
	}
	const must = "must be a list of tables; a rule begins with"
	r.wrong = append(r.wrong, fmt.Sprintf("  - Field %q (line %d): %s [[%s]]", key, m.line, must, key))
	r.fields = append(r.fields, place{m.line, fmt.Sprintf("%q %s [[%s]]", key, must, key)})
	return nil
}

// names warns about misspelled keys. Unknown keys that resemble no known one are accepted:
// people add names and comments.
func (r *fileReader) names(s *section, where string, known ...string) {
	for _, key := range slices.Sorted(maps.Keys(s.members)) {
		if slices.Contains(known, key) {
			continue
		}
		suggestion := meant(key, known, "")
		if suggestion == "" {
			continue
		}
		r.misspelt = append(r.misspelt, problem{
			warning: true, message: fmt.Sprintf("Unknown key %q", key),
			details:    fmt.Sprintf("  %s%q (line %d) has no effect", where, key, s.members[key].line),
			suggestion: suggestion,
			places:     []place{{s.members[key].line, "it has no effect"}},
		})
	}
}

// rule parses a [[rule]].
func (r *fileReader) rule(f fields) {
	misspelt := r.conditions(f)
	r.names(f.s, f.label()+": ", append(misspelt, ruleFields...)...)
	before := len(r.wrong)
	rule := Rule{
		Tools:            f.texts("toolName", true),
		Decision:         Decision(f.choice("decision", string(Allow), string(Deny), string(Ask))),
		Priority:         r.origin.tier.priority(f.priority(true)),
		Server:           f.text("mcpName"),
		Modes:            f.modes(),
		When:             f.when(),
		Subagent:         f.text("subagent"),
		Annotations:      f.annotations(),
		AllowRedirection: f.flag("allowRedirection", "allow_redirection"),
		DenyMessage:      f.either("denyMessage", "deny_message"),
		Source:           r.origin.source(r.source),
		line:             f.s.line,
		restricts:        r.origin.restricts,
	}
	if r.source == SavedName && rule.Server != "*" {
		rule.owner = rule.Server // the answer was about the session's server
	}
	prefixes, regex, pattern := f.texts("commandPrefix", false), f.text("commandRegex"), f.text("argsPattern")
	if len(r.wrong) > before {
		return
	}
	if !r.hasTools(f, rule.Tools) {
		return
	}
	r.misnamed(f, rule.Tools, rule.Server)
	if r.permits(f, &rule) {
		return
	}
	if len(misspelt) > 0 && !r.hasCondition(f, misspelt, rule.Decision) {
		return
	}
	if r.condition(f, &rule, prefixes, regex, pattern) {
		r.rules = append(r.rules, rule)
		for _, p := range rule.Prefixes {
			if name := runner(p); name != "" && rule.Decision == Allow {
				r.runners = append(r.runners, place{rule.line, name})
			}
		}
	}
}

// hasTools reports whether a rule or a checker names tools. If it does not, it may have been meant for no tool or for all, which cannot
// be guessed.
func (r *fileReader) hasTools(f fields, tools []string) bool {
	if len(tools) > 0 && !slices.ContainsFunc(tools, isBlank) {
		return true
	}
	//lint:ignore ST1005 scripts know the text
	r.err = cmp.Or(r.err, fmt.Errorf("Invalid policy rule: toolName is required. Use '*' for all tools. Rule source: %s", r.origin.source(r.source)))
	r.noTool = append(r.noTool, place{f.s.line, "toolName is empty"})
	return false
}

func isBlank(text string) bool { return strings.TrimSpace(text) == "" }

// permits reports whether a rule would permit something that its source may not. It warns about
// such a rule.
func (r *fileReader) permits(f fields, rule *Rule) bool {
	what := ""
	switch {
	case !r.origin.restricts:
	case rule.Decision == Allow:
		what = "rules that allow"
	case r.origin.tier == TierExtension && rule.Modes != 0 && rule.Modes.Has(Yolo):
		what = "rules for yolo mode"
	}
	if what == "" {
		return false
	}
	owner := "a project"
	if r.origin.tier == TierExtension {
		owner = "an extension"
	}
	f.report(true, "Rule ignored", owner+" cannot have "+what, "copy the rule to your own policy files, if you want it")
	return true
}

// warnOfRunners warns about rules that allow more than they seem to. Saved answers are left out:
// the user saw the warning with the question.
func (r *fileReader) warnOfRunners() {
	const most = 5
	if len(r.runners) == 0 || r.source == SavedName {
		return
	}
	var names []string
	for _, p := range r.runners[:min(len(r.runners), most)] {
		names = append(names, fmt.Sprintf("%s (line %d)", p.text, p.line))
	}
	text := strings.Join(names, ", ")
	if more := len(r.runners) - most; more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	r.problems = append(r.problems, problem{
		warning: true, message: "Rules allow programs that run others", details: "  " + text,
		suggestion: `allow single subcommands, such as "git status"`, places: r.runners,
	})
}

var ruleFields = []string{
	"toolName", "decision", "priority", "mcpName", "argsPattern", "commandPrefix", "commandRegex", "modes", "interactive",
	"subagent", "toolAnnotations", "allowRedirection", "allow_redirection", "denyMessage", "deny_message",
	"name", "description", "safety_checker",
}

// condition adds the conditions about arguments to a rule. It returns false if a condition is
// invalid: without it the rule would have another meaning.
func (r *fileReader) condition(f fields, rule *Rule, prefixes []string, regex, pattern string) bool {
	if prefixes != nil || regex != "" {
		if problem := shellSyntax(rule.Tools, prefixes, regex, pattern); problem != "" {
			f.report(false, "Invalid shell command syntax", problem, "use commandPrefix or commandRegex, not both, with toolName = \"run_shell_command\"")
		}
	}
	var err error
	switch {
	case prefixes != nil:
		return r.prefixes(f, rule, prefixes)
	case regex != "":
		rule.Args, err = CommandPattern(regex)
	case pattern != "":
		rule.Args, err = NewPattern(pattern)
	}
	if err == nil {
		return true
	}
	message := "Invalid regex pattern"
	if errors.Is(err, errUnsafe) || errors.Is(err, errTooLong) {
		message = "Unsafe regex pattern (potential ReDoS)"
	}
	f.report(false, message, err.Error(), "the rule is ignored without its condition")
	r.loses(f, rule, OnOneLine(err.Error()))
	return false
}

// prefixes adds the beginnings of commands that can match one to a rule, and reports the others. It returns false if there are none.
func (r *fileReader) prefixes(f fields, rule *Rule, prefixes []string) bool {
	message, problem := "Invalid command prefix", ""
	if len(prefixes) == 0 {
		problem = "commandPrefix is empty"
	}
	for _, prefix := range prefixes {
		switch {
		case isBlank(prefix):
			problem = "commandPrefix is empty"
		case len(prefix) > maxPattern:
			message, problem = "Unsafe regex pattern (potential ReDoS)", errTooLong.Error()
		default:
			rule.Prefixes = append(rule.Prefixes, prefix)
			if strings.TrimSpace(prefix) != prefix && !r.origin.isChecked { // which finds it itself
				f.report(false, "Invalid command prefix", matchesNothing(prefix), "remove the space")
				r.loses(f, rule, matchesNothing(prefix))
			}
		}
	}
	if problem != "" {
		effect := "the rule is ignored without its condition"
		if len(rule.Prefixes) > 0 {
			effect = "Pollux uses the other prefixes of the rule"
		}
		f.report(false, message, problem, effect)
		r.loses(f, rule, problem)
	}
	if len(rule.Prefixes) > 0 && !mayBeShell(rule) {
		r.loses(f, rule, "commandPrefix matches only commands of run_shell_command")
	}
	return len(rule.Prefixes) > 0
}

// matchesNothing is the problem of a beginning of commands that no command has.
func matchesNothing(prefix string) string {
	return fmt.Sprintf("commandPrefix %q matches nothing: it begins or ends with a space", prefix)
}

// mayBeShell reports whether a rule is about commands, maybe beside other calls.
func mayBeShell(rule *Rule) bool {
	return rule.Server == "" && slices.ContainsFunc(rule.Tools, func(name string) bool { return name == "*" || name == shellTool || name == legacyShellTool })
}

// loses notes that a rule which does not only allow matches fewer calls than was meant.
func (r *fileReader) loses(f fields, rule *Rule, why string) {
	if rule.Decision != Allow {
		r.lost = append(r.lost, f.label()+": "+why)
	}
}

// shellSyntax returns the error in a rule's conditions about commands, "" for none.
func shellSyntax(tools, prefixes []string, regex, pattern string) string {
	switch {
	case len(tools) != 1 || tools[0] != shellTool && tools[0] != legacyShellTool:
		return "only the tool run_shell_command has commands"
	case prefixes != nil && regex != "":
		return "commandPrefix and commandRegex are both set; Pollux uses commandPrefix"
	case pattern != "":
		return "Pollux ignores argsPattern if commandPrefix or commandRegex is set"
	}
	return ""
}

// misnamed warns about tool names that are probably misspelled.
func (r *fileReader) misnamed(f fields, tools []string, server string) {
	if server != "" {
		return // only the server knows its tools
	}
	for _, name := range tools {
		if suggestion := SuggestTool(name); suggestion != "" {
			f.report(true, "Unrecognized tool name", fmt.Sprintf("%q", name), suggestion)
		}
	}
}

// SuggestTool returns a suggestion for a tool name that is probably misspelled, "" if there is
// none.
func SuggestTool(name string) string {
	if strings.Contains(name, "__") {
		return "MCP tools have names such as mcp_<server>_<tool>"
	}
	if strings.HasPrefix(name, "mcp_") || strings.HasPrefix(name, "discovered_tool_") || slices.Contains(toolNames, name) {
		return ""
	}
	return meant(name, toolNames, "")
}

// ToolNames returns the names of the built-in tools of Pollux and of Gemini CLI, old names included.
func ToolNames() []string { return slices.Clone(toolNames) }

// toolNames lists the built-in tools.
var toolNames = []string{
	"update_topic", "list_directory", "read_file", "grep_search", "search_file_content", "glob", "activate_skill", "replace", "write_file",
	"web_fetch", "read_mcp_resource", "list_mcp_resources", "search_tools", shellTool, legacyShellTool, "list_background_processes", "read_background_output", "stop_background_process",
	"google_web_search", "ask_user", "write_todos", "exit_plan_mode", "enter_plan_mode", agentTool, "save_memory", "read_many_files",
	"get_internal_docs", "complete_task", "codebase_investigator", "cli_help", "generalist",
	"tracker_create_task", "tracker_update_task", "tracker_get_task", "tracker_list_tasks", "tracker_add_dependency", "tracker_visualize",
}
