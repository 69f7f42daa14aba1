package config

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"pollux/internal/exit"
)

// Settings are the merged settings of all layers. They are immutable. A value is read through
// its typed key, as in MaxSessionTurns.In(settings).
type Settings struct {
	tree   map[string]any
	layers [scopes]map[string]any
	user   string
	trust  bool
	// written maps paths of keys to the old names that files use for them.
	written map[string]string
	// oldNames are the old names that files use, for people.
	oldNames []Warning
	lost     []string
	others   []OtherServers // see [Settings.OtherServers]
}

// Scope is a layer of the settings. Higher ones have priority.
type Scope int

// The scopes, lowest first.
const (
	SystemDefaults Scope = iota
	User
	Workspace
	System
	CommandLine
	scopes
)

// UserFile returns the path of the user's settings file, which may not exist.
func (s *Settings) UserFile() string { return s.user }

// Trusted reports whether the workspace was trusted when the settings were loaded. If so, they
// include the workspace's own settings.
func (s *Settings) Trusted() bool { return s.trust }

// Lost returns the settings that would have restricted something, each after its file: their values are invalid, or hidden by
// another one in the same file. The warnings of [Load] give the reasons. A run without a user must not go on without them.
func (s *Settings) Lost() []string { return s.lost }

// ErrLost is the error of [CheckLost], which the user sees without a prefix.
var ErrLost = errors.New("Settings, hooks or policies that may restrict what runs cannot be used, and a script does not go on without them")

// CheckLost returns an error with exit code 52 for a run without a person if parts of the configuration that may restrict it cannot be
// used. Settings, hooks and policies each have a list of them.
func CheckLost(lost []string, hasPerson bool) error {
	if hasPerson || len(lost) == 0 {
		return nil
	}
	return exit.Errorf(exit.Config, "%w:\n%s\nPlease fix the configuration and try again.", ErrLost, strings.Join(lost, "\n"))
}

// ForScope returns the settings of a single layer, for values whose origin matters, such as hooks
// and servers.
func (s *Settings) ForScope(scope Scope) *Settings {
	return &Settings{tree: s.layers[scope], user: s.user, trust: s.trust}
}

// WithoutWorkspace returns the settings that count where the workspace has none of its own.
func (s *Settings) WithoutWorkspace() *Settings {
	rest := *s
	rest.layers[Workspace] = nil
	rest.merge()
	return &rest
}

// Lookup returns the value that the layers have at a path, as decoded by [encoding/json], and
// whether there is one. It does not return defaults.
func (s *Settings) Lookup(path string) (any, bool) {
	v, ok := at(s.tree, path)
	return v, ok && v != nil
}

// value returns the value at a path if it has the type T, else the key's default, else the
// zero T.
func value[T any](s *Settings, path string) T {
	if set, ok := s.Lookup(path); ok {
		if v, ok := set.(T); ok {
			return v
		}
	}
	if key, ok := KeyOf(path); ok {
		if v, ok := key.Default.(T); ok {
			return v
		}
	}
	var zero T
	return zero
}

// Bool is a key whose value is true or false.
type Bool string

// In returns the key's value.
func (k Bool) In(s *Settings) bool { return value[bool](s, string(k)) }

// Int is a key whose value is an integer.
type Int string

// In returns the key's value, rounded toward zero.
func (k Int) In(s *Settings) int {
	const limit = 1 << 52
	return int(max(-limit, min(limit, value[float64](s, string(k)))))
}

// Float is a key whose value is a number.
type Float string

// In returns the key's value.
func (k Float) In(s *Settings) float64 { return value[float64](s, string(k)) }

// String is a key whose value is a string.
type String string

// In returns the key's value, "" if it is unset.
func (k String) In(s *Settings) string { return value[string](s, string(k)) }

// Strings is a key whose value is a list of strings, or a single string.
type Strings string

// In returns the key's values. It is nil if the key is unset, and empty if the list is.
func (k Strings) In(s *Settings) []string {
	if one := value[string](s, string(k)); one != "" {
		return []string{one}
	}
	return Texts(value[[]any](s, string(k)))
}

// ByProject returns the values of a list to which a project may only add, and apart from them those that only the project has. If
// the user trusts all projects (TrustProjectSafety), the list is the user's.
func (k Strings) ByProject(s *Settings) (others, projects []string) {
	all := k.In(s)
	if _, ok := at(s.layers[Workspace], string(k)); !ok || TrustProjectSafety.In(s) {
		return all, nil
	}
	others = k.In(s.WithoutWorkspace())
	for _, item := range all {
		if !slices.Contains(others, item) {
			projects = append(projects, item)
		}
	}
	return others, projects
}

// Texts returns the strings of a list, nil if the list is nil.
func Texts(items []any) []string {
	if items == nil {
		return nil
	}
	texts := make([]string, 0, len(items))
	for _, item := range items {
		if text, ok := item.(string); ok {
			texts = append(texts, text)
		}
	}
	return texts
}

// Object is a key whose value is an object or list.
type Object string

// Decode stores the key's value in the variable that v points to, like [json.Unmarshal]. If
// the key is unset, the variable does not change.
func (k Object) Decode(s *Settings, v any) error {
	set, ok := s.Lookup(string(k))
	if !ok {
		return nil
	}
	data, err := json.Marshal(set)
	if err == nil {
		err = json.Unmarshal(data, v)
	}
	if err != nil {
		return fmt.Errorf("setting %s: %w", k, err)
	}
	return nil
}

// Any is a key whose value may have one of several types.
type Any string

// In returns the value as decoded by [encoding/json], nil if it is unset.
func (k Any) In(s *Settings) any { return value[any](s, string(k)) }

// Tree returns the merged settings as parsed JSON. The caller must not change it.
func (s *Settings) Tree() map[string]any { return s.tree }
