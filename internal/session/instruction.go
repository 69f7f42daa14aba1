package session

import (
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"pollux/agent"
	"pollux/internal/config"
	"pollux/internal/project"
	"pollux/internal/prompt"
	"pollux/internal/toolset"
	"pollux/tool"
)

// newInstruction returns the system instruction. The user's own text
// (GEMINI_SYSTEM_MD) is read now, for without it the session must not begin.
func (s *Session) newInstruction() (*prompt.Instruction, error) {
	own, _, err := s.Project.OwnInstruction()
	if err != nil {
		return nil, err
	}
	values := func(form tool.Form) prompt.System {
		var names []string
		for _, f := range s.registry.Snapshot().Declarations(form).Functions {
			names = append(names, f.Name)
		}
		texts := s.Memory.Texts()
		return prompt.System{
			Interactive: s.Project.Options.Interactive,
			Mode:        s.Rulebook.ModeName(),
			Git:         project.InGit(s.Project.Paths.Dir()),
			Sandbox:     s.Project.Sandbox.Name(prompt.OwnSandbox, s.Project.Options.Env.Get("SANDBOX")),
			Hooks:       s.Hooks.Set() != nil,
			Tools:       names,
			Agents:      s.Agents.Listed(form),
			Output:      toolset.OutputAdvice(s.Project.Settings()),
			Skills:      s.Skills.ForPrompt(),
			PlanDir:     s.plans.Dir(),
			Plan:        s.plans.Approved(),
			Topic:       s.topic.Title(),
			Files: prompt.MemoryFiles{
				Project: filepath.Base(s.ProjectMemoryFile()),
				Private: filepath.Join(s.Project.Paths.ProjectTempPath(), "memory", "MEMORY.md"),
				Global:  s.Project.MemoryFile(),
			},
			Memory: prompt.Memory{Global: texts.Global, Private: texts.Private, Plain: texts.All, Names: s.Memory.Names()},
			Own:    own,
			Env:    s.Project.Env().Get,
		}
	}
	return prompt.NewInstruction(values, s.registry.Version, func(text string) {
		file := prompt.TemplatePath(s.Project.Env().User().Get("GEMINI_WRITE_SYSTEM_MD"), s.Project.Paths.Dir(), s.Project.Paths.Expand)
		if file == "" {
			return
		}
		if err := prompt.Write(file, text); err != nil {
			s.Project.Warn("Warning: " + err.Error())
		}
	}), nil
}

// opening returns the message that opens the conversation.
func (s *Session) opening() agent.Message {
	texts := s.Memory.Texts()
	c := prompt.Context{
		Now:     time.Now(),
		OS:      strings.Replace(runtime.GOOS, "windows", "win32", 1),
		TempDir: s.Project.Sandbox.TempDir(),
		Dirs:    s.Workspace.Dirs(),

		Extensions: texts.Extension,
		Project:    texts.Project,
		Servers:    s.Servers.Instructions(),
	}
	if s.Project.IsTrusted() {
		c.Git = s.Project.Git.String()
	}
	if config.IncludeDirectoryTree.In(s.Project.Settings()) {
		c.Tree = s.Workspace.Tree(s.treeItems())
	}
	return c.Message()
}

// treeItems returns the number of files and folders in a tree for the current model.
func (s *Session) treeItems() int {
	if model := s.Models.Current().Model; s.builder.IsCompact(model, s.Window(model)) {
		return 40
	}
	return 200
}

// ProjectMemoryFile returns the memory file of the project's directory for new entries, which need
// not exist.
func (s *Session) ProjectMemoryFile() string { return s.Memory.ProjectFile() }
