package gallery

import (
	"time"

	"pollux/internal/face/tui/greeting"
	"pollux/internal/face/tui/recap"
	"pollux/internal/record"
	"pollux/tool"
)

// greetingScenes returns the scenes of the beginning of a session.
func greetingScenes() []Scene {
	return []Scene{
		{"greeting-identity", func(s *stage) {
			s.add(greeting.Identity("Google AI Studio", "GEMINI_API_KEY", s.width, s.theme))
		}},
		{"greeting-tour", func(s *stage) { s.add(greeting.Tour(s.width, s.theme, s.bindings)...) }},
		{"greeting-tips", func(s *stage) { s.add(greeting.Tips(false, s.width, s.theme, s.bindings)...) }},
		{"greeting-recap", func(s *stage) {
			r := recap.Recap{Prompt: "Add a test for the change in October.", Age: 5 * time.Hour, Work: record.Work{
				Files: []string{"/tideline/station.go", "/tideline/station_test.go"}, Added: 31, Removed: 4,
				Commands: 3, LastCommand: "go test ./...",
				Todos: []tool.Todo{{Description: "Write the test", Status: tool.TodoCompleted}, {Description: "Describe the column in the manual", Status: tool.TodoPending}},
			}}
			s.add(r.Lines(s.width, s.theme, func(path string) string { return path })...)
		}},
	}
}
