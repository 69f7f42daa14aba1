package config

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"pollux/internal/durable"
	"pollux/internal/exit"
)

// Sources are the inputs of [Load].
type Sources struct {
	Paths *Paths
	Env   *Env
	// Trusted decides whether the workspace is trusted. Its argument contains only the
	// security settings of the other layers. It is called once; nil means trusted.
	Trusted func(*Settings) (bool, error)
	// Admit, if set, may remove values of a trusted workspace's settings, which are nil if there are
	// none, before they take effect. The first argument contains the settings of the other layers.
	Admit func(s *Settings, workspace map[string]any) error
	// Flags are the values set on the command line, by path of the key. They have priority
	// over all files.
	Flags map[string]any
	// OnBroken, if set, is called for each file that cannot be read or parsed. Such a file is
	// then left out and is no error. It is meant for diagnosis; a normal run must not ignore
	// settings.
	OnBroken func(scope Scope, path string, err error)
}

// Warning is a message to the user about the settings: one or more lines without a final
// newline.
type Warning string

// Load reads and merges all layers. A missing file is an empty layer. If files cannot be read
// or parsed, the error has exit code 52 and names all of them. A single invalid value is a
// warning, and the value of the layer below is used.
func Load(src Sources) (*Settings, []Warning, error) {
	s := &Settings{user: src.Paths.UserSettings(), trust: true}
	l := loader{env: src.Env, broken: src.OnBroken}
	for _, scope := range [...]Scope{SystemDefaults, User, System} {
		s.layers[scope] = l.file(scope, src.Paths.File(scope))
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
		s.merge()
		s.layers[Workspace] = l.file(Workspace, path)
		s.written = l.written
		if readsOtherServers(s, s.layers[Workspace]) {
			l.readOtherServers(s, src.Paths)
		}
		l.warnings = append(l.warnings, s.tighten()...)
	}
	if src.Admit != nil && s.trust && len(l.fatal) == 0 {
		if s.layers[Workspace] == nil {
			s.merge()
		}
		if err := src.Admit(s, s.layers[Workspace]); err != nil {
			return nil, l.warnings, err
		}
	}
	if len(l.fatal) > 0 {
		return nil, l.warnings, exit.Errorf(exit.Config, "%s\nPlease fix the configuration file(s) and try again.",
			strings.Join(l.fatal, "\n"))
	}
	s.layers[CommandLine] = nest(src.Flags)
	s.merge()
	s.written, s.oldNames, s.lost = l.written, l.flat.warning(), l.lost
	return s, l.warnings, nil
}

// loader reads files and collects problems.
type loader struct {
	env      *Env
	warnings []Warning
	flat     flatNames
	written  map[string]string // see [Settings]
	fatal    []string
	lost     []string // see [Settings.Lost]
	broken   func(Scope, string, error)
}

// fail records a file that cannot be used.
func (l *loader) fail(scope Scope, path string, err error) {
	if l.broken != nil {
		l.broken(scope, path, err)
		return
	}
	l.fatal = append(l.fatal, "Error in "+path+": "+err.Error())
}

// file returns the content of a settings file: parsed, expanded, migrated to current keys and
// checked. It returns nil if there is none.
func (l *loader) file(scope Scope, path string) map[string]any {
	if durable.IsMissing(path) {
		if dir := filepath.Dir(path); scope == User && leadsNowhere(dir) {
			l.fail(scope, dir, durable.CheckLink(dir))
		}
		return nil
	}
	data, err := readFile(path, maxSettings)
	if errors.Is(err, errAbsent) {
		if err = durable.CheckLink(path); err == nil {
			return nil // it has just been removed, or a parent is no directory
		}
	}
	switch {
	case isUnreachable(path, err) && (scope == User || scope == Workspace):
		// For example, a container whose user has no home directory. System settings are not
		// skipped like this: they may forbid something.
		l.warnings = append(l.warnings, Warning(fmt.Sprintf("Warning: Cannot open %s: %v. Pollux ignores the settings there.", filepath.Dir(path), durable.Cause(err))))
		return nil
	case err != nil:
		l.fail(scope, path, err)
		return nil
	}
	if scope == System || scope == SystemDefaults {
		if reason, remedy := foreignOwner(path); reason != "" {
			what := map[Scope]string{System: "settings", SystemDefaults: "defaults"}[scope]
			text := fmt.Sprintf("Security Warning: Skipping system %s file '%s': %s.%s", what, path, reason, remedy)
			l.warnings = append(l.warnings, Warning(text))
			return nil
		}
	}
	tree, plain, err := parseObject(data)
	if err != nil {
		l.fail(scope, path, err)
		return nil
	}
	l.warnOfRepeated(path, repeatedNames(plain))
	delete(tree, "admin") // only an administrator's server can set these
	expander := NewExpander(nil, l.env.Lookup)
	if scope == Workspace {
		expander.withholds = NewFolderEnv(l.env).withholder() // a project could send them anywhere
	}
	expander.settings(tree)
	if len(expander.withheld) > 0 {
		slices.Sort(expander.withheld)
		l.warnings = append(l.warnings, Warning(fmt.Sprintf("Warning: %s names %s. The settings of a project do not get variables with secrets. Move what needs them to your own settings.",
			path, "$"+strings.Join(expander.withheld, ", $"))))
	}
	if expander.isCut {
		l.warnings = append(l.warnings, Warning(fmt.Sprintf("Warning: The variables in %s expand to more than %d MB. Pollux leaves the rest of them as it is written.", path, maxInserted>>20)))
	}
	names, written, hidden, warnings := migrate(tree, scope)
	l.flat.add(path, names)
	l.warnOfHidden(path, hidden)
	if l.written == nil {
		l.written = map[string]string{}
	}
	maps.Copy(l.written, written)
	l.warnings = append(l.warnings, warnings...)
	invalid, lost := check(tree, path)
	l.warnings = append(l.warnings, invalid...)
	for _, key := range lost {
		l.lost = append(l.lost, path+": "+key)
	}
	return tree
}

// leadsNowhere reports whether a directory is a link to nothing.
func leadsNowhere(dir string) bool {
	if durable.IsMissing(dir) || durable.CheckLink(dir) == nil {
		return false
	}
	_, err := os.Stat(dir)
	return durable.IsAbsent(err)
}

// OwnershipProblem returns the reason why a user other than the administrator may have written the file at a
// path or, if it is a directory, anything in it; "" if only the administrator can have.
func OwnershipProblem(path string) string {
	reason, _ := foreignOwner(path)
	return reason
}

// isUnreachable reports whether err, the error of reading a file, comes from a parent
// directory, so that it is unknown whether the file exists.
func isUnreachable(path string, err error) bool {
	if !errors.Is(err, fs.ErrPermission) {
		return false
	}
	_, err = os.Lstat(path)
	return errors.Is(err, fs.ErrPermission)
}

// Notices returns hints about correct settings: old names, and keys that other means replace.
// Unlike warnings, they need no action.
func (s *Settings) Notices() []Warning {
	notices := slices.Clone(s.oldNames)
	for _, key := range [...]Strings{ToolsAllowed, ToolsExclude} {
		if len(key.In(s)) > 0 {
			notices = append(notices, Warning(key+" is deprecated. Write policy rules instead: see /docs policies."))
		}
	}
	return notices
}

// Ineffective returns the keys with one of the given degrees of support that need something
// Pollux does not support yet, by the names that the files use, sorted. It leaves out those set
// by flags, which the command line checks itself.
func (s *Settings) Ineffective(degrees ...Support) []string {
	flags := s.ForScope(CommandLine)
	var names []string
	var walk func(path string, tree map[string]any)
	walk = func(path string, tree map[string]any) {
		for name, v := range tree {
			at := join(path, name)
			if key, ok := KeyOf(at); ok {
				_, flag := flags.Lookup(at)
				if slices.Contains(degrees, key.Support) && key.needsSupport(v) && !flag {
					names = append(names, s.nameInFile(at))
				}
			} else if below, ok := v.(map[string]any); ok {
				walk(at, below)
			}
		}
	}
	walk("", s.tree)
	slices.Sort(names)
	return names
}

// nameInFile returns the name that files use for a key.
func (s *Settings) nameInFile(path string) string {
	for at := path; at != ""; at, _ = cutLast(at) {
		if old, ok := s.written[at]; ok {
			return old + path[len(at):]
		}
	}
	for _, now := range slices.Sorted(maps.Keys(s.written)) {
		if strings.HasPrefix(now, path+".") { // an old name of a part
			return s.written[now]
		}
	}
	return path
}

// needsSupport reports whether a value needs something that the default does not.
func (k *Key) needsSupport(v any) bool {
	switch v := v.(type) {
	case nil:
		return false
	case bool:
		return v != (k.Default == true) && v != (k.Flags&Negative != 0)
	case []any:
		standard, _ := k.Default.([]any)
		return !slices.Equal(Texts(v), Texts(standard))
	case map[string]any:
		on, isSwitch := v["enabled"].(bool)
		return len(v) > 0 && (on || !isSwitch)
	}
	return v != k.Default
}

// nest converts values by path to a tree.
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

// put sets the value at a path, and creates missing objects.
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

// join returns the path of a key inside another one.
func join(path, name string) string {
	if path == "" {
		return name
	}
	return path + "." + name
}

// Model returns the model that the user has selected: by the flag, else by GEMINI_MODEL, else
// by the setting, else "auto".
func Model(flag string, env *FolderEnv, s *Settings) string {
	return cmp.Or(ChosenModel(flag, env, s), "auto")
}

// ChosenModel is like [Model], but returns "" if the user has not selected a model.
func ChosenModel(flag string, env *FolderEnv, s *Settings) string {
	for _, name := range [...]string{flag, env.Get("GEMINI_MODEL"), ModelName.In(s)} {
		if name = strings.TrimSpace(name); name != "" {
			return name
		}
	}
	return ""
}

// enumerate returns the sorted names as a list of at most 12.
func enumerate(names []string) string {
	const most = 12
	slices.Sort(names)
	if len(names) > most {
		return fmt.Sprintf("%s and %d more", strings.Join(names[:most], ", "), len(names)-most)
	}
	return strings.Join(names, ", ")
}
