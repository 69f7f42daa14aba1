package rewind

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"pollux/agent"
	"pollux/internal/face/tui/golden"
	"pollux/internal/face/tui/keys"
	"pollux/internal/face/tui/pane"
	"pollux/internal/face/tui/theme"
	"pollux/internal/record"
	"pollux/llm"
	"pollux/tool"
)

var now = time.Date(2026, 3, 10, 12, 0, 0, 0, time.UTC)

var bindings = keys.Default("linux")

// edit is a change of a file by one line.
func edit(path string, status agent.Status) agent.CallRecord {
	before := "old\n"
	d := &tool.DiffDisplay{
		FilePath: "/w/" + path, FileName: path, Before: &before, After: "new\nmore\n",
		Diff: "--- " + path + "\n+++ " + path + "\n@@ -1,1 +1,2 @@\n-old\n+new\n+more\n",
		Stat: tool.DiffStat{ModelAddedLines: 1, UserAddedLines: 1, ModelRemovedLines: 1},
	}
	return agent.CallRecord{ID: "c", Name: "replace", Status: status, HasRun: true, Display: d}
}

// talk has prompts, and the calls after each.
type talk struct {
	history []agent.Message
	calls   map[string][]agent.CallRecord
}

func (c *talk) add(text string, minutes int, calls ...agent.CallRecord) {
	n := len(c.history)
	m := agent.Message{ID: fmt.Sprintf("id-%d", n), Content: llm.User(llm.Text(text)), IsPrompt: true, Time: now.Add(-time.Duration(minutes) * time.Minute)}
	results := agent.Message{ID: fmt.Sprintf("results-%d", n), Content: llm.User(llm.Text("results"))}
	c.history = append(c.history, m, agent.Message{ID: "m", Content: &llm.Content{Role: llm.RoleModel}}, results)
	c.calls[results.ID] = calls
}

func some() *talk {
	c := &talk{calls: map[string][]agent.CallRecord{}}
	c.history = []agent.Message{{ID: "opening", Content: llm.User(llm.Text("context"))}}
	c.add("Add a changelog, and mention in it everything that has happened in this project since the beginning of the year, in the style of the others.\nThanks", 125, edit("CHANGES.md", agent.Success))
	c.add("\x1b[31mWhy?\x1b[0m", 60, edit("refused.txt", agent.Failed))
	c.add("Fix it", 5, edit("a.go", agent.Success), edit("b.go", agent.Success), edit("a.go", agent.Success))
	return c
}

// opened is a dialog in a test. Its jobs wait until the test runs them.
type opened struct {
	*Pane
	t         testing.TB
	jobs      []func() func()
	planned   string // the prompt
	undos     []record.FileUndo
	isPartial bool
}

func open(t testing.TB, c *talk) *opened {
	o := &opened{t: t}
	o.Pane = New(t.Context(), Options{
		History: func() []agent.Message { return c.history }, Calls: func() map[string][]agent.CallRecord { return c.calls },
		Plan: func(_ context.Context, id string) ([]record.FileUndo, bool) {
			o.planned = id
			return o.undos, o.isPartial
		},
		ShortPath: func(path string) string { return strings.TrimPrefix(path, "/w/") }, Bindings: bindings, Now: func() time.Time { return now },
		Background: func(work func() func()) { o.jobs = append(o.jobs, work) },
	})
	return o
}

func shown(t testing.TB, c *talk) *opened {
	o := open(t, c)
	o.Load()()
	o.undos = []record.FileUndo{{Path: "/w/a.go"}, {Path: "/w/b.go", Problem: "it has changed \x1b[1msince"}, {Path: "/w/CHANGES.md"}}
	return o
}

// work runs the jobs.
func (o *opened) work() {
	for _, job := range o.jobs {
		job()()
	}
	o.jobs = nil
}

// press types keys by their names, such as "down", and returns the effect of the last one.
func (o *opened) press(names ...string) (effect pane.Outcome) {
	o.t.Helper()
	for _, name := range names {
		chord, err := keys.ParseChord(name)
		if err != nil {
			o.t.Fatal(err)
		}
		k := keys.Key{Chord: chord}
		if len(name) == 1 {
			k.Text = name
		}
		effect = o.Handle(k, bindings)
	}
	return effect
}

func (o *opened) screen(width, height int) string {
	o.t.Helper()
	var b strings.Builder
	lines := o.View(width, height, theme.Theme{}).Lines
	if len(lines) > height {
		o.t.Errorf("%d lines of %d", len(lines), height)
	}
	for _, l := range lines {
		if l.Width() > width {
			o.t.Errorf("the line is %d columns wide, of %d: %s", l.Width(), width, l)
		}
		b.WriteString(strings.TrimRight(l.String(), " ") + "\n")
	}
	return b.String()
}

func TestGolden(t *testing.T) {
	t.Parallel()
	scenes := []struct {
		name   string
		height int
		keys   []string
	}{
		{"list", 24, nil},
		{"expanded", 24, []string{"up", "up", "up", "right"}},
		{"confirm", 24, []string{"up", "up", "up", "enter"}},
		{"no_files", 24, []string{"up", "up", "enter"}},
		{"changes", 24, []string{"up", "enter", "d"}},
		{"low", 10, []string{"up", "enter"}},
		{"low_list", 6, []string{"up"}},
	}
	for _, scene := range scenes {
		for _, width := range []int{40, 80, 160} {
			t.Run(fmt.Sprintf("%s_%d", scene.name, width), func(t *testing.T) {
				t.Parallel()
				c := some()
				if scene.name == "no_files" {
					c.calls = nil
				}
				o := shown(t, c)
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
