package recap

import (
	"strings"
	"testing"
	"time"

	"pollux/agent"
	"pollux/internal/face/kit"
	"pollux/internal/face/tui/theme"
	"pollux/internal/record"
	"pollux/tool"
)

var start = time.Date(2026, 3, 4, 9, 0, 0, 0, time.UTC)

// after returns a time some hours after start.
func after(hours float64) time.Time { return start.Add(time.Duration(hours * float64(time.Hour))) }

// finished returns the end of a call.
func finished(name, summary string, display tool.Display) kit.Event {
	return kit.Ran{Event: agent.ToolFinished{Executions: []agent.Execution{{
		Name: name, Summary: summary, HasRun: true, Status: agent.Success, Result: &tool.Result{Display: display},
	}}}}
}

func change(path string, added, removed int) kit.Event {
	return finished("replace", path, &tool.DiffDisplay{FilePath: path, Stat: tool.DiffStat{ModelAddedLines: added, ModelRemovedLines: removed}})
}

func text(r Recap, width int) string {
	var b strings.Builder
	for _, l := range r.Lines(width, theme.NoColor(), func(path string) string { return strings.TrimPrefix(path, "/w/") }) {
		b.WriteString(l.String() + "\n")
	}
	return b.String()
}

func TestReturn(t *testing.T) {
	t.Parallel()
	var k Keeper
	if _, isDue := k.Touch(after(0)); isDue {
		t.Error("a new session has a recap")
	}
	for _, e := range []kit.Event{
		kit.Began{IsRun: true, Prompt: "Fix the\x1b[31m parser"},
		change("/w/lib/a.go", 3, 1), change("/w/lib/a.go", 1, 0), change("/w/b.go", 0, 5),
		finished("run_shell_command", "go vet", nil), finished("run_shell_command", "go test ./...", nil),
		finished("read_file", "c.go", nil),
		finished("write_todos", "", &tool.TodoDisplay{Todos: []tool.Todo{
			{Description: "Read", Status: tool.TodoCompleted}, {Description: "Docs", Status: tool.TodoPending}, {Description: "Test", Status: tool.TodoInProgress},
		}}),
		kit.Finished{},
	} {
		k.Handle(e, after(1))
	}
	if _, isDue := k.Touch(after(4.9)); isDue {
		t.Error("a recap after less than four hours")
	}
	r, isDue := k.Touch(after(9))
	const want = "Recap  last active 4 hours ago\n" +
		"  Asked   Fix the parser\n" +
		"  Changed 2 files (+4 -6): a.go, b.go\n" +
		"  Ran     2 commands, the last one: go test ./...\n" +
		"  To do   2 of 3 tasks\n" +
		"  Next    Test\n"
	if got := text(r, 80); !isDue || got != want {
		t.Errorf("%v:\n%s", isDue, got)
	}
	for _, l := range r.Lines(20, theme.NoColor(), func(path string) string { return path }) {
		if l.Width() > 20 {
			t.Errorf("%d columns: %s", l.Width(), l)
		}
	}
	if _, isDue := k.Touch(after(9.1)); isDue {
		t.Error("the recap is repeated")
	}
	k.Clear()
	if _, isDue := k.Touch(after(20)); isDue {
		t.Error("a recap of a conversation that was cleared")
	}
}

// TestIdleFromTheEnd checks that the time counts from the end of the work, not from the last key.
func TestIdleFromTheEnd(t *testing.T) {
	t.Parallel()
	var k Keeper
	k.Touch(after(0))
	k.Handle(kit.Began{IsRun: true, Prompt: "Work long"}, after(0))
	k.Handle(kit.Finished{}, after(5))
	if _, isDue := k.Touch(after(6)); isDue {
		t.Error("a recap one hour after the end of the work")
	}
	if r, isDue := k.Touch(after(10)); !isDue || text(r, 80) != "Recap  last active 4 hours ago\n  Asked   Work long\n" {
		t.Errorf("%v: %s", isDue, text(r, 80))
	}
}

// TestChangesOfCommands counts a file once that an edit and a command have changed, and those of a command that failed.
func TestChangesOfCommands(t *testing.T) {
	t.Parallel()
	var k Keeper
	k.Handle(change("/w/lib/a.go", 3, 1), after(0))
	k.Handle(change("/w/lib/a.go", 1, 0), after(0))
	k.Handle(kit.Ran{Event: agent.ToolFinished{Executions: []agent.Execution{{
		Name: "run_shell_command", HasRun: true, Status: agent.Failed, Result: &tool.Result{}, Changes: &tool.Changes{
			Changed: 1, Deleted: 1, Added: 5, Removed: 7, Files: []tool.FileChange{{Path: "a.go"}, {Path: "lib/a.go"}},
		},
	}}}}, after(0))
	r, _ := k.Touch(after(8))
	if got, want := text(r, 80), "Recap\n  Changed 2 files (+9 -8): a.go, a.go\n"; got != want {
		t.Errorf("%s", got)
	}
	k.Handle(kit.Ran{Event: agent.ToolFinished{Executions: []agent.Execution{{Result: &tool.Result{}, Changes: &tool.Changes{Created: 9}}}}}, after(9))
	if r, _ := k.Touch(after(18)); !strings.Contains(text(r, 80), "Changed more than 2 files (+9 -8)") {
		t.Errorf("%s", text(r, 80))
	}
}

func TestFailedCallsAreNoWork(t *testing.T) {
	t.Parallel()
	var k Keeper
	f := agent.ToolFinished{Executions: []agent.Execution{
		{Name: "run_shell_command", Summary: "make", Status: agent.CallCancelled, Result: &tool.Result{}},
		{Name: "replace", Status: agent.Failed, Result: &tool.Result{Display: &tool.DiffDisplay{FilePath: "/w/a"}}},
		{Name: "replace", Status: agent.Success},
	}}
	k.Handle(kit.Ran{Event: f}, after(0))
	if r, isDue := k.Touch(after(8)); isDue {
		t.Errorf("%s", text(r, 80))
	}
}

func TestResume(t *testing.T) {
	t.Parallel()
	var k Keeper
	recorded := &record.Recap{Prompt: "Old", Last: start, Work: record.Work{Files: []string{"/w/lib/a.go"}, Added: 2, Commands: 1, LastCommand: "make"}}
	got := text(k.Resume(recorded, after(72)), 80)
	if want := "Recap  last active 3 days ago\n  Changed 1 file (+2 -0): lib/a.go\n  Ran     make\n"; got != want {
		t.Errorf("%s", got)
	}
	k.Handle(change("/w/b.go", 1, 0), after(72))
	if r, isDue := k.Touch(after(80)); !isDue || !strings.Contains(text(r, 80), "Asked   Old\n  Changed 2 files (+3 -0): a.go, b.go\n") {
		t.Errorf("%v: %s", isDue, text(r, 80))
	}
	if r := k.Resume(&record.Recap{Prompt: "Talk only"}, after(0)); r.Lines(80, theme.NoColor(), nil) != nil {
		t.Errorf("%s", text(r, 80))
	}
}

func TestAgo(t *testing.T) {
	t.Parallel()
	for d, want := range map[time.Duration]string{
		-time.Hour: "", 59 * time.Second: "", time.Minute: "1 minute ago", 59 * time.Minute: "59 minutes ago",
		time.Hour: "1 hour ago", 47 * time.Hour: "47 hours ago", 50 * time.Hour: "2 days ago",
	} {
		if got := ago(d); got != want {
			t.Errorf("%v: %q", d, got)
		}
	}
}
