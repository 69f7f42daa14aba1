package hook

import (
	"encoding/json"
	"maps"
	"regexp"
	"slices"
	"strings"

	"pollux/internal/secret"
	"pollux/internal/transfer"
)

// Migration is the result of [FromClaude] and its like.
type Migration struct {
	Groups []Group
	// Items are the reports about each hook, those of the groups included, and about parts that are no hooks.
	Items []*transfer.Item
	// ofPlugin means that the hooks get the variable CLAUDE_PLUGIN_ROOT.
	ofPlugin bool
	dialect  Dialect
}

// Group is an element of the list that the key "hooks" of the settings has for an event: a matcher with its hooks.
type Group struct {
	Event      Event
	Definition map[string]any
	Items      []*transfer.Item // of its hooks
}

// Count returns the number of hooks that were taken over.
func (m *Migration) Count() (n int) {
	for _, g := range m.Groups {
		n += len(g.Items)
	}
	return n
}

// Definitions returns the groups by event, as the key "hooks" of the settings has them.
func (m *Migration) Definitions() map[string]any {
	definitions := map[string]any{}
	for _, g := range m.Groups {
		list, _ := definitions[string(g.Event)].([]any)
		definitions[string(g.Event)] = append(list, g.Definition)
	}
	return definitions
}

// Join adds the hooks of another migration.
func (m *Migration) Join(other Migration) {
	m.Groups, m.Items = append(m.Groups, other.Groups...), append(m.Items, other.Items...)
}

// item adds a report.
func (m *Migration) item(name string) *transfer.Item {
	i := transfer.New(name)
	m.Items = append(m.Items, i)
	return i
}

// leave reports a hook that was left out. Those before tools and prompts may have refused something.
func (m *Migration) leave(e Event, name, format string, args ...any) {
	i := m.item(name)
	i.Restricts = e == BeforeTool || e == BeforeAgent
	i.Leave(format, args...)
}

// FromClaude takes over the value of "hooks" in Claude Code's settings. The hooks keep their form, with the dialect
// in each, so that matchers, scripts and conditions keep their meaning.
func FromClaude(hooks map[string]any) Migration {
	m := Migration{dialect: Claude}
	m.fromClaude(hooks)
	return m
}

// FromPlugin is [FromClaude] for a plugin of Claude Code, or of an agent with a dialect like it. Its hooks are those of an extension, which get
// its directory in CLAUDE_PLUGIN_ROOT.
func FromPlugin(hooks map[string]any, dialect Dialect) Migration {
	m := Migration{ofPlugin: true, dialect: dialect}
	m.fromClaude(hooks)
	return m
}

// FromQwen is [FromClaude] for the value of "hooks" in the settings of Qwen Code.
func FromQwen(hooks map[string]any) Migration {
	m := Migration{dialect: Qwen}
	m.fromClaude(hooks)
	return m
}

// fromClaude takes over the hooks of all events.
func (m *Migration) fromClaude(hooks map[string]any) {
	for _, name := range slices.Sorted(maps.Keys(hooks)) {
		event := claudeEvent(name)
		definitions, isList := hooks[name].([]any)
		switch {
		case event == "" && isList && len(definitions) == 0:
			continue
		case event == "":
			m.leave("", name, "Pollux has no such event")
			// You will be asked where hooks of these have answered.
			m.Items[len(m.Items)-1].Restricts = name == "PermissionRequest" || name == "Elicitation"
			continue
		case !isList:
			m.leave(event, name, "it is not a list")
			continue
		}
		for _, d := range definitions {
			definition, ok := d.(map[string]any)
			if !ok {
				m.leave(event, name, "an entry is not an object")
				continue
			}
			m.definition(event, name, definition)
		}
	}
}

// definition takes over one matcher with its hooks.
func (m *Migration) definition(e Event, name string, d map[string]any) {
	to := map[string]any{}
	matcher, _ := d["matcher"].(string)
	of := name
	if matcher != "" {
		of += " of " + matcher
	}
	for _, key := range slices.Sorted(maps.Keys(d)) {
		switch {
		case key == "matcher" && matcher != "", key == "sequential":
			to[key] = d[key]
		case key == "matcher", key == "hooks", key == "description":
		default:
			m.item(of + ": " + key).Leave("Pollux does not know it")
		}
	}
	hooks, ok := d["hooks"].([]any)
	if !ok {
		m.leave(e, of, "it has no list of hooks")
		return
	}
	list, items := []any{}, []*transfer.Item(nil)
	for _, one := range hooks {
		if h, item := m.hook(e, name, of, matcher, one); h != nil {
			list, items = append(list, h), append(items, item)
		}
	}
	if len(list) > 0 {
		to["hooks"] = list
		m.Groups = append(m.Groups, Group{Event: e, Definition: to, Items: items})
	}
}

// take reads a hook in the form that it is to have here, and reports it. It returns nil if the hook is left out, else notes about it, too.
func (m *Migration) take(h *Hook, of string, form map[string]any) (item *transfer.Item, notes []string) {
	notes, reason := h.parse(encode(form))
	switch {
	case reason != "":
	case hasKey(form):
		reason = keyReason
	case m.ofPlugin && strings.Contains(string(encode(form)), "${user_config."):
		reason = "it needs an option of the plugin in a place where no shell would replace it"
	}
	if reason != "" {
		m.leave(h.Event, of, "%s", reason)
		return nil, nil
	}
	item = m.item(of)
	item.Detail, item.Restricts = h.CommandLine(), h.Event == BeforeTool || h.Event == BeforeAgent
	return item, notes
}

// hook takes over one hook. It returns nil if it cannot run here.
func (m *Migration) hook(e Event, name, of, matcher string, one any) (map[string]any, *transfer.Item) {
	members, _ := one.(map[string]any)
	to := maps.Clone(members)
	if to == nil {
		m.leave(e, of, "it is not an object")
		return nil, nil
	}
	to["dialect"] = string(m.dialect)
	if claudeName(&Hook{Event: e}) != name {
		to["event"] = name
	}
	h := Hook{Event: e, Matcher: matcher}
	item, notes := m.take(&h, of, to)
	if item == nil {
		return nil, nil
	}
	for _, note := range notes {
		item.Change("%s", note)
	}
	if e == PreCompress {
		item.Change("it cannot block here")
	}
	for _, variable := range []string{PluginRoot, "CLAUDE_PLUGIN_DATA", "CLAUDE_ENV_FILE"} {
		if strings.Contains(h.CommandLine(), variable) && !(m.ofPlugin && variable == PluginRoot) {
			item.Change("it uses %s, which Pollux does not set", variable)
		}
	}
	for _, key := range slices.Sorted(maps.Keys(to)) {
		if note, _ := claudeMember(key); note != "" {
			delete(to, key)
		}
	}
	return to, item
}

// keyReason is the reason to leave out a hook with a key.
const keyReason = "it has a key: put it into a variable"

// hasKey reports whether a value of JSON has a key of a service.
func hasKey(v any) bool {
	text := string(encode(v))
	return secret.EraseForms(text) != text
}

// Unmatched returns a sentence about each matcher that can select nothing here.
func (m *Migration) Unmatched(tools []string) []string {
	definitions := map[string]json.RawMessage{}
	for event, list := range m.Definitions() {
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
