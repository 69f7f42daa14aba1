package session

import (
	"context"
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"sync"

	"github.com/google/uuid"

	"pollux/agent"
	"pollux/internal/exit"
	"pollux/internal/project"
	"pollux/internal/prompt"
	"pollux/internal/skill"
	"pollux/internal/terminal"
	"pollux/internal/tools/activate"
	"pollux/internal/toolset"
)

// skillOwner owns activate_skill in the registry. It is declared after the tools of MCP servers.
const skillOwner = "skills"

// loadSkills reads the skills when the session opens, and warns of problems.
func (s *Session) loadSkills() {
	s.registry.Add(skillOwner)
	for _, problem := range s.setSkills().Problems {
		s.Project.Warn("Warning: " + terminal.Line(problem))
	}
}

// setSkills reads the skills, and makes the tool for them. If nothing has changed, the requests stay as they
// are, so that what the vendor has cached stays good.
func (s *Session) setSkills() *skill.Set {
	set := s.Project.ReadSkills(s.Project.Settings(), s.Project.IsTrusted())
	before := s.skills.Swap(set)
	if before != nil && reflect.DeepEqual(offered(before), offered(set)) {
		return set
	}
	t := activate.New(activate.Options{Skills: set, Tree: s.Workspace.FullTree, Open: s.openFolder})
	switch {
	case t == nil:
		s.tools.SetAbsent(activate.Name, "There are no skills.")
		s.registry.Remove(skillOwner)
	case !project.ToolSettings(s.Project.Settings()).Registers(t.Spec()):
		s.tools.SetAbsent(activate.Name, toolset.NotCore)
	default:
		s.registry.Set(skillOwner, t)
	}
	if s.instruction != nil { // else the session is being built
		s.instruction.Refresh()
	}
	return set
}

// offered returns what the requests and the tool depend on.
func offered(set *skill.Set) (list [][4]string) {
	for _, k := range set.Enabled() {
		list = append(list, [4]string{k.Name, k.FullName(), k.Description, k.Path})
	}
	return list
}

// folders is a list of directories. It is safe for concurrent use.
type folders struct {
	mu   sync.Mutex
	list []string
}

func (f *folders) add(dir string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.list = append(f.list, dir)
}

func (f *folders) all() []string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.Clone(f.list)
}

// openFolder lets the file tools read the files of a skill, also after a resume, and tells MCP servers of the
// directory.
func (s *Session) openFolder(dir string) {
	s.makeReadable(dir)
}

// makeReadable lets the file tools read the files of a skill, and reports whether they could not before.
func (s *Session) makeReadable(dir string) bool {
	path, added, err := s.Workspace.AddReadable(dir)
	if err != nil {
		s.Project.Log.Debug("skill", "dir", dir, "error", err)
	}
	if err != nil || !added {
		return false
	}
	s.Record.NoteSkillFolder(path)
	s.Servers.AddRoot(path)
	return true
}

// openResumedSkills lets the file tools read what the resumed session could read: the directories in its
// record, as far as they still are those of skills that may be used.
func (s *Session) openResumedSkills(dirs []string) {
	if len(dirs) == 0 {
		return
	}
	for _, k := range s.Skills().Enabled() {
		if !k.IsBuiltin() && slices.Contains(dirs, k.Folder()) {
			s.makeReadable(k.Folder())
		}
	}
}

// Skills returns the skills as they were read last. It may be called during a run.
func (s *Session) Skills() *skill.Set { return s.skills.Load() }

// ReloadSkills reads the settings and the skills again, and returns the names of skills that may be used now
// and could not be before, and of those that cannot be used anymore.
func (s *Session) ReloadSkills() (added, removed []string, err error) {
	if err := s.Project.Reload(); err != nil {
		return nil, nil, err
	}
	before, now := skillNames(s.Skills()), skillNames(s.setSkills())
	isIn := func(list []string) func(string) bool {
		return func(name string) bool { return slices.Contains(list, name) }
	}
	return slices.DeleteFunc(slices.Clone(now), isIn(before)), slices.DeleteFunc(before, isIn(now)), nil
}

// skillNames returns the names of the skills that may be used.
func skillNames(set *skill.Set) (list []string) {
	for _, k := range set.Enabled() {
		list = append(list, k.Name)
	}
	return list
}

// hasOwnSkills reports whether there are skills other than those of Pollux.
func (s *Session) hasOwnSkills() bool {
	return slices.ContainsFunc(s.Skills().Enabled(), func(k skill.Skill) bool { return !k.IsBuiltin() })
}

// promptSkills returns the skills for the system instruction.
func (s *Session) promptSkills() (list []prompt.Skill) {
	for _, k := range s.Skills().Enabled() {
		at := k.Path
		if k.IsBuiltin() {
			at = "part of Pollux"
		}
		list = append(list, prompt.Skill{Name: k.Name, Description: k.Description, Location: at})
	}
	return list
}

// PrepareSkill activates a skill, as a call of activate_skill that passes the gate, and returns a prompt with the
// instructions of the skill and text, which may name files with "@". People see the prompt as line. The error is
// [ErrRefused] if the user has refused the skill.
func (s *Session) PrepareSkill(ctx context.Context, name, line, text string) (agent.Prompt, error) {
	t, found := s.registry.Lookup(activate.Name)
	if !found {
		why := strings.TrimSpace("The tool activate_skill is not available. " + s.tools.WhyHidden(activate.Name))
		return agent.Prompt{}, exit.Errorf(exit.General, "Cannot use the skill %q: %s", name, why)
	}
	args, err := json.Marshal(map[string]string{"name": name})
	if err != nil {
		return agent.Prompt{}, err
	}
	call := &agent.ToolCall{ID: activate.Name + "__" + uuid.NewString(), Name: activate.Name, Args: args}
	a := s.gate.Admit(ctx, call, t, s.approve)
	switch {
	case ctx.Err() != nil:
		return agent.Prompt{}, context.Cause(ctx)
	case a.Cancelled:
		return agent.Prompt{}, ErrRefused
	case a.Run == nil:
		return agent.Prompt{}, exit.Errorf(exit.General, "Cannot use the skill %q: %s", name, terminal.Line(a.Record.Result.Error.Message))
	}
	result := s.runOwn(ctx, call, a)
	switch {
	case ctx.Err() != nil:
		return agent.Prompt{}, context.Cause(ctx)
	case result.Error != nil:
		return agent.Prompt{}, exit.Errorf(exit.General, "%s", terminal.Line(result.Error.Message))
	}
	p, err := s.attach(ctx, agent.TextPrompt(text))
	return agent.Prompt{Parts: slices.Concat(result.Content, p.Parts), Shown: line}, err
}
