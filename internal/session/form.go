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

// spares returns which of the built-in tools the compact form leaves out: those that are not
// for every day and that the user's lists of wanted tools do not name.
func spares(builtin []tool.Tool, isNamed func(*tool.Spec) bool) func(*tool.Spec) bool {
	var left []string
	for _, t := range builtin {
		if spec := t.Spec(); !slices.Contains(everyday, spec.Name) && !isNamed(spec) {
			left = append(left, spec.Name)
		}
	}
	return func(spec *tool.Spec) bool { return slices.Contains(left, spec.Name) }
}
