package slash

import (
	"context"
	"strings"

	"pollux/internal/exit"
	"pollux/internal/memory"
)

func memoryShow(_ context.Context, s *Session, _ string) (Result, error) {
	return Result{Text: memory.Show(s.App.Memory.Files())}, nil
}

func memoryList(_ context.Context, s *Session, _ string) (Result, error) {
	return Result{Text: memory.List(s.App.Memory.Files())}, nil
}

func memoryReload(_ context.Context, s *Session, _ string) (Result, error) {
	s.App.ReloadMemory()
	return Result{Text: memory.Reloaded(s.App.Memory.Files())}, nil
}

// memoryAdd writes a line into the user's own file, and tells the model of it.
func memoryAdd(_ context.Context, s *Session, text string) (Result, error) {
	if text == "" {
		return fail("Say what to remember, as in: /memory add I write British English.")
	}
	file := s.App.MemoryFile()
	item, added, err := memory.Add(file, text)
	if err != nil {
		return Result{}, exit.Errorf(exit.General, "Cannot add to memory: %w.", err)
	}
	item = strings.TrimPrefix(item, "- ")
	if !added {
		return say("It is already in %s: %s", file, item)
	}
	s.App.ReloadMemory()
	return say("Added to %s: %s", file, item)
}
