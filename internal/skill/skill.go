// Package skill finds skills: directories with a file SKILL.md, which explains one kind of task to a
// model. The model sees only the name and the description of a skill, until it activates the skill.
//
//   - load.go finds the skills of the user, the project, extensions and Pollux itself.
//   - frontmatter.go parses SKILL.md.
//   - Package install installs, links and removes skills.
package skill

import (
	"embed"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"pollux/internal/charset"
	"pollux/internal/durable"
	"pollux/internal/frontmatter"
	"pollux/internal/workspace"
)

// FileName is the name of the file of a skill.
const FileName = "SKILL.md"

// Tier is where a skill comes from. Of skills with the same name, the one of the highest tier counts.
type Tier int

// The tiers, the lowest first.
const (
	Builtin   Tier = iota // part of Pollux
	Extension             // part of an extension
	User                  // the user's own
	Workspace             // part of the project
)

// Source is a directory with skills: in the directory itself, or in directories in it.
type Source struct {
	Dir       string
	Tier      Tier
	Extension string // name of the extension, else ""
	// IsForeign is set for a directory of Claude Code. Its skills need no name, and disable-model-invocation keeps one from the model.
	IsForeign bool
	// Root is the directory that no skill may be outside of, after links are followed; "" allows all links.
	Root string
	// Expand, if not nil, replaces the variables of an extension in a text.
	Expand func(string) string
}

// Skill is a skill whose file can be read.
type Skill struct {
	Source
	Name        string // one clean line
	Description string // printable, at most maxDescription characters
	Path        string // of SKILL.md
	IsDisabled  bool   // by the settings
	IsManual    bool   // the model does not see it, and only the user activates it
}

// Places returns the directories of skills in the home directory or in a project, those with less priority first: that of Claude
// Code, if withForeign is set, then .gemini/skills and .agents/skills.
func Places(tier Tier, dir string, withForeign bool) []Source {
	list := make([]Source, 0, 3)
	for _, name := range [...]string{".claude", ".gemini", ".agents"} {
		s := Source{Tier: tier, Dir: filepath.Join(dir, name, "skills"), IsForeign: name == ".claude"}
		if tier == Workspace {
			s.Root = dir
		}
		if !s.IsForeign || withForeign {
			list = append(list, s)
		}
	}
	return list
}

// IsBuiltin reports whether the skill is part of Pollux, and has no directory.
func (s *Skill) IsBuiltin() bool { return s.Tier == Builtin }

// Folder returns the directory of the skill, which has its resources, as an absolute path without links. It
// is "" for a skill of Pollux.
func (s *Skill) Folder() string {
	if s.IsBuiltin() {
		return ""
	}
	return workspace.RealPath(filepath.Dir(s.Path))
}

// HasName returns a function that reports whether a skill has a name, with or without that of its extension,
// in any case.
func HasName(name string) func(Skill) bool {
	name = strings.TrimSpace(name)
	return func(k Skill) bool { return strings.EqualFold(k.Name, name) || strings.EqualFold(k.FullName(), name) }
}

// FullName returns the name with that of the extension: "ship:tidy".
func (s *Skill) FullName() string {
	if s.Extension == "" {
		return s.Name
	}
	return s.Extension + ":" + s.Name
}

// Instructions reads the text of the skill for the model. It is read when it is needed, so that a changed
// file counts at once.
func (s *Skill) Instructions() (string, error) {
	text, err := s.read()
	if err != nil {
		return "", fmt.Errorf("%s: %w", s.Path, err)
	}
	_, body, ok := frontmatter.Cut(text)
	if !ok {
		return "", fmt.Errorf("%s: %w", s.Path, errNoFrontMatter)
	}
	return s.expand(body), nil
}

// read returns the text of the file.
func (s *Skill) read() (string, error) {
	if s.IsBuiltin() {
		data, err := own.ReadFile(s.Path)
		return string(data), err
	}
	if s.Root != "" && !workspace.IsWithin(workspace.RealPath(s.Path), workspace.RealPath(s.Root)) {
		return "", errOutside
	}
	data, err := durable.ReadFile(s.Path, maxFile)
	return charset.Text(data), err
}

// errOutside is the error of a skill of a project that is a link to another place of this computer.
var errOutside = errors.New("it is a link that leads out of the project. To use it, link it for yourself: pollux skills link DIRECTORY")

func (s *Skill) expand(text string) string {
	if s.Expand == nil {
		return text
	}
	return s.Expand(text)
}

//go:embed builtin
var own embed.FS

// Set is the result of [Load]. It does not change.
type Set struct {
	skills []Skill
	// Problems are files that are left out, and skills that another one replaces.
	Problems []string
}

// All returns the skills, disabled ones included: those of a lower tier first, those of a tier by name.
func (s *Set) All() []Skill {
	if s == nil {
		return nil
	}
	return slices.Clone(s.skills)
}

// Enabled returns the skills that may be used.
func (s *Set) Enabled() []Skill {
	return slices.DeleteFunc(s.All(), func(k Skill) bool { return k.IsDisabled })
}

// Offered returns the skills that the model may activate by itself.
func (s *Set) Offered() []Skill {
	return slices.DeleteFunc(s.Enabled(), func(k Skill) bool { return k.IsManual })
}

// Lookup returns the skill with this name, or with this [Skill.FullName], if it may be used.
func (s *Set) Lookup(name string) (Skill, bool) {
	list := s.Enabled()
	for _, matches := range []func(Skill) bool{
		func(k Skill) bool { return k.Name == name },
		func(k Skill) bool { return strings.EqualFold(k.Name, name) || strings.EqualFold(k.FullName(), name) },
	} {
		if i := slices.IndexFunc(list, matches); i >= 0 {
			return list[i], true
		}
	}
	return Skill{}, false
}
