package hook

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"time"
)

// Read returns the hooks of one source: the value of the key "hooks" of a settings file, or of an
// extension's hooks.json. What is invalid is left out, and reported in a sentence.
func Read(source Source, definitions map[string]json.RawMessage) (hooks []Hook, problems []string) {
	report := func(format string, args ...any) { problems = append(problems, fmt.Sprintf(format, args...)) }
	for _, name := range slices.Sorted(maps.Keys(definitions)) {
		if !slices.Contains(Events(), Event(name)) && !slices.Contains(oldKeys, name) {
			problems = append(problems, invalidEvent(name, source))
		}
	}
	for _, name := range Events() {
		raw, ok := definitions[string(name)]
		if !ok {
			continue
		}
		var list []json.RawMessage
		if json.Unmarshal(raw, &list) != nil || list == nil {
			report("Discarding the hooks for %s from %s settings: they are not a list.", name, source)
			continue
		}
		for i, item := range list {
			var d definition
			if json.Unmarshal(item, &d) != nil || d.Hooks == nil {
				report("Discarding invalid hook definition %d for %s from %s settings: it has no list of hooks.", i+1, name, source)
				continue
			}
			for _, item := range d.Hooks {
				h, reason := parseHook(item)
				if reason != "" {
					report("Discarding invalid hook configuration for %s from %s settings: %s.", name, source, reason)
					continue
				}
				h.Event, h.Matcher, h.IsSequential, h.Source = name, string(d.Matcher), bool(d.Sequential), source
				hooks = append(hooks, h)
			}
		}
	}
	return hooks, problems
}

// oldKeys are settings that files of old versions have beside the events.
var oldKeys = []string{"enabled", "disabled", "notifications"}

func invalidEvent(name string, source Source) string {
	text := fmt.Sprintf("Invalid hook event name: %q from %s config. Skipping.", name, source.label())
	if e, ok := claudeEvents[name]; ok {
		text += fmt.Sprintf(" It is called %s here; see 'pollux hooks migrate --help'.", e)
	}
	return text
}

// definition is a matcher with its hooks.
type definition struct {
	Matcher    laxText           `json:"matcher"`
	Sequential laxBool           `json:"sequential"`
	Hooks      []json.RawMessage `json:"hooks"`
}

// laxText and laxBool ignore values of other types.
type (
	laxText string
	laxBool bool
)

func (t *laxText) UnmarshalJSON(b []byte) error {
	var s string
	_ = json.Unmarshal(b, &s) // another type is ""
	*t = laxText(s)
	return nil
}

func (t *laxBool) UnmarshalJSON(b []byte) error {
	*t = string(b) == "true"
	return nil
}

// parseHook returns a configured hook, or the reason why it is invalid.
func parseHook(raw json.RawMessage) (h Hook, reason string) {
	var c struct {
		Type        laxText         `json:"type"`
		Command     laxText         `json:"command"`
		Name        laxText         `json:"name"`
		Description laxText         `json:"description"`
		Timeout     json.RawMessage `json:"timeout"`
		Env         json.RawMessage `json:"env"`
	}
	if json.Unmarshal(raw, &c) != nil {
		return h, "it is not an object"
	}
	switch {
	case c.Type != "command" && c.Type != "plugin": // which Gemini CLI runs as a command
		return h, fmt.Sprintf("the type must be \"command\", not %q", string(c.Type))
	case c.Command == "":
		return h, "it has no command"
	}
	h = Hook{Name: string(c.Name), Command: string(c.Command), Description: string(c.Description), Timeout: DefaultTimeout}
	var ms float64
	if json.Unmarshal(c.Timeout, &ms) == nil && len(c.Timeout) > 0 && string(c.Timeout) != "null" {
		h.Timeout = milliseconds(ms)
	}
	var env map[string]any
	_ = json.Unmarshal(c.Env, &env) // another type sets nothing
	for name, value := range env {
		if name == "" || strings.ContainsAny(name, "=\x00") {
			continue
		}
		if h.Env == nil {
			h.Env = map[string]string{}
		}
		text, ok := value.(string)
		if !ok {
			text = fmt.Sprint(value)
		}
		h.Env[name] = text
	}
	return h, ""
}

// milliseconds converts a timeout. It is at most a day; what is below 0 is 0.
func milliseconds(ms float64) time.Duration {
	const day = 24 * time.Hour
	if math.IsNaN(ms) || ms <= 0 {
		return 0
	}
	return time.Duration(min(ms, float64(day/time.Millisecond)) * float64(time.Millisecond))
}
