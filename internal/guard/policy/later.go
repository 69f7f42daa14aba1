package policy

import (
	"path/filepath"
	"slices"
	"strings"

	"pollux/internal/workspace"
)

// laterFiles is the name of the built-in rules for files that auto_edit asks about.
const laterFiles = "files that run or decide later"

// runsLater reports whether the call names a file that other programs run, or that decides what
// they run, long after the call: settings of Pollux, git, editors and CI, hooks, files that
// shells read when they start. Links are followed.
func (q *query) runsLater() bool {
	names := q.Paths
	if path := q.text("file_path"); path != "" {
		if !filepath.IsAbs(path) {
			path = filepath.Join(q.root, path)
		}
		names = append(slices.Clip(names), path, workspace.RealPath(path))
	}
	return slices.ContainsFunc(names, func(path string) bool {
		if below, err := filepath.Rel(q.root, path); err == nil && filepath.IsLocal(below) {
			path = below // directories above the project do not matter
		}
		return isLaterFile(path)
	})
}

// isLaterFile reports whether a path, below the project if it is relative, is such a file.
func isLaterFile(path string) bool {
	names := strings.Split(filepath.ToSlash(filepath.Clean(path)), "/")
	for i := range names {
		names[i] = segment(names[i])
	}
	for i, name := range names {
		below := names[i+1:]
		switch {
		case name == ".gemini" && !isNote(below), laterDirs[name],
			name != ".gemini" && strings.HasPrefix(name, ".git"), strings.HasPrefix(name, ".env"), strings.HasPrefix(name, ".yarnrc"),
			len(below) > 0 && name == ".cargo" && strings.HasPrefix(below[0], "config"),
			len(below) > 0 && name == ".config" && slices.Contains([]string{"fish", "nvim", "git"}, below[0]):
			return true
		}
	}
	return laterNames[names[len(names)-1]]
}

// isNote reports whether a path below .gemini is text for the model: the project's context file,
// or a plan.
func isNote(below []string) bool {
	if len(below) == 1 {
		return below[0] == "gemini.md"
	}
	return len(below) > 1 && below[len(below)-2] == "plans" && filepath.Ext(below[len(below)-1]) == ".md"
}

// laterDirs are directories with such files, in lower case.
var laterDirs = map[string]bool{
	".husky": true, ".vscode": true, ".idea": true, ".devcontainer": true, ".circleci": true, ".buildkite": true,
	".claude": true, ".cursor": true, ".zed": true, ".vim": true, ".emacs.d": true,
}

// laterNames are such files, in lower case.
var laterNames = map[string]bool{
	".npmrc": true, ".pre-commit-config.yaml": true, ".pre-commit-config.yml": true, ".mcp.json": true, ".devcontainer.json": true,
	".travis.yml": true, "azure-pipelines.yml": true, "bitbucket-pipelines.yml": true, "jenkinsfile": true, ".drone.yml": true,
	// shells
	".profile": true, ".bashrc": true, ".bash_profile": true, ".bash_login": true, ".bash_logout": true, ".bash_aliases": true,
	".zshrc": true, ".zshenv": true, ".zprofile": true, ".zlogin": true, ".zlogout": true, ".kshrc": true, ".cshrc": true, ".tcshrc": true,
	".login": true, ".logout": true, ".inputrc": true,
	// editors, debuggers, interpreters, terminals
	".vimrc": true, ".gvimrc": true, ".exrc": true, ".nvimrc": true, ".nvim.lua": true, ".emacs": true, ".dir-locals.el": true, ".nanorc": true,
	".gdbinit": true, ".lldbinit": true, ".irbrc": true, ".pryrc": true, ".rprofile": true, ".tmux.conf": true, ".screenrc": true,
}
