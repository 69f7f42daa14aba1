package hook

import (
	"maps"
	"slices"
)

// FromCodex takes over the value of "hooks" in Codex's files, which have the form of Claude Code's. Hooks for Codex's only tool that changes
// files, which takes a patch, are left out: a guard that reads the patch would find none, and allow.
func FromCodex(hooks map[string]any) Migration {
	m, set := Migration{}, NewSet(Options{})
	hooks = maps.Clone(hooks)
	for _, name := range []string{"PreToolUse", "PostToolUse"} {
		list, isList := hooks[name].([]any)
		if !isList {
			continue
		}
		hooks[name] = slices.DeleteFunc(slices.Clone(list), func(one any) bool {
			definition, _ := one.(map[string]any)
			matcher, _ := definition["matcher"].(string)
			if selectsAll(matcher) || !slices.ContainsFunc([]string{"apply_patch", "Edit", "Write"}, func(tool string) bool { return set.finds(matcher, tool) }) {
				return false
			}
			m.leave(claudeEvent(name), name+" of "+matcher, "its input in Codex is a patch, which no tool of Pollux has")
			return true
		})
	}
	m.Join(FromClaude(hooks))
	for _, g := range m.Groups {
		matcher, _ := g.Definition["matcher"].(string)
		if g.Event != BeforeTool && g.Event != AfterTool || !selectsAll(matcher) {
			continue
		}
		for _, item := range g.Items {
			item.Change("a change of a file is a call of Edit or Write, without a patch")
		}
	}
	return m
}
