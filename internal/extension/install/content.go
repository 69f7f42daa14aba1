package install

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"pollux/internal/command"
	"pollux/internal/extension"
	"pollux/internal/guard/hook"
	"pollux/internal/guard/policy"
	"pollux/internal/skill"
	"pollux/internal/subagent"
)

// maxText bounds a file that is read here.
const maxText = 1 << 20 // bytes of a file

// Content has the parts of an extension in files other than the manifest.
type Content struct {
	Hooks    []hook.Hook
	Commands []command.Command
	Skills   []skill.Skill
	Agents   []*subagent.Definition
	Rules    []policy.Rule
	Checkers []policy.Checker
	// ContextFiles are the names of the files that the model gets.
	ContextFiles []string
	// Problems describe files with mistakes, each in a line.
	Problems []string
}

// ContentOf reads the parts of an installed extension.
func ContentOf(e *extension.Extension) *Content { return readContent(e.Dir, &e.Manifest) }

// readContent reads the parts of the extension in dir, with the functions that read it for a session: if
// another reader took a part for a mistake, it would be in use without consent.
func readContent(dir string, m *extension.Manifest) *Content {
	c := &Content{}
	e := &extension.Extension{Manifest: *m, Dir: dir}
	c.Hooks, c.Problems = e.RawHooks()
	if sub, ok := e.Directory("commands"); ok {
		var l command.Loader
		list, problems := l.Load([]command.Source{{Kind: command.Extension, Owner: m.Name, Dir: sub, Root: dir}})
		c.Commands = list
		for _, p := range problems {
			c.problem(relative(dir, p.Path), "%s", p.Reason)
		}
	}
	if sub, ok := e.Directory("policies"); ok {
		files, err := policy.Load(policy.Sources{Extensions: []policy.Extension{{Name: m.Name, Dir: sub}}})
		c.Rules, c.Checkers = files.Rules, files.Checkers
		for _, warning := range files.Warnings {
			warning = policy.OnOneLine(warning)
			if _, rest, ok := strings.Cut(warning, " in "+dir+string(filepath.Separator)); ok {
				warning = rest // which begins with the path of the file
			}
			c.Problems = append(c.Problems, warning)
		}
		if err != nil {
			c.Problems = append(c.Problems, err.Error())
		}
	}
	if sub, ok := e.Directory("skills"); ok {
		c.readSkills(dir, skill.Source{Tier: skill.User, Dir: sub, IsForeign: m.Plugin != ""})
	}
	if sub, ok := e.Directory("agents"); ok {
		c.readAgents(dir, sub)
	}
	for _, name := range m.ContextFileNames {
		_, err := os.Stat(filepath.Join(dir, name))
		if filepath.IsLocal(name) && err == nil || strings.Contains(name, "$") { // which file that is depends on the session
			c.ContextFiles = append(c.ContextFiles, name)
		}
	}
	return c
}

func (c *Content) problem(file, format string, args ...any) {
	c.Problems = append(c.Problems, file+": "+fmt.Sprintf(format, args...))
}

// readSkills reads the skills as a session does.
func (c *Content) readSkills(dir string, source skill.Source) {
	skills, problems := skill.FindIn(source)
	c.Skills = skills
	for _, p := range problems {
		c.Problems = append(c.Problems, strings.ReplaceAll(p, dir+string(filepath.Separator), ""))
	}
}

// readAgents reads the subagents as a session does.
func (c *Content) readAgents(dir, sub string) {
	agents, problems := subagent.Load([]subagent.Source{{Kind: subagent.FromExtension, Dir: sub, Root: dir}})
	c.Agents = agents
	for _, p := range problems {
		var one *subagent.LoadError
		if errors.As(p, &one) {
			c.problem(relative(dir, one.Path), "%s", strings.ReplaceAll(one.Err.Error(), "\n", " "))
			continue
		}
		c.Problems = append(c.Problems, p.Error())
	}
}

// relative returns a path relative to the extension, for messages.
func relative(dir, path string) string {
	if name, err := filepath.Rel(dir, path); err == nil && filepath.IsLocal(name) {
		return filepath.ToSlash(name)
	}
	return path
}
