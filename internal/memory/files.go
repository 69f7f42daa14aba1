package memory

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"pollux/internal/workspace"
)

// candidate is a possible location of a memory file.
type candidate struct {
	path string
	tier Tier
	// own reports whether the user owns the location: such a file may be a link to anywhere.
	own bool
	// root is the directory that the file must be in after links are followed. home is the
	// workspace directory that it was found for, "" if there is none.
	root, home string
}

// candidates returns the memory files to read at the start, in order.
func (o *Options) candidates() []candidate {
	var list []candidate
	if o.Global != "" {
		names := o.GlobalNames
		if names == nil {
			names = o.Names
		}
		for _, name := range names {
			list = o.appendIfThere(list, candidate{path: filepath.Join(o.Global, name), tier: Global, own: true, root: o.Global})
		}
	}
	if o.Private != "" {
		for _, name := range []string{"MEMORY.md", defaultName} { // older releases wrote GEMINI.md
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
	if !o.IsTrusted() {
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

// appendIn appends the memory files that are directly in dir.
func (o *Options) appendIn(list []candidate, dir string, c candidate) []candidate {
	if o.isGlobal(dir) {
		return list
	}
	for _, name := range o.Names {
		c.path = filepath.Join(dir, name)
		if workspace.IsWithin(dir, c.home) || isTrustworthy(c.path, c.home) {
			list = o.appendIfThere(list, c)
		}
	}
	return list
}

// appendIfThere appends a file if it exists. It makes one system call, because there are many
// possible locations and few files.
func (o *Options) appendIfThere(list []candidate, c candidate) []candidate {
	if _, err := os.Lstat(c.path); err != nil {
		return list
	}
	return append(list, c)
}

// isGlobal reports whether dir is ~/.gemini, whose files have a tier of their own.
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

// upward returns the directories from top down to dir, which must be below top.
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

// top returns the top directory of the project that a workspace directory belongs to: the
// nearest one with a marker, otherwise the workspace directory.
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
			if _, err := os.Lstat(path); err == nil && (workspace.IsWithin(at, workspaceDir) || isTrustworthy(path, workspaceDir)) {
				return at, true
			}
		}
		if at == filepath.Dir(at) {
			break
		}
	}
	return "", false
}

// isTrustworthy reports whether to trust a marker or memory file above a workspace directory. Where
// others can write, for example in /tmp, anyone can put files there. As in git, they count
// only if they belong to the user, to root, or to the owner of the workspace directory.
func isTrustworthy(path, workspaceDir string) bool {
	info, err := os.Lstat(path)
	if err != nil {
		return false
	}
	dir, err := os.Lstat(workspaceDir)
	return err == nil && isTrustedOwner(info, dir)
}

// isBelow reports whether name is a relative path that stays below its start.
func isBelow(name string) bool {
	return name != "" && name != "." && filepath.IsLocal(name) && !slices.Contains(strings.Split(filepath.ToSlash(name), "/"), "..")
}
