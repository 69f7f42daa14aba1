package gallery

import "pollux/internal/face/kit"

// promptScenes returns the scenes of the user's own lines.
func promptScenes() []Scene {
	return []Scene{
		{"prompt", func(s *stage) { s.transcript.Prompt(longPrompt) }},
		{"prompt-command", func(s *stage) { s.transcript.Prompt("/model set gemini-2.5-pro") }},
		{"prompt-shell", func(s *stage) { s.transcript.Shell("git log --oneline -3") }},
		{"prompt-of-hook", func(s *stage) {
			s.handle(kit.Began{IsRun: true, IsNew: true, Prompt: "The linter of this project reports 2 problems. Fix them before you go on."})
		}},
		{"prompt-not-sent", func(s *stage) {
			s.handle(kit.NotSent{Texts: []string{"Then update the changelog, with a line for each station."}})
		}},
	}
}
