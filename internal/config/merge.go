package config

import (
	"maps"
	"slices"
	"strings"
)

// merge builds the tree of all layers, or only these groups of it. The layers do not change.
func (s *Settings) merge(groups ...string) {
	s.tree = map[string]any{}
	for scope, layer := range s.layers {
		if len(groups) > 0 {
			some := map[string]any{}
			for _, name := range groups {
				if v, ok := layer[name]; ok {
					some[name] = v
				}
			}
			layer = some
		}
		mergeInto(s.tree, layer, "", Scope(scope))
	}
}

func mergeInto(dst, src map[string]any, path string, scope Scope) {
	for name, v := range src {
		if isUnsafe(name) {
			continue
		}
		at := join(path, name)
		var rule Flag
		if key, ok := KeyOf(at); ok {
			rule = key.Flags
		}
		if scope == CommandLine {
			rule &= Concat // a flag replaces other values, except where it adds to them
		}
		switch {
		case v == nil:
			dst[name] = nil
		case rule&Union != 0:
			dst[name] = distinct(lower(dst, name, at), items(v))
		case rule&Concat != 0 && at == "hooks":
			dst[name] = joinHooks(dst[name], v)
		case rule&Concat != 0:
			dst[name] = slices.Concat(lower(dst, name, at), items(v))
		case rule&Intersect != 0 && dst[name] != nil:
			dst[name] = common(items(dst[name]), items(v))
		default:
			dst[name] = over(dst[name], v, at, scope, rule&Shallow != 0)
		}
	}
}

// over merges v into the value of the layers below: objects are merged, other values replaced.
// It may change objects of the merged tree.
func over(below, v any, path string, scope Scope, shallow bool) any {
	upper, ok := v.(map[string]any)
	if !ok {
		return v
	}
	merged, ok := below.(map[string]any)
	if !ok {
		merged = make(map[string]any, len(upper))
	}
	if !shallow {
		mergeInto(merged, upper, path, scope)
		return merged
	}
	for name, v := range upper {
		if !isUnsafe(name) {
			merged[name] = v
		}
	}
	return merged
}

// lower returns the list that a higher layer adds to.
func lower(dst map[string]any, name, path string) []any {
	if v := dst[name]; v != nil {
		return items(v)
	}
	if key, ok := KeyOf(path); ok {
		standard, _ := key.Default.([]any)
		return standard
	}
	return nil
}

// items returns a list unchanged, and any other value as a list of one.
func items(v any) []any {
	if list, ok := v.([]any); ok {
		return list
	}
	return []any{v}
}

// distinct joins two lists of strings without duplicates.
func distinct(a, b []any) []any {
	seen := make(map[any]bool, len(a)+len(b))
	joined := make([]any, 0, len(a)+len(b))
	for _, item := range slices.Concat(a, b) {
		if _, ok := item.(string); ok && !seen[item] {
			seen[item] = true
			joined = append(joined, item)
		}
	}
	return joined
}

// common returns the strings that are in both lists, ignoring case.
func common(a, b []any) []any {
	both := []any{}
	for _, item := range a {
		if slices.ContainsFunc(b, func(other any) bool {
			x, ok := item.(string)
			y, ok2 := other.(string)
			return ok && ok2 && strings.EqualFold(x, y)
		}) {
			both = append(both, item)
		}
	}
	return both
}

// joinHooks joins the hooks of two layers by event.
func joinHooks(below, v any) any {
	upper, ok := v.(map[string]any)
	if !ok {
		return below
	}
	joined := map[string]any{}
	lower, _ := below.(map[string]any)
	maps.Copy(joined, lower)
	for event, v := range upper {
		if isUnsafe(event) {
			continue
		}
		if joined[event] != nil {
			v = slices.Concat(items(joined[event]), items(v))
		}
		joined[event] = v
	}
	return joined
}
