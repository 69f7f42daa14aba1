package sessions

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"pollux/internal/face/tui/golden"
	"pollux/internal/face/tui/keys"
	"pollux/internal/face/tui/pane"
	"pollux/internal/face/tui/styled"
	"pollux/internal/face/tui/theme"
	"pollux/internal/sessions"
	"pollux/internal/terminal"
)

var now = time.Date(2026, 3, 10, 12, 0, 0, 0, time.UTC)

var bindings = keys.Default("linux")

// recorded is a session to write to disk.
type recorded struct {
	id      string
	age     time.Duration
	prompts []string // each answered by "Answer to" and its text
}

const day = 24 * time.Hour

var some = []recorded{
	{"11111111-a", 3 * day, []string{"Fix the login test", "Now the timeout", "Explain Zebras"}},
	{"22222222-b", 2 * time.Hour, []string{"add a changelog"}},
	{"33333333-c", 400 * day, []string{"What does this project do? Please explain all of it in great detail, file by file", "zebra", "more zebra", "and a ZEBRA"}},
	{"44444444-d", 5 * time.Minute, []string{"\x1b[31mred\x1b[0m and \u202eevil\x07", "go on"}},
	{"55555555-e", 30 * time.Second, []string{"日本語のタイトル"}},
}

// store writes sessions to disk.
func store(t testing.TB, list []recorded) *sessions.Store {
	s := &sessions.Store{Dir: t.TempDir()}
	for i, r := range list {
		at := now.Add(-r.age).Format(time.RFC3339Nano)
		var b strings.Builder
		fmt.Fprintf(&b, `{"sessionId":%q,"projectHash":"h","startTime":%q,"lastUpdated":%[2]q,"kind":"main"}`+"\n", r.id, at)
		for n, text := range r.prompts {
			data := quote(text)
			fmt.Fprintf(&b, `{"id":"u%d","timestamp":%q,"type":"user","content":[{"text":%s}]}`+"\n", n, at, data)
			fmt.Fprintf(&b, `{"id":"m%d","timestamp":%q,"type":"gemini","content":%s}`+"\n", n, at, quote("Answer to "+text))
		}
		if err := os.WriteFile(filepath.Join(s.Dir, fmt.Sprintf("session-%d.jsonl", i)), []byte(b.String()), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return s
}

func quote(text string) string {
	return string(terminal.AppendJSON(nil, []byte(`"`+strings.NewReplacer("\x1b", `\u001b`, "\x07", `\u0007`, "\n", `\n`, `"`, `\"`).Replace(text)+`"`)))
}

// opened is a pane in a test. Its jobs wait until the test runs them.
type opened struct {
	*Pane
	t    testing.TB
	jobs []func() func()
}

func open(t testing.TB, s *sessions.Store) *opened {
	o := &opened{t: t}
	o.Pane = New(t.Context(), Options{
		List: s.List, Current: "22222222-b", Bindings: bindings, Now: func() time.Time { return now },
		Background: func(work func() func()) { o.jobs = append(o.jobs, work) },
	})
	return o
}

// shown returns a pane with its list.
func shown(t testing.TB, list []recorded) *opened {
	o := open(t, store(t, list))
	o.Load()()
	return o
}

// work runs the jobs, and those that they start.
func (o *opened) work() {
	for len(o.jobs) > 0 {
		job := o.jobs[0]
		o.jobs = o.jobs[1:]
		job()()
	}
}

// press types keys by their names, such as "down", and returns the effect of the last one. A name of several letters that
// is no key is typed letter by letter.
func (o *opened) press(names ...string) (effect pane.Outcome) {
	o.t.Helper()
	for _, name := range names {
		chord, err := keys.ParseChord(name)
		if err == nil {
			k := keys.Key{Chord: chord}
			if len(name) == 1 {
				k.Text = name
			}
			effect = o.Handle(k, bindings)
			continue
		}
		for _, r := range name {
			effect = o.Handle(keys.Key{Chord: keys.Chord{Code: r}, Text: string(r)}, bindings)
		}
	}
	return effect
}

// screen returns the lines of a pane, with "▮" at the cursor.
func (o *opened) screen(width, height int) string {
	o.t.Helper()
	v := o.View(width, height, theme.Theme{})
	if len(v.Lines) > height {
		o.t.Errorf("%d lines of %d", len(v.Lines), height)
	}
	var b strings.Builder
	for i, l := range v.Lines {
		if l.Width() > width {
			o.t.Errorf("the line is %d columns wide, of %d: %s", l.Width(), width, l)
		}
		if v.HasCursor && i == v.Cursor.Row {
			head, tail := l.Split(v.Cursor.Column)
			l = append(append(head, styled.Span{Text: "▮"}), tail...)
		}
		b.WriteString(strings.TrimRight(l.String(), " ") + "\n")
	}
	return b.String()
}

// names returns the last cells of the rows.
func (o *opened) names() string {
	var names []string
	for i := range o.list.rows {
		names = append(names, o.list.at(i).ID[:1])
	}
	return strings.Join(names, "")
}

func TestGolden(t *testing.T) {
	t.Parallel()
	scenes := []struct {
		name   string
		height int
		keys   []string
	}{
		{"list", 24, nil},
		{"name", 24, []string{"s", "s", "down"}},
		{"search", 24, []string{"/", "zebra"}},
		{"no_match", 24, []string{"/", "unicorn"}},
		{"delete", 24, []string{"x"}},
		{"current", 24, []string{"down", "down", "x"}},
		{"preview", 24, []string{"end", "shift+end", "p"}},
		{"low", 10, []string{"p"}},
	}
	for _, scene := range scenes {
		for _, width := range []int{40, 80, 160} {
			t.Run(fmt.Sprintf("%s_%d", scene.name, width), func(t *testing.T) {
				t.Parallel()
				o := shown(t, some)
				for _, key := range scene.keys {
					o.press(key)
					o.work()
				}
				check(t, o.screen(width, scene.height))
			})
		}
	}
}

// check compares a screen with the golden file of the test.
func check(t *testing.T, got string) {
	t.Helper()
	golden.Check(t, filepath.Base(t.Name())+".golden", got)
}

func TestStates(t *testing.T) {
	t.Parallel()
	o := open(t, store(t, nil))
	if got := o.screen(80, 10); got != "Chat Sessions\nLoading sessions…\nEsc close\n" {
		t.Errorf("%q", got)
	}
	o.press("down", "x", "enter", "/", "p") // do nothing yet
	o.Load()()
	if got := o.screen(40, 10); !strings.HasPrefix(got, "Chat Sessions (0 total) sorted by date\ndesc\nNo sessions found.\n") {
		t.Errorf("%q", got)
	}
	for _, key := range []string{"enter", "x", "f", "p", "down", "G", "g", "s", "r", "pagedown"} {
		if got := o.press(key); got != (pane.Changed{}) {
			t.Errorf("%s: %#v", key, got)
		}
	}
	o.o.List = func(context.Context) ([]sessions.Info, error) { return nil, errors.New("no \x1b[1mdisk") }
	o.Load()()
	if got := o.screen(80, 10); !strings.Contains(got, "Cannot list the sessions: no disk\n") {
		t.Errorf("%q", got)
	}
}
