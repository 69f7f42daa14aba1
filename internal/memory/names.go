package memory

import (
	"slices"
	"strings"
)

// Names are the names of memory files, in the order in which Pollux reads the files of one
// directory.
type Names struct{ rules []rule }

// rule says which files of a name are memory files.
type rule struct {
	name string
	// unless are the files that replace this one in their directory.
	unless []string
	// why is the reason for reading the file.
	why string
}

// The name of Gemini CLI's memory files, and of those that most other agents read.
const (
	defaultName = "GEMINI.md"
	sharedName  = "AGENTS.md"
	sharedOwn   = "AGENTS.override.md"
)

// defaults are the rules for users who have not set context.fileName.
var defaults = []rule{
	{name: sharedOwn, why: "in place of " + sharedName},
	{name: sharedName, unless: []string{sharedOwn}, why: "by default"},
	{name: "CLAUDE.md", unless: []string{sharedOwn, sharedName, defaultName}, why: "no " + sharedName + " here"},
	{name: "CLAUDE.local.md", unless: []string{sharedOwn, sharedName, defaultName}, why: "no " + sharedName + " here"},
	{name: defaultName, why: "by default"},
}

// NewNames returns the names for the settings context.fileName and pollux.foreignContext. Names in
// the setting replace those of other agents, and GEMINI.md follows them. Names that are not
// relative paths below a directory are dropped. Without names, foreign adds the files of other
// agents to GEMINI.md.
func NewNames(setting []string, foreign bool) Names {
	var n Names
	for _, name := range setting {
		name = strings.TrimSpace(name)
		if isBelow(name) && !slices.Contains(n.All(), name) {
			n.rules = append(n.rules, rule{name: name, why: "context.fileName"})
		}
	}
	switch {
	case len(setting) == 0 && foreign:
		n.rules = defaults
	case !slices.Contains(n.All(), defaultName):
		n.rules = append(n.rules, rule{name: defaultName, why: "by default"})
	}
	return n
}

// All returns each name that a memory file can have, in order.
func (n Names) All() []string {
	names := make([]string, len(n.rules))
	for i, r := range n.rules {
		names[i] = r.name
	}
	return names
}

// Primary returns the name of the file that new entries go into: the first one that the user has
// set, else GEMINI.md.
func (n Names) Primary() string {
	if n.isDefault() || len(n.rules) == 0 {
		return defaultName
	}
	return n.rules[0].name
}

// ForNew returns the name of the file for new entries in a directory: AGENTS.md if the directory
// has one and the user has set no names, else that of [Names.Primary].
func (n Names) ForNew(exists func(name string) bool) string {
	if n.isDefault() && exists(sharedName) {
		return sharedName
	}
	return n.Primary()
}

func (n Names) isDefault() bool { return len(n.rules) > 1 && n.rules[0].name == sharedOwn }

// in returns the rules of the files to read in a directory. exists reports whether the directory
// has a file of that name.
func (n Names) in(exists func(name string) bool) []rule {
	var here []rule
	for _, r := range n.rules {
		if exists(r.name) {
			here = append(here, r)
		}
	}
	has := func(name string) bool {
		return slices.ContainsFunc(here, func(r rule) bool { return r.name == name })
	}
	return slices.DeleteFunc(slices.Clone(here), func(r rule) bool { return slices.ContainsFunc(r.unless, has) })
}

// mayLink reports whether a link from a project may lead to a file of this name outside of the
// project. It may not lead to the files of other agents that are read only in place of others:
// they may be the user's own.
func (n Names) mayLink(name string) bool {
	return slices.ContainsFunc(n.rules, func(r rule) bool { return r.name == name && len(r.unless) < 2 })
}
