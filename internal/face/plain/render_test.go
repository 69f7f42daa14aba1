package plain

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"reflect"
	"strings"
	"testing"
	"time"

	"pollux/agent"
	"pollux/agent/agenttest"
	"pollux/internal/exit"
	"pollux/internal/terminal"
	"pollux/internal/wording"
	"pollux/llm"
	"pollux/tool"
)

// tells returns the output of a run with these events.
func tells(t *testing.T, o backend, events ...agent.Event) string {
	t.Helper()
	o.Run = func(context.Context, agent.Prompt) iter.Seq2[agent.Event, error] { return happens(events...) }
	p := sit(t, o)
	p.types("go")
	p.leaves()
	seen := strings.TrimPrefix(p.paper.String(), "> go\n")
	return strings.TrimSuffix(strings.TrimSuffix(seen, "Agent powering down. Goodbye!\n"), "> \n")
}

// sample returns an event of the same kind with text in it.
func sample(e agent.Event) agent.Event {
	call := callOf("read_file", "1")
	switch e.(type) {
	case agent.Text:
		return agent.Text{Text: "Hello"}
	case agent.Switched:
		return agent.Switched{Switch: llm.Switch{From: "a", To: "b", Err: errors.New("Busy.")}}
	case agent.Thought:
		return agent.Thought{Subject: "Plan", Description: "First this"}
	case agent.Citations:
		return agent.Citations{Text: "Citations:\nhttps://example.org"}
	case agent.Finished:
		return agent.Finished{Reason: llm.FinishMaxTokens}
	case agent.Waiting:
		return agent.Waiting{Retry: llm.Retry{Attempt: 1, MaxAttempts: 10, Delay: 2100 * time.Millisecond, Err: errors.New("Overloaded."), Model: "m"}}
	case agent.Silent:
		return agent.Silent{Silence: llm.Silence{Model: "m", Host: "gpu.local:8080", Elapsed: 10*time.Second + time.Millisecond}}
	case agent.EditsLeft:
		return agent.EditsLeft{Files: []string{"/a.go"}}
	case agent.Joined:
		return agent.Joined{Prompt: agent.Prompt{Parts: []llm.Part{llm.Text("Mind the tests")}}}
	case agent.ToolRequested:
		return agent.ToolRequested{Call: call}
	case agent.ToolUpdated:
		return agent.ToolUpdated{Call: call, Status: agent.Executing, Summary: "go.mod"}
	case agent.ToolAsked:
		return agent.ToolAsked{Call: call, Question: agenttest.Question(call, shellQuestion()), Answer: func(tool.Answer) {}}
	case agent.ToolFinished:
		return agenttest.Finished(call, agent.Success, &tool.Result{Summary: "12 lines"})
	case agent.Nested:
		inside := agenttest.Finished(callOf("read_file", "2"), agent.Success, &tool.Result{Summary: "12 lines"})
		return agent.Nested{Call: callOf("investigate", "1"), Event: inside}
	case agent.Compressed:
		return agent.Compressed{Compression: agent.Compression{Status: agent.CompressedOK, Before: 9000, After: 1200}}
	case agent.Exhausted:
		return agent.Exhausted{Requests: 100}
	case agent.InvalidStream:
		return agent.InvalidStream{Type: "SAFETY_BLOCKED"}
	case agent.Stopped:
		return agent.Stopped{Reason: "enough"}
	case agent.Blocked:
		return agent.Blocked{SystemMessage: "not that"}
	}
	return e
}

// Each kind of event is shown, or isHidden has the reason.
func TestEvents(t *testing.T) {
	want := map[string]string{
		"Text":          "Model: Hello\n",
		"Switched":      "Warning: a failed: Busy. Switched to b.\n",
		"Thought":       "Thinking: Plan\nFirst this\n",
		"Citations":     "Citations:\nhttps://example.org\n",
		"Finished":      "Warning: Response truncated due to token limits.\n",
		"Retried":       "Warning: The response was unusable. Ignore its text so far. Retrying.\n",
		"Waiting":       "Overloaded. Retrying in 2 s (2 of 10).\n",
		"Silent":        "Waiting for m at gpu.local:8080, 10 s so far. A long prompt can take minutes. Ctrl+C cancels.\n",
		"EditsLeft":     "Warning: The last edit of /a.go failed and was not repeated.\n",
		"Joined":        "Sent to the model: Mind the tests\n",
		"ToolRequested": "", // told when it runs
		"ToolUpdated":   "read_file: go.mod\n",
		"ToolAsked":     "The input has ended: the answer is no.\n",
		"ToolFinished":  "Done: read_file: 12 lines\n",
		"Nested":        "investigate: Done: read_file: 12 lines\n",
		"Compressed":    "Chat history compressed from 9000 to 1200 tokens.\n",
		"Overflow":      "Error: The prompt does not fit into the context window (0 tokens, 0 left). Start a new session, or choose a model with a larger context window.\n",
		"InvalidStream": "Error: The model response was blocked due to safety settings.\n",
		"LoopDetected":  "A potential loop was detected. This can happen due to repetitive tool calls or other model behavior. The request has been halted.\n",
		"Exhausted":     "Warning: Stopped after 100 requests in a row without a tool call.\n",
		"MaxTurns":      "Error: Reached max session turns for this session. Increase the number of turns by specifying maxSessionTurns in settings.json.\n",
		"Stopped":       "Agent execution stopped: enough\n",
		"Blocked":       "Agent execution blocked: not that\n",
		"Cancelled":     "User cancelled the request.\n",
	}
	for _, kind := range agent.Events() {
		e := sample(kind)
		name := reflect.TypeOf(e).Name()
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				ended := runs(func(ctx context.Context, _ string, emit func(agent.Event)) error {
					time.Sleep(time.Second) // until the input has ended
					emit(e)
					return nil
				})
				p := sit(t, backend{ShowThoughts: true, Run: ended})
				p.types("go")
				p.leaves()
				got := strings.TrimSuffix(strings.TrimPrefix(p.paper.String(), "> go\n"), "Agent powering down. Goodbye!\n")
				if isHidden(e, look{showThoughts: true}) != (got == "" && name != "ToolRequested") {
					t.Errorf("shown: %q, and isHidden returns %v", got, isHidden(e, look{showThoughts: true}))
				}
				if got != want[name] {
					t.Errorf("told: %q, want %q", got, want[name])
				}
			})
		})
	}
}

func TestCitationsNotWanted(t *testing.T) {
	bubble(t, func(t *testing.T) {
		if got := tells(t, backend{HideCitations: true}, agent.Citations{Text: "Citations:\nhttps://example.org"}); got != "" {
			t.Errorf("told: %q", got)
		}
	})
}

func TestThoughtsNotWanted(t *testing.T) {
	bubble(t, func(t *testing.T) {
		if got := tells(t, backend{}, agent.Thought{Subject: "Plan"}, agent.Thinking{Text: "x"}); got != "" {
			t.Errorf("told: %q", got)
		}
	})
}

// The answer is shown in whole words, without terminal escapes.
func TestAnswer(t *testing.T) {
	for _, tt := range []struct {
		name   string
		chunks []string
		want   string
	}{
		{"words", []string{"Hel", "lo wor", "ld", "."}, "Model: Hello world.\n"},
		{"lines", []string{"\n\na\n", "\nb\n\n"}, "Model: a\n\nb\n\n"},
		{"nothing", []string{"\n", " \n"}, ""},
		{"escapes", []string{"a\x1b", "[2Jb\x1b]0;ti", "tle\x07c"}, "Model: abc\n"},
		{"written over", []string{"evil\rgood\r\nend"}, "Model: evil\ngood\nend\n"},
		{"direction", []string{"a\u202eb\u200bc"}, "Model: abc\n"},
		{"never ends", []string{"\x1b]0;all the rest"}, "Model: ]0;all the rest\n"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				var events []agent.Event
				for _, c := range tt.chunks {
					events = append(events, agent.Text{Text: c})
				}
				if got := tells(t, backend{}, events...); got != tt.want {
					t.Errorf("told: %q, want %q", got, tt.want)
				}
			})
		})
	}
}

// Thinking flushes an incomplete word.
func TestHesitation(t *testing.T) {
	bubble(t, func(t *testing.T) {
		p := sit(t, backend{Run: runs(func(_ context.Context, _ string, emit func(agent.Event)) error {
			emit(agent.Text{Text: "One wo"})
			time.Sleep(time.Minute / 4)
			emit(agent.Text{Text: "rd"})
			return nil
		})})
		p.types("go")
		p.sees("> go\nModel: One")
		time.Sleep(time.Second)
		p.sees(" wo")
		p.leaves()
		p.sees("rd\nAgent powering down. Goodbye!\n")
	})
}

// Lines are broken at words where the terminal is narrower; code and the output of programs
// are not.
func TestWrapping(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name string
		do   func(*screen, *renderer)
		want string
	}{
		{"answer", func(_ *screen, v *renderer) {
			for _, chunk := range strings.Split("One two three four five.\n- six seven eight nine ten\n```\ncode code code code code\n```\n", "") {
				v.addText(chunk)
			}
			v.endAnswer()
		}, "Model: One two three\n  four five.\n  - six seven eight\n    nine ten\n  ```\n  code code code code code\n  ```\n"},
		{"lines like those of Pollux", func(_ *screen, v *renderer) {
			v.addText("Done\n\nWarning: x\n\tShell: ls\n> yes\n| a | b |\nQuestion: Confirm Shell")
			v.endAnswer()
		}, "Model: Done\n\n  Warning: x\n  \tShell: ls\n  > yes\n  | a | b |\n  Question: Confirm\n  Shell\n"},
		{"a message with text of others", func(s *screen, _ *renderer) {
			s.message("Error: one\ntwo three four five six")
		}, "Error: one\n  two three four\n  five six\n"},
		{"warning within an answer", func(s *screen, v *renderer) {
			v.addText("One two th")
			s.line("Warning: one two three")
			v.addText("ree four")
			v.endAnswer()
		}, "Model: One two\nWarning: one two\nthree\n  three four\n"},
		{"prompt", func(s *screen, _ *renderer) { s.showPrompt("Answer, 1 to 3, or ? for help: ") }, "Answer, 1 to 3, or ?\nfor help: "},
		{"question within an answer", func(s *screen, v *renderer) {
			v.addText("one two three ")
			v.endAnswer()
			s.line("1. Trust this folder.")
			s.showPrompt("> ")
			v.addText("four ")
			v.endAnswer()
			s.restorePrompt()
		}, "Model: one two three\n1. Trust this\n   folder.\n> \nModel: four\n> "},
		{"output", func(s *screen, _ *renderer) { s.verbatim("one two three four five\n") }, "one two three four five\n"},
	} {
		out := &paper{}
		s := newScreen(&terminal.Terminal{Out: terminal.NewWriter(out), OutTTY: true, Width: 20})
		tt.do(s, &renderer{screen: s, timer: stoppedTimer()})
		s.flush()
		if got := out.String(); got != tt.want {
			t.Errorf("%s:\n%s\nwant:\n%s", tt.name, got, tt.want)
		}
	}
}

func TestCalls(t *testing.T) {
	long := ""
	for i := 1; i <= 20; i++ {
		long += fmt.Sprintf("line %d\n", i)
	}
	before := "a\n"
	diff := &tool.DiffDisplay{FileName: "a", FilePath: "/a", Before: &before, After: "b\n", Diff: "--- a\n+++ a\n@@ -1,1 +1,1 @@\n-a\n+b\n"}
	c, other := callOf("run_shell_command", "1"), callOf("grep_search", "2")
	run := func(c *agent.ToolCall, summary string) agent.Event {
		return agent.ToolUpdated{Call: c, Status: agent.Executing, Summary: summary}
	}
	done := func(c *agent.ToolCall, r *tool.Result) agent.Event {
		return agenttest.Finished(c, agent.Success, r)
	}
	failed := func(r *tool.Result) agent.Event {
		return agenttest.Finished(c, agent.Failed, r)
	}
	refused := func(summary string) agent.Event {
		f := agenttest.Finished(c, agent.CallCancelled, nil)
		f.Executions[0].Summary = summary
		return f
	}
	changed := func(e agent.Event) agent.Event {
		f := e.(agent.ToolFinished)
		f.Executions[0].Changes = &tool.Changes{Deleted: 1, Removed: 3}
		return f
	}
	for _, tt := range []struct {
		name   string
		events []agent.Event
		want   string
	}{
		{"changes", []agent.Event{run(c, "rm a"), changed(done(c, &tool.Result{Display: tool.TerminalDisplay("")}))}, "Shell: rm a\nDone: Shell\n1 file deleted (+0, -3)\n"},
		{"changes of an edit", []agent.Event{changed(done(c, &tool.Result{Display: diff}))}, "  @@ -1,1 +1,1 @@\n  -a\n  +b\nDone: Shell: 1 line added, 1 line removed\n"},
		{"one line", []agent.Event{run(c, "git status"), done(c, &tool.Result{Display: tool.TerminalDisplay("clean\n")})}, "Shell: git status\nDone: Shell: clean\n"},
		{"no output", []agent.Event{run(c, "true"), done(c, &tool.Result{Display: tool.TerminalDisplay("")})}, "Shell: true\nDone: Shell\n"},
		{"exit code", []agent.Event{run(c, "exit 3"), done(c, &tool.Result{Display: tool.TerminalDisplay("Command exited with code: 3"), Data: map[string]any{"isError": true}})}, "Shell: exit 3\nFailed: Shell: Command exited with code: 3\n"},
		{"many lines", []agent.Event{run(c, "seq 20"), done(c, &tool.Result{Display: tool.TerminalDisplay(long), OutputFile: "/tmp/out"})}, "Shell: seq 20\n" +
			"Output of Shell, the last 15 lines, 5 more lines before them:\n" + strings.ReplaceAll(long[strings.Index(long, "line 6"):], "line", "  line") + "Output too long and was saved to: /tmp/out\nDone: Shell\n"},
		{"end of an output", []agent.Event{run(c, "seq"), done(c, &tool.Result{Display: tool.TerminalDisplay("8\n9\n"), Omitted: 7})}, "Shell: seq\n" +
			"Output of Shell, the last 2 lines, 7 more lines before them:\n  8\n  9\nDone: Shell\n"},
		{"skipped", []agent.Event{agent.ToolFinished{
			Call: c, Status: agent.CallCancelled, Reason: "Not run, because of x\x1b[2J.", Result: &tool.Result{},
			Executions: []agent.Execution{{Name: c.Name, Status: agent.CallCancelled, Summary: "make", Result: &tool.Result{}}},
		}}, "Cancelled: Shell: make: Not run, because of x.\n"},
		{"diff", []agent.Event{run(c, "a"), done(c, &tool.Result{Display: diff})}, "Shell: a\n  @@ -1,1 +1,1 @@\n  -a\n  +b\nDone: Shell: 1 line added, 1 line removed\n"},
		{"list", []agent.Event{done(c, &tool.Result{Display: &tool.ListDisplay{Summary: "Listed 2 items.", Items: []string{"x"}, Skipped: []tool.Skipped{{}}}})}, "Done: Shell: Listed 2 items. (1 left out)\n"},
		{"matches", []agent.Event{done(other, &tool.Result{Display: &tool.MatchDisplay{Summary: "Found 3 matches"}})}, "Done: grep_search: Found 3 matches\n"},
		{
			"todo",
			[]agent.Event{done(c, &tool.Result{Display: &tool.TodoDisplay{Todos: []tool.Todo{{Description: "look", Status: tool.TodoCompleted}, {Description: "write", Status: tool.TodoInProgress}, {Description: "rest", Status: tool.TodoCancelled}}}})},
			"Todo: 1 of 2 completed\ncompleted: look\nin progress: write\ncancelled: rest\nDone: Shell\n",
		},
		{"failed", []agent.Event{run(c, "git x"), failed(tool.Fail(tool.ErrShell, "no such\ncommand"))}, "Shell: git x\nFailed: Shell: no such command\n"},
		{"refused", []agent.Event{failed(&tool.Result{Error: &tool.Error{Message: "Tool execution denied by policy."}})}, "Failed: Shell: Tool execution denied by policy.\n"},
		{"cancelled", []agent.Event{run(c, "sleep 9"), agenttest.Finished(c, agent.CallCancelled, nil)}, "Shell: sleep 9\nCancelled: Shell\n"},
		{"side by side", []agent.Event{run(c, "make"), run(other, "'x'"), done(c, &tool.Result{}), done(other, &tool.Result{})}, "Shell: make\ngrep_search: 'x'\nDone: Shell: make\nDone: grep_search: 'x'\n"},
		{"edits side by side", []agent.Event{run(c, "a"), run(other, "b"), done(c, &tool.Result{Display: diff}), done(other, &tool.Result{})}, "Shell: a\ngrep_search: b\n" +
			"Shell: a:\n  @@ -1,1 +1,1 @@\n  -a\n  +b\nDone: Shell: a: 1 line added, 1 line removed\nDone: grep_search: b\n"},
		{"refused", []agent.Event{refused("b")}, "Cancelled: Shell: b\n"},
		{"live output", []agent.Event{run(c, "make"), agent.ToolUpdated{Call: c, Status: agent.Executing, Output: tool.TerminalDisplay("x")}, done(c, &tool.Result{})}, "Shell: make\nDone: Shell\n"},
		{"hostile", []agent.Event{run(c, "ls\x1b[2J\n\u202ex"), done(c, &tool.Result{Display: tool.TerminalDisplay("a\x1b]0;t\x07\rb\nc\u200b"), Summary: "\x1b[1mx"})}, "Shell: ls \\u202ex\nOutput of Shell:\n  a\n  b\n  c\nDone: Shell: x\n"},
		{"flood", []agent.Event{run(c, "yes"), done(c, &tool.Result{Display: tool.TerminalDisplay(strings.Repeat("y\n", 1<<20) + strings.Repeat("z", 5000))})}, "Shell: yes\n" +
			"Output of Shell, the last 15 lines, 1048562 more lines before them:\n" + strings.Repeat("  y\n", 14) + "  " + strings.Repeat("z", 2000) + "... (3000 more characters)\nDone: Shell\n"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				o := backend{ToolTitle: titled.ToolTitle}
				if got := tells(t, o, tt.events...); got != tt.want {
					t.Errorf("told:\n%.3000s\nwant:\n%.3000s", got, tt.want)
				}
			})
		})
	}
}

// Words replace signs for a screen reader.
func TestSpokenDiff(t *testing.T) {
	t.Parallel()
	d := &tool.DiffDisplay{Diff: "Index: a\n--- a\n+++ a\n@@ -10,3 +12,4 @@ func x() {\n same\n-old\n+new\n+\n\\ No newline at end of file\n"}
	want := "At line 12:\nsame\ndel: old\nadd: new\nadd: \n\\ No newline at end of file"
	if got := diffText(d, true); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if got := countChanges(d.Diff); got != "2 lines added, 1 line removed" {
		t.Error(got)
	}
	for _, broken := range []string{"", "no diff", "@@", "@@ +", "@@ -1 +1 @@\n"} {
		_ = diffText(&tool.DiffDisplay{Diff: broken}, true)
	}
}

func TestFailures(t *testing.T) {
	for _, tt := range []struct {
		name string
		err  error
		want string
	}{
		{"api", &llm.Error{Kind: llm.KindServer, Status: 500, Code: "INTERNAL", Message: "Oh\x1b[2J no", Body: "{}"}, "Error: Oh no (status 500). Try again later, or choose another model with /model.\n[DEBUG] {}\n"},
		{"quota", &llm.Error{Kind: llm.KindQuota, Status: 429, Message: "Too much", Body: "b"}, "Error: Too much (status 429). Check your quota and billing at xAI, or choose another model with /model.\n[DEBUG] b\n"},
		{"network", &llm.Error{Kind: llm.KindNetwork, Message: "no route"}, "Error: no route. Check the network.\n"},
		{"with a code", exit.Errorf(exit.Input, "Not that way."), "Error: Not that way.\n"},
		{"any", errors.New("oops"), "Error: oops\n"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				p := sit(t, backend{Place: func(string) wording.Place { return wording.Place{InSession: true, Provider: "xAI"} }, Debug: true, Run: runs(func(context.Context, string, func(agent.Event)) error { return tt.err })})
				p.types("go")
				p.sees("> go\n" + tt.want + "> ")
				p.leaves()
			})
		})
	}
}

// Silent work is reported at doubling intervals.
func TestSilence(t *testing.T) {
	bubble(t, func(t *testing.T) {
		c := callOf("run_shell_command", "1")
		p := sit(t, backend{Run: runs(func(_ context.Context, _ string, emit func(agent.Event)) error {
			time.Sleep(40 * time.Second)
			emit(agent.ToolUpdated{Call: c, Status: agent.Executing, Summary: "make"})
			time.Sleep(200 * time.Second)
			emit(agenttest.Finished(c, agent.Success, nil))
			return nil
		})})
		p.types("go")
		p.leaves()
		want := "> go\nStill working.\nrun_shell_command: make\nStill working: run_shell_command: make.\nStill working: run_shell_command: make.\nDone: run_shell_command\nAgent powering down. Goodbye!\n"
		p.sees(want)
	})
}

// A fast model does not make memory grow, and no text is lost.
func TestFlood(t *testing.T) {
	bubble(t, func(t *testing.T) {
		const chunks = 100_000
		p := sit(t, backend{Run: runs(func(_ context.Context, _ string, emit func(agent.Event)) error {
			for range chunks {
				emit(agent.Text{Text: "word after word\n"})
			}
			return nil
		})})
		p.types("go")
		p.leaves()
		if n := strings.Count(p.paper.String(), "word after word\n"); n != chunks {
			t.Errorf("%d of %d lines are there", n, chunks)
		}
	})
}

func BenchmarkAnswer(b *testing.B) {
	for b.Loop() {
		v := renderer{screen: newScreen(&terminal.Terminal{Out: terminal.NewWriter(new(paper)), OutTTY: true, Width: 80}), timer: stoppedTimer()}
		for range 1000 {
			v.addText("a word or two, ")
		}
		v.endAnswer()
	}
}
