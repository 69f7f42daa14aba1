package gallery

import (
	"errors"
	"fmt"
	"time"

	"pollux/agent"
	"pollux/internal/face/kit"
	"pollux/internal/manage"
	"pollux/internal/outcome"
	"pollux/internal/record"
	"pollux/internal/slash"
	"pollux/llm"
)

// overload is the error of a busy provider.
func overload() error {
	return &llm.Error{Kind: llm.KindServer, Status: 503, Message: "The model is overloaded. Please try again later."}
}

// noteScenes returns the scenes of messages of Pollux, and of the results of / commands.
func noteScenes() []Scene {
	return []Scene{
		{"note-info", func(s *stage) { s.handle(kit.Notice{Text: "Unknown command: /modle. Did you mean /model?"}) }},
		{"note-warning", func(s *stage) {
			s.handle(kit.Warning{Text: "The MCP server weather did not start: it exited with code 127. To see its output, run 'pollux mcp test weather'."})
		}},
		{"note-failure", func(s *stage) { s.handle(kit.Failed{Err: overload()}) }},
		{"note-failure-plain", func(s *stage) { s.handle(kit.Failed{Err: errors.New("open /home/mira/notes.md: permission denied")}) }},
		{"note-cancelled", func(s *stage) { s.handle(kit.Cancelled{ByInterrupt: true}) }},
		{"note-settled", func(s *stage) {
			s.handle(kit.Settled{Calls: []*agent.PreparedCall{prepared("run_shell_command", "go test ./...")}})
		}},
		{"note-ended", func(s *stage) {
			s.handle(kit.Finished{}, kit.Ended{Text: "Goodbye!\nTo resume this session: pollux --resume 3f9a2c1e-7f55-4b8e-9d1f-6a2b1c0d9e8f"})
		}},
		{"note-model", func(s *stage) {
			s.transcript.Options.ShowsModel = true
			s.run(agent.ModelInfo{Model: "gemini-2.5-pro"})
		}},
		{"notes-request", requestNotes},
		{"notes-end", endNotes},
		{"result-table", func(s *stage) {
			s.handle(kit.CommandDone{Result: slash.Result{Outcome: outcome.New(outcome.Text("Tools of the server weather:"), &outcome.Table{
				Head: []string{"Tool", "Description"},
				Rows: [][]string{{"forecast", "The weather at a place, for up to 7 days"}, {"warnings", "Warnings of the weather service that are in effect"}},
			})}})
		}},
		{"result-failure", func(s *stage) {
			err := fmt.Errorf("%s", "There is no model gemini-9. Did you mean gemini-2.5-pro?")
			s.handle(kit.CommandDone{Result: slash.Failure(err)})
		}},
		{"result-recap", func(s *stage) {
			s.handle(kit.CommandDone{Result: slash.Result{Next: manage.Next{Recap: &record.Recap{
				Title: "Time zones of stations", Prompts: 4, Prompt: "Add a test for the change in October.", Answer: "Done: `TestClockChange` has **both** dates now.",
			}}}})
		}},
	}
}

// requestNotes shows the messages about requests to the model.
func requestNotes(s *stage) {
	const model, other = "gemini-2.5-pro", "gemini-2.5-flash"
	s.run(
		agent.Silent{Silence: llm.Silence{Model: model, Host: "generativelanguage.googleapis.com", Elapsed: 10 * time.Second}},
		agent.Waiting{Retry: llm.Retry{Attempt: 2, MaxAttempts: 10, Delay: 5 * time.Second, Err: overload(), Model: model}},
		agent.Retried{Cause: agent.InvalidStream{Type: "INCOMPLETE_STREAM"}, Attempt: 2, MaxAttempts: 4},
		agent.Switched{Switch: llm.Switch{From: model, To: other, Err: overload()}},
		agent.Compressed{Compression: agent.Compression{Status: agent.CompressedOK, Before: 184_220, After: 31_906}},
		agent.Joined{Prompt: agent.Prompt{Parts: []llm.Part{llm.Text("Use the names of the IANA database.")}}},
	)
}

// endNotes shows the messages about runs that have ended before the answer.
func endNotes(s *stage) {
	s.run(
		agent.Finished{Reason: llm.FinishMaxTokens},
		agent.InvalidStream{Type: "NO_RESPONSE_TEXT"},
		agent.Overflow{Estimate: 1_204_000, Remaining: 920_000, Cause: agent.OverflowPrompt},
		agent.LoopDetected{Kind: "tool_call"},
		agent.Exhausted{Requests: 25},
		agent.MaxTurns{Limit: 50},
		agent.Stopped{Reason: "The budget of this project is used up."},
		agent.Blocked{Reason: "The prompt names a customer."},
		agent.EditsLeft{Files: []string{work + "/internal/tide/station.go"}},
	)
}
