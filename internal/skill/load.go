package skill

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"pollux/internal/durable"
	"pollux/internal/wording"
)

// Limits. A directory may hold anything.
const (
	maxFile     = 256 << 10 // bytes of a SKILL.md
	maxSkills   = 500       // skills of a source
	maxEntries  = 10_000    // names in the directory of a source
	maxProblems = 10        // that a set names
)

// Load returns the skills of Pollux and of the sources, which are in the order of their tiers. disabled are
// names of skills that may not be used, in any case. A directory that does not exist has no skills.
func Load(sources []Source, disabled []string) *Set {
	s := &search{at: map[string]int{}}
	for _, k := range builtins() {
		s.add(k)
	}
	for _, source := range sources {
		s.source(source)
	}
	slices.SortStableFunc(s.skills, func(a, b Skill) int {
		return cmp.Or(cmp.Compare(a.Tier, b.Tier), strings.Compare(a.Name, b.Name))
	})
	for i := range s.skills {
		s.skills[i].IsDisabled = slices.ContainsFunc(disabled, func(name string) bool { return strings.EqualFold(name, s.skills[i].Name) })
	}
	if n := len(s.problems) - maxProblems; n > 0 {
		s.problems = append(s.problems[:maxProblems], wording.Count(n, "more problem")+" with skills.")
	}
	return &Set{skills: s.skills, Problems: s.problems}
}

// Find returns the skills of the user in a directory, or in directories in it, and the problems of others. Several may
// have the same name.
func Find(dir string) (skills []Skill, problems []string) {
	return FindIn(Source{Dir: dir, Tier: User})
}

// FindIn is [Find] for any source.
func FindIn(source Source) (skills []Skill, problems []string) {
	s := &search{}
	s.source(source)
	return s.skills, s.problems
}

// builtins returns the skills of Pollux.
func builtins() []Skill {
	entries, _ := own.ReadDir("builtin") // it is part of the program
	var list []Skill
	for _, e := range entries {
		k := Skill{Source: Source{Tier: Builtin}, Path: "builtin/" + e.Name() + "/" + FileName}
		if k.parse() == nil { // a test reads them all
			list = append(list, k)
		}
	}
	return list
}

// search collects skills.
type search struct {
	skills   []Skill
	at       map[string]int // indexes of skills, by name; nil if several may have a name
	problems []string
}

func (s *search) warn(format string, args ...any) {
	s.problems = append(s.problems, fmt.Sprintf(format, args...))
}

// source adds the skills of a source.
func (s *search) source(source Source) {
	folders, err := listFolders(source.Dir)
	if err != nil && !durable.IsAbsent(err) {
		s.warn("Cannot read the skills in %s: %v.", source.Dir, durable.Cause(err))
	}
	found := 0
	for _, dir := range folders {
		k := Skill{Source: source, Path: filepath.Join(dir, FileName)}
		switch err := k.parse(); {
		case errors.Is(err, fs.ErrNotExist), errors.Is(err, syscall.ENOTDIR):
			continue
		case err != nil:
			s.warn("Skipping the skill file %s: %v.", k.Path, err)
			continue
		}
		if found++; found > maxSkills {
			s.warn("%s has more than %d skills: Pollux uses only some of them.", source.Dir, maxSkills)
			return
		}
		s.add(k)
	}
}

// add adds a skill, which replaces one with the same name.
func (s *search) add(k Skill) {
	i, isTaken := s.at[k.Name]
	if !isTaken {
		if s.at != nil {
			s.at[k.Name] = len(s.skills)
		}
		s.skills = append(s.skills, k)
		return
	}
	if other := s.skills[i]; !other.IsBuiltin() && !other.isSame(&k) {
		s.warn("Skill conflict detected: %q from %q is overriding the same skill from %q.", k.Name, k.Path, other.Path)
	}
	s.skills[i] = k
}

// isSame reports whether two skills have the same file, also by a link, or files with the same text.
func (s *Skill) isSame(other *Skill) bool {
	if s.Path == other.Path || s.Folder() == other.Folder() {
		return true
	}
	text, err := s.read()
	theirs, theirErr := other.read()
	return err == nil && theirErr == nil && text == theirs
}

// listFolders returns the directories that may have a SKILL.md: dir and those in it, links to directories
// included, without hidden ones.
func listFolders(dir string) ([]string, error) {
	if durable.IsMissing(dir) {
		return nil, nil // as most are
	}
	f, err := durable.OpenDir(dir)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	entries, err := f.ReadDir(maxEntries)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	folders := []string{dir}
	for _, e := range entries {
		name := e.Name()
		isFolder := e.Type() == fs.ModeDir || e.Type() == fs.ModeSymlink
		if isFolder && !strings.HasPrefix(name, ".") && name != "node_modules" {
			folders = append(folders, filepath.Join(dir, name))
		}
	}
	slices.Sort(folders)
	return folders, nil
}

// parse reads the name and the description of a skill.
func (s *Skill) parse() error {
	text, err := s.read()
	if err != nil {
		return err
	}
	folder := ""
	if s.IsForeign {
		folder = filepath.Base(filepath.Dir(s.Path))
	}
	h, err := parseHeader(text, folder)
	if err != nil {
		return err
	}
	s.Name, s.Description = cleanName(h.name), cleanDescription(s.expand(h.description))
	s.IsManual = s.IsForeign && h.isManual
	switch {
	case s.Name == "" || s.Description == "":
		return errors.New("the name or the description is empty")
	case len(s.Name) > maxName:
		return fmt.Errorf("the name is longer than %d bytes", maxName)
	}
	return nil
}
