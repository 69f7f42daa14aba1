package app

import (
	"path/filepath"

	"pollux/internal/config"
	"pollux/internal/memory"
	"pollux/internal/workspace"
)

// Memory returns the memory that a session with these options has. Nothing is
// read before it is asked for.
func Memory(o Options) *memory.Memory { return newMemory(o, newWorkspace(o)) }

// MemoryFile returns the user's own memory file, for all projects.
func MemoryFile(o Options) string {
	return filepath.Join(o.Paths.Gemini(), memoryNames(o.Settings)[0])
}

func memoryNames(s *config.Settings) []string { return memory.Names(config.MemoryNames.In(s)) }

func newMemory(o Options, ws *workspace.Workspace) *memory.Memory {
	s := o.Settings
	return memory.New(memory.Options{
		Names:     memoryNames(s),
		Global:    o.Paths.Gemini(),
		Private:   filepath.Join(o.Paths.ProjectTempPath(), "memory"),
		Workspace: ws,
		Trusted:   o.Trusted,
		Markers:   config.MemoryMarkers.In(s),
		Flat:      config.MemoryImportFormat.In(s) == "flat",
		Eager:     config.MemoryEager.In(s),
		MaxDirs:   config.MemoryMaxDirs.In(s),
		Warn:      o.Warn,
		Log:       o.Log,
	})
}
