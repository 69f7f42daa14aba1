package subagent

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"time"

	"pollux/tool/spelling"
)

// Override changes a subagent, as an entry of the setting agents.overrides does.
type Override struct {
	Enabled   *bool `json:"enabled"`
	RunConfig struct {
		MaxTurns       *int     `json:"maxTurns"`
		MaxTimeMinutes *float64 `json:"maxTimeMinutes"`
	} `json:"runConfig"`
	ModelConfig struct {
		Model    string         `json:"model"`
		Settings map[string]any `json:"generateContentConfig"`
	} `json:"modelConfig"`
	Tools   []string                   `json:"tools"`
	Servers map[string]json.RawMessage `json:"mcpServers"`
	// ProjectServers are the names of the servers that the settings of a project bring.
	ProjectServers []string `json:"-"`
}

// ReadOverrides reads the entries of the setting agents.overrides. It ignores values of a wrong type, with
// a warning for the first one of each entry, and limits that are not positive, with a warning for each.
func ReadOverrides(entries map[string]json.RawMessage) (overrides map[string]Override, warnings []string) {
	overrides = map[string]Override{}
	for _, name := range slices.Sorted(maps.Keys(entries)) {
		var o Override
		err := json.Unmarshal(entries[name], &o) // it goes on after a wrong type
		if wrong, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
			if wrong.Field == "enabled" {
				o.Enabled = nil
			}
			path := strings.TrimSuffix("agents.overrides."+name+"."+wrong.Field, ".")
			warnings = append(warnings, fmt.Sprintf("Warning: Ignoring %s: it is a %s, and must be %s.", path, wrong.Value, describeType(wrong.Type)))
		}
		var small []string
		o.RunConfig.MaxTurns, small = positive(o.RunConfig.MaxTurns, small, "maxTurns")
		o.RunConfig.MaxTimeMinutes, small = positive(o.RunConfig.MaxTimeMinutes, small, "maxTimeMinutes")
		if err == nil { // else a 0 may stand for a wrong type
			for _, key := range small {
				warnings = append(warnings, fmt.Sprintf("Warning: Ignoring agents.overrides.%s.runConfig.%s: it must be greater than 0.", name, key))
			}
		}
		overrides[name] = o
	}
	return overrides, warnings
}

// positive returns a limit, nil if it is not greater than 0. It then adds the key to those in small.
func positive[N int | float64](limit *N, small []string, key string) (*N, []string) {
	if limit == nil || *limit > 0 {
		return limit, small
	}
	return nil, append(small, key)
}

// CheckNames returns a warning for each override of a subagent that is not in the list. lost are those of overrides that restrict,
// and whose name is almost that of a built-in one. Other names may be right: the subagent can be one of an extension or a project
// that is not here.
func CheckNames(overrides map[string]Override, list []*Definition) (warnings, lost []string) {
	var names, builtin []string
	for _, d := range list {
		names = append(names, d.Name)
		if d.Origin == Builtin {
			builtin = append(builtin, d.Name)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(overrides)) {
		if slices.Contains(names, name) {
			continue
		}
		text := fmt.Sprintf("agents.overrides names %q, but there is no such agent.", name)
		near := spelling.Closest(name, slices.Values(names))
		if near != "" {
			text += fmt.Sprintf(" Did you mean %q?", near)
		}
		warnings = append(warnings, "Warning: "+text)
		if o := overrides[name]; o.restricts() && slices.Contains(builtin, near) {
			lost = append(lost, text)
		}
	}
	return warnings, lost
}

// restricts reports whether a subagent may do more without the override.
func (o *Override) restricts() bool { return o.Enabled != nil && !*o.Enabled || o.Tools != nil }

// MarkProject notes which servers of the overrides are in the entries that the settings of a project have.
func MarkProject(overrides map[string]Override, entries map[string]json.RawMessage) {
	theirs, _ := ReadOverrides(entries) // reading the merged entries has warned
	for name, o := range theirs {
		merged := overrides[name]
		merged.ProjectServers = slices.Sorted(maps.Keys(o.Servers))
		overrides[name] = merged
	}
}

// describeType describes the valid values of an override's type.
func describeType(t reflect.Type) string {
	switch t.Kind() {
	case reflect.Bool:
		return "true or false"
	case reflect.Int:
		return "a whole number"
	case reflect.Float64:
		return "a number"
	case reflect.String:
		return "a string"
	case reflect.Slice:
		return "a list of strings"
	}
	return "an object"
}

// apply returns a definition with the changes of an override.
func (o *Override) apply(d *Definition) *Definition {
	if d.Kind == RemoteKind {
		return d
	}
	changed := *d
	if n := o.RunConfig.MaxTurns; n != nil {
		changed.MaxTurns = min(*n, MaxTurns)
	}
	if n := o.RunConfig.MaxTimeMinutes; n != nil {
		changed.Timeout = time.Duration(min(*n, MaxMinutes) * float64(time.Minute))
	}
	if m := o.ModelConfig.Model; m != "" {
		changed.Model, changed.Class = strings.TrimSpace(m), ""
		if m == "inherit" {
			changed.Model = ""
		}
	}
	if len(o.ModelConfig.Settings) > 0 {
		changed.Settings = map[string]any{}
		maps.Copy(changed.Settings, d.Settings)
		maps.Copy(changed.Settings, o.ModelConfig.Settings)
	}
	if o.Tools != nil {
		changed.Tools = o.Tools
	}
	if len(o.Servers) > 0 {
		changed.Servers = map[string]json.RawMessage{}
		maps.Copy(changed.Servers, d.Servers)
		maps.Copy(changed.Servers, o.Servers)
		changed.ProjectServers = o.ProjectServers
	}
	return &changed
}
