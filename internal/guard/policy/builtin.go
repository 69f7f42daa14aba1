package policy

import "github.com/dlclark/regexp2"

// plansDirectory is the part of a message that the path of the directory follows.
const plansDirectory = "the plans directory"

// Builtin returns the default rules.
func Builtin() []Rule {
	const ( // sources
		plan  = "Default: plan mode"
		reads = "Default: read-only tools"
		write = "Default: tools that change something"
		yolo  = "Default: yolo mode"
		agent = "Default: agents"
		later = "Default: " + laterFiles
	)
	const changes = "Plan Mode is read-only, and the server says that this tool changes something. It can be used once the plan is approved."
	askedInPlan := In(Plan)
	rules := []Rule{
		{Tools: []string{"ask_user"}, Decision: Deny, Priority: 1.999, When: Headless, Source: yolo},
		{Tools: []string{"ask_user"}, Decision: Ask, Priority: 1.999, When: Interactive, Modes: In(Yolo), Source: yolo},
		{Tools: []string{"enter_plan_mode", "exit_plan_mode"}, Decision: Deny, Priority: 1.999, When: Interactive, Modes: In(Yolo), Source: yolo},
		{Tools: []string{"*"}, Decision: Allow, Priority: 1.998, Modes: In(Yolo), AllowRedirection: true, Source: yolo},

		{Tools: []string{"enter_plan_mode"}, Decision: Deny, Priority: 1.070, Modes: askedInPlan, Source: plan, DenyMessage: "You are already in Plan Mode."},
		{Tools: []string{"exit_plan_mode"}, Decision: Ask, Priority: 1.070, When: Interactive, Modes: askedInPlan, Source: plan},
		{Tools: []string{"exit_plan_mode"}, Decision: Allow, Priority: 1.070, When: Headless, Modes: askedInPlan, Source: plan},
		{Tools: []string{"write_file", "replace"}, Decision: Allow, Priority: 1.070, Modes: askedInPlan, Source: plan, Args: planFile()},
		{
			Tools: []string{"write_file", "replace"}, Decision: Deny, Priority: 1.065, Modes: askedInPlan, Source: plan,
			DenyMessage: "In Plan Mode only Markdown files in " + plansDirectory + " can be written. Put the change into the plan; it can be made once the plan is approved.",
		},
		{Tools: []string{"enter_plan_mode"}, Decision: Ask, Priority: 1.050, When: Interactive, Source: plan},
		{Tools: []string{"enter_plan_mode"}, Decision: Allow, Priority: 1.050, When: Headless, Source: plan},
		{
			Tools: []string{"exit_plan_mode"}, Decision: Deny, Priority: 1.050, Source: plan,
			DenyMessage: "You are not currently in Plan Mode. Use enter_plan_mode first to design a plan.",
		},
		{
			Tools: []string{"*"}, Server: "*", Decision: Ask, Priority: 1.050, When: Interactive, Modes: askedInPlan, Source: plan,
			Annotations: map[string]any{"readOnlyHint": true},
		},
		{Tools: []string{agentTool}, Decision: Allow, Priority: 1.050, Modes: askedInPlan, Source: agent, Args: readingAgent()},
		{Tools: []string{"ask_user", "web_fetch", "activate_skill"}, Decision: Ask, Priority: 1.050, When: Interactive, Modes: askedInPlan, Source: plan},
		{Tools: []string{agentTool}, Decision: Allow, Priority: 1.050, Modes: In(Default, AutoEdit, Yolo), Source: agent},
		{
			Tools: []string{
				"glob", "grep_search", "list_directory", "read_file", "google_web_search",
				"codebase_investigator", "cli_help", "get_internal_docs",
				"tracker_create_task", "tracker_update_task", "tracker_get_task", "tracker_list_tasks", "tracker_add_dependency", "tracker_visualize",
				"update_topic", "complete_task", "read_mcp_resource", "list_mcp_resources", "search_tools",
			},
			Decision: Allow, Priority: 1.050, Source: reads,
		},
		{Tools: []string{"write_todos", "list_background_processes", "read_background_output"}, Decision: Allow, Priority: 1.050, When: Interactive, Source: reads},
		{
			Tools: []string{"*"}, Server: "*", Decision: Deny, Priority: 1.046, Modes: askedInPlan, Source: plan,
			Annotations: map[string]any{"readOnlyHint": false}, DenyMessage: changes,
		},
		{
			Tools: []string{"*"}, Server: "*", Decision: Deny, Priority: 1.046, Modes: askedInPlan, Source: plan,
			Annotations: map[string]any{"destructiveHint": true}, DenyMessage: changes,
		},
		{Tools: []string{"*"}, Server: "*", Decision: Ask, Priority: 1.045, When: Interactive, Modes: askedInPlan, Source: plan},
		{Tools: []string{shellTool}, Decision: Ask, Priority: 1.045, Modes: askedInPlan, Source: plan, reads: true},
		{
			Tools: []string{"*"}, Decision: Deny, Priority: 1.040, Modes: askedInPlan, Source: plan,
			DenyMessage: "Plan Mode is read-only: search and read, also with commands that only read, then write the plan. This call can be made once the plan is approved.",
		},
		{Tools: []string{"replace", "write_file"}, Decision: Ask, Priority: 1.016, When: Interactive, Modes: In(AutoEdit), Source: later, later: true},
		{
			Tools: []string{"replace", "write_file"}, Decision: Deny, Priority: 1.016, When: Headless, Modes: In(AutoEdit), Source: later, later: true,
			DenyMessage: `Approval mode "auto_edit" asks about ` + laterFiles + ", and headless runs cannot ask. A user can allow this file with a policy rule.",
		},
		{Tools: []string{"replace", "write_file", "web_fetch"}, Decision: Allow, Priority: 1.015, Modes: In(AutoEdit), Source: write},
	}
	changing := []string{"replace", "write_file", shellTool, "activate_skill", "web_fetch"}
	return append(
		append(rules, sandboxed()...),
		Rule{Tools: changing, Decision: Ask, Priority: 1.010, When: Interactive, Source: write},
		Rule{Tools: changing, Decision: Deny, Priority: 1.010, When: Headless, Source: write},
	)
}

// sandboxed returns the default rules of the mode sandboxed, for which those of autoEdit hold as well.
func sandboxed() []Rule {
	const source = "Default: sandboxed mode"
	return []Rule{
		{Tools: []string{"web_fetch"}, Decision: Ask, Priority: 1.016, When: Interactive, Modes: In(Sandboxed), Source: source},
		{
			Tools: []string{"web_fetch"}, Decision: Deny, Priority: 1.016, When: Headless, Modes: In(Sandboxed), Source: source,
			DenyMessage: `Approval mode "sandboxed" asks before anything is sent to the network, and headless runs cannot ask. A user can allow it with a policy rule.`,
		},
		{Tools: []string{shellTool}, Decision: Allow, Priority: 1.015, Modes: In(Sandboxed), AllowRedirection: true, Source: source, free: true},
		{Tools: []string{"list_background_processes", "read_background_output", "stop_background_process"}, Decision: Allow, Priority: 1.015, Modes: In(Sandboxed), Source: source, free: true},
	}
}

// planFile matches writing a plan: a Markdown file in the plans directory of a session's
// temporary directory. Short names are matched too, because in plan mode the tools write only
// to that directory (package plan).
func planFile() *Pattern {
	const (
		sep  = `[\\/]+`
		name = `[\w-]+`
	)
	return &Pattern{source: `\x00"file_path":"(?:(?:[^"]*` + sep + `)?\.gemini` + sep + "tmp" + sep + name + sep + `(?:` + name + sep + `)?plans` + sep +
		`|(?:\.` + sep + `)?(?:plans` + sep + `)?)` + name + `\.md"\x00`}
}

// PlanRule returns a rule that allows writing plans in a directory of the user's choice
// (general.plan.directory), which the built-in rules do not cover.
func PlanRule(dir string) Rule {
	text := quote(dir)
	return Rule{
		Tools: []string{"write_file", "replace"}, Decision: Allow, Priority: 1.070, Modes: In(Plan), Source: "Settings (general.plan.directory)", real: true,
		Args: &Pattern{source: `\x00"file_path":"` + regexp2.Escape(text[1:len(text)-1]) + `[\\/]+[\w-]+\.md"\x00`},
	}
}

// ReadRule returns a rule that allows calls of tools which change nothing. The built-in rules name
// only tools of Pollux; tools are those of the program that embeds it.
func ReadRule(tools []string) Rule {
	return Rule{Tools: tools, Decision: Allow, Priority: 1.050, Source: "Program: read-only tools"}
}

// readingAgent matches the agents that only read.
func readingAgent() *Pattern {
	return &Pattern{source: `\x00"agent_name":"(?:codebase_investigator|cli_help)"\x00`}
}
