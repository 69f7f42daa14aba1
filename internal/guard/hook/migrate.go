package hook

import (
	"maps"
	"regexp"
	"slices"
	"strings"
)

// claudeEvents are Claude Code's names of events.
var claudeEvents = map[string]Event{
	"PreToolUse": BeforeTool, "PostToolUse": AfterTool, "UserPromptSubmit": BeforeAgent,
	"Stop": AfterAgent, "SubAgentStop": AfterAgent, "SubagentStop": AfterAgent, "PreCompact": PreCompress,
}

// claudeTools are Claude Code's names of tools.
var claudeTools = map[string]string{
	"Edit": "replace", "MultiEdit": "replace", "Bash": "run_shell_command", "Read": "read_file", "Write": "write_file",
	"Glob": "glob", "Grep": "grep_search", "LS": "list_directory", "WebFetch": "web_fetch", "WebSearch": "google_web_search",
	"TodoWrite": "write_todos",
}

// ClaudeTool returns the name of Pollux's tool for one of Claude Code's, "" if there is none.
func ClaudeTool(name string) string { return claudeTools[name] }

// Migration is the result of [FromClaude].
type Migration struct {
	// Definitions are the hooks by event, as the key "hooks" of the settings has them.
	Definitions map[string]any
	Count       int      // of hooks
	Notes       []string // what the user must check
}

// FromClaude translates the value of "hooks" in Claude Code's settings.
func FromClaude(hooks map[string]any) Migration {
	m := Migration{Definitions: map[string]any{}}
	for _, name := range slices.Sorted(maps.Keys(hooks)) {
		event, known := claudeEvents[name]
		if !known {
			event = Event(name)
			if !slices.Contains(Events(), event) {
				m.Notes = append(m.Notes, "There is no event "+name+". Its hooks were left out.")
				continue
			}
		}
		definitions, ok := hooks[name].([]any)
		if !ok {
			m.Notes = append(m.Notes, "The hooks for "+name+" are not a list. They were left out.")
			continue
		}
		list, _ := m.Definitions[string(event)].([]any)
		for _, d := range definitions {
			if d, ok := d.(map[string]any); ok {
				if d = m.definition(event, d); d != nil {
					list = append(list, d)
				}
			}
		}
		if list != nil {
			m.Definitions[string(event)] = list
		}
	}
	return m
}

// definition translates one matcher with its hooks. It returns nil if no hook is left.
func (m *Migration) definition(e Event, d map[string]any) map[string]any {
	to := map[string]any{}
	if matcher, ok := d["matcher"].(string); ok {
		if e == BeforeTool || e == AfterTool {
			matcher = translateMatcher(matcher)
		}
		to["matcher"] = matcher
	}
	if sequential, ok := d["sequential"]; ok {
		to["sequential"] = sequential
	}
	hooks, _ := d["hooks"].([]any)
	list := []any{}
	for _, item := range hooks {
		h, ok := item.(map[string]any)
		if !ok {
			continue
		}
		if kind, _ := h["type"].(string); kind != "command" {
			m.Notes = append(m.Notes, "A hook for "+string(e)+" is not a command. It was left out.")
			continue
		}
		translated := map[string]any{"type": "command"}
		for _, key := range []string{"name", "description"} {
			if text, ok := h[key].(string); ok {
				translated[key] = text
			}
		}
		if command, ok := h["command"].(string); ok {
			translated["command"] = strings.ReplaceAll(command, "$CLAUDE_PROJECT_DIR", "$GEMINI_PROJECT_DIR")
		}
		if seconds, ok := h["timeout"].(float64); ok {
			translated["timeout"] = seconds * 1000
		}
		list = append(list, translated)
		m.Count++
	}
	if len(list) == 0 {
		return nil
	}
	to["hooks"] = list
	return to
}

// translateMatcher replaces Claude Code's names of tools in a matcher.
func translateMatcher(matcher string) string {
	return regexp.MustCompile(`\w+`).ReplaceAllStringFunc(matcher, func(word string) string {
		if name, ok := claudeTools[word]; ok {
			return name
		}
		if strings.HasPrefix(word, "mcp__") {
			return strings.ReplaceAll(word, "__", "_")
		}
		return word
	})
}
