package config

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
)

// tighten removes the values of the project's settings that would loosen what protects the user,
// and returns a warning that names them. It compares them with the settings of the other layers,
// which must be merged. A user who trusts all projects keeps the values (TrustProjectSafety).
func (s *Settings) tighten() []Warning {
	project := s.layers[Workspace]
	if project == nil || TrustProjectSafety.In(s) {
		return nil
	}
	var ignored []string
	for _, path := range slices.Sorted(maps.Keys(protective)) {
		v, ok := at(project, path)
		below, isSet := s.Lookup(path)
		if key, known := KeyOf(path); known && !isSet {
			below = key.Default
		}
		if ok && v != nil {
			if kept := protective[path](below, v); kept != nil {
				put(project, path, kept)
				continue
			}
		} else if path = cleared(project, path); path == "" || !isSet {
			continue
		}
		remove(project, path)
		ignored = append(ignored, s.nameInFile(path))
	}
	if len(ignored) == 0 {
		return nil
	}
	return []Warning{Warning(fmt.Sprintf("Warning: Ignoring settings of this project that would loosen yours: %s.\n"+
		"To allow projects to change them, set pollux.trustProjectSafety to true in your user settings.", strings.Join(ignored, ", ")))}
}

// protective are the settings that protect the user, each with the value that counts if a project
// sets v and the other layers have below, nil if it is below.
var protective = map[string]func(below, v any) any{
	"advanced.ignoreLocalEnv":                       on,
	"general.sessionRetention.enabled":              off,
	"general.sessionRetention.maxAge":               never,
	"general.sessionRetention.maxCount":             never,
	"general.sessionRetention.minRetention":         never,
	"pollux.buildFiles":                             rising("never", "unlessYolo", "always"),
	"pollux.childSecrets":                           rising("allowed", "none"),
	"pollux.planThen":                               never,
	"pollux.sessions.keepSecrets":                   off,
	"pollux.trustProjectSafety":                     never,
	"security.allowedExtensions":                    within,
	"security.auth.enforcedType":                    once,
	"security.autoAddToPolicyByDefault":             off,
	"security.blockGitExtensions":                   on,
	"security.disableAlwaysAllow":                   on,
	"security.disableYoloMode":                      on,
	"security.enableConseca":                        on,
	"security.enablePermanentToolApproval":          off,
	"security.environmentVariableRedaction.allowed": fewer,
	"security.environmentVariableRedaction.blocked": more,
	"security.environmentVariableRedaction.enabled": on,
	"security.folderTrust.enabled":                  on,
	"security.toolSandboxing":                       on,
	"tools.confirmationRequired":                    more,
	"tools.sandbox":                                 once,
	"tools.sandboxAllowedPaths":                     fewer,
	"tools.sandboxNetworkAccess":                    off,
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

// never lets no project set a value.
func never(any, any) any { return nil }

// once lets a project set a value that no other layer has.
func once(below, v any) any {
	return unlessLooser(below != nil && below != false && below != "" && !reflect.DeepEqual(below, v), v)
}

// rising lets a project choose the value of the other layers, or a later one.
func rising(order ...any) func(below, v any) any {
	return func(below, v any) any { return unlessLooser(slices.Index(order, v) < slices.Index(order, below), v) }
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
	had := texts(items(below))
	isLooser := slices.ContainsFunc(texts(items(v)), func(item string) bool { return !slices.Contains(had, item) })
	return unlessLooser(isLooser, v)
}

// cleared returns the part of a path, from its beginning, that a tree sets to null, "" if there is
// none.
func cleared(tree map[string]any, path string) string {
	for end := 0; end < len(path); {
		name, _, _ := strings.Cut(path[end:], ".")
		end += len(name)
		if v, ok := at(tree, path[:end]); ok && v == nil {
			return path[:end]
		}
		end++ // the dot
	}
	return ""
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
