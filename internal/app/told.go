package app

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"pollux/agent"
	"pollux/internal/config"
	"pollux/internal/memory"
	"pollux/internal/prompt"
	"pollux/internal/workspace"
	"pollux/tool"
)

// system returns what the model is told before all else. The user's own text
// (GEMINI_SYSTEM_MD) is read now, for without it the session must not begin.
func (a *App) system(o Options, registry *tool.Registry) (*prompt.Instruction, error) {
	m := a.Memory
	own, _, err := ownInstruction(o)
	if err != nil {
		return nil, err
	}
	temp := o.Paths.ProjectTempPath()
	values := func(string) prompt.System {
		var names []string
		for _, t := range registry.Active() {
			names = append(names, t.Spec().Name)
		}
		texts := m.Texts()
		return prompt.System{
			Interactive: o.Interactive,
			Mode:        a.modes.name(),
			Git:         inGit(o.Paths.Dir()),
			Sandbox:     o.Env.Get("SANDBOX"),
			Tools:       names,
			PlanDir:     a.modes.plans(),
			Plan:        a.modes.approved(),
			Topic:       a.topic.Title(),
			Files: prompt.MemoryFiles{
				Project: memoryNames(o.Settings)[0],
				Private: filepath.Join(temp, "memory", "MEMORY.md"),
				Global:  MemoryFile(o),
			},
			Memory: prompt.Memory{Global: texts.Global, Private: texts.Private, Plain: texts.All, Names: memoryNames(o.Settings)},
			Own:    own,
			Env:    o.Env.Get,
		}
	}
	return prompt.NewInstruction(values, func(text string) {
		file := prompt.File(o.Env.Get("GEMINI_WRITE_SYSTEM_MD"), o.Paths.Dir(), o.Paths.Expand)
		if file == "" {
			return
		}
		if err := prompt.Write(file, text); err != nil {
			o.Warn("Warning: " + err.Error())
		}
	}), nil
}

// ownInstruction reads what the user tells the model in the place of Pollux's own text,
// and says from which file; nil for nothing.
func ownInstruction(o Options) (own *prompt.Template, file string, err error) {
	if file = prompt.File(o.Env.Get("GEMINI_SYSTEM_MD"), o.Paths.Dir(), o.Paths.Expand); file != "" {
		own, err = prompt.ReadTemplate(file)
	}
	return own, file, err
}

// opening returns the message that opens the conversation.
func opening(o Options, ws *workspace.Workspace, m *memory.Memory) agent.Message {
	texts := m.Texts()
	c := prompt.Context{
		Now:     time.Now(),
		OS:      strings.Replace(runtime.GOOS, "windows", "win32", 1),
		TempDir: o.Paths.ProjectTempPath(),
		Dirs:    ws.Dirs(),

		Extensions: texts.Extension,
		Project:    texts.Project,
	}
	if config.IncludeDirectoryTree.In(o.Settings) {
		c.Tree = ws.Tree()
	}
	return c.Message()
}

// inGit reports whether dir or a directory above it is a git work tree.
func inGit(dir string) bool {
	for {
		if _, err := os.Lstat(filepath.Join(dir, ".git")); err == nil {
			return true
		}
		up := filepath.Dir(dir)
		if up == dir {
			return false
		}
		dir = up
	}
}
