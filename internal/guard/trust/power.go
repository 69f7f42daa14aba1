package trust

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"pollux/internal/config"
)

// Power is one thing that a folder does by itself: run a command, start a server, allow a tool, send or
// write records, reach other directories.
type Power struct {
	// Text is one line for people, which changes if anything about the power changes except the content
	// of files.
	Text string
	// Class is the effect of the power. Without a power that tightens, more is allowed.
	Class config.Class
	// Place is the file of another agent that has the power, "" for Pollux's own files.
	Place string
	// Runs is the program that the power starts, nil for none.
	Runs *Program
}

// Powers visits the automatic effects of a folder's settings, as the table of keys classifies them. below are
// the settings of the other layers, nil for none. Powers removes those for which keep returns false from
// tree, a parsed settings file; settings that only tighten or describe stay. The order is fixed.
func Powers(below *config.Settings, tree map[string]any, keep func(Power) bool) {
	v := visitor{keep: keep}
	for i, keys := 0, config.Keys(); i < len(keys); i++ {
		key := &keys[i]
		if key.Support != config.Live || !key.Effect.Class.IsAsked() {
			continue
		}
		section, last := sectionOf(tree, key.Path)
		value, ok := section[last]
		if !ok {
			continue
		}
		var theirs any
		if below != nil {
			theirs = below.OrDefault(key)
		} else {
			theirs = key.Default
		}
		if value = v.visit(key.Path, key.Effect, theirs, value); value == nil {
			delete(section, last)
		} else {
			section[last] = value
		}
	}
}

// sectionOf returns the object in a tree that has the last name of a path, nil if there is none.
func sectionOf(tree map[string]any, path string) (section map[string]any, last string) {
	section = tree
	for {
		name, rest, more := strings.Cut(path, ".")
		if !more {
			return section, name
		}
		section, _ = section[name].(map[string]any)
		path = rest
	}
}

// visitor visits the parts of a value.
type visitor struct{ keep func(Power) bool }

// visit returns the remaining part of a value, nil for nothing.
func (v visitor) visit(path string, e *config.Effect, below, value any) any {
	object, isObject := value.(map[string]any)
	list, isList := value.([]any)
	switch {
	case e.Part == config.Items && isList:
		return v.items(path, e, below, list)
	case e.Part == config.Members && isObject, e.Part == config.Fields && isObject:
		theirs, _ := below.(map[string]any)
		for _, name := range slices.Sorted(maps.Keys(object)) {
			part := e.Field(name)
			if part == nil {
				part = e.Each
			}
			if part == nil {
				continue // an unknown field does nothing
			}
			if left := v.visit(path+"."+name, part, theirs[name], object[name]); left == nil {
				delete(object, name)
			} else {
				object[name] = left
			}
		}
		return object
	case e.Part == config.Hooks:
		return v.hooks(path, e, value)
	case e.Part == config.Entry && isObject:
		return v.entry(path, e, below, object)
	}
	if v.asks(path, e, e.Classify(below, value), value, inline(value)) {
		return value
	}
	return nil
}

// asks reports whether a value stays.
func (v visitor) asks(path string, e *config.Effect, c config.Class, value any, text string) bool {
	return !c.IsAsked() || v.keep(Power{Text: path + ": " + text, Class: c &^ config.Describes, Runs: programOf(e.Starts, value)})
}

// items visits the items of a list. Those that the other layers have, too, change nothing.
func (v visitor) items(path string, e *config.Effect, below any, list []any) any {
	theirs, _ := below.([]any)
	return slices.DeleteFunc(list, func(item any) bool {
		text := inline(item)
		if slices.ContainsFunc(theirs, func(other any) bool { return inline(other) == text }) {
			return false
		}
		return !v.asks(path, e.Each, e.Each.Classify(nil, item), item, text)
	})
}

// entry visits an object that is one power. If it is refused, and another layer has an entry that it
// replaces, its restrictions stay.
func (v visitor) entry(path string, e *config.Effect, below any, object map[string]any) any {
	c := e.Classify(below, object)
	if below == nil && c&config.Acts != 0 {
		c &^= config.Tightens // it restricts nothing but itself
	}
	if v.asks(path, e, c, object, inline(object)) {
		return object
	}
	if below == nil && c&config.Acts != 0 {
		return nil
	}
	left := map[string]any{}
	for name, value := range object {
		if f := e.Field(name); f != nil && f.Classify(nil, value) == config.Tightens {
			left[name] = value
		}
	}
	if len(left) == 0 {
		return nil
	}
	return left
}

// hooks visits the hooks of the definitions of an event.
func (v visitor) hooks(path string, e *config.Effect, value any) any {
	definitions, ok := value.([]any)
	if !ok {
		return value // no hooks
	}
	for _, d := range definitions {
		definition, _ := d.(map[string]any)
		hooks, ok := definition["hooks"].([]any)
		if !ok {
			continue
		}
		when := path
		if matcher, ok := definition["matcher"].(string); ok && matcher != "" {
			when += " of " + matcher
		}
		definition["hooks"] = slices.DeleteFunc(hooks, func(h any) bool { return !v.asks(when, e.Each, e.Each.Class, h, inlineHook(h)) })
	}
	return definitions
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
