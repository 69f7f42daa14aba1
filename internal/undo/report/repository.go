package report

import (
	"bytes"
	"compress/zlib"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"pollux/internal/undo/revert"
	"pollux/internal/undo/state"
	"pollux/tool"
)

// repository collects the changes of git repositories: of the files in .git, of which a commit changes many.
type repository struct {
	isCreated, isDeleted, isChanged bool
	hasIndex                        bool
	objects                         []*revert.Step // that may be new
}

// maxObjects is the number of objects that are read to learn whether an index has new files.
const maxObjects = 50

// drafts are the files of a git directory that only hold the text that an editor was opened for. git writes them also where it then fails.
var drafts = []string{"COMMIT_EDITMSG", "TAG_EDITMSG", "NOTES_EDITMSG", "EDIT_DESCRIPTION", "addp-hunk-edit.diff"}

// note takes a step, unless it was taken back, and reports whether its path is in a .git.
func (r *repository) note(s *revert.Step, isTakenBack bool) (isIn bool) {
	const dir = string(filepath.Separator) + ".git"
	i := strings.Index(s.Path+string(filepath.Separator), dir+string(filepath.Separator))
	if i < 0 {
		return false
	}
	rel := inGitDirectory(filepath.ToSlash(strings.TrimPrefix(s.Path[i+len(dir):], string(filepath.Separator))))
	isDirectory := s.From.State.Kind == state.Directory || s.To.State.Kind == state.Directory
	switch {
	case isTakenBack:
	case rel == "" && s.To.State.Kind == state.Absent:
		r.isCreated = true
	case rel == "" && s.From.State.Kind == state.Absent:
		r.isDeleted = true
	case rel == "index":
		r.hasIndex = true
	case rel == "objects" || strings.HasPrefix(rel, "objects/"):
		if !isDirectory && len(r.objects) <= maxObjects {
			r.objects = append(r.objects, s)
		}
	case !isDirectory && !slices.Contains(drafts, rel):
		r.isChanged = true
	}
	return true
}

// inGitDirectory returns a path in .git as one in the git directory that it belongs to: that of a worktree or a submodule, or .git itself.
// The name of a submodule may have slashes, and it may have submodules of its own.
func inGitDirectory(rel string) string {
	parts := strings.Split(rel, "/")
	for len(parts) > 2 && (parts[0] == "worktrees" || parts[0] == "modules") {
		at := 2
		if parts[0] == "modules" {
			for at < len(parts)-1 && !slices.Contains(gitNames, parts[at]) {
				at++
			}
		}
		parts = parts[at:]
	}
	return strings.Join(parts, "/")
}

// gitNames are the names at the top of a git directory that end the name of a submodule.
var gitNames = []string{"HEAD", "ORIG_HEAD", "FETCH_HEAD", "config", "description", "hooks", "index", "info", "logs", "modules", "objects", "packed-refs", "refs"}

// change returns the change of the repositories, "" for none. A new index alone is none: git writes it when it
// only looks at files, as git status does. With new files among the objects, it has those of a git add. A commit that
// fails leaves new directories among the objects.
func (r *repository) change() tool.Change {
	switch {
	case r.isCreated:
		return tool.FileCreated
	case r.isDeleted:
		return tool.FileDeleted
	case r.isChanged || r.hasIndex && r.hasFiles():
		return tool.FileChanged
	}
	return ""
}

// hasFiles reports whether the objects may have files among them, not only directories.
func (r *repository) hasFiles() bool {
	return len(r.objects) > maxObjects || slices.ContainsFunc(r.objects, func(s *revert.Step) bool { return !isTree(s) })
}

// isTree reports whether a file is an object of git for a directory.
func isTree(s *revert.Step) bool {
	const tree = "tree "
	data, _ := s.From.Data(maxFile)
	object, err := zlib.NewReader(bytes.NewReader(data))
	if err != nil {
		return false
	}
	kind := make([]byte, len(tree))
	_, err = io.ReadFull(object, kind)
	return err == nil && string(kind) == tree
}
