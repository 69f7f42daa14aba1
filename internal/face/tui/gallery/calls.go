package gallery

import (
	"fmt"
	"strings"

	"pollux/agent"
	"pollux/internal/face/kit"
	"pollux/internal/wording"
	"pollux/tool"
)

// rowScenes returns the scenes of calls that take one line.
func rowScenes() []Scene {
	return []Scene{
		{"rows", rows},
		{"rows-running", func(s *stage) {
			read, grep, shell := callOf("read_file"), callOf("grep_search"), callOf("run_shell_command")
			s.run(agent.ToolRequested{Call: read}, agent.ToolRequested{Call: grep}, agent.ToolRequested{Call: shell},
				began(read, tool.KindRead, "internal/tide/station.go", tool.Location{Path: work + "/internal/tide/station.go"}), began(grep, tool.KindSearch, "'Offset' in **/*.go"))
			s.pend(4)
		}},
		{"rows-progress", func(s *stage) {
			files, upload, count := callOf("index_files"), callOf("upload"), callOf("read_stations")
			for _, c := range []*agent.ToolCall{files, upload, count} {
				s.run(began(c, tool.KindOther, "tideline"))
			}
			s.run(agent.ToolUpdated{Call: files, Output: &tool.ProgressDisplay{Done: 3, Total: 8, Message: "internal/tide/load.go"}},
				agent.ToolUpdated{Call: upload, Output: &tool.ProgressDisplay{Done: 0.62, Total: 1, Message: "Uploading the archive to the server in Lisbon"}},
				agent.ToolUpdated{Call: count, Output: &tool.ProgressDisplay{Done: 1200}})
			s.pend(4)
		}},
		{"rows-failed", func(s *stage) {
			c := callOf("read_file")
			s.run(began(c, tool.KindRead, "internal/tide/zone.go"), ended(c, agent.Failed, tool.Fail(tool.ErrFileNotFound, "File not found: "+work+"/internal/tide/zone.go")))
		}},
		{"rows-failed-full", func(s *stage) {
			s.transcript.Options.ShowsErrors = true
			c := callOf("web_fetch")
			s.run(began(c, tool.KindFetch, "https://tideline.example/stations"), ended(c, agent.Failed, tool.Fail(tool.ErrExecutionFailed, "The server answered 404.\nThe page does not exist.")))
		}},
		{"rows-loose", func(s *stage) {
			s.transcript.Options.IsLoose = true
			rows(s)
		}},
	}
}

// rows shows finished calls that read.
func rows(s *stage) {
	finish := func(name string, kind tool.Kind, summary string, r *tool.Result) {
		c := callOf(name)
		s.run(began(c, kind, summary), ended(c, agent.Success, r))
	}
	matches := &tool.MatchDisplay{Summary: "Found 2 matches", Matches: []tool.Match{
		{Path: "internal/tide/station.go", Line: 4, Text: "Offset int // minutes east of UTC"}, {Path: "internal/tide/load.go", Line: 31, Text: "s.Offset = row.Offset"},
	}}
	finish("read_file", tool.KindRead, "internal/tide/station.go", &tool.Result{Display: tool.TextDisplay(""), Summary: "84 lines"})
	finish("grep_search", tool.KindSearch, "'Offset' in **/*.go", &tool.Result{Display: matches, Summary: matches.Summary})
	finish("list_directory", tool.KindSearch, "internal/tide", &tool.Result{Display: &tool.ListDisplay{
		Summary: "Listed 6 items", Items: []string{"load.go", "predict.go", "station.go"}, Skipped: []tool.Skipped{{Path: "cache", Reason: "ignored by .gitignore"}},
	}})
	finish("web_fetch", tool.KindFetch, "Which zone does https://tideline.example/anselm name?", &tool.Result{
		Display: tool.TextDisplay("Europe/Lisbon"), Summary: "1 page", OutputFile: home + "/.gemini/tmp/tideline/web_fetch_1.txt",
	})
	finish("write_todos", tool.KindOther, "", &tool.Result{Display: todos()})
	finish("update_topic", tool.KindThink, "", &tool.Result{Display: tool.TextDisplay("**Fixing the time zone**\nThe station keeps the name of its zone.")})
}

// commandScenes returns the scenes of shell commands.
func commandScenes() []Scene {
	const test = "go test ./internal/tide/... -run 'Zone|Clock' -count=1"
	failing := "--- FAIL: TestClockChange (0.00s)\n    zone_test.go:14: 2026-03-30: high water at 08:12, want 09:12\nFAIL\nFAIL\ttideline/internal/tide\t0.012s"
	return []Scene{
		{"command-running", func(s *stage) {
			c := callOf("run_shell_command")
			s.run(began(c, tool.KindExecute, test), agent.ToolUpdated{Call: c, Output: tool.TerminalDisplay(stationLog(23))})
			s.pend(75)
		}},
		{"command-finished", func(s *stage) {
			s.runCommand(test, agent.Success, &tool.Result{Display: tool.TerminalDisplay("ok  \ttideline/internal/tide\t0.314s")})
		}},
		{"command-failed", func(s *stage) {
			s.runCommand(test, agent.Success, &tool.Result{Display: tool.TerminalDisplay(failing), Problem: "Command exited with code: 1"})
		}},
		{"command-long", func(s *stage) {
			s.runCommand("make stations", agent.Success, &tool.Result{Display: tool.TerminalDisplay(stationLog(40)), OutputFile: home + "/.gemini/tmp/tideline/run_shell_command_7.txt"})
		}},
		{"command-changed", func(s *stage) {
			c := callOf("run_shell_command")
			f := ended(c, agent.Success, &tool.Result{Display: tool.TerminalDisplay("rewrote 2 stations\n")})
			f.Executions[0].Changes = &tool.Changes{Created: 1, Changed: 2, Deleted: 1, Added: 12, Removed: 3}
			s.run(began(c, tool.KindExecute, "go generate ./internal/station"), f)
			s.transcript.Info(wording.Restore(1))
		}},
		{"command-cancelled", func(s *stage) {
			r := tool.Fail(tool.ErrExecutionFailed, "Cancelled")
			s.runCommand("sleep 600", agent.CallCancelled, r)
		}},
		{"command-waiting", func(s *stage) {
			c := callOf("run_shell_command")
			s.run(agent.ToolRequested{Call: c}, agent.ToolUpdated{Call: c, Status: agent.AwaitingApproval, Kind: tool.KindExecute, Summary: test},
				agent.ToolAsked{Call: c, Question: questionOf(c.Name, test, shellQuestion())})
			s.pend(9)
		}},
		{"command-of-user", func(s *stage) {
			s.transcript.Shell("git log --oneline -2")
			c := &agent.ToolCall{ID: "1", Name: "run_shell_command", Typed: true}
			s.handle(kit.ShellRan{Event: began(c, tool.KindExecute, "git log --oneline -2")}, kit.ShellRan{Event: ended(c, agent.Success, &tool.Result{})},
				kit.ShellDone{Output: "8c1f2aa Print heights in meters\n41d09be Read stations from a file\n"})
		}},
	}
}

// runCommand shows a shell command that has ended.
func (s *stage) runCommand(command string, status agent.Status, r *tool.Result) {
	c := callOf("run_shell_command")
	s.run(began(c, tool.KindExecute, command), ended(c, status, r))
}

// stationLog returns lines of output.
func stationLog(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "station %3d: read %d levels\n", i+1, 8760-7*i)
	}
	return b.String()
}
