package config

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
)

// tighten removes the values of the project's settings that would loosen a protection of the user,
// and those that would clear a value, and returns a warning that names them. It compares them with
// the settings of the other layers, which must be merged. If the user trusts all projects
// (TrustProjectSafety), the values stay.
func (s *Settings) tighten() []Warning {
	project := s.layers[Workspace]
	if project == nil || TrustProjectSafety.In(s) {
		return nil
	}
	var ignored []string
	for _, path := range dropNulls(project, "") {
		if _, isSet := s.Lookup(path); isSet {
			ignored = append(ignored, s.nameInFile(path))
		}
	}
	for i := range table {
		key := &table[i]
		v, ok := at(project, key.Path)
		if !ok || key.Effect.Guard == nil {
			continue
		}
		if kept := key.Effect.Guard(s.OrDefault(key), v); kept != nil {
			put(project, key.Path, kept)
			continue
		}
		remove(project, key.Path)
		if !reflect.DeepEqual(v, s.OrDefault(key)) {
			ignored = append(ignored, s.nameInFile(key.Path))
		}
	}
	if len(ignored) == 0 {
		return nil
	}
	return []Warning{Warning(fmt.Sprintf("Warning: Ignoring settings of this project that would loosen yours: %s.\n"+
		"To allow projects to change them, set pollux.trustProjectSafety to true in your user settings.", strings.Join(ignored, ", ")))}
}

// OrDefault returns the value that the layers have of a key, or its default.
func (s *Settings) OrDefault(key *Key) any {
	if v, ok := s.Lookup(key.Path); ok {
		return v
	}
	return key.Default
}

// dropNulls removes the nulls of objects, which would clear the values of other layers, and returns their
// paths.
func dropNulls(tree map[string]any, path string) (dropped []string) {
	for _, name := range slices.Sorted(maps.Keys(tree)) {
		switch v := tree[name].(type) {
		case nil:
			delete(tree, name)
			dropped = append(dropped, join(path, name))
		case map[string]any:
			dropped = append(dropped, dropNulls(v, join(path, name))...)
		}
	}
	return dropped
}

// on lets a project set a switch, and off lets it clear one.
func on(below, v any) any  { return unlessLooser(below == true && v != true, v) }
func off(below, v any) any { return unlessLooser(below != true && v == true, v) }

func unlessLooser(looser bool, v any) any {
	if looser {
		return nil
	}
	return v
}

// once lets a project set a value that no other layer has.
func once(below, v any) any {
	return unlessLooser(below != nil && below != false && below != "" && !reflect.DeepEqual(below, v), v)
}

// box lets a project ask for a sandbox where no other layer asks for one or sets the network of one. It cannot switch off the one that is on without settings.
func box(below, v any) any {
	isOff := false
	switch v := v.(type) {
	case bool:
		isOff = !v
	case string:
		isOff = slices.Contains([]string{"", "0", "false"}, strings.ToLower(strings.TrimSpace(v)))
	case map[string]any:
		isEnabled, isSet := v["enabled"]
		isOff = isSet && isEnabled != true
	}
	return unlessLooser(isOff && !reflect.DeepEqual(below, v), once(below, v))
}

// rising lets a project choose the value of the other layers, or a later one.
func rising(below, v any, order ...any) any {
	return unlessLooser(slices.Index(order, v) < slices.Index(order, below), v)
}

// more lets a project add to a list.
func more(below, v any) any {
	if below == nil {
		return v
	}
	return distinct(items(below), items(v))
}

// within lets a project choose from a list that allows everything if it is empty.
func within(below, v any) any {
	if len(items(below)) == 0 {
		return v
	}
	return unlessLooser(len(items(v)) == 0, fewer(below, v))
}

// fewer lets a project shorten a list.
func fewer(below, v any) any {
	had := Texts(items(below))
	isLooser := slices.ContainsFunc(Texts(items(v)), func(item string) bool { return !slices.Contains(had, item) })
	return unlessLooser(isLooser, v)
}

// remove removes the value at a path.
func remove(tree map[string]any, path string) {
	for {
		name, rest, more := strings.Cut(path, ".")
		below, ok := tree[name].(map[string]any)
		if !more || !ok {
			delete(tree, name)
			return
		}
		tree, path = below, rest
	}
}
