package toolset

import (
	"slices"

	"pollux/internal/config"
	"pollux/internal/project"
	"pollux/internal/subagent"
	"pollux/internal/tools/activate"
	"pollux/internal/tools/shell"
	"pollux/tool"
)

// NotCore is why a session does not have a tool that tools.core leaves out.
const NotCore = "The setting tools.core does not list it. A user can add it there."

// absentTools returns why a session does not have some of Pollux's tools, by name.
func absentTools(p *project.Project) map[string]string {
	absent, set := map[string]string{}, p.Settings()
	switch o := p.Options; {
	case o.Interactive && o.Host.LacksForms:
		absent["ask_user"] = "The user cannot type answers here. Ask in your response, and end it."
	case !o.Interactive:
		absent["ask_user"] = "A headless run has no user who could answer. Decide yourself, and state your assumptions."
		absent["enter_plan_mode"] = "A headless run has no user who could approve a plan. A user can start it with --approval-mode plan."
	}
	if shell.Unavailable != "" {
		for _, name := range commandTools {
			absent[name] = shell.Unavailable
		}
	}
	if !config.WriteTodos.In(set) {
		absent["write_todos"] = "The setting useWriteTodos is off. A user can turn it on."
	}
	if !config.Agents.In(set) {
		absent[subagent.ToolName] = "The setting experimental.enableAgents is off. A user can turn it on."
	}
	if !config.PlanEnabled.In(set) {
		for _, name := range []string{"enter_plan_mode", "exit_plan_mode"} {
			absent[name] = "The setting general.plan.enabled is off. A user can turn it on."
		}
	}
	return absent
}

// commandTools are the tools that run commands and that list, read and stop those in the background.
var commandTools = []string{"run_shell_command", "list_background_processes", "read_background_output", "stop_background_process"}

// everyday are the built-in tools in the compact form: most work can be done with them.
// exit_plan_mode is there only in plan mode, which cannot be left without it.
var everyday = []string{
	"list_directory", "read_file", "grep_search", "glob", "replace", "write_file", "run_shell_command",
	"exit_plan_mode",
}

// TopicTool is the name of the tool that sets the topic.
const TopicTool = "update_topic"

// spares returns which built-in tools the declarations leave out: update_topic if no user
// sees the topic and, in the compact form, all tools that are not in everyday; but none that
// the user's lists of wanted tools name. The compact form has activate_skill only if there are
// skills other than those of Pollux.
func (s *Set) spares() func(tool.Form, *tool.Spec) bool {
	named := project.ToolSettings(s.parts.Project.Settings())
	var always, compact []string
	for _, t := range s.Tools {
		spec := t.Spec()
		switch {
		case named.Names(spec), spec.Name == subagent.ToolName && s.parts.HasOwnAgents():
		case spec.Name == TopicTool && !s.parts.Project.Options.Interactive:
			always = append(always, spec.Name)
		case !slices.Contains(everyday, spec.Name):
			compact = append(compact, spec.Name)
		}
	}
	return func(form tool.Form, spec *tool.Spec) bool {
		if spec.Name == activate.Name {
			return form == tool.Compact && !s.parts.HasOwnSkills() // the tool is a new one when they change
		}
		return slices.Contains(always, spec.Name) || form == tool.Compact && slices.Contains(compact, spec.Name)
	}
}
