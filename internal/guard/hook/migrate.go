package hook

import (
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
)

// Migration is the result of [FromClaude] and [FromAntigravity].
type Migration struct {
	// Definitions are the hooks by event, as the key "hooks" of the settings has them.
	Definitions map[string]any
	Count       int // of hooks
	// Notes name omissions and differences, and Loose those omissions that may have refused calls or
	// prompts. Each is a sentence.
	Notes, Loose []string
}

// FromClaude takes over the value of "hooks" in Claude Code's settings. The hooks keep their form, with the dialect
// in each, so that matchers, scripts and conditions keep their meaning.
func FromClaude(hooks map[string]any) Migration {
	m := Migration{Definitions: map[string]any{}}
	for _, name := range slices.Sorted(maps.Keys(hooks)) {
		event := claudeEvent(name)
		definitions, isList := hooks[name].([]any)
		switch {
		case event == "" && isList && len(definitions) == 0:
			continue
		case event == "" && (name == "PermissionRequest" || name == "Elicitation"):
			m.Loose = append(m.Loose, fmt.Sprintf("There is no event %s. Its hooks were left out: you will be asked where they have answered.", name))
			continue
		case event == "":
			m.Notes = append(m.Notes, fmt.Sprintf("There is no event %s. Its hooks were left out.", name))
			continue
		case !isList:
			m.Notes = append(m.Notes, fmt.Sprintf("The hooks for %s are not a list. They were left out.", name))
			continue
		}
		if event == PreCompress {
			m.Notes = append(m.Notes, "Hooks for PreCompact cannot block here.")
		}
		list, _ := m.Definitions[string(event)].([]any)
		for i, d := range definitions {
			definition, ok := d.(map[string]any)
			if !ok {
				m.Notes = append(m.Notes, fmt.Sprintf("Entry %d for %s is not an object. It was left out.", i+1, name))
				continue
			}
			if definition = m.definition(event, name, definition); definition != nil {
				list = append(list, definition)
			}
		}
		if list != nil {
			m.Definitions[string(event)] = list
		}
	}
	return m
}

// leave names a hook that was left out.
func (m *Migration) leave(e Event, format string, args ...any) {
	text := fmt.Sprintf(format, args...) + " It was left out."
	if e == BeforeTool || e == BeforeAgent {
		m.Loose = append(m.Loose, text+" Nothing checks in its place.")
		return
	}
	m.Notes = append(m.Notes, text)
}

// definition takes over one matcher with its hooks. It returns nil if no hook is left.
func (m *Migration) definition(e Event, name string, d map[string]any) map[string]any {
	to := map[string]any{}
	matcher, _ := d["matcher"].(string)
	for _, key := range slices.Sorted(maps.Keys(d)) {
		switch {
		case key == "matcher" && matcher != "", key == "sequential":
			to[key] = d[key]
		case key == "matcher", key == "hooks", key == "description":
		default:
			m.Notes = append(m.Notes, fmt.Sprintf("%s of an entry for %s is not known. It was left out.", key, name))
		}
	}
	of := name
	if matcher != "" {
		of += " of " + matcher
	}
	hooks, ok := d["hooks"].([]any)
	if !ok {
		m.leave(e, "An entry for %s has no list of hooks.", of)
		return nil
	}
	list := []any{}
	for _, item := range hooks {
		if h := m.hook(e, name, of, matcher, item); h != nil {
			list = append(list, h)
			m.Count++
		}
	}
	if len(list) == 0 {
		return nil
	}
	to["hooks"] = list
	return to
}

// hook takes over one hook. It returns nil if it cannot run here.
func (m *Migration) hook(e Event, name, of, matcher string, item any) map[string]any {
	members, _ := item.(map[string]any)
	to := maps.Clone(members)
	if to == nil {
		m.leave(e, "A hook for %s is not an object.", of)
		return nil
	}
	to["dialect"] = string(Claude)
	if claudeName(&Hook{Event: e}) != name {
		to["event"] = name
	}
	h := Hook{Event: e, Matcher: matcher}
	raw, err := json.Marshal(to)
	if err != nil {
		m.leave(e, "A hook for %s cannot be read.", of)
		return nil
	}
	notes, reason := h.parse(raw)
	if reason != "" {
		m.leave(e, "A hook for %s: %s.", of, reason)
		return nil
	}
	for _, note := range notes {
		m.Notes = append(m.Notes, fmt.Sprintf("The hook %s for %s: %s.", brief(h.ID()), of, note))
	}
	for _, variable := range []string{"CLAUDE_PLUGIN_ROOT", "CLAUDE_ENV_FILE"} {
		if strings.Contains(h.CommandLine(), variable) {
			m.Notes = append(m.Notes, fmt.Sprintf("The hook %s for %s uses %s, which Pollux does not set.", brief(h.ID()), of, variable))
		}
	}
	for _, key := range slices.Sorted(maps.Keys(to)) {
		if note, _ := claudeMember(key); note != "" {
			delete(to, key)
		}
	}
	return to
}

// Unmatched returns a sentence about each matcher that can select nothing here.
func (m Migration) Unmatched(tools []string) []string {
	definitions := map[string]json.RawMessage{}
	for event, list := range m.Definitions {
		definitions[event] = encode(list)
	}
	hooks, _, _ := Read(Workspace, definitions)
	return NewSet(Options{Hooks: hooks}).Unmatched(tools)
}

// translateMatcher replaces Claude Code's names of tools in a matcher.
func translateMatcher(matcher string) string {
	return regexp.MustCompile(`\w+`).ReplaceAllStringFunc(matcher, func(word string) string {
		if name := ClaudeTool(word); name != "" {
			return name
		}
		if strings.HasPrefix(word, "mcp__") {
			return strings.ReplaceAll(word, "__", "_")
		}
		return word
	})
}
