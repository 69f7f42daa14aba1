package policy

import (
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"pollux/internal/sandbox/limits"
)

// SandboxName is the name of Gemini CLI's file about the sandbox of commands. It lies among the user's policy files, and has no rules.
const SandboxName = "sandbox.toml"

// sandboxReader reads such a file.
type sandboxReader struct {
	rules *limits.Rules
	// lost are parts that cannot be read and may restrict, and missing are those that the file has to have. With either, Gemini CLI takes none of the file.
	lost, missing, ignored []string
}

// readSandbox returns the restrictions of commands in a parsed file, nil for one that cannot be parsed. Of a file with a mistake, the parts that restrict hold, and those
// that allow something have no effect: it would not allow that in Gemini CLI either.
func readSandbox(top *section, name string) *sandboxReader {
	r := &sandboxReader{rules: &limits.Rules{File: name, Modes: map[string]limits.Mode{}}}
	if top == nil {
		for _, name := range limits.Names() {
			r.rules.Modes[name] = limits.Strictest()
		}
		return r
	}
	all, isThere := r.table(top, "modes", "modes")
	for _, name := range limits.Names() {
		r.rules.Modes[name] = r.mode(all, isThere, name)
	}
	programs := r.programs(top)
	if len(r.lost)+len(r.missing) == 0 {
		r.rules.Programs = programs
		return r
	}
	for name, usual := range limits.BuiltIn().Modes {
		r.rules.Modes[name] = r.rules.Modes[name].Stricter(usual)
	}
	return r
}

// table returns a table that the file has to have, nil if it is not there or is none, and whether there is something.
func (r *sandboxReader) table(s *section, key, path string) (t *section, isSet bool) {
	m, isSet := s.members[key]
	t, ok := m.value.(*section)
	switch {
	case !isSet:
		r.missing = append(r.missing, path)
	case !ok:
		r.lost = append(r.lost, fmt.Sprintf("line %d: %s is not a table", m.line, path))
	}
	return t, isSet
}

// mode returns the restrictions of a mode among all, nil if there are none. Invalid values restrict; a mode that is not there restricts as without the file.
func (r *sandboxReader) mode(all *section, isThere bool, name string) limits.Mode {
	path, s := "modes."+name, (*section)(nil)
	if all != nil {
		s, isThere = r.table(all, name, path)
	}
	switch {
	case !isThere:
		return limits.BuiltIn().Modes[name]
	case s == nil:
		return limits.Strictest()
	}
	approved, isSet := r.texts(s, "approvedTools", path)
	if !isSet {
		r.missing = append(r.missing, path+".approvedTools")
	}
	return limits.Mode{
		HasNetwork: r.flag(s, "network", path, false, true), IsReadOnly: r.flag(s, "readonly", path, true, true), Approved: approved,
		IsFinal: !r.flag(s, "allowOverrides", path, true, false),
	}
}

// flag returns a member that is true or false, and strict if it is not there or something else.
func (r *sandboxReader) flag(s *section, key, path string, strict, isRequired bool) bool {
	m, isSet := s.members[key]
	value, ok := m.value.(bool)
	switch {
	case !isSet && isRequired:
		r.missing = append(r.missing, path+"."+key)
	case isSet && !ok:
		r.lost = append(r.lost, fmt.Sprintf("line %d: %s.%s is neither true nor false", m.line, path, key))
		if !isRequired {
			strict = !strict
		}
	case isSet:
		return value
	}
	return strict
}

// texts returns a member that is a list of texts, and whether there is one.
func (r *sandboxReader) texts(s *section, key, path string) (list []string, isSet bool) {
	m, isSet := s.members[key]
	items, ok := m.value.([]any)
	for _, item := range items {
		text, isText := item.(string)
		ok = ok && isText
		list = append(list, text)
	}
	if isSet && !ok {
		r.lost = append(r.lost, fmt.Sprintf("line %d: %s.%s is not a list of texts", m.line, path, key))
		return nil, true
	}
	return list, isSet
}

// programs returns the permissions of programs.
func (r *sandboxReader) programs(top *section) map[string]limits.Permissions {
	m, isSet := top.members["commands"]
	commands, ok := m.value.(*section)
	if isSet && !ok {
		r.lost = append(r.lost, fmt.Sprintf("line %d: commands is not a table", m.line))
	}
	if commands == nil {
		return nil
	}
	list := map[string]limits.Permissions{}
	for _, name := range slices.Sorted(maps.Keys(commands.members)) {
		path := "commands." + name
		s, _ := r.table(commands, name, path)
		if s == nil {
			continue
		}
		var p limits.Permissions
		p.HasNetwork = r.flag(s, "allow_network", path, false, false) && s.members["allow_network"].value == true
		paths, _ := r.texts(s, "allowed_paths", path)
		for _, allowed := range paths {
			if filepath.IsAbs(allowed) || allowed == "~" || strings.HasPrefix(allowed, "~/") {
				p.Paths = append(p.Paths, allowed)
			} else {
				r.ignored = append(r.ignored, path+" allows "+allowed+", which is not an absolute path")
			}
		}
		list[name] = p
	}
	return list
}

// sandbox takes the restrictions of commands from the user's file about them.
func (l *loader) sandbox(path string, p *parsed, from origin) {
	r := readSandbox(p.content, l.sandboxShown)
	l.Sandbox = r.rules
	for i := range r.lost {
		r.lost[i] = plainly(r.lost[i])
	}
	l.lose(from, path, r.lost...)
	shown := l.sandboxShown
	switch {
	case p.content == nil: // the problem of its syntax is among the warnings
		l.warn("Warning: Commands have no network and cannot change the workspace in the modes plan, default and auto_edit, because %s cannot be read.", shown)
	case len(r.lost) > 0:
		l.warn("Warning: %s is not valid: %s. What restricts commands in it holds, and what allows something does not.", shown, strings.Join(firstOf(r.lost), "; "))
	case len(r.missing) > 0:
		l.warn("Warning: %s lacks %s. What restricts commands in it holds, and what allows something does not.", shown, strings.Join(firstOf(r.missing), ", "))
	}
	for _, text := range firstOf(r.ignored) {
		l.warn("Warning: In %s, %s.", shown, plainly(text))
	}
}

// firstOf returns the first parts of a list for a warning, and how many more there are.
func firstOf(list []string) []string {
	const most = 3
	if more := len(list) - most; more > 0 {
		return append(list[:most:most], fmt.Sprintf("%d more", more))
	}
	return list
}
