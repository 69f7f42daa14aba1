package transcript

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	"pollux/agent"
	"pollux/agent/agenttest"
	"pollux/internal/face/kit"
	"pollux/internal/face/tui/styled"
	"pollux/tool"
)

// change returns the display of an edit that replaces a line.
func change() *tool.DiffDisplay {
	before := "a\nb\n"
	return &tool.DiffDisplay{FileName: "x", FilePath: "/x", Before: &before, After: "a\nc\n", Diff: "--- x\n+++ x\n@@ -1,2 +1,2 @@\n a\n-b\n+c\n"}
}

// numbered returns lines of text.
func numbered(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "line %d\n", i+1)
	}
	return b.String()
}

func TestCalls(t *testing.T) {
	t.Parallel()
	shell, read, edit := callOf("run_shell_command", "1"), callOf("read_file", "2"), callOf("replace", "3")
	list, grep, ask := callOf("list_directory", "4"), callOf("grep_search", "5"), callOf("ask_user", "6")
	long := &tool.DiffDisplay{FileName: "n", After: numbered(60)}
	typed := &agent.ToolCall{ID: "t", Name: "run_shell_command", Typed: true}
	for _, c := range []struct {
		name   string
		events []agent.Event
		want   string
	}{
		{"output", []agent.Event{began(shell, tool.KindExecute, "git status"), done(shell, &tool.Result{Display: tool.TerminalDisplay("clean\n  all\t \n")})}, "✓ Shell  git status\n  clean\n    all\n"},
		{"no output", []agent.Event{began(shell, tool.KindExecute, "true"), done(shell, &tool.Result{Display: tool.TerminalDisplay("")})}, "✓ Shell  true\n"},
		{"exit code", []agent.Event{began(shell, tool.KindExecute, "exit 3"), done(shell, &tool.Result{Display: tool.TerminalDisplay("Command exited with code: 3"), Data: map[string]any{"isError": true}})}, "x Shell  exit 3\n  Command exited with code: 3\n"},
		{"problem", []agent.Event{began(shell, tool.KindExecute, "a"), done(shell, &tool.Result{Summary: "failed: no", Problem: "p"})}, "x Shell  a  → failed: no\n"},
		{"many lines", []agent.Event{began(shell, tool.KindExecute, "seq 20"), done(shell, &tool.Result{Display: tool.TerminalDisplay(numbered(20)), Omitted: 7, OutputFile: "/tmp/out"})}, "✓ Shell  seq 20\n" +
			"  ... first 12 lines hidden (Ctrl+O to show) ...\n" + strings.ReplaceAll(numbered(20)[len(numbered(5)):], "line", "  line") + "  Output too long and was saved to: /tmp/out\n"},
		{"read", []agent.Event{began(read, tool.KindRead, "a.go"), done(read, &tool.Result{Display: tool.TextDisplay(""), Summary: "12 lines"})}, "  ✓ ReadFile  a.go  → 12 lines\n"},
		{"read without a summary", []agent.Event{began(read, tool.KindRead, "a.go"), done(read, &tool.Result{Display: tool.TextDisplay("Read it\n")})}, "  ✓ ReadFile  a.go  → Read it\n"},
		{"read of several lines", []agent.Event{began(read, tool.KindRead, "7"), done(read, &tool.Result{Display: tool.TextDisplay("a\nb")})}, "✓ ReadFile  7\n  a\n  b\n"},
		{"fetched", []agent.Event{began(read, tool.KindFetch, "u"), done(read, &tool.Result{Summary: "ok", OutputFile: "/tmp/o"})}, "  ✓ ReadFile  u  → ok\n  (Output saved to: /tmp/o)\n"},
		{"edit", []agent.Event{began(edit, tool.KindEdit, "x"), done(edit, &tool.Result{Display: change(), Lines: tool.LineChange{Added: 1, Removed: 1}})}, "  ✓ Edit  x  → Accepted (+1, -1)\n1   a\n2 - b\n2 + c\n"},
		{"edit counted by its author", []agent.Event{done(edit, &tool.Result{Display: &tool.DiffDisplay{Before: new(string), Stat: tool.DiffStat{ModelAddedLines: 2, UserAddedLines: 1, ModelRemovedLines: 4, UserRemovedLines: 1}}})}, "  ✓ Edit  → Accepted (+3, -5)\nNo changes detected.\n"},
		{"a long new file", []agent.Event{done(edit, &tool.Result{Display: long})}, "  ✓ Edit  → Accepted (+0, -0)\n" + newFile(50) + "  ... last 10 lines hidden (Ctrl+O to show) ...\n"},
		{"rejected", []agent.Event{began(edit, tool.KindEdit, "x"), agenttest.Finished(edit, agent.CallCancelled, &tool.Result{Display: change(), Lines: tool.LineChange{Added: 1, Removed: 1}})}, "  - Edit  x  → Rejected (+1, -1)\n"},
		{"list", []agent.Event{done(list, &tool.Result{Display: &tool.ListDisplay{Summary: "Listed 2 items.", Items: []string{"x"}, Skipped: []tool.Skipped{{}}}})}, "  ✓ ReadFolder  → Listed 2 items. (1 left out)\n"},
		{"matches", []agent.Event{done(grep, &tool.Result{Display: &tool.MatchDisplay{Summary: "Found 3 matches"}})}, "  ✓ SearchText  → Found 3 matches\n"},
		{"todo", []agent.Event{done(callOf("write_todos", "7"), &tool.Result{Display: &tool.TodoDisplay{Todos: []tool.Todo{{Description: "look", Status: tool.TodoCompleted}, {Description: "write", Status: tool.TodoInProgress}, {Description: "rest", Status: tool.TodoCancelled}}}})}, "  ✓ Todo: 1 of 2 completed\n"},
		{"topic", []agent.Event{began(callOf("update_topic", "8"), tool.KindThink, "Fix it"), done(callOf("update_topic", "8"), &tool.Result{Display: tool.TextDisplay("## Fix it\n\nAll of it."), Summary: "Fix it"})}, "Fix it\n\nAll of it.\n"},
		{"same topic", []agent.Event{began(callOf("update_topic", "8"), tool.KindThink, "Go on"), done(callOf("update_topic", "8"), &tool.Result{Display: tool.TextDisplay("Go on")})}, "Go on\n"},
		{"answers", []agent.Event{began(ask, tool.KindCommunicate, "Asking user: Color"), done(ask, &tool.Result{Display: tool.TextDisplay("**User answered:**\n  Color → red\n  Size → big"), Summary: "2 of 2 answered"})}, "✓ Ask User  Asking user: Color\n  User answered:\n  Color → red\n  Size → big\n"},
		{"failed", []agent.Event{began(shell, tool.KindExecute, "git x"), agenttest.Finished(shell, agent.Failed, tool.Fail(tool.ErrShell, "in /home/me: no such\ncommand"))}, "  x Shell: in ~: no such\n"},
		{"failed by the person", []agent.Event{began(typed, tool.KindExecute, "git x"), agenttest.Finished(typed, agent.Failed, tool.Fail(tool.ErrShell, "no such\ncommand"))}, "x Shell  git x\n  no such\n  command\n"},
		{"failed by a command", []agent.Event{agenttest.Finished(&agent.ToolCall{ID: "c", Name: "x", FromClient: true}, agent.Failed, tool.Fail(tool.ErrShell, "no"))}, "x x\n  no\n"},
		{"failed without a reason", []agent.Event{agenttest.Finished(shell, agent.Failed, nil)}, "  x Shell\n"},
		{"denied", []agent.Event{agenttest.Finished(shell, agent.Failed, &tool.Result{Error: &tool.Error{Message: "Denied by policy."}})}, "  x Shell: Denied by policy.\n"},
		{"cancelled", []agent.Event{began(shell, tool.KindExecute, "sleep 9"), agenttest.Finished(shell, agent.CallCancelled, nil)}, "- Shell  sleep 9\n"},
		{"cancelled with output", []agent.Event{began(shell, tool.KindExecute, "x"), agenttest.Finished(shell, agent.CallCancelled, &tool.Result{Display: tool.TerminalDisplay("Cancelled.\n\nso far")})}, "- Shell  x\n  Cancelled.\n\n  so far\n"},
		{"skipped", []agent.Event{agent.ToolFinished{
			Call: shell, Status: agent.CallCancelled, Reason: "Not run, because of x\x1b[2J.", Result: &tool.Result{},
			Executions: []agent.Execution{{Name: shell.Name, Status: agent.CallCancelled, Summary: "make", Result: &tool.Result{}}},
		}}, "- Shell  make  → Not run, because of x.\n"},
		{"skipped edit", []agent.Event{agent.ToolFinished{
			Call: edit, Status: agent.CallCancelled, Reason: "Not run.",
			Executions: []agent.Execution{{Name: edit.Name, Status: agent.CallCancelled, Result: &tool.Result{Display: change()}}},
		}}, "  - Edit  → Not run.\n"},
		{"changes", []agent.Event{began(shell, tool.KindExecute, "make"), changed(done(shell, &tool.Result{Display: tool.TerminalDisplay("ok\n")}))}, "✓ Shell  make\n  ok\n  1 file created, 2 changed (+3, -0)\n"},
		{"changes of a call that failed", []agent.Event{began(shell, tool.KindExecute, "git x"), changed(agenttest.Finished(shell, agent.Failed, tool.Fail(tool.ErrShell, "no")))}, "  x Shell: no\n  1 file created, 2 changed (+3, -0)\n"},
		{"changes of an edit", []agent.Event{began(edit, tool.KindEdit, "x"), changed(done(edit, &tool.Result{Display: change(), Lines: tool.LineChange{Added: 1, Removed: 1}}))}, "  ✓ Edit  x  → Accepted (+1, -1)\n1   a\n2 - b\n2 + c\n"},
		{"without a record", []agent.Event{agent.ToolFinished{Call: shell, Status: agent.Success}}, "✓ Shell\n"},
		{"continued by a hook", []agent.Event{began(read, tool.KindRead, "a"), agent.ToolFinished{Call: read, Status: agent.Success, Executions: []agent.Execution{
			{Name: "read_file", Status: agent.Success, Result: &tool.Result{Summary: "1 line"}},
			{Name: "run_shell_command", Requested: "read_file", Status: agent.Success, Summary: "fmt", Result: &tool.Result{Display: tool.TextDisplay("ok"), Summary: "s"}},
		}}}, "  ✓ ReadFile  a  → 1 line\n✓ Shell  fmt\n  ok\n"},
		{"run again with more permission", []agent.Event{began(shell, tool.KindExecute, "fmt"), agent.ToolFinished{Call: shell, Status: agent.Success, Executions: []agent.Execution{
			{Name: "run_shell_command", Status: agent.Success, Summary: "fmt", Result: &tool.Result{Display: tool.TextDisplay("no"), Data: map[string]any{"isError": true}}},
			{
				Name: "run_shell_command", Decision: agent.Decision{By: agent.DecidedByUser, Reason: "The sandbox hides it.\x1b[2J"}, Status: agent.Success, Summary: "fmt",
				Result: &tool.Result{Display: tool.TextDisplay("ok")},
			},
		}}}, "x Shell  fmt\n  no\n✓ Shell  fmt\n  ok\n  With more permission: The sandbox hides it.\n"},
		{"hostile", []agent.Event{began(shell, tool.KindExecute, "ls\x1b[2J\n\u202ex"), done(shell, &tool.Result{Display: tool.TerminalDisplay("a\x1b]0;t\x07\rb\nc\u200b")})}, "✓ Shell  ls \\u202ex\n  a\n  b\n  c\n"},
		{"unknown tool", []agent.Event{done(callOf("a\x1b[1mb\nc", "9"), &tool.Result{Display: tool.TextDisplay("x")})}, "✓ ab c\n  x\n"},
	} {
		tr := newTranscript().run(c.events...)
		check(t, c.name, joined(tr.Take()), c.want)
		if len(tr.queue)+len(tr.open)+tr.held != 0 || !reflect.ValueOf(tr.calls).IsZero() {
			t.Errorf("%s: %d items, %d calls and %d bytes remain", c.name, len(tr.queue), len(tr.open), tr.held)
		}
	}
}

// TestRemarks checks that what Pollux says below a call is wrapped at words behind a margin, and again for another width.
func TestRemarks(t *testing.T) {
	t.Parallel()
	shell := callOf("run_shell_command", "1")
	reason := "The sandbox does not let it reach www.example.org. This run could."
	play := func(width int) string {
		tr := newTranscript()
		tr.Look.Width, tr.Look.Refits = 80, true
		tr.run(began(shell, tool.KindExecute, "fmt"), changed(agent.ToolFinished{Call: shell, Status: agent.Success, Executions: []agent.Execution{
			{Name: "run_shell_command", Status: agent.Success, Summary: "fmt"},
			{Name: "run_shell_command", Decision: agent.Decision{By: agent.DecidedByUser, Reason: reason}, Status: agent.Success, Summary: "fmt"},
		}}))
		var lines []styled.Line
		for _, l := range tr.Take() {
			if b := l.Block(); b != nil {
				lines = append(lines, b.Fit(width)...)
			} else {
				lines = append(lines, l)
			}
		}
		return joined(lines)
	}
	for width, want := range map[int]string{
		80: "  With more permission: The sandbox does not let it reach www.example.org. This\n  run could.\n",
		24: "  With more permission:\n  The sandbox does not\n  let it reach\n  www.example.org. This\n  run could.\n",
	} {
		if got := play(width); !strings.Contains(got, want) {
			t.Errorf("%d columns:\n%s\nwant\n%s", width, got, want)
		}
	}
	if got := play(24); !strings.Contains(got, "\n  1 file created, 2\n  changed (+3, -0)\n") {
		t.Errorf("the changes are\n%s", got)
	}
}

// changed returns the end of a call that has changed files.
func changed(e agent.Event) agent.Event {
	f := e.(agent.ToolFinished)
	f.Executions[0].Changes = &tool.Changes{Created: 1, Changed: 2, Added: 3}
	return f
}

// newFile returns the lines of a new file of numbered lines.
func newFile(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "%2d   line %d\n", i+1, i+1)
	}
	return b.String()
}

// TestFullCalls checks calls under the settings that show more.
func TestFullCalls(t *testing.T) {
	t.Parallel()
	shell, read, list := callOf("run_shell_command", "1"), callOf("read_file", "2"), callOf("list_directory", "4")
	for _, c := range []struct {
		name   string
		events []agent.Event
		want   string
	}{
		{"failed", []agent.Event{began(shell, tool.KindExecute, "x"), agenttest.Finished(shell, agent.Failed, tool.Fail(tool.ErrShell, numbered(17)))}, "x Shell  x\n  ... first 2 lines hidden (F2 to show) ...\n" + strings.ReplaceAll(numbered(17)[len(numbered(2)):], "line", "  line")},
		{"read", []agent.Event{began(read, tool.KindRead, "a"), done(read, &tool.Result{Display: tool.TextDisplay("one\n"), Summary: "s"})}, "✓ ReadFile  a\n  one\n"},
		{"list", []agent.Event{done(list, &tool.Result{Display: &tool.ListDisplay{Summary: "All.", Items: strings.Fields(strings.Repeat("x ", 17))}})}, "✓ ReadFolder  → All.\n" + strings.Repeat("  x\n", 15) + "  ... last 2 lines hidden (F2 to show) ...\n"},
		{"matches", []agent.Event{done(list, &tool.Result{Display: &tool.MatchDisplay{Summary: "All.", Matches: []tool.Match{{Path: "a.go", Line: 3, Text: "\tfunc"}}}})}, "✓ ReadFolder  → All.\n  a.go:3: func\n"},
		{"many matches", []agent.Event{done(list, &tool.Result{Display: &tool.MatchDisplay{Matches: make([]tool.Match, 20)}})}, "✓ ReadFolder\n" + strings.Repeat("  :0:\n", 15) + "  ... last 5 lines hidden (F2 to show) ...\n"},
	} {
		tr := newTranscript()
		tr.Options.IsLoose, tr.Options.ShowsErrors, tr.Options.ShowKey = true, true, "F2"
		check(t, c.name, joined(tr.run(c.events...).Take()), c.want)
	}
}

// TestSeenChange checks that a change is not shown again below the question about it.
func TestSeenChange(t *testing.T) {
	t.Parallel()
	edit := callOf("replace", "1")
	question := agenttest.Question(edit, &tool.EditConfirmation{DiffDisplay: *change()})
	tr := newTranscript().run(
		agent.ToolRequested{Call: edit}, agent.ToolAsked{Call: edit, Question: question},
		began(edit, tool.KindEdit, "x"), done(edit, &tool.Result{Display: change(), Lines: tool.LineChange{Added: 1, Removed: 1}}),
	)
	check(t, "", joined(tr.Take()), "  ✓ Edit  x  → Accepted (+1, -1)\n")
	nested := newTranscript().run(
		agent.ToolRequested{Call: edit}, agent.ToolAsked{Call: callOf("other", "2"), Question: question, Within: []*agent.ToolCall{edit}},
		began(edit, tool.KindEdit, "x"), done(edit, &tool.Result{Display: change()}),
	)
	if got := joined(nested.Pending(9, start)); got != "" {
		t.Errorf("a question of an agent inside the call has a row: %s", got)
	}
	if got := joined(nested.Take()); !strings.Contains(got, "2 + c") {
		t.Errorf("a question of an agent inside the call counts: %s", got)
	}
}

// TestLongDiff checks which lines of a change are counted as hidden.
func TestLongDiff(t *testing.T) {
	t.Parallel()
	d := &tool.DiffDisplay{Before: new(string), Diff: "--- a\n+++ b\n@@ -1,30 +1,30 @@\n" + strings.Repeat("+x\n", 30) + "@@ -90,40 +90,40 @@\n" + strings.Repeat("-y\n", 40) + "\\ No newline at end of file\n"}
	lines := texts(newTranscript().diffLines(d))
	if n := len(lines); n != 52 || !strings.HasPrefix(lines[30], "═") || lines[51] != "  ... last 20 lines hidden (Ctrl+O to show) ..." {
		t.Errorf("%d lines:\n%s", n, strings.Join(lines, "\n"))
	}
	changed, head := &tool.DiffDisplay{Before: new(string), After: numbered(90), Diff: change().Diff}, &tool.DiffDisplay{Diff: d.Diff}
	if n := len(newTranscript().diffLines(changed)); n != 3 {
		t.Errorf("a short change of a long file has %d lines", n)
	}
	if n := len(newTranscript().diffLines(head)); n != 52 {
		t.Errorf("a change without versions has %d lines", n)
	}
	for _, c := range []struct {
		text, first string
		hidden      int
	}{{"a\nb\nc\nd", "a\nb\n", 2}, {"a\nb\nc\n", "a\nb\n", 1}, {"a\nb\n", "a\nb\n", 0}, {"a\nb", "a\nb", 0}, {"", "", 0}} {
		if first, hidden := cutText(c.text, 2); first != c.first || hidden != c.hidden {
			t.Errorf("%q: %q and %d", c.text, first, hidden)
		}
	}
}

// TestOrder checks that calls are printed in the order of the model, whichever ends first.
func TestOrder(t *testing.T) {
	t.Parallel()
	a, b, c := callOf("read_file", "1"), callOf("read_file", "2"), callOf("read_file", "3")
	end := func(c *agent.ToolCall) agent.Event { return done(c, &tool.Result{Summary: "read"}) }
	tr := newTranscript().run(agent.ToolRequested{Call: a}, agent.ToolRequested{Call: b}, agent.ToolRequested{Call: c}, agent.Finished{})
	tr.run(began(a, tool.KindRead, "a"), began(b, tool.KindRead, "b"), began(c, tool.KindRead, "c"), end(b))
	check(t, "first taken", joined(tr.Take()), "")
	check(t, "first pending", joined(tr.Pending(10, start)), "  ⊷ ReadFile  a\n  ✓ ReadFile  b  → read\n  ⊷ ReadFile  c\n")
	tr.run(end(a))
	check(t, "then taken", joined(tr.Take()), "  ✓ ReadFile  a  → read\n  ✓ ReadFile  b  → read\n")
	check(t, "then pending", joined(tr.Pending(10, start)), "  ⊷ ReadFile  c\n")
	tr.run(end(c))
	check(t, "last", joined(tr.Take()), "  ✓ ReadFile  c  → read\n")
}

// TestAbandoned checks that calls which have not ended with the work do not stay on the screen.
func TestAbandoned(t *testing.T) {
	t.Parallel()
	a, b := callOf("run_shell_command", "1"), callOf("ask_user", "2")
	tr := newTranscript().run(began(a, tool.KindExecute, "sleep"), agent.ToolAsked{Call: b, Question: agenttest.Question(b, &tool.QuestionConfirmation{})})
	tr.Info("beside")
	tr.Handle(kit.Cancelled{ByInterrupt: true}, start)
	tr.Handle(kit.Finished{}, start)
	check(t, "", joined(tr.Take()), "- Shell  sleep\n\nℹ beside\nℹ Request cancelled.\n")
	if lines := tr.Pending(10, start); len(lines) > 0 || tr.IsTicking() {
		t.Errorf("pending: %q", texts(lines))
	}
}

// TestShell checks a shell command that the person has entered.
func TestShell(t *testing.T) {
	t.Parallel()
	c := &agent.ToolCall{ID: "1", Name: "run_shell_command", Typed: true}
	tr := newTranscript()
	tr.Shell("seq 20")
	for _, e := range []agent.Event{began(c, tool.KindExecute, "seq 20"), agent.ToolUpdated{Call: c, Status: agent.Executing, Output: tool.TerminalDisplay("1\n2\n")}} {
		tr.Handle(kit.ShellRan{Event: e}, start)
	}
	check(t, "running", joined(tr.Pending(9, start)), "\n⊷ Shell  seq 20\n  1\n  2\n")
	tr.Handle(kit.ShellRan{Event: done(c, &tool.Result{OutputFile: "/tmp/o", Omitted: 3})}, start)
	tr.Handle(kit.ShellDone{Output: numbered(16)}, start)
	tr.Handle(kit.Finished{}, start)
	check(t, "done", joined(tr.Take()), "$ seq 20\n\n  ... first 4 lines hidden (Ctrl+O to show) ...\n"+
		strings.ReplaceAll(numbered(16)[len("line 1\n"):], "line", "  line")+"  Output too long and was saved to: /tmp/o\n")
	tr.Handle(kit.ShellDone{Output: "x"}, start)
	check(t, "next", joined(tr.Take()), "\n  x\n")
}

func TestSettled(t *testing.T) {
	t.Parallel()
	p := agenttest.Question(callOf("run_shell_command", "1"), &tool.ExecConfirmation{}).About()[0]
	tr := newTranscript()
	tr.Handle(kit.Settled{Calls: []*agent.PreparedCall{p}}, start)
	check(t, "", joined(tr.Take()), "ℹ Allowed without asking: Shell.\n")
}
