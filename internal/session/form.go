package session

import (
	"slices"

	"pollux/internal/config"
	"pollux/llm/catalog"
	"pollux/llm/texttool"
	"pollux/tool"
)

// smallWindow is the largest context window, in tokens, whose model gets the compact form of
// instruction, tools and directory tree.
const smallWindow = 32 << 10

// everyday are the built-in tools in the compact form: most work can be done with them.
// exit_plan_mode is there only in plan mode, which cannot be left without it.
var everyday = []string{
	"list_directory", "read_file", "grep_search", "glob", "replace", "write_file", "run_shell_command",
	"exit_plan_mode",
}

const topicTool = "update_topic"

// form returns how much the instruction and the tools say to a model.
func (s *Session) form(model string) tool.Form {
	switch {
	case s.isCompact(model):
		return tool.Compact
	case catalog.IsModern(model):
		return tool.Brief
	}
	return tool.Full
}

func (s *Session) isCompact(model string) bool {
	switch config.Instructions.In(s.Settings) {
	case "compact":
		return true
	case "full":
		return false
	}
	window := s.Window(model)
	return window > 0 && window <= smallWindow || s.fallback != nil && texttool.IsText(s.fallback, model)
}

// treeItems returns the number of files and folders in a tree for the current model.
func (s *Session) treeItems() int {
	if s.isCompact(s.Current().Model) {
		return 40
	}
	return 200
}

// spares returns which built-in tools the declarations leave out: update_topic where nobody
// sees the topic and, in the compact form, all that are not for every day; but none that the
// user's lists of wanted tools name.
func (s *Session) spares(builtin []tool.Tool) func(tool.Form, *tool.Spec) bool {
	named := toolSettings(s.Settings)
	var always, compact []string
	for _, t := range builtin {
		spec := t.Spec()
		switch {
		case named.Names(spec):
		case spec.Name == topicTool && !s.Interactive:
			always = append(always, spec.Name)
		case !slices.Contains(everyday, spec.Name):
			compact = append(compact, spec.Name)
		}
	}
	return func(form tool.Form, spec *tool.Spec) bool {
		return slices.Contains(always, spec.Name) || form == tool.Compact && slices.Contains(compact, spec.Name)
	}
}
