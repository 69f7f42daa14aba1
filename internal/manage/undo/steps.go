package undo

import (
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"pollux/internal/terminal"
	"pollux/internal/undo/patch"
	"pollux/internal/undo/revert"
	"pollux/internal/undo/state"
	"pollux/internal/wording"
)

// mostSteps is the number of paths that are listed, unless all are asked for.
const mostSteps = 20

// extent counts the paths of some steps: those of the person's files, and a repository as one.
func extent(steps []revert.Step) string {
	files := slices.DeleteFunc(slices.Clone(steps), func(s revert.Step) bool { return patch.IsGit(s.Path) })
	switch {
	case len(files) == len(steps):
		return wording.Count(len(files), "path")
	case len(files) == 0:
		return "the git repository"
	}
	return wording.Count(len(files), "path") + " and the git repository"
}

// list lists the paths that steps change, the person's files with the numbers of their lines before git's own, which are one
// line for each repository. isAll lists each path.
func (l *log) list(steps []revert.Step, isAll bool) string {
	var b strings.Builder
	var files []revert.Step
	repositories := map[string][]revert.Step{}
	for _, s := range steps {
		if root := repositoryOf(s.Path); root != "" && !isAll {
			repositories[root] = append(repositories[root], s)
			continue
		}
		files = append(files, s)
	}
	if !isAll {
		files = withoutParents(files)
	}
	shown := files
	if len(files) > mostSteps && !isAll {
		shown = files[:mostSteps]
	}
	lines := l.countLines(shown)
	for i, s := range shown {
		fmt.Fprintf(&b, "  %s %s%s\n", sign(s), l.name(s.Path), lines[i])
	}
	if more := len(files) - len(shown); more > 0 {
		fmt.Fprintf(&b, "  and %d more; --all lists them\n", more)
	}
	roots := make([]string, 0, len(repositories))
	for root := range repositories {
		roots = append(roots, root)
	}
	slices.Sort(roots)
	for i, root := range roots {
		if i == mostSteps {
			fmt.Fprintf(&b, "  and %d more repositories\n", len(roots)-i)
			break
		}
		b.WriteString("  " + l.repository(root, repositories[root]) + "\n")
	}
	return b.String()
}

// withoutParents leaves out directories that come or go with something in them. The steps are sorted by path.
func withoutParents(steps []revert.Step) (list []revert.Step) {
	for i, s := range steps {
		if i+1 < len(steps) && sign(s) != "M" && strings.HasPrefix(steps[i+1].Path, s.Path+string(filepath.Separator)) {
			continue
		}
		list = append(list, s)
	}
	return list
}

// countLines describes the lines that come and go in the files of steps, such as "  +3 -1".
func (l *log) countLines(steps []revert.Step) []string {
	lines := make([]string, len(steps))
	for i, s := range steps {
		if s.Merges {
			lines[i] = " (what was changed since is kept)"
			continue
		}
		if s.From.State.Kind != state.Regular && s.To.State.Kind != state.Regular {
			continue
		}
		change := patch.Change{Path: s.Path, Before: s.From.ForPatch(), After: s.To.ForPatch()}
		summary, err := patch.Write(io.Discard, []patch.Change{change}, patch.Options{Name: func(string) (string, bool) { return "x", true }})
		switch {
		case err != nil || len(summary.Files) == 0:
		case summary.Files[0].IsBinary:
			lines[i] = "  binary"
		default:
			if f := summary.Files[0]; f.Added+f.Removed > 0 {
				lines[i] = fmt.Sprintf("  +%d -%d", f.Added, f.Removed)
			}
		}
	}
	return lines
}

// repositoryOf returns the directory of the git repository that a path belongs to, "" for none.
func repositoryOf(path string) string {
	if !patch.IsGit(path) {
		return ""
	}
	for dir := path; ; dir = filepath.Dir(dir) {
		if above := filepath.Dir(dir); !patch.IsGit(above) || above == dir {
			return dir
		}
	}
}

// repository describes the changes of a git repository in one line, by the branches and the like that people know.
func (l *log) repository(root string, steps []revert.Step) string {
	letter := "M"
	var known []string
	others := 0
	for _, s := range steps {
		if s.Path == root {
			letter = sign(s)
		}
		rel := filepath.ToSlash(strings.TrimPrefix(strings.TrimPrefix(s.Path, root), string(filepath.Separator)))
		if name := gitName(rel); name != "" {
			known = append(known, name)
		} else if s.From.State.Kind != state.Directory && s.To.State.Kind != state.Directory {
			others++
		}
	}
	slices.Sort(known)
	parts := slices.Compact(known)
	const most = 5
	if more := len(parts) - most; more > 0 {
		parts = append(parts[:most:most], strconv.Itoa(more)+" more")
	}
	if letter != "M" {
		return letter + " " + l.name(root) // as a whole
	}
	if others > 0 {
		parts = append(parts, wording.Count(others, "other file"))
	}
	if len(parts) == 0 {
		return letter + " " + l.name(root)
	}
	return letter + " " + l.name(root) + ": " + strings.Join(parts, ", ")
}

// gitName returns the name that people know a file in .git by, "" for none.
func gitName(rel string) string {
	for _, one := range []struct{ dir, kind string }{{"refs/heads/", "branch "}, {"refs/tags/", "tag "}, {"refs/remotes/", "remote branch "}, {"hooks/", "hook "}} {
		if name, ok := strings.CutPrefix(rel, one.dir); ok && name != "" {
			return one.kind + terminal.Cut(terminal.Line(name), 60)
		}
	}
	switch rel {
	case "HEAD", "index", "config":
		return rel
	case "refs/stash":
		return "stash"
	case "packed-refs":
		return "packed branches"
	}
	return ""
}
