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
	// dir is the directory that the file describes, "" if it describes none.
	dir string
	// why is the rule by which it was chosen.
	why string
}

// candidates returns the memory files to read at the start, in order.
func (o *Options) candidates() []candidate {
	list := o.ownCandidates()
	if o.IsTrusted() {
		list = append(list, o.projectCandidates()...)
	}
	return list
}

// ownCandidates returns the memory files of the user and of extensions.
func (o *Options) ownCandidates() []candidate {
	var list []candidate
	if o.Global != "" {
		at := func(name string) string { return filepath.Join(o.Global, name) }
		for _, r := range o.GlobalNames.in(func(name string) bool { return isThere(at(name)) }) {
			list = append(list, candidate{path: at(r.name), tier: Global, own: true, root: o.Global, dir: o.Global, why: r.why})
		}
	}
	if o.Private != "" {
		for _, name := range []string{"MEMORY.md", defaultName} { // older releases wrote GEMINI.md
			if path := filepath.Join(o.Private, name); isThere(path) {
				list = append(list, candidate{path: path, tier: Private, own: true, root: o.Private, why: "private notes"})
				break
			}
		}
	}
	for _, path := range o.Extensions {
		if isThere(path) {
			list = append(list, candidate{path: path, tier: Extension, root: filepath.Dir(path), why: "extension"})
		}
	}
	return list
}

// projectCandidates returns the memory files of the workspace directories and of those above
// them.
func (o *Options) projectCandidates() []candidate {
	var list []candidate
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
	c.dir = dir
	for _, r := range o.Names.in(func(name string) bool {
		path := filepath.Join(dir, name)
		return isThere(path) && (workspace.IsWithin(dir, c.home) || isTrustworthy(path, c.home))
	}) {
		c.path, c.why = filepath.Join(dir, r.name), r.why
		list = append(list, c)
	}
	return list
}

// isThere reports whether there is a file that is not empty. It makes one system call, because
// there are many possible locations and few files.
func isThere(path string) bool {
	info, err := os.Lstat(path)
	return err == nil && !info.IsDir() && (info.Size() > 0 || !info.Mode().IsRegular())
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
