package transcript

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"pollux/agent"
	"pollux/agent/agenttest"
	"pollux/internal/face/kit"
	"pollux/internal/face/tui/styled"
	"pollux/tool"
)

func TestRunningCall(t *testing.T) {
	t.Parallel()
	c := callOf("run_shell_command", "1")
	tr := newTranscript().run(agent.ToolRequested{Call: c})
	for _, step := range []struct {
		name    string
		event   agent.Event
		after   time.Duration
		want    string
		ticking bool
	}{
		{"requested", agent.Finished{}, 0, "o Shell\n", false},
		{"asked", agent.ToolAsked{Call: c, Question: agenttest.Question(c, &tool.ExecConfirmation{})}, time.Minute, "? Shell\n", false},
		{"scheduled", agent.ToolUpdated{Call: c, Status: agent.Scheduled, Kind: tool.KindExecute, Summary: "make"}, time.Minute, "o Shell  make\n", false},
		{"begun", agent.ToolUpdated{Call: c, Status: agent.Executing}, 2999 * time.Millisecond, "⊷ Shell  make\n", true},
		{"a while", agent.ToolUpdated{Call: c}, 3 * time.Second, "⊷ Shell  make  (3s)\n", true},
		{"longer", agent.ToolUpdated{Call: c}, 59999 * time.Millisecond, "⊷ Shell  make  (59s)\n", true},
		{"output", agent.ToolUpdated{Call: c, Output: tool.TerminalDisplay("a\tb \nc\n")}, 65 * time.Second, "⊷ Shell  make  (1m 5s)\n  a    b\n  c\n", true},
		{"asks again", agent.ToolUpdated{Call: c, Status: agent.AwaitingApproval}, 65 * time.Second, "? Shell  make\n  a    b\n  c\n", false},
		{"done", done(c, nil), 66 * time.Second, "", false},
	} {
		tr.run(step.event)
		check(t, step.name, joined(tr.Pending(20, start.Add(step.after))), step.want)
		if tr.IsTicking() != step.ticking {
			t.Errorf("%s: IsTicking returns %v", step.name, tr.IsTicking())
		}
	}
}

// TestContinuedCall checks a call with which a hook continues another one.
func TestContinuedCall(t *testing.T) {
	t.Parallel()
	c := callOf("read_file", "1")
	format := callOf("run_shell_command", "2")
	format.Requested = "read_file"
	next := agenttest.Question(format, &tool.ExecConfirmation{}).About()[0]
	tr := newTranscript().run(began(c, tool.KindRead, "a.go"))
	tr.Handle(kit.Ran{Event: agent.ToolUpdated{Call: c, Status: agent.Executing, Kind: tool.KindExecute, Running: next}}, start.Add(time.Minute))
	check(t, "", joined(tr.Pending(9, start.Add(2*time.Minute))), "  ⊷ Shell  (2m 0s)\n")
}

// TestOpenQuestion checks that a question of the model has no row: it has its own place on the screen.
func TestOpenQuestion(t *testing.T) {
	t.Parallel()
	c := callOf("ask_user", "1")
	tr := newTranscript().run(agent.ToolRequested{Call: c}, agent.ToolAsked{Call: c, Question: agenttest.Question(c, &tool.QuestionConfirmation{})})
	if lines := tr.Pending(9, start); lines != nil {
		t.Errorf("pending: %q", texts(lines))
	}
}

// TestShownBeginning checks the height of an answer whose beginning was printed: no gap precedes the rest.
func TestShownBeginning(t *testing.T) {
	t.Parallel()
	tr := newTranscript().run(agent.Text{Text: "```\none\ntwo"})
	tr.Warn("beside")
	check(t, "", joined(tr.Pending(3, start)), "two\n\n⚠  beside\n")
}

// TestLiveOutput checks how much of the live output is shown.
func TestLiveOutput(t *testing.T) {
	t.Parallel()
	c := callOf("run_shell_command", "1")
	tr := newTranscript().run(began(c, tool.KindExecute, "seq 40"), agent.ToolUpdated{Call: c, Output: tool.TerminalDisplay(numbered(40))})
	for _, step := range []struct {
		height int
		want   string
	}{
		{30, "⊷ Shell  seq 40\n  ... first 25 lines hidden (Ctrl+O to show) ...\n" + strings.ReplaceAll(numbered(40)[len(numbered(25)):], "line", "  line")},
		{5, "⊷ Shell  seq 40\n  ... first 37 lines hidden (Ctrl+O to show) ...\n  line 38\n  line 39\n  line 40\n"},
		{3, "⊷ Shell  seq 40\n  line 39\n  line 40\n"},
		{2, "⊷ Shell  seq 40\n  line 40\n"},
		{1, "⊷ Shell  seq 40\n"},
		{0, ""},
	} {
		check(t, "", joined(tr.Pending(step.height, start)), step.want)
	}
	first, _ := tr.open[tr.calls.Get(c)].call.liveOutput()
	if second, _ := tr.open[tr.calls.Get(c)].call.liveOutput(); &first[0] != &second[0] {
		t.Error("output that has not changed is read again")
	}
	tr.Look.Width = 30
	check(t, "narrow", texts(tr.Pending(5, start))[1], "  ... 37 hidden (Ctrl+O) ...")
}

// TestScreen checks that a screen gets as many rows as there is room for, so that it can leave out those that matter least.
func TestScreen(t *testing.T) {
	t.Parallel()
	tr, c := newTranscript(), callOf("run_shell_command", "1")
	tr.Options.Screen = func(pid, most int) (lines []styled.Line, hint string, ok bool) {
		for i := range min(most, 20) {
			lines = append(lines, styled.Plain(fmt.Sprintf("row %d of %d", i+1, pid)))
		}
		return lines, "", true
	}
	tr.run(began(c, tool.KindExecute, "vim"), agent.ToolUpdated{Call: c, PID: 7})
	for height, want := range map[int]int{2: 1, 6: 5, 30: maxOutput} {
		lines := texts(tr.Pending(height, start))
		if len(lines) != 1+want || lines[1] != "  row 1 of 7" {
			t.Errorf("in %d lines: %q", height, lines)
		}
	}
}

// TestShellFails checks that the reason why a command of the person has failed is shown above an output of which only the end is.
func TestShellFails(t *testing.T) {
	t.Parallel()
	failed := map[string]any{"exitCode": 3, "isError": true}
	for _, c := range []struct {
		status agent.Status
		data   map[string]any
		output string
		want   string
	}{
		{agent.Success, failed, "Command exited with code 3.\n" + numbered(40), "  Command exited with code 3.\n  ... first 25 lines hidden (Ctrl+O to show) ...\n  line 26\n"},
		{agent.CallCancelled, nil, "Command was cancelled.\n" + numbered(40), "  Command was cancelled.\n  ... first 25 lines hidden (Ctrl+O to show) ...\n  line 26\n"},
		{agent.Success, failed, "Command exited with code 3.", "  Command exited with code 3.\n"},
		{agent.Success, nil, "one\n" + numbered(40), "  ... first 26 lines hidden (Ctrl+O to show) ...\n  line 26\n"},
	} {
		tr, call := newTranscript(), callOf("run_shell_command", "1")
		tr.Handle(kit.ShellRan{Event: agent.ToolFinished{Call: call, Status: c.status, Result: &tool.Result{Data: c.data}}}, start)
		tr.Handle(kit.ShellDone{Output: c.output}, start)
		if got := joined(tr.Take()); !strings.HasPrefix(got, c.want) || strings.Count(got, "Command") > 1 {
			t.Errorf("%s: %q", c.output[:10], got)
		}
	}
}

// TestColor checks that the output of a process keeps its colors: of a call that has ended, of one that was cancelled, and of a
// command that the person has entered.
func TestColor(t *testing.T) {
	t.Parallel()
	r := &tool.Result{Display: tool.TerminalDisplay("one\ntwo")}
	bold := styled.Style{Attrs: styled.Bold}
	for name, end := range map[string]func(tr *Transcript, c *agent.ToolCall){
		"ended": func(tr *Transcript, c *agent.ToolCall) {
			tr.run(agent.ToolFinished{Call: c, Status: agent.Success, Result: r})
		},
		"cancelled": func(tr *Transcript, c *agent.ToolCall) {
			tr.run(agent.ToolFinished{Call: c, Status: agent.CallCancelled, Result: r})
		},
		"entered": func(tr *Transcript, c *agent.ToolCall) {
			tr.Handle(kit.ShellRan{Event: agent.ToolFinished{Call: c, Status: agent.Success, Result: r}}, start)
			tr.Handle(kit.ShellDone{Output: "one\ntwo"}, start)
		},
	} {
		tr, c := newTranscript(), callOf("run_shell_command", "1")
		tr.Options.Color = func(pid int, texts []string) (lines []styled.Line) {
			for _, text := range texts {
				lines = append(lines, styled.Of(fmt.Sprintf("%d%s", pid, text), bold))
			}
			return lines
		}
		tr.run(began(c, tool.KindExecute, "x"), agent.ToolUpdated{Call: c, PID: 7})
		end(tr, c)
		lines := tr.Take()
		for i, want := range []string{"  7one", "  7two"} {
			if got := lines[len(lines)-2+i]; got.String() != want || !got[1].Style.Equal(&bold) {
				t.Errorf("%s: %q", name, got)
			}
		}
	}
}

// TestShares checks how parts share the height.
func TestShares(t *testing.T) {
	t.Parallel()
	a, b := callOf("run_shell_command", "1"), callOf("run_shell_command", "2")
	tr := newTranscript()
	tr.Info("before")
	tr.run(began(a, tool.KindExecute, "a"), began(b, tool.KindExecute, "b"),
		agent.ToolUpdated{Call: a, Output: tool.TerminalDisplay(numbered(10))}, agent.ToolUpdated{Call: b, Output: tool.TerminalDisplay("x\ny")})
	tr.Print(styled.Plain("one"), styled.Plain("two"))
	for _, step := range []struct {
		height int
		want   string
	}{
		{19, "\n⊷ Shell  a\n" + strings.ReplaceAll(numbered(10), "line", "  line") + "\n⊷ Shell  b\n  x\n  y\n\none\ntwo\n"},
		{10, "⊷ Shell  a\n  ... first 7 lines hidden (Ctrl+O to show) ...\n  line 8\n  line 9\n  line 10\n⊷ Shell  b\n  x\n  y\none\ntwo\n"},
		{4, "⊷ Shell  a\n⊷ Shell  b\none\ntwo\n"},
		{3, "⊷ Shell  a\n⊷ Shell  b\none\n"},
		{2, "⊷ Shell  a\n... 2 more ...\n"},
		{1, "⊷ Shell  a\n"},
	} {
		check(t, "", joined(tr.Pending(step.height, start)), step.want)
	}
}

// TestHead checks the parts of the line about a call that a narrow screen leaves out.
func TestHead(t *testing.T) {
	t.Parallel()
	h := head{glyph: succeeded, isDense: true, name: "ReadFile", about: "internal/face/tui/x.go", remark: "→ 120 lines"}
	for _, c := range []struct {
		width int
		want  string
	}{
		{80, "  ✓ ReadFile  internal/face/tui/x.go  → 120 lines"},
		{49, "  ✓ ReadFile  internal/face/tui/x.go  → 120 lines"},
		{48, "  ✓ ReadFile  internal/face/tui/x.…  → 120 lines"},
		{32, "  ✓ ReadFile  interna…  → 120 l…"},
		{28, "  ✓ ReadFile  inter…  → 120…"},
		{20, "  ✓ ReadFile  → 120…"},
		{13, "  ✓ ReadFile"},
		{8, "  ✓ Rea…"},
		{1, "…"},
	} {
		if got := h.line(c.width, newTranscript().Look.Theme).String(); got != c.want {
			t.Errorf("%d columns: %q, not %q", c.width, got, c.want)
		}
	}
}

func TestLinks(t *testing.T) {
	t.Parallel()
	c := callOf("read_file", "1")
	link := func(hasLinks bool, files ...tool.Location) string {
		tr := newTranscript()
		tr.Look.HasLinks = hasLinks
		tr.run(agent.ToolUpdated{Call: c, Status: agent.Executing, Kind: tool.KindRead, Summary: "a b.go", Locations: files}, done(c, nil))
		found := ""
		for _, l := range tr.Take() {
			for _, s := range l {
				found += s.Link
			}
		}
		return found
	}
	file := tool.Location{Path: "/w/a b.go"}
	if got := link(true, file); got != "file:///w/a%20b.go" {
		t.Errorf("the link is %q", got)
	}
	if got := link(true, file, file) + link(false, file) + link(true); got != "" {
		t.Errorf("the link is %q", got)
	}
}

// TestClip checks that a cut text has one ellipsis.
func TestClip(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		text  string
		width int
		want  string
	}{
		{"a.go: one... => two", 30, "a.go: one... => two"},
		{"a.go: one... => two", 13, "a.go: one…"},
		{"a.go: one... => two", 12, "a.go: one…"},
		{"a.go: one... => two", 11, "a.go: one…"},
		{"a.go: one... => two", 10, "a.go: one…"},
		{"a.go: one... => two", 3, "a.…"},
		{"a.go: one... => two", 0, ""},
		{"a…", 2, "a…"},
		{"日本..語", 6, "日本…"},
	} {
		if got := clip(c.text, c.width); got != c.want {
			t.Errorf("%d columns: %q, not %q", c.width, got, c.want)
		}
	}
}
