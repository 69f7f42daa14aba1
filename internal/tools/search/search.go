// Package search holds the tools that find files and text: glob and
// grep_search (spec/tools.md §3.4, §3.7).
//
// Both walk with [workspace.Workspace.Walk]. The text search has two engines
// that find the same: the user's own ripgrep, and one in this process for
// where there is none, or where it would not find what our ignore rules show.
package search

import (
	"strings"
	"unicode"

	"pollux/internal/workspace"
	"pollux/tool"
)

// coreDirs are directories that neither tool looks into; extraDirs are more
// that hold nothing a person wrote (spec/tools.md §1.6).
var (
	coreDirs  = []string{"node_modules", ".git", "bower_components", ".svn", ".hg"}
	extraDirs = []string{".vscode", ".idea", "dist", "build", "coverage", "__pycache__"}
)

// outside is the result of a call whose path has left the workspace since it was checked.
func outside(err error) *tool.Result {
	return &tool.Result{
		Error:   &tool.Error{Type: tool.ErrPathNotInWorkspace, Message: err.Error()},
		Display: tool.TextDisplay("Path not in workspace."),
	}
}

// filter returns the ignore rules for a call that may choose its own.
func filter(w *workspace.Workspace, git, gemini *bool) workspace.Filter {
	f := w.DefaultFilter()
	if git != nil {
		f.Git = *git
	}
	if gemini != nil {
		f.Gemini = *gemini
	}
	return f
}

// shown makes the path of a model or a person: on one line, and valid text.
func shown(path string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return unicode.ReplacementChar
		}
		return r
	}, path)
}
