package config

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"pollux/internal/exit"
)

// Sources says where settings come from.
type Sources struct {
	Paths *Paths
	Env   *Env
	// Trusted decides about the workspace, given what the other layers say of
	// security, and nothing else; nil trusts it. It is asked once.
	Trusted func(*Settings) (bool, error)
	// Flags are the values that the command line sets, by path of the key.
	// They win over all files.
	Flags map[string]any
	// Broken, where set, takes the files that cannot be read or understood: they
	// are left out, and are no error. It is for those who look for what is wrong; a
	// run must not go on without what its user has written.
	Broken func(scope Scope, path string, err error)
}

// Warning is something the user should know about the settings: one or more
// lines without a final newline.
type Warning string

// Load reads and merges all layers (spec/cli.md §2.1). A file that is not
// there is an empty layer. A file that cannot be read or understood is an error
// with exit code 52; all such files are named in it. A single value that is
// wrong is a warning, and the layer below counts.
func Load(src Sources) (*Settings, []Warning, error) {
	s := &Settings{user: src.Paths.UserSettings(), trust: true}
	l := loader{env: src.Env, broken: src.Broken}
	for _, f := range [...]struct {
		scope Scope
		path  string
	}{
		{SystemDefaults, src.Paths.SystemDefaults()},
		{User, s.user},
		{System, src.Paths.SystemSettings()},
	} {
		s.layers[f.scope] = l.file(f.scope, f.path)
	}
	if src.Trusted != nil && len(l.fatal) == 0 {
		s.merge("security")
		trusted, err := src.Trusted(s)
		if err != nil {
			return nil, l.warnings, err
		}
		s.trust = trusted
	}
	if path := src.Paths.WorkspaceSettings(); path != "" && s.trust {
		s.layers[Workspace] = l.file(Workspace, path)
	}
	if len(l.fatal) > 0 {
		return nil, l.warnings, exit.Errorf(exit.Config, "%s\nPlease fix the configuration file(s) and try again.",
			strings.Join(l.fatal, "\n"))
	}
	s.layers[CommandLine] = nest(src.Flags)
	s.merge()
	return s, append(l.warnings, s.notices()...), nil
}

// loader reads files and collects what is wrong with them.
type loader struct {
	env      *Env
	warnings []Warning
	fatal    []string
	broken   func(Scope, string, error)
}

// fail takes note of a file that cannot be used.
func (l *loader) fail(scope Scope, path string, err error) {
	if l.broken != nil {
		l.broken(scope, path, err)
		return
	}
	l.fatal = append(l.fatal, "Error in "+path+": "+err.Error())
}

// file returns what one settings file says: read, expanded, brought to today's
// keys and checked. It returns nil if there is nothing.
func (l *loader) file(scope Scope, path string) map[string]any {
	data, err := readFile(path, maxSettings)
	switch {
	case errors.Is(err, errAbsent):
		return nil
	case outOfReach(path, err) && (scope == User || scope == Workspace):
		// As where a container runs as a user who has no home of his own. The
		// system's settings are another matter: they may forbid something.
		l.warnings = append(l.warnings, Warning(fmt.Sprintf("Warning: %s cannot be entered: %v. What is set there is not used.", filepath.Dir(path), err)))
		return nil
	case err != nil:
		l.fail(scope, path, err)
		return nil
	}
	if scope == System || scope == SystemDefaults {
		if warning, ok := ownedByRoot(scope, path); !ok {
			l.warnings = append(l.warnings, warning)
			return nil
		}
	}
	tree, err := parse(data)
	if err != nil {
		l.fail(scope, path, err)
		return nil
	}
	delete(tree, "admin") // only an administrator's server sets these
	expander := expander{lookup: l.env.Lookup, budget: maxSettings}
	expander.tree("", tree)
	l.warnings = append(l.warnings, migrate(tree, scope, path)...)
	l.warnings = append(l.warnings, check(tree, path)...)
	return tree
}

// outOfReach reports whether err, of reading a file, comes from a directory on the way,
// so that nobody knows whether there is such a file.
func outOfReach(path string, err error) bool {
	if !errors.Is(err, fs.ErrPermission) {
		return false
	}
	_, err = os.Lstat(path)
	return errors.Is(err, fs.ErrPermission)
}

// notices are the warnings about the settings as a whole.
func (s *Settings) notices() []Warning {
	const guide = " are deprecated and will be removed in 1.0: Migrate to Policy Engine: https://geminicli.com/docs/core/policy-engine/"
	var notices []Warning
	if len(ToolsAllowed.In(s)) > 0 {
		notices = append(notices, "Warning: --allowed-tools cli argument and tools.allowed in settings.json"+guide)
	}
	if len(ToolsExclude.In(s)) > 0 {
		notices = append(notices, "Warning: tools.exclude in settings.json is deprecated and will be removed in 1.0. "+
			"Migrate to Policy Engine: https://geminicli.com/docs/core/policy-engine/")
	}
	return append(notices, s.missing()...)
}

// missing names the keys that ask for what is not there yet, in one warning.
// Those that a flag sets are left out: the command line answers for its flags.
func (s *Settings) missing() []Warning {
	flags := s.Only(CommandLine)
	var names []string
	var walk func(path string, tree map[string]any)
	walk = func(path string, tree map[string]any) {
		for name, v := range tree {
			at := join(path, name)
			if key, ok := KeyOf(at); ok {
				_, flag := flags.Lookup(at)
				if key.Support == Later && key.asks(v) && !flag {
					names = append(names, at)
				}
			} else if below, ok := v.(map[string]any); ok {
				walk(at, below)
			}
		}
	}
	walk("", s.tree)
	if len(names) == 0 {
		return nil
	}
	return []Warning{Warning("Warning: no effect yet in this version of Pollux: " + enumerate(names))}
}

// asks reports whether a value asks for something that the default does not.
func (k *Key) asks(v any) bool {
	switch v := v.(type) {
	case nil:
		return false
	case bool:
		return v != (k.Default == true) && v != (k.Flags&Negative != 0)
	case []any:
		standard, _ := k.Default.([]any)
		return !slices.Equal(texts(v), texts(standard))
	case map[string]any:
		on, isSwitch := v["enabled"].(bool)
		return len(v) > 0 && (on || !isSwitch)
	}
	return v != k.Default
}

// nest turns values by path into a tree.
func nest(flat map[string]any) map[string]any {
	if len(flat) == 0 {
		return nil
	}
	tree := map[string]any{}
	for path, v := range flat {
		put(tree, path, v)
	}
	return tree
}

// put sets the value at a path, making the objects on the way.
func put(tree map[string]any, path string, v any) {
	for {
		name, rest, more := strings.Cut(path, ".")
		if !more {
			tree[name] = v
			return
		}
		below, ok := tree[name].(map[string]any)
		if !ok {
			below = map[string]any{}
			tree[name] = below
		}
		tree, path = below, rest
	}
}

// join returns the path of a key inside another.
func join(path, name string) string {
	if path == "" {
		return name
	}
	return path + "." + name
}

// Model returns the name of the model the user wants: the flag, else
// GEMINI_MODEL, else the setting, else "auto" (spec/cli.md §1.3).
func Model(flag string, env *Env, s *Settings) string {
	return cmp.Or(NamedModel(flag, env, s), "auto")
}

// NamedModel is [Model], but "" where the user has named none.
func NamedModel(flag string, env *Env, s *Settings) string {
	for _, name := range [...]string{flag, env.Get("GEMINI_MODEL"), ModelName.In(s)} {
		if name = strings.TrimSpace(name); name != "" {
			return name
		}
	}
	return ""
}

// enumerate lists names in order, with a bound.
func enumerate(names []string) string {
	const most = 12
	slices.Sort(names)
	if len(names) > most {
		return fmt.Sprintf("%s and %d more", strings.Join(names[:most], ", "), len(names)-most)
	}
	return strings.Join(names, ", ")
}
