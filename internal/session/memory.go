package session

import (
	"path/filepath"

	"pollux/internal/config"
	"pollux/internal/memory"
	"pollux/internal/workspace"
)

// OpenMemory returns the memory that a session with this setup has. Nothing is read
// before it is asked for.
func (p *Setup) OpenMemory() *memory.Memory { return newMemory(p, newWorkspace(p)) }

// MemoryFile returns the user's own memory file, for all projects.
func (p *Setup) MemoryFile() string { return filepath.Join(p.Paths.GeminiDir(), p.memoryNames()[0]) }

// ProjectMemoryFile returns the memory file of the project's directory, which need
// not exist.
func (s *Session) ProjectMemoryFile() string {
	return filepath.Join(s.Workspace.Root(), s.Setup.memoryNames()[0])
}

func (p *Setup) memoryNames() []string { return memory.Names(config.MemoryNames.In(p.Settings)) }

func newMemory(p *Setup, ws *workspace.Workspace) *memory.Memory {
	s := p.Settings
	return memory.New(memory.Options{
		Names:  p.memoryNames(),
		Global: p.Paths.GeminiDir(),
		// A project must not make files of the user's part of the prompt, such as ~/.gemini/.env.
		GlobalNames: memory.Names(config.MemoryNames.In(withoutProjectChoice(s))),
		Private:     filepath.Join(p.Paths.ProjectTempPath(), "memory"),
		Extensions:  p.extensionContext(),
		Workspace:   ws,
		Trusted:     p.IsTrusted(),
		Markers:     config.MemoryMarkers.In(s),
		Flat:        config.MemoryImportFormat.In(s) == "flat",
		Eager:       config.MemoryEager.In(s),
		MaxDirs:     config.MemoryMaxDirs.In(s),
		Warn:        p.Options.Warn,
		Log:         p.Log,
	})
}
