package tasks

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pollux/internal/face/tui/golden"
	"pollux/internal/face/tui/keys"
	"pollux/internal/face/tui/pane"
	"pollux/internal/face/tui/pane/panetest"
	"pollux/internal/face/tui/styled"
	"pollux/internal/tools/shell"
)

// desk is a pane with its commands, whose reading of logs ends when the test says so.
type desk struct {
	*Pane
	list  []shell.Process
	terms map[int][]styled.Line // the screens of commands, by PID
	typed int                   // the PID of the command that has got the keyboard
	work  []func() func()       // that has not begun
	binds *keys.Bindings
}

func newDesk(list ...shell.Process) *desk {
	d := &desk{list: list, binds: keys.Default("linux")}
	d.Pane = New(Options{
		List: func() []shell.Process { return d.list }, Bindings: d.binds,
		Screen: func(pid, most int) ([]styled.Line, bool) {
			lines, ok := d.terms[pid]
			return lines[max(0, len(lines)-most):], ok
		},
		Focus: func(pid int) bool {
			_, ok := d.terms[pid]
			if ok {
				d.typed = pid
			}
			return ok
		},
		Background: func(work func() func()) { d.work = append(d.work, work) },
	})
	return d
}

// settle does the work that waits, and the work that follows it.
func (d *desk) settle() {
	for len(d.work) > 0 {
		work := d.work[0]
		d.work = d.work[1:]
		work()()
	}
}

// press types keys by their names, and returns the effect of the last one.
func (d *desk) press(names ...string) (o pane.Outcome) {
	return panetest.Press(d.Pane, d.binds, names...)
}

func (d *desk) text(t *testing.T, width, height int) string {
	t.Helper()
	return panetest.Text(t, d.Pane, width, height)
}

// log writes the output of a command.
func log(t *testing.T, pid int, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), fmt.Sprintf("background-%d.log", pid))
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// TestScreens compares the pane with its golden screens.
func TestScreens(t *testing.T) {
	t.Parallel()
	for _, width := range []int{40, 80, 160} {
		var all strings.Builder
		for _, c := range []struct {
			name, keys string
			height     int
			hasNone    bool
		}{
			{"latest", "", 20, false},
			{"another", "down", 20, false},
			{"without a log", "down down", 20, false},
			{"found", "t e s t", 20, false},
			{"stopped", "ctrl+k", 20, false},
			{"ended", "down ctrl+k", 20, false},
			{"terminal", "down down", 20, false},
			{"empty terminal", "down down", 20, false},
			{"no terminal", "tab", 20, false},
			{"low", "", 6, false},
			{"none", "", 20, true},
		} {
			d := newDesk()
			if !c.hasNone {
				d = newDesk(
					shell.Process{PID: 7, Command: "tail -f none", Log: "/logs/background-7.log"},
					shell.Process{PID: 345, Command: "go test ./...\n", Log: log(t, 345, "ok  a\nFAIL b\x1b[2J\n"), Exited: true, Code: 1},
					shell.Process{PID: 2001, Command: "npm run dev -- --port 3000 --host \x1b]0;x\a", Log: log(t, 2001, strings.Repeat("GET /some/long/path/of/the/server ", 9)+"\n"+lines(40))},
				)
			}
			switch c.name {
			case "terminal":
				d.terms = map[int][]styled.Line{7: {styled.Plain("above"), styled.Of("Continue? ", styled.Style{Attrs: styled.Bold})}}
			case "empty terminal":
				d.terms = map[int][]styled.Line{7: {nil}}
			}
			d.settle()
			d.press(strings.Fields(c.keys)...)
			d.settle()
			fmt.Fprintf(&all, "--- %s ---\n%s", c.name, d.text(t, width, c.height))
		}
		golden.Check(t, fmt.Sprintf("tasks.%d.txt", width), maskLogs(all.String()))
	}
}

// maskLogs replaces the paths of logs in the directory of the test.
func maskLogs(text string) string {
	rows := strings.Split(text, "\n")
	for i, row := range rows {
		if strings.HasPrefix(row, "Log: ") && !strings.HasPrefix(row, "Log: /logs") {
			rows[i] = "Log: (of the test)"
		}
	}
	return strings.Join(rows, "\n")
}

func lines(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "line %d\n", i+1)
	}
	return b.String()
}

// TestKeys checks the effects of keys.
func TestKeys(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		keys string
		want pane.Outcome
	}{
		{"ctrl+b", pane.Closed{}},
		{"escape", pane.Closed{}},
		{"ctrl+k", pane.Chosen{Command: "/tasks stop 2", Stays: true}},
		{"down ctrl+k", pane.Changed{}}, // it has ended
		{"x y z ctrl+k", pane.Ignored{}},
		{"f12", pane.Ignored{}},
	} {
		d := newDesk(shell.Process{PID: 1, Command: "one", Exited: true}, shell.Process{PID: 2, Command: "two"})
		d.settle()
		if got := d.press(strings.Fields(c.keys)...); got != c.want {
			t.Errorf("%s: %#v", c.keys, got)
		}
	}
}

// TestFocus checks which commands get the keyboard.
func TestFocus(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		keys string
		want int
	}{{"tab", 2}, {"enter", 2}, {"down tab", 0}, {"x tab", 0}} {
		d := newDesk(shell.Process{PID: 1, Command: "one", Exited: true}, shell.Process{PID: 2, Command: "two"})
		d.terms = map[int][]styled.Line{2: {styled.Plain("Continue? ")}}
		d.settle()
		got := d.press(strings.Fields(c.keys)...)
		if isClosed := got == (pane.Closed{}); d.typed != c.want || isClosed != (c.want > 0) {
			t.Errorf("%s: %d gets the keyboard, %#v", c.keys, d.typed, got)
		}
	}
}

// TestRefresh checks that the pane follows the commands and the output while a command runs, reads once at a time, and
// shows the output of no other command.
func TestRefresh(t *testing.T) {
	t.Parallel()
	path := log(t, 1, "first\n")
	d := newDesk(shell.Process{PID: 1, Command: "one", Log: path}, shell.Process{PID: 2, Command: "two"})
	if got := d.text(t, 60, 20); !strings.Contains(got, "Reading the output...") || len(d.work) != 1 {
		t.Errorf("%d reads, %s", len(d.work), got)
	}
	d.Refresh()
	if len(d.work) != 1 {
		t.Error("it reads twice at a time")
	}
	d.press("down") // while the output of the other one is read
	d.settle()
	if got := d.text(t, 60, 20); !strings.Contains(got, "first") || strings.Contains(got, "No output yet.") {
		t.Error(got)
	}
	if !d.IsLive() {
		t.Error("a command runs")
	}
	if err := os.WriteFile(path, []byte("first\nsecond\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	d.list = []shell.Process{{PID: 1, Command: "one", Log: path, Exited: true}, {PID: 2, Command: "two", Exited: true}, {PID: 3, Command: "three", Exited: true}}
	d.Refresh()
	d.settle()
	got := d.text(t, 60, 20)
	if d.IsLive() || !strings.Contains(got, "second") || !strings.Contains(got, "❯ 1  one") || strings.Contains(got, "running") {
		t.Error(got)
	}
}

// TestProblems checks that the pane shows why a command was not stopped, until another one is selected, and why there is
// no output.
func TestProblems(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	d := newDesk(shell.Process{PID: 1, Command: "one", Log: dir}, shell.Process{PID: 2, Command: "two"})
	d.settle()
	if d.press("ctrl+k"); !strings.Contains(d.text(t, 60, 20), "Stopping the command...") {
		t.Error(d.text(t, 60, 20))
	}
	d.Done("It does not stop.")
	d.settle()
	if got := d.text(t, 60, 20); !strings.Contains(got, "It does not stop.") || strings.Contains(got, "Stopping") {
		t.Error(got)
	}
	d.press("down")
	d.settle()
	if got := d.text(t, 60, 20); strings.Contains(got, "It does not stop.") || !strings.Contains(got, "Cannot read the output: ") {
		t.Error(got)
	}
}
