package project

import (
	"cmp"
	"path/filepath"

	"pollux/internal/config"
	"pollux/internal/ide"
	"pollux/internal/memory"
	"pollux/internal/workspace"
)

// NewWorkspace returns the workspace of the project: its directory, and those that the settings include.
func NewWorkspace(p *Project) *workspace.Workspace {
	s := p.Settings()
	include := append(config.IncludeDirectories.In(s), ide.Folders(p.Env().User().Get("GEMINI_CLI_IDE_WORKSPACE_PATH"), p.Paths.Dir())...)
	for i := range include {
		include[i] = p.Paths.Expand(include[i])
	}
	ws, warnings := workspace.New(workspace.Options{
		Root: p.Paths.Dir(),
		Home: p.Paths.Home(),
		Disk: p.Options.Host.Disk, Buffers: p.Options.Host.Buffers,
		Include:      include,
		ProjectTemp:  p.Paths.ProjectTempPath(),
		GlobalMemory: p.MemoryFile(),
		GitIgnore:    config.RespectGitIgnore.In(s),
		GeminiIgnore: config.RespectGeminiIgnore.In(s),
		IgnoreFiles:  config.CustomIgnoreFilePaths.In(s),
		GitExcludes:  filepath.Join(cmp.Or(p.Env().User().Get("XDG_CONFIG_HOME"), filepath.Join(p.Paths.Home(), ".config")), "git", "ignore"),
	})
	for _, w := range warnings {
		p.Warn("Warning: " + w.Error())
	}
	p.Sandbox.Follow(ws.Dirs)
	return ws
}

// NewMemory returns the memory of the project. It reads files when they are first needed.
func NewMemory(p *Project, ws *workspace.Workspace) *memory.Memory {
	s := p.Settings()
	return memory.New(memory.Options{
		Names:       memoryNames(s),
		Global:      p.Paths.GeminiDir(),
		GlobalNames: userMemoryNames(s),
		Private:     filepath.Join(p.Paths.ProjectTempPath(), "memory"),
		Extensions:  p.ExtensionContext(),
		Workspace:   ws,
		IsTrusted:   p.IsTrusted,
		Markers:     config.MemoryMarkers.In(s),
		MaxStart:    int(config.MemoryMaxKilobytes.In(s) * 1024),
		Flat:        config.MemoryImportFormat.In(s) == "flat",
		Eager:       config.MemoryEager.In(s),
		MaxDirs:     config.MemoryMaxDirs.In(s),
		Warn:        p.Warn,
		Log:         p.Log,
	})
}

// OpenMemory returns the memory that a session in this project has.
func (p *Project) OpenMemory() *memory.Memory { return NewMemory(p, NewWorkspace(p)) }

// MemoryFile returns the user's own memory file, for all projects. File tools may change it.
func (p *Project) MemoryFile() string {
	return filepath.Join(p.Paths.GeminiDir(), userMemoryNames(p.Settings()).Primary())
}

// MemoryNames returns the names of memory files.
func (p *Project) MemoryNames() memory.Names { return memoryNames(p.Settings()) }

func memoryNames(s *config.Settings) memory.Names {
	return memory.NewNames(config.MemoryNames.In(s), config.ForeignContext.In(s))
}

// userMemoryNames returns the names of the memory files in the user's directory. A project must not make other files
// there, such as .env, part of the prompt, or open them to file tools.
func userMemoryNames(s *config.Settings) memory.Names { return memoryNames(withoutProjectChoice(s)) }
