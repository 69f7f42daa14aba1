package session

import (
	"slices"

	"pollux/internal/config"
	"pollux/internal/project"
	"pollux/internal/subagent"
	"pollux/internal/tools/activate"
	"pollux/llm/catalog"
	"pollux/llm/texttool"
	"pollux/tool"
)

// everyday are the built-in tools in the compact form: most work can be done with them.
// exit_plan_mode is there only in plan mode, which cannot be left without it.
var everyday = []string{
	"list_directory", "read_file", "grep_search", "glob", "replace", "write_file", "run_shell_command",
	"exit_plan_mode",
}

const topicTool = "update_topic"

// form returns how much the instruction and the tools say to a model with a context window of
// this size in tokens, 0 if it is unknown.
func (s *Session) form(model string, window int) tool.Form {
	switch {
	case s.isCompact(model, window):
		return tool.Compact
	case catalog.IsModern(model):
		return tool.Brief
	}
	return tool.Full
}

func (s *Session) isCompact(model string, window int) bool {
	switch config.Instructions.In(s.Project.Settings()) {
	case "compact":
		return true
	case "full":
		return false
	}
	return catalog.IsSmall(window) || s.fallback != nil && texttool.IsText(s.fallback, model)
}

// treeItems returns the number of files and folders in a tree for the current model.
func (s *Session) treeItems() int {
	if model := s.Current().Model; s.isCompact(model, s.Window(model)) {
		return 40
	}
	return 200
}

// spares returns which built-in tools the declarations leave out: update_topic if no user
// sees the topic and, in the compact form, all tools that are not in everyday; but none that
// the user's lists of wanted tools name. The compact form has activate_skill only if there are
// skills other than those of Pollux.
func (s *Session) spares(builtin []tool.Tool) func(tool.Form, *tool.Spec) bool {
	named := project.ToolSettings(s.Project.Settings())
	var always, compact []string
	for _, t := range builtin {
		spec := t.Spec()
		switch {
		case named.Names(spec), spec.Name == subagent.ToolName && s.hasOwnAgents():
		case spec.Name == topicTool && !s.Project.Options.Interactive:
			always = append(always, spec.Name)
		case !slices.Contains(everyday, spec.Name):
			compact = append(compact, spec.Name)
		}
	}
	return func(form tool.Form, spec *tool.Spec) bool {
		if spec.Name == activate.Name {
			return form == tool.Compact && !s.hasOwnSkills() // the tool is a new one when they change
		}
		return slices.Contains(always, spec.Name) || form == tool.Compact && slices.Contains(compact, spec.Name)
	}
}
