package install

import (
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"pollux/internal/skill"
	"pollux/internal/terminal"
)

// Limits of the search for skills in a repository that has them neither at its root nor in directories there.
const (
	maxDepth  = 6
	maxVisits = 20_000
	maxFound  = 500
)

// findBelow returns the skills anywhere in a directory. It follows no links.
func findBelow(dir string, problems []string) (skills []skill.Skill, _ []string) {
	visits := 0
	_ = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		visits++
		rel, relErr := filepath.Rel(dir, path)
		switch {
		case err != nil || relErr != nil:
			return nil //nolint:nilerr // a directory that cannot be read has no skills
		case visits > maxVisits || len(skills) == maxFound:
			return fs.SkipAll
		case !d.IsDir():
			return nil
		case d.Name() == ".git" || d.Name() == "node_modules" || strings.Count(rel, string(filepath.Separator)) >= maxDepth:
			return fs.SkipDir
		}
		found, wrong := skill.Find(path)
		isHere := func(k skill.Skill) bool { return k.Folder() == path }
		if i := slices.IndexFunc(found, isHere); i >= 0 {
			skills = append(skills, found[i])
			return fs.SkipDir
		}
		for _, problem := range wrong {
			if !slices.Contains(problems, problem) {
				problems = append(problems, problem)
			}
		}
		return nil
	})
	return skills, problems
}

// isCollection reports whether skills come from below the directories of dir: a repository of many skills for the user
// to choose from.
func isCollection(skills []skill.Skill, dir string) bool {
	return len(skills) > 1 && !slices.ContainsFunc(skills, func(k skill.Skill) bool {
		return k.Folder() == filepath.Clean(dir) || filepath.Dir(k.Folder()) == filepath.Clean(dir)
	})
}

// choices says how to install one of the skills or all of them. sub is the path of dir in their source.
func choices(skills []skill.Skill, dir, sub string) string {
	const most = 50
	var b strings.Builder
	b.WriteString("To install one of them, name its directory; to install all, add --all:")
	for n, k := range skills {
		if n == most {
			fmt.Fprintf(&b, "\n  and %d more", len(skills)-most)
			break
		}
		rel, err := filepath.Rel(dir, k.Folder())
		if err != nil {
			rel = k.Folder()
		}
		fmt.Fprintf(&b, "\n  --path %s  %s", terminal.Line(filepath.ToSlash(filepath.Join(sub, rel))), terminal.Cut(terminal.Line(k.Description), 100))
	}
	return b.String()
}
