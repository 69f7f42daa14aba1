package memory

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// candidate is a place where a memory file may be.
type candidate struct {
	path string
	tier Tier
	// own says that the user put it there: it may be a link to anywhere.
	own bool
	// root is the directory that it must be in, links followed, and home the one
	// of the workspace that it is found for; "" if it is none's.
	root, home string
}

// candidates returns what is there at the start, in order.
func (o *Options) candidates() []candidate {
	var list []candidate
	if o.Global != "" {
		for _, name := range o.Names {
			list = o.appendIfThere(list, candidate{path: filepath.Join(o.Global, name), tier: Global, own: true, root: o.Global})
		}
	}
	if o.Private != "" {
		for _, name := range []string{"MEMORY.md", defaultName} { // the second is what older releases wrote
			before := len(list)
			list = o.appendIfThere(list, candidate{path: filepath.Join(o.Private, name), tier: Private, own: true, root: o.Private})
			if len(list) > before {
				break
			}
		}
	}
	for _, path := range o.Extensions {
		list = o.appendIfThere(list, candidate{path: path, tier: Extension, root: filepath.Dir(path)})
	}
	if !o.Trusted {
		return list
	}
	var looked []string
	for _, dir := range o.Workspace.Dirs() {
		top := o.top(dir)
		for _, up := range o.upward(dir, top) {
			if slices.Contains(looked, up) {
				continue
			}
			looked = append(looked, up)
			list = o.appendIn(list, up, candidate{tier: Project, root: top, home: dir})
		}
	}
	return list
}

// appendIn adds the memory files that are directly in dir.
func (o *Options) appendIn(list []candidate, dir string, c candidate) []candidate {
	if o.isGlobal(dir) {
		return list
	}
	for _, name := range o.Names {
		c.path = filepath.Join(dir, name)
		if isWithin(dir, c.home) || mayCount(c.path, c.home) {
			list = o.appendIfThere(list, c)
		}
	}
	return list
}

// appendIfThere adds a file that exists. It costs one call of the system, for
// there are many places and few files.
func (o *Options) appendIfThere(list []candidate, c candidate) []candidate {
	if _, err := os.Lstat(c.path); err != nil {
		return list
	}
	return append(list, c)
}

// isGlobal reports whether dir is ~/.gemini, whose files are of their own tier.
func (o *Options) isGlobal(dir string) bool {
	if o.Global == "" || filepath.Base(dir) != filepath.Base(o.Global) {
		return false
	}
	a, err := os.Stat(dir)
	if err != nil {
		return false
	}
	b, err := os.Stat(o.Global)
	return err == nil && os.SameFile(a, b)
}

// upward returns the directories from top down to dir, which is in it.
func (o *Options) upward(dir, top string) []string {
	var dirs []string
	for ; ; dir = filepath.Dir(dir) {
		dirs = append(dirs, dir)
		if dir == top || dir == filepath.Dir(dir) {
			slices.Reverse(dirs)
			return dirs
		}
	}
}

// top returns the topmost directory of the project that a directory of the
// workspace belongs to: the nearest one with a marker, else itself.
func (o *Options) top(dir string) string {
	if top, ok := o.marked(dir, dir); ok {
		return top
	}
	return dir
}

// marked returns the nearest directory with a marker, from dir upward.
func (o *Options) marked(dir, workspaceDir string) (string, bool) {
	for at := dir; len(o.Markers) > 0; at = filepath.Dir(at) {
		for _, marker := range o.Markers {
			path := filepath.Join(at, marker)
			if _, err := os.Lstat(path); err == nil && (isWithin(at, workspaceDir) || mayCount(path, workspaceDir)) {
				return at, true
			}
		}
		if at == filepath.Dir(at) {
			break
		}
	}
	return "", false
}

// mayCount reports whether something above a directory of the workspace is to
// be believed. Where others may write, in /tmp for instance, anyone can leave
// a marker and a memory file for whoever works below: as for git, they count
// only if they belong to the user, to root, or to who owns the directory.
func mayCount(path, workspaceDir string) bool {
	info, err := os.Lstat(path)
	if err != nil {
		return false
	}
	dir, err := os.Lstat(workspaceDir)
	return err == nil && believed(info, dir)
}

// isBelow reports whether name is a path that stays below where it starts.
func isBelow(name string) bool {
	return name != "" && name != "." && filepath.IsLocal(name) && !slices.Contains(strings.Split(filepath.ToSlash(name), "/"), "..")
}

// isWithin reports whether path is dir or below it. Both are clean.
func isWithin(path, dir string) bool {
	below, ok := strings.CutPrefix(path, dir)
	return ok && (below == "" || strings.HasSuffix(dir, string(filepath.Separator)) || below[0] == filepath.Separator)
}
