package slash

import (
	"context"
	"strings"

	"pollux/internal/exit"
	"pollux/internal/memory"
)

// memoryShow shows the content of the memory files in use.
func memoryShow(_ context.Context, s *Runner, _ string) (Result, error) {
	return Result{Text: memory.Show(s.Session.Memory.Files())}, nil
}

// memoryList lists the memory files in use.
func memoryList(_ context.Context, s *Runner, _ string) (Result, error) {
	return Result{Text: s.Session.Project.Paths.DisplayText(memory.List(s.Session.Memory.Files()))}, nil
}

// memoryReload reads the memory files again, and updates the model's instructions.
func memoryReload(ctx context.Context, s *Runner, _ string) (Result, error) {
	s.Session.ReloadMemory(ctx)
	return Result{Text: memory.FormatReloaded(s.Session.Memory.Files())}, nil
}

// memoryAdd adds a line to the user's own memory file, and reloads the memory.
func memoryAdd(ctx context.Context, s *Runner, text string) (Result, error) {
	if text == "" {
		return usageError("Enter the text to remember, such as /memory add I write British English.")
	}
	file := s.Session.Project.MemoryFile()
	item, added, err := memory.Add(file, text)
	if err != nil {
		return Result{}, exit.Errorf(exit.General, "Cannot add to memory: %w.", err)
	}
	item = strings.TrimPrefix(item, "- ")
	if !added {
		return textResult("Already in %s: %s", s.Session.Project.Paths.Display(file), item)
	}
	s.Session.ReloadMemory(ctx)
	return textResult("Added to %s: %s", s.Session.Project.Paths.Display(file), item)
}
