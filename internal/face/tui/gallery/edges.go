package gallery

import (
	"time"

	"pollux/agent"
	"pollux/internal/face/kit"
	"pollux/internal/face/tui/footer"
	"pollux/internal/face/tui/modeline"
	"pollux/internal/face/tui/queue"
	"pollux/internal/face/tui/shortcuts"
	"pollux/internal/face/tui/todo"
	"pollux/tool"
)

// todos returns the task list of the model.
func todos() *tool.TodoDisplay {
	return &tool.TodoDisplay{Todos: []tool.Todo{
		{Description: "Find the place where the zone gets lost", Status: tool.TodoCompleted},
		{Description: "Keep the name of the zone in Station, and look the offset up for each date", Status: tool.TodoInProgress},
		{Description: "Add a test for both changes of the clock", Status: tool.TodoPending},
		{Description: "Ask for the new format of the importer", Status: tool.TodoBlocked},
		{Description: "Cache the zones", Status: tool.TodoCancelled},
	}}
}

// trayScenes returns the scenes of the trays above the input.
func trayScenes() []Scene {
	return []Scene{
		{"todo", func(s *stage) { s.tray(false) }},
		{"todo-expanded", func(s *stage) { s.tray(true) }},
		{"queue", func(s *stage) {
			prompts := []string{"Then update the changelog.", "Which stations have no zone?\nList them.", "Run the linter.", "Commit."}
			for _, p := range prompts {
				s.events = append(s.events, kit.Queued{Text: p})
			}
			s.add(queue.Lines(prompts, "↑", s.width, s.theme)...)
		}},
		{"shortcuts", func(s *stage) {
			s.events = append(s.events, kit.Help{})
			s.add(shortcuts.Lines(s.width, s.theme, s.bindings)...)
		}},
	}
}

// tray adds the task list.
func (s *stage) tray(isExpanded bool) {
	var y todo.Tray
	y.Handle(kit.Ran{Event: ended(callOf("write_todos"), agent.Success, &tool.Result{Display: todos()})})
	y.IsExpanded = isExpanded
	s.add(y.Lines(s.width, height, "Ctrl+T", s.theme)...)
}

// edgeScenes returns the scenes of the row with the mode, and of the footer.
func edgeScenes() []Scene {
	uses := modeline.Context{OpenFiles: 2, ContextFiles: 1, ContextName: "GEMINI.md", Servers: 3, Blocked: 1, Skills: 4, Processes: 1}
	all := footer.Options{Items: footer.IDs()}
	labels := footer.Settings{ShowLabels: true}.Options()
	return []Scene{
		mode("mode-default", modeline.Mode{Approval: "default", HasPlan: true}, uses),
		mode("mode-auto-edit", modeline.Mode{Approval: "auto_edit", HasPlan: true}, modeline.Context{ContextFiles: 2}),
		mode("mode-plan", modeline.Mode{Approval: "plan", HasPlan: true}, modeline.Context{Blocked: 2}),
		mode("mode-yolo", modeline.Mode{Approval: "yolo", HasPlan: true, IsRaw: true}, modeline.Context{}),
		mode("mode-shell", modeline.Mode{Approval: "default", IsShell: true}, modeline.Context{HasOwnPrompt: true}),
		{"mode-reduced", func(s *stage) {
			s.add(modeline.Short(modeline.Mode{Approval: "auto_edit", HasPlan: true}, 0.3, 0.5, s.width, s.theme))
			s.add(modeline.Short(modeline.Mode{Approval: "plan"}, 0.62, 0.5, s.width, s.theme))
			s.add(modeline.Short(modeline.Mode{Approval: "yolo"}, 0.3, 0.5, s.width, s.theme))
			s.add(modeline.Short(modeline.Mode{IsShell: true}, 0.3, 0.5, s.width, s.theme))
		}},
		foot("footer", used(), footer.Settings{}.Options()),
		foot("footer-labels", used(), labels),
		foot("footer-all", used(), all),
		foot("footer-warnings", footer.Values{
			Workspace: "~/tideline", IsDebug: true, Branch: "zones", Sandbox: "no sandbox", IsUnsafe: true, IsUntrusted: true, Model: "gemini-2.5-pro",
			HasContext: true, Context: 0.97, CompressAt: 0.5, HasQuota: true, Quota: 1, Mode: "NORMAL",
		}, footer.Settings{}.Options()),
	}
}

// used returns the values of the footer in the middle of a session.
func used() footer.Values {
	return footer.Values{
		Workspace: "~/src/harbour/tideline", Branch: "zones", Sandbox: "bwrap", Model: "gemini-2.5-pro", HasContext: true, Context: 0.31, CompressAt: 0.5,
		HasQuota: true, Quota: 0.12, Memory: 48 << 20, Session: "3f9a2c1e-7f55-4b8e-9d1f-6a2b1c0d9e8f", Host: "gannet", Auth: "API key", Added: 12, Removed: 7,
		Tokens: 48_213, HasCost: true, Cost: 0.2175, TurnTime: 83 * time.Second, Command: "high water 09:12",
	}
}

func mode(name string, m modeline.Mode, c modeline.Context) Scene {
	return Scene{name, func(s *stage) { s.add(modeline.Line(m, c, s.width, s.theme, s.bindings)) }}
}

func foot(name string, v footer.Values, o footer.Options) Scene {
	return Scene{name, func(s *stage) { s.add(footer.Lines(v, o, s.width, s.theme)...) }}
}
