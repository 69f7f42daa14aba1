package trust

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
)

// Powers visits what the settings of a folder can do by themselves: run a command, start a server,
// allow a tool, send or write records, reach other directories. keep gets each as one line of text
// for people, which changes if anything about it changes; what keep returns false for is removed
// from tree, a parsed settings file. The order is fixed.
func Powers(tree map[string]any, keep func(power string) bool) {
	for _, key := range slices.Sorted(maps.Keys(powerful)) {
		path := strings.Split(key, ".")
		section := tree
		for _, name := range path[:len(path)-1] {
			section, _ = section[name].(map[string]any)
		}
		last := path[len(path)-1]
		value, ok := section[last]
		if !ok {
			continue
		}
		if value = powerful[key](key, value, keep); value == nil {
			delete(section, last)
		} else {
			section[last] = value
		}
	}
}

// A visitor visits the value of one setting and returns what is left of it, nil for nothing.
type visitor func(key string, value any, keep func(string) bool) any

// powerful are the settings with which a project acts by itself. Other settings only adjust what
// Pollux does anyway, or may only tighten what protects the user.
var powerful = map[string]visitor{
	"context.includeDirectories":  eachItem,
	"general.defaultApprovalMode": whole,
	"general.plan.directory":      whole,
	"hooks":                       eachHook,
	"mcp.allowed":                 eachItem,
	"mcp.serverCommand":           whole,
	"mcpServers":                  eachMember,
	"skills":                      whole,
	"telemetry":                   eachMember,
	"tools.allowed":               eachItem,
	"tools.callCommand":           whole,
	"tools.core":                  eachItem,
	"tools.discoveryCommand":      whole,
	"tools.sandbox":               whole,
	"tools.sandboxAllowedPaths":   eachItem,
	"tools.sandboxNetworkAccess":  whole,
}

func whole(key string, value any, keep func(string) bool) any {
	if keep(key + ": " + inline(value)) {
		return value
	}
	return nil
}

func eachItem(key string, value any, keep func(string) bool) any {
	items, ok := value.([]any)
	if !ok {
		return whole(key, value, keep)
	}
	return slices.DeleteFunc(items, func(item any) bool { return !keep(key + ": " + inline(item)) })
}

func eachMember(key string, value any, keep func(string) bool) any {
	members, ok := value.(map[string]any)
	if !ok {
		return whole(key, value, keep)
	}
	for _, name := range slices.Sorted(maps.Keys(members)) {
		if !keep(key + "." + name + ": " + inline(members[name])) {
			delete(members, name)
		}
	}
	return members
}

// eachHook visits the hooks of each definition of each event.
func eachHook(key string, value any, keep func(string) bool) any {
	events, ok := value.(map[string]any)
	if !ok {
		return whole(key, value, keep)
	}
	for _, event := range slices.Sorted(maps.Keys(events)) {
		definitions, ok := events[event].([]any)
		if !ok {
			continue // no hooks
		}
		for _, d := range definitions {
			definition, _ := d.(map[string]any)
			hooks, ok := definition["hooks"].([]any)
			if !ok {
				continue
			}
			when := event
			if matcher, ok := definition["matcher"].(string); ok && matcher != "" {
				when += " of " + matcher
			}
			definition["hooks"] = slices.DeleteFunc(hooks, func(h any) bool { return !keep(key + "." + when + ": " + inlineHook(h)) })
		}
	}
	return events
}

// inlineHook returns the command of a hook that has nothing but a command, else all of the hook.
func inlineHook(hook any) string {
	members, _ := hook.(map[string]any)
	if command, ok := members["command"].(string); ok && len(members) == 2 && members["type"] == "command" {
		return command
	}
	return inline(hook)
}

// inline returns a value of a settings file in one line: a text as it is, else as JSON.
func inline(value any) string {
	if text, ok := value.(string); ok {
		return text
	}
	text, _ := json.Marshal(value) // it was parsed from JSON
	return string(text)
}
