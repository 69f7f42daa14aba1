package todo

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"pollux/agent"
	"pollux/internal/face/kit"
	"pollux/internal/face/tui/styled"
	"pollux/internal/face/tui/theme"
	"pollux/tool"
)

const hint = "Ctrl+T"

func parse(list string) (todos []tool.Todo) {
	statuses := map[byte]tool.TodoStatus{
		'+': tool.TodoCompleted, '>': tool.TodoInProgress, '.': tool.TodoPending, 'x': tool.TodoCancelled, '!': tool.TodoBlocked,
	}
	for l := range strings.Lines(list) {
		l = strings.TrimSpace(l)
		todos = append(todos, tool.Todo{Status: statuses[l[0]], Description: l[2:]})
	}
	return todos
}

func finished(status agent.Status, displays ...tool.Display) kit.Event {
	f := agent.ToolFinished{Call: &agent.ToolCall{}}
	for _, d := range displays {
		f.Executions = append(f.Executions, agent.Execution{Status: status, Result: &tool.Result{Display: d}})
	}
	return kit.Ran{Event: f}
}

func display(list string) tool.Display { return &tool.TodoDisplay{Todos: parse(list)} }

// trayOf returns the tray of a list with a task per line, after the sign of its status.
func trayOf(list string) *Tray {
	y := &Tray{}
	y.Handle(finished(agent.Success, display(list)))
	return y
}

func texts(lines []styled.Line) string {
	var all []string
	for _, l := range lines {
		all = append(all, l.String())
	}
	return strings.Join(all, "\n")
}

const plan = `+ Read the spec
	> Write the parser of the configuration, with tests for each of its keys and for the errors
	. Measure
	x Rewrite everything
	! Release`

func TestCollapsed(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		list  string
		width int
		want  string
	}{
		{plan, 160, "Todo  1/4 completed (Ctrl+T to toggle)  Write the parser of the configuration, with tests for each of its keys and for the errors"},
		{plan, 80, "Todo  1/4 completed (Ctrl+T to toggle)  Write the parser of the configuration, …"},
		{plan, 40, "Todo  1/4 completed  Write the parser o…"},
		{plan, 1, "…"},
		{"> a", 41, "Todo  0/1 completed (Ctrl+T to toggle)  a"},
		{"> a", 40, "Todo  0/1 completed  a"},
		{". a\n+ b", 80, "Todo  1/2 completed (Ctrl+T to toggle)"},
		{"! a", 80, "Todo  0/1 completed (Ctrl+T to toggle)"},
		{"+ a\nx b", 80, ""},
		{"", 80, ""},
		{plan, 0, ""},
		{". a\x1b[31m\n> b\x1b]0;t\x07c", 80, "Todo  0/2 completed (Ctrl+T to toggle)  bc"},
	} {
		if got := texts(trayOf(c.list).Lines(c.width, 10, hint, theme.NoColor())); got != c.want {
			t.Errorf("%q: %q, not %q", c.list, got, c.want)
		}
	}
	if got := texts(trayOf("> a").Lines(80, 1, "", theme.NoColor())); got != "Todo  0/1 completed  a" {
		t.Errorf("without a key: %q", got)
	}
	if got := trayOf(plan).Lines(80, 0, hint, theme.NoColor()); got != nil {
		t.Errorf("without a row: %q", got)
	}
}

func TestExpanded(t *testing.T) {
	t.Parallel()
	y := trayOf(plan)
	y.Toggle()
	for _, c := range []struct {
		width, height int
		want          string
	}{
		{160, 10, `Todo  1/4 completed (Ctrl+T to toggle)
✓ Read the spec
» Write the parser of the configuration, with tests for each of its keys and for the errors
☐ Measure
✗ Rewrite everything
! Release`},
		{80, 7, `Todo  1/4 completed (Ctrl+T to toggle)
✓ Read the spec
» Write the parser of the configuration, with tests for each of its keys and for
  the errors
☐ Measure
✗ Rewrite everything
! Release`},
		{80, 6, `Todo  1/4 completed (Ctrl+T to toggle)
✓ Read the spec
» Write the parser of the configuration, with tests for each of its keys and fo…
☐ Measure
✗ Rewrite everything
! Release`},
		{40, 4, `Todo  1/4 completed (Ctrl+T to toggle)
✓ Read the spec
» Write the parser of the configuration…
... (+3 more)`},
		{40, 3, "Todo  1/4 completed (Ctrl+T to toggle)\n» Write the parser of the configuration…\n... (+4 more)"},
		{40, 2, "Todo  1/4 completed (Ctrl+T to toggle)\n» Write the parser of the configuration…"},
		{40, 1, "Todo  1/4 completed  Write the parser o…"},
		{1, 2, "…\n…"},
	} {
		if got := texts(y.Lines(c.width, c.height, hint, theme.NoColor())); got != c.want {
			t.Errorf("%dx%d:\n%s\nnot\n%s", c.width, c.height, got, c.want)
		}
	}
	y.Toggle()
	if n := len(y.Lines(80, 10, hint, theme.NoColor())); n != 1 {
		t.Error("not collapsed")
	}
	done := trayOf("+ a\nx b")
	done.Toggle()
	if got := texts(done.Lines(80, 9, hint, theme.NoColor())); got != "Todo  1/1 completed (Ctrl+T to toggle)\n✓ a\n✗ b" {
		t.Errorf("all done: %q", got)
	}
}

// TestPart checks which tasks a low tray shows.
func TestPart(t *testing.T) {
	t.Parallel()
	for list, want := range map[string]string{
		"+ a\n+ b\n+ c\n. d\n. e\n. f": "✓ c\n☐ d\n... (+4 more)",
		"+ a\n+ b\n+ c\n+ d\n+ e\n. f": "✓ e\n☐ f\n... (+4 more)",
		"+ a\n+ b\n+ c\n. d\n> e\n+ f": "☐ d\n» e\n... (+4 more)",
		"+ a\n+ b\n+ c\n+ d\nx e\n+ f": "✓ a\n✓ b\n... (+4 more)",
	} {
		y := trayOf(list)
		y.Toggle()
		if got := texts(y.Lines(80, 4, hint, theme.NoColor())[1:]); got != want {
			t.Errorf("%q: %q, not %q", list, got, want)
		}
	}
}

// TestNewestList checks which events replace the list.
func TestNewestList(t *testing.T) {
	t.Parallel()
	y := trayOf("> first")
	for _, e := range []kit.Event{
		finished(agent.Failed, display("> failed")),
		finished(agent.Success, tool.TextDisplay("text")),
		kit.Ran{Event: agent.ToolFinished{Executions: []agent.Execution{{Status: agent.Success}}}},
		kit.Ran{Event: agent.Nested{Event: finished(agent.Success, display("> nested")).(kit.Ran).Event}},
		kit.ShellRan{Event: finished(agent.Success, display("> shell")).(kit.Ran).Event},
		kit.Finished{},
	} {
		y.Handle(e)
		if got := texts(y.Lines(80, 1, hint, theme.NoColor())); !strings.HasSuffix(got, "first") {
			t.Errorf("%#v: %q", e, got)
		}
	}
	y.Toggle()
	y.Handle(finished(agent.Success, display("> second"), display("> third")))
	if got := texts(y.Lines(80, 2, hint, theme.NoColor())); !y.IsExpanded || !strings.HasSuffix(got, "» third") {
		t.Errorf("the last list: %q", got)
	}
	y.Handle(finished(agent.Success, &tool.TodoDisplay{}))
	if got := y.Lines(80, 9, hint, theme.NoColor()); got != nil {
		t.Errorf("an empty list: %q", got)
	}
	y = trayOf("> first")
	y.Clear()
	if got := y.Lines(80, 9, hint, theme.NoColor()); got != nil {
		t.Errorf("cleared: %q", got)
	}
}

// TestLongList checks that the tray counts all tasks, but keeps only the first ones, and copies them.
func TestLongList(t *testing.T) {
	t.Parallel()
	list := make([]tool.Todo, 1000)
	for i := range list {
		list[i] = tool.Todo{Description: strings.Repeat("x", 10_000), Status: tool.TodoCompleted}
	}
	list[999].Status = tool.TodoPending
	y := &Tray{IsExpanded: true}
	y.Handle(finished(agent.Success, &tool.TodoDisplay{Todos: list}))
	list[0].Description = "changed"
	lines := y.Lines(80, 2000, hint, theme.NoColor())
	if got := texts(lines); len(lines) != 202 || !strings.HasPrefix(got, "Todo  999/1000 ") || !strings.HasSuffix(got, "\n... (+800 more)") || strings.Contains(got, "changed") {
		t.Errorf("%d lines: %.300q", len(lines), got)
	}
	if len(y.tasks) != mostTasks || len(y.tasks[5].Description) > mostBytes+3 {
		t.Error("the tray keeps too much")
	}
}

// TestFits checks that the tray never is larger than its place.
func TestFits(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		list := rapid.SliceOfN(rapid.SampledFrom(slices.Collect(strings.Lines(". a\n+ 中文字 b c\n> in progress with a long text\nx \u202e\n! b\n"))), 0, 9).Draw(t, "list")
		y := trayOf(strings.Join(list, ""))
		y.IsExpanded = rapid.Bool().Draw(t, "expanded")
		width, height := rapid.IntRange(1, 60).Draw(t, "width"), rapid.IntRange(1, 12).Draw(t, "height")
		lines := y.Lines(width, height, hint, theme.NoColor())
		if len(lines) > height {
			t.Fatalf("%d lines of %d", len(lines), height)
		}
		for _, l := range lines {
			if l.Width() > width && !(width == 1 && strings.HasPrefix(l.String(), "中")) {
				t.Fatalf("%q is wider than %d", l, width)
			}
		}
		if y.IsExpanded && height > len(list) && len(list) > 0 && len(lines) <= len(list) {
			t.Fatalf("%d lines for %d tasks in %d", len(lines), len(list), height)
		}
	})
}

func TestColors(t *testing.T) {
	t.Parallel()
	dark, _ := theme.Lookup(theme.DefaultDark)
	y := trayOf(plan)
	y.Toggle()
	cancelled := dark.Secondary()
	cancelled.Attrs |= styled.Strikethrough
	want := []styled.Style{dark.Secondary(), dark.Accent(), dark.Text(), cancelled, dark.Warning()}
	for i, l := range y.Lines(160, 10, hint, dark)[1:] {
		if !l[1].Style.Equal(&want[i]) {
			t.Error(l)
		}
	}
}
