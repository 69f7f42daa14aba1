// Package skills has the skills of a session, which can change while it works: it reads them, makes the tool that activates
// them, and makes their files readable. Nothing of it knows a session.
package skills

import (
	"reflect"
	"slices"
	"strconv"
	"sync/atomic"

	"pollux/internal/project"
	"pollux/internal/prompt"
	"pollux/internal/record"
	"pollux/internal/servers"
	"pollux/internal/skill"
	"pollux/internal/terminal"
	"pollux/internal/tools/activate"
	"pollux/internal/toolset"
	"pollux/internal/workspace"
	"pollux/tool"
)

// Parts are the parts of a session that skills use.
type Parts struct {
	Project   *project.Project
	Registry  *tool.Registry
	Tools     *toolset.Set
	Workspace *workspace.Workspace
	Servers   *servers.Servers
	Record    *record.Record
	// Changed is called when the skills that requests describe have changed.
	Changed func()
}

// Skills are the skills of a session.
type Skills struct {
	parts Parts
	set   atomic.Pointer[skill.Set]
}

// skillOwner owns activate_skill in the registry. It is declared after the tools of MCP servers.
const skillOwner = "skills"

// Open reads the skills, makes the tool for them, and warns of problems.
func Open(p Parts) *Skills {
	s := &Skills{parts: p}
	p.Registry.Add(skillOwner)
	for _, problem := range s.Read().Problems {
		p.Project.Warn("Warning: " + terminal.Line(problem))
	}
	return s
}

// Read reads the skills, and makes the tool for them. If nothing has changed, the requests stay as they
// are, so that the vendor's cache of them stays good.
func (s *Skills) Read() *skill.Set {
	set := s.parts.Project.ReadSkills(s.parts.Project.Settings(), s.parts.Project.IsTrusted())
	before := s.set.Swap(set)
	if before != nil && reflect.DeepEqual(offered(before), offered(set)) {
		return set
	}
	t := activate.New(activate.Options{Skills: set, Tree: s.parts.Workspace.FullTree, Open: s.openFolder})
	switch {
	case t == nil:
		s.parts.Tools.SetAbsent(activate.Name, "There are no skills.")
		s.parts.Registry.Remove(skillOwner)
	case !project.ToolSettings(s.parts.Project.Settings()).Registers(t.Spec()):
		s.parts.Tools.SetAbsent(activate.Name, toolset.NotCore)
	default:
		s.parts.Registry.Set(skillOwner, t)
	}
	s.parts.Changed()
	return set
}

// offered returns the properties of skills that the requests and the tool depend on.
func offered(set *skill.Set) (list [][5]string) {
	for _, k := range set.Enabled() {
		list = append(list, [5]string{k.Name, k.FullName(), k.Description, k.Path, strconv.FormatBool(k.IsManual)})
	}
	return list
}

// openFolder lets the file tools read the files of a skill, also after a resume, and tells MCP servers of the
// directory.
func (s *Skills) openFolder(dir string) {
	if s.makeReadable(dir) {
		s.parts.Record.NoteSkillFolders()
	}
}

// makeReadable lets the file tools read the files of a skill, and reports whether they could not before.
func (s *Skills) makeReadable(dir string) bool {
	path, added, err := s.parts.Workspace.AddReadable(dir)
	if err != nil {
		s.parts.Project.Log.Debug("skill", "dir", dir, "error", err)
	}
	if err != nil || !added {
		return false
	}
	s.parts.Record.AddSkillFolder(path)
	s.parts.Servers.AddRoot(path)
	return true
}

// OpenResumed lets the file tools read the files that the resumed session could read: the directories in its
// record, as far as they still are those of skills that may be used.
func (s *Skills) OpenResumed(dirs []string) {
	if len(dirs) == 0 {
		return
	}
	for _, k := range s.Set().Enabled() {
		if !k.IsBuiltin() && slices.Contains(dirs, k.Folder()) {
			s.makeReadable(k.Folder())
		}
	}
}

// Set returns the skills as they were read last. It may be called during a run.
func (s *Skills) Set() *skill.Set { return s.set.Load() }

// Reload reads the settings and the skills again, and returns the names of skills that may be used now
// and could not be before, and of those that cannot be used anymore.
func (s *Skills) Reload() (added, removed []string, err error) {
	if err := s.parts.Project.Reload(); err != nil {
		return nil, nil, err
	}
	before, now := names(s.Set()), names(s.Read())
	isIn := func(list []string) func(string) bool {
		return func(name string) bool { return slices.Contains(list, name) }
	}
	return slices.DeleteFunc(slices.Clone(now), isIn(before)), slices.DeleteFunc(before, isIn(now)), nil
}

// names returns the names of the skills that may be used.
func names(set *skill.Set) (list []string) {
	for _, k := range set.Enabled() {
		list = append(list, k.Name)
	}
	return list
}

// HasOwn reports whether there are skills other than those of Pollux.
func (s *Skills) HasOwn() bool {
	return slices.ContainsFunc(s.Set().Enabled(), func(k skill.Skill) bool { return !k.IsBuiltin() })
}

// ForPrompt returns the skills for the system instruction.
func (s *Skills) ForPrompt() (list []prompt.Skill) {
	for _, k := range s.Set().Offered() {
		at := k.Path
		if k.IsBuiltin() {
			at = "part of Pollux"
		}
		list = append(list, prompt.Skill{Name: k.Name, Description: k.Description, Location: at})
	}
	return list
}
