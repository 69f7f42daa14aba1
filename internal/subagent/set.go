package subagent

import (
	"fmt"
	"slices"
)

// Set is the subagents of a session. It does not change.
type Set struct {
	all      []*Definition
	disabled map[string]bool
}

// NewSet returns the subagents of the definitions, changed by the overrides. Of definitions with the same
// name the first one counts; the warnings name the others.
func NewSet(list []*Definition, overrides map[string]Override) (s *Set, warnings []string) {
	s = &Set{disabled: map[string]bool{}}
	for _, d := range list {
		if first := s.find(d.Name); first != nil {
			warnings = append(warnings, fmt.Sprintf("Duplicate agent name '%s' detected. The later definition will be ignored. Rename one of the agents to avoid this conflict.\nUsed: %s. Ignored: %s.",
				d.Name, first.place(), d.place()))
			continue
		}
		o := overrides[d.Name]
		s.disabled[d.Name] = o.Enabled != nil && !*o.Enabled
		s.all = append(s.all, o.apply(d))
	}
	return s, warnings
}

// place returns where a definition is, for people.
func (d *Definition) place() string {
	if d.Path == "" {
		return string(d.Origin)
	}
	return d.Path
}

func (s *Set) find(name string) *Definition {
	if i := slices.IndexFunc(s.all, func(d *Definition) bool { return d.Name == name }); i >= 0 {
		return s.all[i]
	}
	return nil
}

// Find returns the subagent with this name that is enabled.
func (s *Set) Find(name string) (*Definition, bool) {
	d := s.find(name)
	if d == nil || s.disabled[name] {
		return nil, false
	}
	return d, true
}

// Enabled returns the subagents that can be used, in their order of precedence.
func (s *Set) Enabled() []*Definition {
	return slices.DeleteFunc(slices.Clone(s.all), func(d *Definition) bool { return s.disabled[d.Name] })
}

// All returns the subagents, those that are disabled too.
func (s *Set) All() []*Definition { return s.all }

// IsDisabled reports whether the settings disable a subagent.
func (s *Set) IsDisabled(name string) bool { return s.disabled[name] }
