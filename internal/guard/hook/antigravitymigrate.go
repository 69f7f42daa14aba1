package hook

import (
	"maps"
	"slices"
	"strings"

	"pollux/internal/transfer"
)

// FromAntigravity takes over bundles of hooks of Antigravity CLI, the object of a file hooks.json in the directory dir, where they
// run. The hooks keep their form, with the dialect in each, so that scripts keep their meaning.
func FromAntigravity(bundles map[string]any, dir string) Migration {
	m := Migration{}
	for _, name := range slices.Sorted(maps.Keys(bundles)) {
		bundle, ok := bundles[name].(map[string]any)
		switch {
		case !ok:
			m.item(name).Leave("it is not an object with events")
		case bundle["enabled"] == false:
			m.item(name).Leave("it is not enabled")
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
		event, of := antigravityEvent(key), key+" of "+name
		list, isList := bundle[key].([]any)
		switch {
		case event == "" && isList && len(list) == 0:
		case event == "":
			m.leave("", of, "Pollux has no such event")
		case !isList:
			m.leave(event, of, "it is not a list")
		case event == BeforeTool || event == AfterTool:
			for _, one := range list {
				group, _ := one.(map[string]any)
				hooks, ok := group["hooks"].([]any)
				if !ok {
					m.leave(event, of, "an entry has no list of hooks")
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
	if matcher != "" {
		of += " for " + matcher
	}
	list, items := []any{}, []*transfer.Item(nil)
	for _, one := range hooks {
		if h, item := m.handler(e, name, of, matcher, one, dir); h != nil {
			list, items = append(list, h), append(items, item)
		}
	}
	if len(list) == 0 {
		return
	}
	for i := range antigravityTools {
		if t := &antigravityTools[i]; t.args == nil && strings.Contains(matcher, t.name) {
			for _, item := range items {
				item.Change("it gets the arguments of %s with Pollux's names, because those of Antigravity CLI are not known", t.name)
			}
		}
	}
	definition := map[string]any{"hooks": list, "sequential": true}
	if matcher != "" {
		definition["matcher"] = matcher
	}
	m.Groups = append(m.Groups, Group{Event: e, Definition: definition, Items: items})
}

// handler takes over one hook. It returns nil if it cannot run here.
func (m *Migration) handler(e Event, name, of, matcher string, one any, dir string) (map[string]any, *transfer.Item) {
	members, _ := one.(map[string]any)
	command, _ := members["command"].(string)
	to := map[string]any{"type": "command", "name": name, "command": command, "cwd": dir, "dialect": string(Antigravity)}
	var without []string
	for _, key := range slices.Sorted(maps.Keys(members)) {
		switch key {
		case "type", "timeout":
			to[key] = members[key]
		case "command":
		default:
			without = append(without, key)
		}
	}
	h := Hook{Event: e, Matcher: matcher}
	item, _ := m.take(&h, of, to)
	if item == nil {
		return nil, nil
	}
	for _, key := range without {
		item.Change("without %s, which has no effect in Antigravity CLI", brief(key))
	}
	return to, item
}
