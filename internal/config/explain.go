package config

import (
	"errors"
	"os"
	"slices"
	"strings"
)

var scopeNames = [scopes]string{"system defaults", "user", "workspace", "system", "command line"}

// String returns the name of a scope for people.
func (s Scope) String() string { return scopeNames[s] }

// ParseScope returns the scope that a command line names.
func ParseScope(name string) (Scope, bool) {
	i := slices.Index(scopeNames[User:CommandLine], name)
	return User + Scope(i), i >= 0
}

// File returns the path of the file of a scope: "" for the workspace in the home
// directory, and for the command line.
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

// Explanation says why a key has the value it has.
type Explanation struct {
	Key *Key
	// Path is the key's, or leads to a part of it.
	Path string
	// Value is what counts; nil if it is unset.
	Value any
	// From are the layers that Value comes from, lowest first; none if it is the
	// default. Keys that merge may have several.
	From   []string
	Layers []Layer
}

// Layer is what one file says about a key.
type Layer struct {
	Scope Scope
	File  string
	// State is "read", "absent", or why the file does not count.
	State string
	// Line is where the key stands, 0 if that is not known.
	Line int
	// Value is what the file says, with variables put in, if it Says anything.
	Value any
	Says  bool
}

// Explain says why a key, or a part of one, has the value it has. Errors are
// those of [Find].
func Explain(s *Settings, paths *Paths, path string) (*Explanation, error) {
	key, err := Find(path)
	if err != nil {
		return nil, err
	}
	e := &Explanation{Key: key, Path: path, Layers: Files(s, paths)}
	for i := range e.Layers {
		l := &e.Layers[i]
		if l.Value, l.Says = at(s.layers[l.Scope], path); l.Says {
			l.Line = lineOf(l.File, path)
		}
	}
	e.Value, e.From = s.Effective(path)
	return e, nil
}

// Files returns the layers that are files, lowest first, and their state.
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

// Effective returns the value that counts for a path, which is the default where
// no layer has one, and the names of the layers it comes from, lowest first.
func (s *Settings) Effective(path string) (v any, from []string) {
	v, set := s.Lookup(path)
	if !set {
		if key, ok := KeyOf(path); ok {
			v = key.Default
		}
	}
	_, several := v.(map[string]any)
	if key, err := Find(path); err == nil && key.Flags&(Union|Concat|Meet) != 0 {
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

// Set returns the paths of the keys that some layer sets, sorted.
func (s *Settings) Set() []string {
	var paths []string
	for i := range table {
		if _, ok := s.Lookup(table[i].Path); ok {
			paths = append(paths, table[i].Path)
		}
	}
	return paths
}

// at returns what a tree has at a path, be it null.
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

// lineOf returns the line of a file on which a path stands, by today's name or
// an old one, 0 if that cannot be told.
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

// Merge says in words what happens to what several layers say.
func (k *Key) Merge() string {
	kind, _, _ := strings.Cut(k.Type, " ")
	switch {
	case k.Flags&Union != 0:
		return "lists are joined, without duplicates"
	case k.Flags&Concat != 0:
		return "lists are joined"
	case k.Flags&Shallow != 0:
		return "entries replace each other whole"
	case k.Flags&Meet != 0:
		return "what all lists have in common"
	case kind == "object" || kind == "record" || kind == "map":
		return "objects are merged"
	}
	return "the highest layer counts"
}

// String says in words what a key does in this version.
func (s Support) String() string {
	return [...]string{"live", "later", "screen", "inert"}[s]
}

// Explain says the same in a sentence, "" for what needs none.
func (s Support) Explain() string {
	return [...]string{
		"", "It has no effect yet in this version of Pollux.", "It is about the interactive screen, which is not there yet.",
		"It is accepted for the sake of existing files, and has no effect.",
	}[s]
}

// Variable returns the environment variable that wins over the files for a key,
// "" for none (spec/cli.md §3.2).
func (k *Key) Variable() string {
	switch k.Path {
	case string(ModelName):
		return "GEMINI_MODEL"
	case string(ToolSandbox):
		return "GEMINI_SANDBOX"
	}
	return ""
}
