// Package search implements the tools that find files and text: glob and grep_search.
//
// Both walk directories with [workspace.Workspace.Walk]. The text search has two engines
// with the same results: the user's ripgrep, and an engine in this process. The latter is
// used if there is no ripgrep, or if ripgrep cannot apply the ignore rules of the workspace.
package search

import (
	"pollux/internal/workspace"
	"pollux/tool"
)

// coreDirs are directories that neither tool searches. The text search also skips extraDirs,
// which hold generated files, downloads and settings of editors.
var (
	coreDirs  = []string{"node_modules", ".git", "bower_components", ".svn", ".hg"}
	extraDirs = []string{".vscode", ".idea", "dist", "build", "coverage", "__pycache__", ".cache", ".gradle", ".next", ".terraform", ".tox", ".venv"}
)

// outsideWorkspaceResult returns the result of a call whose path is no longer in the
// workspace when the call runs.
func outsideWorkspaceResult(err error) *tool.Result {
	return &tool.Result{
		Error:   &tool.Error{Type: tool.ErrPathNotInWorkspace, Message: err.Error()},
		Display: tool.TextDisplay("Path not in workspace."),
	}
}

// displayPath returns a path as results show it: relative to the project's root, where the
// relative paths in calls start, or absolute if it is outside.
func displayPath(w *workspace.Workspace, path string) string {
	return workspace.PrintableName(w.Display(path))
}
