package install

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"pollux/internal/skill"
	"pollux/internal/terminal"
	"pollux/internal/wording"
)

// describe returns the skills and their files, for the user's consent.
func (i *Installer) describe(skills []skill.Skill, verb, source string) string {
	title := map[string]string{"install": "Installing", "link": "Linking"}[verb]
	lines := []string{fmt.Sprintf("%s agent skill(s) from %q.", title, source), "", fmt.Sprintf("The following agent skill(s) will be %sed:", verb), ""}
	for _, k := range skills {
		lines = append(lines, fmt.Sprintf("  * %s: %s", k.Name, terminal.Cut(terminal.Line(k.Description), 500)))
		lines = append(lines, "    "+describeFiles(k.Folder(), limits.Files))
		if _, err := os.Lstat(i.path(k.Name)); err == nil {
			lines = append(lines, "    It replaces the skill in "+i.path(k.Name)+".")
		}
		lines = append(lines, "")
	}
	lines = append(lines,
		map[string]string{"install": "Install", "link": "Link"}[verb]+" Destination: "+i.Dir, "",
		"A skill gives the model instructions, and may contain programs for it to run. Review the files of a skill before you trust it.")
	return strings.Join(lines, "\n")
}

// describeFiles returns the number of files of a directory, which are counted up to most, and the paths of
// the first ones: "2 files: SKILL.md, scripts/x.sh".
func describeFiles(dir string, most int) string {
	names, total := list(dir, most)
	text := strings.Join(names, ", ")
	if total > most {
		return fmt.Sprintf("More than %s: %s and others", wording.Count(most, "file"), text)
	}
	if more := total - len(names); more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return wording.Count(total, "file") + ": " + text
}

// list returns the paths of the first files of a directory, and the number of its files: most+1 if there are
// more than most.
func list(dir string, most int) (names []string, total int) {
	const shown = 20
	_ = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return nil //nolint:nilerr // a directory that cannot be read has no files
		case total > most:
			return fs.SkipAll
		case d.IsDir() && d.Name() == ".git":
			return fs.SkipDir
		case d.IsDir():
			return nil
		}
		if total++; len(names) < shown {
			rel, _ := filepath.Rel(dir, path)
			names = append(names, terminal.Cut(terminal.Line(rel), 100))
		}
		return nil
	})
	return names, total
}
