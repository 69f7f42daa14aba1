package gallery

import "pollux/agent"

// answerScenes returns the scenes of the model's answers and thoughts.
func answerScenes() []Scene {
	return []Scene{
		answer("answer-headings", headings),
		answer("answer-lists", lists),
		answer("answer-table", table),
		answer("answer-links", links),
		answer("answer-go", goAnswer),
		answer("answer-python", pythonAnswer),
		answer("answer-diff", diffAnswer),
		{"answer-numbers", func(s *stage) {
			s.transcript.Options.LineNumbers = true
			s.run(agent.Text{Text: pythonAnswer}, agent.Finished{})
		}},
		{"answer-open", func(s *stage) {
			s.run(agent.Text{Text: "The hour is lost in **two** places.\n\nThe first one is the loader, which keeps `Offset` as a"})
			s.pend(2)
		}},
		{"answer-code-open", func(s *stage) {
			s.run(agent.Text{Text: "Run this:\n\n```sh\ncd internal/tide\ngo test -run 'Zone|Cl"})
			s.pend(2)
		}},
		{"thought", func(s *stage) {
			s.transcript.Options.ShowsThoughts = true
			s.run(agent.Thinking{Subject: "Comparing offsets", Text: "The loader"}, agent.Thought{
				Subject: "Comparing offsets", Description: "The loader keeps minutes, the printer adds an hour for summer.\n\nBoth cannot be right.",
			})
		}},
		{"citations", func(s *stage) {
			s.run(agent.Text{Text: "Portugal changes its clocks on the last Sunday of March."}, agent.Citations{
				Text: "Citations:\nhttps://www.timeanddate.example/portugal/lisbon\nhttps://ec.europa.example/transport/summertime",
			})
		}},
	}
}

// answer returns the scene of a finished answer.
func answer(name, text string) Scene {
	return Scene{name, func(s *stage) { s.run(agent.TurnStarted{Turn: 1}, agent.Text{Text: text}, agent.Finished{}) }}
}
