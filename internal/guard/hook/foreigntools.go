package hook

import (
	"maps"
	"path/filepath"
)

// rename is the name of an argument in Pollux and in another agent.
type rename struct{ own, theirs string }

// foreignTool is a tool of another agent, and the tool of Pollux that does the same.
type foreignTool struct {
	name string
	own  string
	// args are the arguments whose names differ.
	args []rename
	// paths are arguments that are absolute paths in the other agent.
	paths []string
	// write and read, if set, change arguments whose form differs: write from Pollux's to the other agent's, with
	// its names, and read back.
	write, read func(args Output)
}

// theirArgs returns arguments as the other agent has them. Relative paths begin at dir.
func (t *foreignTool) theirArgs(args Output, dir string) Output {
	names := make(map[string]string, len(t.args))
	for _, r := range t.args {
		names[r.own] = r.theirs
	}
	out := renamed(args, names)
	for _, key := range t.paths {
		if path := out.text(key); path != "" && !filepath.IsAbs(path) {
			out.set(key, filepath.Join(dir, path))
		} else if path != "" {
			out.set(key, filepath.Clean(path))
		}
	}
	if t.write != nil {
		t.write(out)
	}
	return out
}

// ownArgs returns arguments of the other agent as Pollux has them.
func (t *foreignTool) ownArgs(args Output) Output {
	back := make(map[string]string, len(t.args))
	for _, r := range t.args {
		back[r.theirs] = r.own
	}
	out := maps.Clone(args)
	if t.read != nil {
		t.read(out)
	}
	return renamed(out, back)
}

// renamed returns members under other names.
func renamed(o Output, names map[string]string) Output {
	out := Output{}
	for key, value := range o {
		if other, ok := names[key]; ok {
			key = other
		}
		out[key] = value
	}
	return out
}

// foreignTools are the tools of another agent that Pollux has, too. Of several names for one tool, the first one that a matcher selects
// counts.
type foreignTools []foreignTool

// names returns the other agent's names of the tools.
func (list foreignTools) names() []string {
	names := make([]string, len(list))
	for i := range list {
		names[i] = list[i].name
	}
	return names
}

// find returns the tool with a name of the other agent, and with the name own in Pollux unless that is ""; nil if there is none.
func (list foreignTools) find(name, own string) *foreignTool {
	for i := range list {
		if t := &list[i]; t.name == name && (own == "" || t.own == own) {
			return t
		}
	}
	return nil
}

// namesOf returns the other agent's names of a tool of Pollux, or that name if the other agent has no such tool.
func (list foreignTools) namesOf(own string) (names []string) {
	for i := range list {
		if list[i].own == own {
			names = append(names, list[i].name)
		}
	}
	if names == nil {
		return []string{own}
	}
	return names
}
