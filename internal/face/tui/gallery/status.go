package gallery

import (
	"time"

	"pollux/agent"
	"pollux/internal/face/kit"
	"pollux/internal/face/tui/keys"
	"pollux/internal/face/tui/phrases"
	"pollux/internal/face/tui/toast"
	"pollux/internal/face/tui/working"
	"pollux/internal/guard/hook"
	"pollux/llm"
)

// workingScenes returns the scenes of the status row.
func workingScenes() []Scene {
	const model = "gemini-2.5-pro"
	return []Scene{
		during("status-thinking", 4, true),
		during("status-subject", 65.5, true, agent.Thinking{Subject: "Comparing the offsets of both files", Text: "The"}),
		during("status-retry", 12, true, agent.Waiting{Retry: llm.Retry{Attempt: 2, MaxAttempts: 10, Delay: 20 * time.Second, Err: overload(), Model: model}}),
		during("status-silent", 14, true, agent.Silent{Silence: llm.Silence{Model: "qwen3-coder:30b", Host: "localhost:11434", Elapsed: 10 * time.Second}}),
		during("status-unusable", 6, true, agent.ModelInfo{Model: model}, agent.Retried{Cause: agent.InvalidStream{Type: "NO_RESPONSE_TEXT"}, Attempt: 2, MaxAttempts: 4}),
		during("status-command", 1, false),
		{"status-hook", func(s *stage) {
			e := kit.HooksRunning{Hooks: []hook.Running{{Name: "format", Number: 1, Count: 2, IsUsers: true}, {Name: "check-licenses", Number: 1, Count: 1, IsUsers: true}}}
			s.events = append(s.events, e)
			s.status(3, true, func(r *working.Row) { r.Handle(e, clock(0)) })
		}},
		{"status-compressing", func(s *stage) { s.status(8, false, func(r *working.Row) { r.SetTask(working.Compressing) }) }},
		{"status-question", func(s *stage) {
			s.status(31, true, func(r *working.Row) {
				r.Handle(kit.Asked{Question: kit.NewQuestion(shellQuestion(), true, names{})}, clock(9))
			})
		}},
		{"status-phrases", func(s *stage) {
			s.status(7, true, func(r *working.Row) {
				p := phrases.New("all", nil, 0)
				r.Options.Wit, r.Options.Tip = p.Wit, p.Tip
			})
		}},
		{"status-still", func(s *stage) { s.status(21, true, func(r *working.Row) { r.Options.IsStill = true }) }},
	}
}

// during returns the scene of the status row, so many seconds after the work began.
func during(name string, seconds float64, isRun bool, events ...agent.Event) Scene {
	return Scene{name, func(s *stage) {
		s.status(seconds, isRun, func(r *working.Row) {
			for _, e := range events {
				r.Handle(kit.Ran{Event: e}, clock(0))
				s.events = append(s.events, kit.Ran{Event: e})
			}
		})
	}}
}

// status adds the status row of work, so many seconds after it began.
func (s *stage) status(seconds float64, isRun bool, prepare func(*working.Row)) {
	var r working.Row
	r.Handle(kit.Began{IsRun: isRun}, clock(0))
	prepare(&r)
	s.add(r.Line(s.width, clock(seconds), s.theme, s.bindings))
}

// toastScenes returns the scenes of the line of messages.
func toastScenes() []Scene {
	b := keys.Default("linux")
	var scenes []Scene
	for _, m := range []struct {
		name string
		kind toast.Kind
		text string
	}{
		{"toast-expand", toast.Expand, toast.More(b, false)},
		{"toast-queue", toast.QueueError, toast.NoSlashInQueue},
		{"toast-hint", toast.Hint, toast.NothingToRewind},
		{"toast-escape", toast.Escape, toast.Again(b, keys.BasicCancel, toast.ToClear)},
		{"toast-exit", toast.Exit, toast.Again(b, keys.BasicExit, toast.ToExit)},
		{"toast-warning", toast.Warning, toast.AgainToSuspend(b)},
		{"toast-quit", toast.Quit, toast.Again(b, keys.BasicQuit, toast.ToExit)},
	} {
		scenes = append(scenes, Scene{m.name, func(s *stage) {
			var line toast.Toast
			line.Show(m.text, m.kind, clock(0), toast.UsualTime)
			s.add(line.Line(s.width, clock(0), s.theme))
		}})
	}
	return scenes
}
