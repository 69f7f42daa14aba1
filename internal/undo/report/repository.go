package report

import (
	"path/filepath"
	"strings"

	"pollux/internal/undo/revert"
	"pollux/internal/undo/state"
	"pollux/tool"
)

// repository collects the changes of git repositories: of the files in .git, of which a commit changes many.
type repository struct {
	isCreated, isDeleted, isChanged bool
	hasIndex, hasObjects            bool
}

// note takes a step, unless it was taken back, and reports whether its path is in a .git.
func (r *repository) note(s *revert.Step, isTakenBack bool) (isIn bool) {
	const dir = string(filepath.Separator) + ".git"
	i := strings.Index(s.Path+string(filepath.Separator), dir+string(filepath.Separator))
	if i < 0 {
		return false
	}
	rel := filepath.ToSlash(strings.TrimPrefix(s.Path[i+len(dir):], string(filepath.Separator)))
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
		r.hasObjects = true
	case !isDirectory:
		r.isChanged = true
	}
	return true
}

// change returns the change of the repositories, "" for none. A new index alone is none: git writes it when it
// only looks at files, as git status does. With new objects, it has the files of a git add.
func (r *repository) change() tool.Change {
	switch {
	case r.isCreated:
		return tool.FileCreated
	case r.isDeleted:
		return tool.FileDeleted
	case r.isChanged || r.hasIndex && r.hasObjects:
		return tool.FileChanged
	}
	return ""
}
