package hook

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// FromAntigravity takes over bundles of hooks of Antigravity CLI, the object of a file hooks.json in the directory dir, where they
// run. The hooks keep their form, with the dialect in each, so that scripts keep their meaning.
func FromAntigravity(bundles map[string]any, dir string) Migration {
	m := Migration{Definitions: map[string]any{}}
	for _, name := range slices.Sorted(maps.Keys(bundles)) {
		bundle, ok := bundles[name].(map[string]any)
		switch {
		case !ok:
			m.Notes = append(m.Notes, fmt.Sprintf("%s is not an object with events. It was left out.", brief(name)))
		case bundle["enabled"] == false:
			m.Notes = append(m.Notes, fmt.Sprintf("%s is not enabled. It was left out.", brief(name)))
		default:
			m.bundle(name, bundle, dir)
		}
	}
	return m
}

// bundle takes over a bundle.
func (m *Migration) bundle(name string, bundle map[string]any, dir string) {
	for _, key := range slices.Sorted(maps.Keys(bundle)) {
		if key == "enabled" {
			continue
		}
		event, of := antigravityEvent(key), brief(name)+" for "+key
		list, isList := bundle[key].([]any)
		switch {
		case event == "" && isList && len(list) == 0:
		case event == "":
			m.Notes = append(m.Notes, fmt.Sprintf("There is no event %s. The hooks of %s were left out.", key, brief(name)))
		case !isList:
			m.leave(event, "%s is not a list.", of)
		case event == BeforeTool || event == AfterTool:
			for _, item := range list {
				group, _ := item.(map[string]any)
				hooks, ok := group["hooks"].([]any)
				if !ok {
					m.leave(event, "An entry of %s has no list of hooks.", of)
					continue
				}
				matcher, _ := group["matcher"].(string)
				m.group(event, name, of, matcher, hooks, dir)
			}
		default:
			m.group(event, name, of, "", list, dir)
		}
	}
}

// group takes over the hooks of an event with a matcher. They run one after the other.
func (m *Migration) group(e Event, name, of, matcher string, hooks []any, dir string) {
	list := []any{}
	for _, item := range hooks {
		if h := m.handler(e, name, of, matcher, item, dir); h != nil {
			list = append(list, h)
			m.Count++
		}
	}
	if len(list) == 0 {
		return
	}
	for i := range antigravityTools {
		if t := &antigravityTools[i]; t.args == nil && strings.Contains(matcher, t.name) {
			m.Notes = append(m.Notes, fmt.Sprintf("The hooks of %s get the arguments of %s with Pollux's names, because those of Antigravity CLI are not known.", of, t.name))
		}
	}
	definition := map[string]any{"hooks": list, "sequential": true}
	if matcher != "" {
		definition["matcher"] = matcher
	}
	there, _ := m.Definitions[string(e)].([]any)
	m.Definitions[string(e)] = append(there, definition)
}

// handler takes over one hook. It returns nil if it cannot run here.
func (m *Migration) handler(e Event, name, of, matcher string, item any, dir string) map[string]any {
	members, _ := item.(map[string]any)
	command, _ := members["command"].(string)
	to := map[string]any{"type": "command", "name": name, "command": command, "cwd": dir, "dialect": string(Antigravity)}
	for _, key := range slices.Sorted(maps.Keys(members)) {
		switch key {
		case "type", "timeout":
			to[key] = members[key]
		case "command":
		default:
			m.Notes = append(m.Notes, fmt.Sprintf("%s of a hook of %s has no effect in Antigravity CLI. It was left out.", brief(key), of))
		}
	}
	h := Hook{Event: e, Matcher: matcher}
	if _, reason := h.parse(encode(to)); reason != "" {
		m.leave(e, "A hook of %s: %s.", of, reason)
		return nil
	}
	return to
}
