package hook

import (
	"maps"
	"regexp"
	"slices"
	"strings"
)

// FromCrush takes over the value of "hooks" in Crush's configuration, whose entries are hooks with a matcher. They answer as hooks of
// Claude Code do, and get its input, so that one that depends on other names of tools or on Crush's own variables is left out.
func FromCrush(hooks map[string]any) Migration {
	m := Migration{}
	theirs := map[string]any{}
	for _, event := range slices.Sorted(maps.Keys(hooks)) {
		list, isList := hooks[event].([]any)
		if !isList {
			theirs[event] = hooks[event] // FromClaude reports it
			continue
		}
		var definitions []any
		for _, one := range list {
			if d := m.crushHook(event, one); d != nil {
				definitions = append(definitions, d)
			}
		}
		if len(definitions) > 0 || len(list) == 0 {
			theirs[event] = definitions
		}
	}
	m.Join(FromClaude(theirs))
	for _, g := range m.Groups {
		for _, item := range g.Items {
			item.Change("it gets Claude Code's names of tools and arguments, such as Bash for bash")
		}
	}
	return m
}

// crushHook returns a hook in the form of Claude Code. It returns nil for one that is left out.
func (m *Migration) crushHook(event string, one any) map[string]any {
	members, isObject := one.(map[string]any)
	command, _ := members["command"].(string)
	matcher, _ := members["matcher"].(string)
	of := event
	if matcher != "" {
		of += " of " + matcher
	}
	switch {
	case !isObject:
		m.leave(claudeEvent(event), of, "it is not an object")
		return nil
	case strings.Contains(command, "CRUSH_"):
		m.leave(claudeEvent(event), of, "it uses a variable of Crush, which Pollux does not set")
		return nil
	}
	handler := map[string]any{"type": "command"}
	for key, v := range members {
		if key != "matcher" {
			handler[key] = v
		}
	}
	d := map[string]any{"hooks": []any{handler}}
	if matcher != "" {
		translated, ok := crushMatcher(matcher)
		if !ok {
			m.leave(claudeEvent(event), of, "its matcher has a tool that Pollux does not have, or is not a list of names")
			return nil
		}
		d["matcher"] = translated
	}
	return d
}

// crushMatcher returns a matcher with Claude Code's names of tools. It is false for one that may match others.
func crushMatcher(matcher string) (translated string, ok bool) {
	if selectsAll(matcher) || matcher == ".*" {
		return "*", true
	}
	whole := regexp.MustCompile(`^\^?\(?(\w+(?:\|\w+)*)\)?\$?$`).FindStringSubmatch(matcher)
	if whole == nil {
		return "", false
	}
	var names []string
	for name := range strings.SplitSeq(whole[1], "|") {
		theirs := crushTool(name)
		if theirs == "" {
			return "", false
		}
		if !slices.Contains(names, theirs) {
			names = append(names, theirs)
		}
	}
	return strings.Join(names, "|"), true
}

// crushTool returns Claude Code's name of a tool of Crush, "" if there is none.
func crushTool(name string) string {
	switch name {
	case "bash":
		return "Bash"
	case "edit":
		return "Edit"
	case "multiedit":
		return "MultiEdit"
	case "write":
		return "Write"
	case "view":
		return "Read"
	case "ls":
		return "LS"
	case "glob":
		return "Glob"
	case "grep":
		return "Grep"
	case "fetch", "agentic_fetch", "web_fetch":
		return "WebFetch"
	case "web_search":
		return "WebSearch"
	case "todos":
		return "TodoWrite"
	case "agent":
		return "Task"
	}
	return ""
}
