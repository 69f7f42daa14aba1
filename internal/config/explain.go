package config

import (
	"errors"
	"os"
	"slices"
	"strings"
)

var scopeNames = [scopes]string{"system defaults", "user", "workspace", "system", "command line"}

// String returns the scope's name for messages, such as "system defaults".
func (s Scope) String() string { return scopeNames[s] }

// ParseScope returns the scope with this name; only files that users can name are accepted
// ("user", "workspace", "system").
func ParseScope(name string) (Scope, bool) {
	i := slices.Index(scopeNames[User:CommandLine], name)
	return User + Scope(i), i >= 0
}

// File returns the path of a scope's settings file. It is "" for the command line, and for the
// workspace if that is the home directory.
func (p *Paths) File(scope Scope) string {
	switch scope {
	case SystemDefaults:
		return p.SystemDefaults()
	case User:
		return p.UserSettings()
	case Workspace:
		return p.WorkspaceSettings()
	case System:
		return p.SystemSettings()
	}
	return ""
}

// Explanation describes where the value of a key comes from.
type Explanation struct {
	Key *Key
	// Path is the key's path, or a path inside the key's value.
	Path string
	// Value is the effective value; nil if it is unset.
	Value any
	// From are the names of the layers that Value comes from, lowest first; empty if it is the
	// default. Keys with a merge rule may have several.
	From   []string
	Layers []Layer
}

// Layer is the content of one settings file for a key.
type Layer struct {
	Scope Scope
	File  string
	// State is "read", "absent", or why the file is ignored.
	State string
	// Line is the number of the key's line, 0 if unknown.
	Line int
	// Value is the value in the file with variables expanded. IsSet reports whether there is
	// one.
	Value any
	IsSet bool
}

// Explain reports where the value of a key, or a part of it, comes from. Its errors are those
// of [Find].
func Explain(s *Settings, paths *Paths, path string) (*Explanation, error) {
	key, err := Find(path)
	if err != nil {
		return nil, err
	}
	e := &Explanation{Key: key, Path: path, Layers: Files(s, paths)}
	for i := range e.Layers {
		l := &e.Layers[i]
		if l.Value, l.IsSet = at(s.layers[l.Scope], path); l.IsSet {
			if o := s.otherFile(path); o != nil && l.Scope == Workspace {
				l.File, l.State = o.File, "read"
			}
			l.Line = lineOf(l.File, path)
		}
	}
	e.Value, e.From = s.Effective(path)
	return e, nil
}

// Files returns the settings files with their state, lowest layer first. Without settings (s
// is nil) the state is only whether the file exists.
func Files(s *Settings, paths *Paths) []Layer {
	var layers []Layer
	for scope := SystemDefaults; scope <= System; scope++ {
		l := Layer{Scope: scope, File: paths.File(scope), State: "read"}
		_, err := os.Stat(l.File)
		switch {
		case l.File == "":
			l.State = "none: this is the home directory"
		case errors.Is(plain(err), errAbsent):
			l.State = "absent"
		case s == nil:
			l.State = "there"
		case scope == Workspace && !s.trust:
			l.State = "ignored: this folder is not trusted"
		case s.layers[scope] == nil:
			l.State = "ignored"
		}
		layers = append(layers, l)
	}
	return layers
}

// Effective returns the effective value of a path, including the default, and the names of the
// layers that it comes from, lowest first.
func (s *Settings) Effective(path string) (v any, from []string) {
	v, set := s.Lookup(path)
	if !set {
		if key, ok := KeyOf(path); ok {
			v = key.Default
		}
	}
	_, several := v.(map[string]any)
	if key, err := Find(path); err == nil && key.Flags&(Union|Concat|Intersect) != 0 {
		several = true
	}
	for scope, layer := range s.layers {
		says, ok := at(layer, path)
		switch {
		case !ok:
			continue
		case !several || says == nil:
			from = nil
		}
		from = append(from, Scope(scope).String())
	}
	return v, from
}

// SetKeys returns the sorted paths of the keys that at least one layer sets.
func (s *Settings) SetKeys() []string {
	var paths []string
	for i := range table {
		if _, ok := s.Lookup(table[i].Path); ok {
			paths = append(paths, table[i].Path)
		}
	}
	return paths
}

// at returns the value at a path of a tree, which may be null.
func at(tree map[string]any, path string) (any, bool) {
	for {
		name, rest, more := strings.Cut(path, ".")
		v, ok := tree[name]
		if !ok || !more {
			return v, ok
		}
		if tree, ok = v.(map[string]any); !ok {
			return nil, false
		}
		path = rest
	}
}

// lineOf returns the number of the line of a file with a path, by its current or an old name;
// 0 if unknown.
func lineOf(file, path string) int {
	data, err := readFile(file, maxSettings)
	if err != nil {
		return 0
	}
	d, err := openDocument(data)
	if err != nil {
		return 0
	}
	for _, name := range append([]string{path}, oldNames(path)...) {
		if line := d.line(strings.Split(name, ".")); line > 0 {
			return line
		}
	}
	return 0
}

// DescribeMerge describes how the values of several layers are merged.
func (k *Key) DescribeMerge() string {
	kind, _, _ := strings.Cut(k.Type, " ")
	switch {
	case k.Flags&Union != 0:
		return "lists are joined, without duplicates"
	case k.Flags&Concat != 0:
		return "lists are joined"
	case k.Flags&Shallow != 0:
		return "entries replace each other whole"
	case k.Flags&Intersect != 0:
		return "what all lists have in common"
	case kind == "object" || kind == "record" || kind == "map":
		return "objects are merged"
	}
	return "the highest layer counts"
}

// String returns "live", "later", "screen" or "inert".
func (s Support) String() string {
	return [...]string{"live", "later", "screen", "inert"}[s]
}

// Explain describes the degree of support in a sentence. It is "" for [Live].
func (s Support) Explain() string {
	return [...]string{
		"", "It has no effect yet in this version of Pollux.", "It is about a part of the screen that is not there yet.",
		"It is accepted for the sake of existing files, and has no effect.",
	}[s]
}

// Variable returns the environment variable that has priority over the files for this key, ""
// if there is none.
func (k *Key) Variable() string {
	switch k.Path {
	case string(ModelName):
		return "GEMINI_MODEL"
	case string(ToolSandbox):
		return "GEMINI_SANDBOX"
	}
	return ""
}
