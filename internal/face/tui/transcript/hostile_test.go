package transcript

import (
	"fmt"
	"strings"
	"testing"
	"time"
	"unicode"

	"pgregory.net/rapid"

	"pollux/agent"
	"pollux/agent/agenttest"
	"pollux/internal/face/kit"
	"pollux/internal/face/tui/styled"
	"pollux/internal/face/tui/theme"
	"pollux/tool"
)

// hostileTexts are texts that a terminal would act on, that are wide, or that look like lines of Pollux.
var hostileTexts = []string{
	"", " ", "plain", "\x1b]0;title\x07", "\x1b[2J\x1b[31m", "\u009b31m", "a\u202eb\u2066c", "\r\n\t\v\f", "中文字符", "e\u0301\u0301\u0301", "👩‍👩‍👧", "\x00\x7f",
	"\xff\xfe", "✓ Shell", "> prompt", "```", "| a |\n|---|", strings.Repeat("x", 300), strings.Repeat("word ", 60), "a\nb\n\n\nc", "\u2028", "@@ -1 +1 @@\n+x",
}

// anyEvent returns an event with hostile texts.
func anyEvent(t *rapid.T) kit.Event {
	text := func() string { return rapid.SampledFrom(hostileTexts).Draw(t, "text") }
	call := callOf(rapid.SampledFrom([]string{"read_file", "replace", "a\x1b[1m"}).Draw(t, "tool"), fmt.Sprint(rapid.IntRange(0, 3).Draw(t, "id")))
	kind := rapid.SampledFrom([]tool.Kind{tool.KindRead, tool.KindEdit, tool.KindExecute, tool.KindThink, tool.KindCommunicate, tool.KindAgent}).Draw(t, "kind")
	display := func() tool.Display {
		return rapid.SampledFrom([]tool.Display{
			nil, tool.TextDisplay(text()), tool.TerminalDisplay(text()), &tool.DiffDisplay{FileName: "a.go", Diff: text(), After: text()},
			&tool.DiffDisplay{Before: new(string), Diff: "@@ -1 +1 @@\n+" + text()}, &tool.ListDisplay{Summary: text(), Items: []string{text()}},
			&tool.MatchDisplay{Summary: text(), Matches: []tool.Match{{Path: text(), Text: text()}}}, &tool.TodoDisplay{},
			&tool.AgentDisplay{Agent: text(), Result: text(), Activity: []tool.Activity{{Type: "thought", Content: text()}, {Content: text(), Description: text()}}},
		}).Draw(t, "display")
	}
	status := rapid.SampledFrom([]agent.Status{agent.Success, agent.Failed, agent.CallCancelled}).Draw(t, "status")
	switch rapid.IntRange(0, 12).Draw(t, "event") {
	case 0, 1, 2:
		return kit.Ran{Event: agent.Text{Text: text()}}
	case 3:
		return kit.Ran{Event: agent.ToolRequested{Call: call}}
	case 4:
		return kit.Ran{Event: agent.ToolUpdated{Call: call, Status: agent.Executing, Kind: kind, Summary: text(), Output: display()}}
	case 5, 6:
		return kit.Ran{Event: agenttest.Finished(call, status, &tool.Result{Display: display(), Summary: text(), OutputFile: text(), Error: &tool.Error{Message: text()}})}
	case 7:
		return kit.Warning{Text: text()}
	case 8:
		return kit.Began{IsRun: true, IsNew: true, Prompt: text()}
	case 9:
		return kit.Ran{Event: agent.Thought{Subject: text(), Description: text()}}
	case 10:
		return kit.ShellDone{Output: text()}
	case 11:
		return kit.Ran{Event: agent.Nested{Call: call, Event: agenttest.Finished(callOf("x", "9"), status, &tool.Result{Summary: text()})}}
	}
	return kit.Finished{}
}

// TestAnything checks that any events in any order leave lines that are safe and fit, and that nothing stays behind.
func TestAnything(t *testing.T) {
	t.Parallel()
	dark, _ := theme.Lookup(theme.DefaultDark)
	rapid.Check(t, func(t *rapid.T) {
		tr := &Transcript{}
		tr.Options.ShowsThoughts, tr.Options.IsLoose, tr.Options.ShowsErrors = true, rapid.Bool().Draw(t, "loose"), rapid.Bool().Draw(t, "errors")
		tr.Look.Theme = dark
		for range rapid.IntRange(1, 20).Draw(t, "events") {
			tr.Look.Width = rapid.SampledFrom([]int{1, 2, 3, 7, 20, 80}).Draw(t, "width")
			tr.Handle(anyEvent(t), start)
			height := rapid.IntRange(0, 10).Draw(t, "height")
			pending := tr.Pending(height, start.Add(time.Minute))
			if len(pending) > height {
				t.Fatalf("%d lines in a height of %d", len(pending), height)
			}
			for _, l := range pending {
				checkSafe(t, l)
				if l.Width() > tr.Look.Width {
					t.Fatalf("%q is wider than %d columns", l, tr.Look.Width)
				}
			}
		}
		tr.Handle(kit.Finished{}, start)
		for _, l := range tr.Take() {
			checkSafe(t, l)
		}
		if len(tr.queue)+len(tr.open)+tr.held != 0 || tr.Pending(10, start) != nil {
			t.Fatalf("%d items, %d calls and %d bytes remain", len(tr.queue), len(tr.open), tr.held)
		}
	})
}

func checkSafe(t *rapid.T, l styled.Line) {
	for _, r := range l.String() {
		if unicode.IsControl(r) || r == '\u202e' || r == '\u2066' || r == '\u2028' {
			t.Fatalf("%q has the character %U", l, r)
		}
	}
}

// TestHuge checks that texts of any size are shown in bounded lines.
func TestHuge(t *testing.T) {
	t.Parallel()
	c := callOf("run_shell_command", "1")
	for name, text := range map[string]string{"one line": strings.Repeat("x", 10<<20), "lines": strings.Repeat("y\n", 5<<20), "colors": strings.Repeat("\x1b[31m", 2<<20)} {
		tr := newTranscript()
		tr.run(began(c, tool.KindExecute, text), agent.ToolUpdated{Call: c, Output: tool.TerminalDisplay(text)})
		lines := tr.Pending(30, start)
		tr.run(
			done(c, &tool.Result{Display: tool.TerminalDisplay(text), Summary: text}),
			done(callOf("replace", "2"), &tool.Result{Display: &tool.DiffDisplay{FileName: "x.go", After: text}}),
			done(callOf("replace", "3"), &tool.Result{Display: &tool.DiffDisplay{FileName: "x.go", Before: &text, Diff: "@@ -1 +1 @@\n+" + text}}),
			done(callOf("grep_search", "4"), &tool.Result{Display: &tool.MatchDisplay{Summary: text}}),
			agenttest.Finished(callOf("x", "5"), agent.Failed, tool.Fail(tool.ErrShell, text)),
			agent.Thought{Subject: text, Description: text}, agent.Citations{Text: text}, agent.Stopped{Reason: text},
		)
		tr.Prompt(text)
		tr.Handle(kit.ShellDone{Output: text}, start)
		lines = append(lines, tr.Take()...)
		if n := size(lines); n > 1<<20 {
			t.Errorf("%s: %d bytes in %d lines", name, n, len(lines))
		}
	}
}
