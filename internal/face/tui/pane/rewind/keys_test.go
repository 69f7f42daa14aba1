package rewind

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"pollux/agent"
	"pollux/internal/face/tui/keys"
	"pollux/internal/face/tui/pane"
	"pollux/internal/face/tui/theme"
	"pollux/internal/manage/conversation"
	"pollux/internal/manage/managetest"
	"pollux/internal/record"
	"pollux/tool"
)

var _ pane.Loader = (*Pane)(nil)

func TestChoose(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		keys []string
		want pane.Outcome
	}{
		{[]string{"enter"}, pane.Closed{}}, // stays
		{[]string{"escape"}, pane.Closed{}},
		{[]string{"up", "enter", "enter"}, pane.Chosen{Command: "/rewind id-7 --files=revert"}},
		{[]string{"up", "enter", "2"}, pane.Chosen{Command: "/rewind id-7 --files=keep"}},
		{[]string{"up", "enter", "down", "down", "enter"}, pane.Chosen{Command: "/rewind id-7 --files=only"}},
		{[]string{"up", "enter", "4"}, pane.Changed{}},
		{[]string{"up", "enter", "4", "up", "up", "enter", "1"}, pane.Chosen{Command: "/rewind id-1 --files=revert"}},
		{[]string{"up", "enter", "escape"}, pane.Changed{}},
		{[]string{"up", "enter", "escape", "escape"}, pane.Closed{}},
		{[]string{"up", "enter", "d", "d", "2"}, pane.Chosen{Command: "/rewind id-7 --files=keep"}},
		{[]string{"up", "enter", "d", "escape", "escape", "escape"}, pane.Closed{}},
		{[]string{"home", "up", "enter", "2"}, pane.Chosen{Command: "/rewind id-1 --files=keep"}},
		{[]string{"shift+home", "down", "k", "end", "j", "pageup", "pagedown", "enter"}, pane.Closed{}},
		{[]string{"ctrl+c"}, pane.Ignored{}},
		{[]string{"d"}, pane.Ignored{}},
		{[]string{"up", "enter", "x"}, pane.Ignored{}},
		{[]string{"up", "enter", "d", "x"}, pane.Ignored{}},
	} {
		o := shown(t, some())
		got := o.press(test.keys...)
		_, isChosen := got.(pane.Chosen)
		if got != test.want || (o.ctx.Err() != nil) != (isChosen || got == pane.Closed{}) {
			t.Errorf("%q: %#v, the work ends: %v", test.keys, got, o.ctx.Err())
		}
		o.work()
	}
	o := shown(t, some())
	if got := o.Handle(keys.Paste{Text: "x"}, bindings); got != (pane.Ignored{}) {
		t.Errorf("%#v", got)
	}
}

// Before the list is there, only the end of the dialog can be chosen.
func TestLoading(t *testing.T) {
	t.Parallel()
	o := open(t, some())
	if got := o.screen(80, 10); !strings.Contains(got, "\nLoading prompts…\nEnter choose · Esc close\n") {
		t.Error(got)
	}
	if got := o.press("enter"); got != (pane.Ignored{}) {
		t.Errorf("%#v", got)
	}
	show := o.Load()
	if o.list.turns != nil {
		t.Error("reading changes the dialog")
	}
	show()
	if got := o.screen(80, 10); !strings.Contains(got, "❯ Stay at current position\n") {
		t.Error(got)
	}
	if got := open(t, &talk{}); got.press("escape") != (pane.Closed{}) {
		t.Error("no conversation")
	}
}

func TestPlan(t *testing.T) {
	t.Parallel()
	o := shown(t, some())
	o.press("up", "enter", "down", "down")
	if got := o.screen(80, 20); strings.Contains(got, "stays") || o.planned != "" {
		t.Error(got)
	}
	o.isPartial = true
	o.work()
	if got := o.screen(80, 20); o.planned != "id-7" || !strings.Contains(got, "  b.go stays: it has changed since\n") || !strings.Contains(got, "❯ 3. Revert") ||
		!strings.Contains(got, "Commands have run since. Changes that they or you have made are not reverted.\n") {
		t.Error(got)
	}
	// No file can be reverted.
	o = shown(t, some())
	o.press("up", "enter")
	o.undos = o.undos[1:2]
	o.work()
	if got := o.screen(80, 20); !strings.Contains(got, "❯ 2. Rewind conversation\n") || !strings.Contains(got, "code changes  no file can be reverted\n") {
		t.Error(got)
	}
	if got := o.press("1", "enter"); got != (pane.Chosen{Command: "/rewind id-7 --files=keep"}) {
		t.Errorf("%#v", got)
	}
	o = shown(t, some())
	o.press("up", "enter", "4", "up", "enter") // a late plan changes only its own question
	o.undos = nil
	jobs := o.jobs
	o.press("down", "down", "down")
	for _, job := range jobs[:1] {
		job()()
	}
	if got := o.screen(80, 20); strings.Contains(got, "no file") {
		t.Error(got)
	}
}

func TestNoFiles(t *testing.T) {
	t.Parallel()
	c := some()
	c.calls = nil
	c.history[7].Shown = "Fix it, please"
	o := shown(t, c)
	o.press("up", "enter")
	if got := o.screen(80, 10); len(o.jobs) != 0 || !strings.Contains(got, "> Fix it, please\n") {
		t.Error(got)
	}
	if got := o.press("d"); got != (pane.Ignored{}) || o.shows != nil {
		t.Errorf("%#v", got)
	}
}

// If there is more room, the rows before those on the screen fill it.
func TestScroll(t *testing.T) {
	t.Parallel()
	o := shown(t, some())
	if got := o.screen(80, 5); strings.Contains(got, "Why?") || !strings.Contains(got, "Fix it") {
		t.Error(got)
	}
	if got := o.screen(80, 24); !strings.Contains(got, "Add a changelog") {
		t.Error(got)
	}
	o.press("home")
	if got := o.screen(80, 5); !strings.Contains(got, "❯ Add a changelog") {
		t.Error(got)
	}
	o.press("end")
	if got := o.screen(80, 5); !strings.Contains(got, "❯ Stay") {
		t.Error(got)
	}
}

func TestFileLines(t *testing.T) {
	t.Parallel()
	c := &talk{calls: map[string][]agent.CallRecord{}}
	var calls []agent.CallRecord
	for i := range 9 {
		calls = append(calls, edit(fmt.Sprintf("%d.txt", i), agent.Success))
	}
	c.add("x", 1, calls...)
	o := shown(t, c)
	o.undos = []record.FileUndo{{Path: "/w/0.txt"}, {Path: "/w/8.txt", Problem: "no"}}
	o.press("up", "enter")
	o.work()
	if got := o.screen(80, 30); !strings.Contains(got, "9 files changed +18 -9 · 1 minute ago\n") || !strings.Contains(got, "  8.txt stays: no\n  0.txt +2 -1\n") || !strings.Contains(got, "  3.txt +2 -1\n  and 4 more\n") {
		t.Error(got)
	}
	c.calls["results-0"] = calls[:1]
	c.history[0].Time = time.Time{}
	o = shown(t, c)
	o.undos = nil
	o.press("up", "enter")
	if got := o.screen(80, 30); !strings.Contains(got, "> x\n0.txt +2 -1\nChanges that") || !strings.Contains(got, "reverted.\n❯ 1.") {
		t.Error(got)
	}
}

// A prompt whose ID is no plain word, as in a session of another user, is named by its number.
func TestNames(t *testing.T) {
	t.Parallel()
	for id, want := range map[string]string{"a_B-9": "a_B-9", "": "3", "-x": "3", "a b": "3", "1\n/quit": "3", "ä": "3", strings.Repeat("a", 101): "3"} {
		c := some()
		c.history[7].ID = id
		o := shown(t, c)
		if got := o.press("up", "enter", "2"); got != (pane.Chosen{Command: "/rewind " + want + " --files=keep"}) {
			t.Errorf("%q: %#v", id, got)
		}
	}
}

func TestExpand(t *testing.T) {
	t.Parallel()
	c := &talk{calls: map[string][]agent.CallRecord{}}
	c.add(strings.Repeat("\x1b[1mlong\x07 \x1b[0m", 1<<20), 1)
	c.add(" \n ", 1)
	c.add("last", 1)
	o := shown(t, c)
	o.press("home")
	if got := o.screen(20, 10); !strings.Contains(got, "❯ long long long\n  long long long…\n  No files have bee…\n  (empty)\n") {
		t.Error(got)
	}
	o.press("right")
	if got := o.screen(20, 10); !strings.HasSuffix(got, "  long long long\n  long long long…\n  No files have bee…\nEnter choose · Left…\n") || strings.Contains(got, "(empty)") {
		t.Error(got)
	}
	o.press("left")
	if got := o.screen(20, 10); !strings.Contains(got, "(empty)") {
		t.Error(got)
	}
	o.press("right", "down", "up")
	if got := o.screen(20, 10); !strings.Contains(got, "(empty)") {
		t.Error(got)
	}
	o.press("right", "up") // at the top, nothing is left
	if got := o.screen(20, 10); strings.Contains(got, "(empty)") {
		t.Error(got)
	}
}

func TestReview(t *testing.T) {
	t.Parallel()
	c := some()
	before := strings.Repeat("x", 300)
	wide := edit("w", agent.Success)
	wide.Display = &tool.DiffDisplay{FilePath: "/w/w", Before: &before, After: "y", Diff: "--- w\n+++ w\n@@ -1,1 +1,1 @@\n-" + before + "\n+\x1b[2Jy\n"}
	huge := edit("huge", agent.Success)
	huge.Display = &tool.DiffDisplay{FilePath: "/w/huge", After: strings.Repeat("z\n", 1<<20)}
	c.add("more", 1, wide, huge)
	o := shown(t, c)
	o.press("up", "enter", "d")
	got := o.screen(80, 30)
	if !strings.Contains(got, "1 - "+strings.Repeat("x", 76)+"\n    "+strings.Repeat("x", 76)+"\n") || !strings.Contains(got, "1 + y\nhuge +0 -0\nThis change is too large to be shown.\n") {
		t.Error(got)
	}
	o.screen(80, 5)
	for _, step := range []struct {
		key string
		top int
	}{{"down", 1}, {"shift+down", 2}, {"pagedown", 5}, {"up", 4}, {"pageup", 1}, {"shift+up", 0}, {"up", 0}, {"end", 5}, {"home", 0}, {"shift+end", 5}, {"shift+home", 0}} {
		o.press(step.key)
		if got := o.screen(80, 5); o.shows.Top() != step.top || strings.Count(got, "\n") != 5 {
			t.Fatalf("%s: line %d\n%s", step.key, o.shows.Top(), got)
		}
	}
	if got := o.press("up", "up", "down"); o.shows.Top() != 1 || got != (pane.Changed{}) {
		t.Errorf("line %d", o.shows.Top())
	}
	o.screen(30, 5)
	huge.Display = &tool.DiffDisplay{FilePath: "/w/huge", Before: &before, Diff: strings.Repeat("@@ -1,1 +1,1 @@\n-a\n+b\n", 10_000)}
	c.calls["results-10"] = []agent.CallRecord{huge}
	o = shown(t, c)
	o.press("up", "enter", "d")
	if got := o.screen(80, 30); !strings.HasPrefix(got, "Changes since the prompt\nhuge +0 -0\nThis change is too large to be shown.\nEsc") {
		t.Error(got)
	}
	var calls []agent.CallRecord
	for range 1000 {
		calls = append(calls, edit("a", agent.Success))
	}
	c.add("many", 0, calls...)
	o = shown(t, c)
	o.press("up", "enter", "d")
	o.screen(80, 30)
	o.press("end")
	if got := o.screen(80, 30); len(o.shows.Lines) != maxReview+1 || !strings.Contains(got, "The rest is not shown.\n") {
		t.Errorf("%d lines\n%s", len(o.shows.Lines), got)
	}
}

// TestAnySize checks that each screen fits, whatever the keys, the texts and the size are.
func TestAnySize(t *testing.T) {
	t.Parallel()
	names := []string{"down", "up", "up", "enter", "enter", "escape", "right", "left", "d", "pagedown", "home", "end", "3"}
	texts := []string{"", "a", "\x1b[2Jx\n\ty\u202e", strings.Repeat("日本 ", 50), strings.Repeat("w", 500)}
	rapid.Check(t, func(r *rapid.T) {
		c := &talk{calls: map[string][]agent.CallRecord{}}
		for range rapid.IntRange(0, 10).Draw(r, "prompts") {
			text := rapid.SampledFrom(texts).Draw(r, "text")
			c.add(text, 1, []agent.CallRecord{edit("a"+text, agent.Success), edit("b", agent.Success)}[:rapid.IntRange(0, 2).Draw(r, "calls")]...)
		}
		o := shown(t, c)
		for range rapid.IntRange(0, 12).Draw(r, "keys") {
			o.press(rapid.SampledFrom(names).Draw(r, "key"))
			if rapid.Bool().Draw(r, "works") {
				o.work()
			}
			width, height := rapid.IntRange(0, 100).Draw(r, "width"), rapid.IntRange(0, 30).Draw(r, "height")
			lines := o.View(width, height, theme.NoColor()).Lines
			if len(lines) > height || len(lines) == 0 && width > 0 && height > 0 {
				r.Fatalf("%d lines of %d", len(lines), height)
			}
			isMarked := false
			for _, l := range lines {
				if l.Width() > width || strings.ContainsAny(l.String(), "\x1b\n\t\u202e") {
					r.Fatalf("%d columns of %d: %q", l.Width(), width, l.String())
				}
				isMarked = isMarked || strings.HasPrefix(l.String(), "❯")
			}
			if !isMarked && o.shows == nil && width > 6 && height > 0 {
				r.Fatalf("the selection is not on the screen: %v", lines)
			}
		}
	})
}

// TestSession checks that a real session takes the commands, and that the dialog shows their effects.
func TestSession(t *testing.T) {
	t.Parallel()
	p := managetest.New(t, `{"general":{"defaultApprovalMode":"auto_edit"}}`)
	p.Script = "turn\n  call write_file {\"file_path\": \"a.txt\", \"content\": \"one\\n\"}\nturn\n  text Wrote.\n"
	p.Prompt("write")
	s := p.Session
	d := New(t.Context(), Options{
		History: s.History, Calls: s.Record.Calls, Plan: s.Changes.PlanUndo, ShortPath: s.Workspace.Display,
		Bindings: bindings, Now: time.Now, Background: func(work func() func()) { work()() },
	})
	d.Load()()
	o := &opened{Pane: d, t: t}
	o.press("up")
	if got := o.screen(80, 20); !strings.Contains(got, "❯ write\n  a.txt +1 -0\n  Stay at") {
		t.Error(got)
	}
	o.press("enter")
	if got := o.screen(80, 20); strings.Contains(got, "no file") {
		t.Error(got)
	}
	chosen, ok := o.press("enter").(pane.Chosen)
	args, isRewind := strings.CutPrefix(chosen.Command, "/rewind ")
	if !ok || !isRewind {
		t.Fatalf("%#v", chosen)
	}
	for _, c := range conversation.Commands() {
		if c.Name != "rewind" {
			continue
		}
		if _, next, err := p.Slash(c, "", args); err != nil || next.Draft != "write" || len(s.Prompts()) != 0 {
			t.Errorf("%+v, %v, %d prompts", next, err, len(s.Prompts()))
		}
	}
	if _, err := os.Stat(filepath.Join(p.Options.Dir, "a.txt")); !os.IsNotExist(err) {
		t.Error("the file stays")
	}
}

func BenchmarkView(b *testing.B) {
	c := &talk{calls: map[string][]agent.CallRecord{}}
	text := strings.Repeat("some prompt ", 50)
	for range 10_000 {
		c.add(text, 1, edit("a", agent.Success))
	}
	o := open(b, c)
	o.Load()()
	for b.Loop() {
		o.press("up")
		o.View(120, 40, theme.Theme{})
		o.press("end")
		o.View(120, 40, theme.Theme{})
	}
}

// TestCommand offers to revert the files that commands have changed, and counts those that have no names.
func TestCommand(t *testing.T) {
	t.Parallel()
	c := &talk{calls: map[string][]agent.CallRecord{}}
	command := func(n *tool.Changes) agent.CallRecord {
		return agent.CallRecord{ID: "1", Status: agent.Failed, HasRun: true, Executions: []agent.Execution{{HasRun: true, Status: agent.Failed, Changes: n, Result: &tool.Result{}}}}
	}
	c.add("Clean up", 5, edit("a.go", agent.Success), command(&tool.Changes{
		Changed: 1, Deleted: 300, Added: 1, Removed: 910,
		Files: []tool.FileChange{{Path: "a.go", Change: tool.FileChanged, Added: 1, Removed: 4}, {Path: "old\x1b[1m.go", Change: tool.FileDeleted, Removed: 6}},
	}))
	o := open(t, c)
	o.Load()()
	o.undos = []record.FileUndo{{Path: "/w/a.go", Problem: "it has changed since"}, {Path: "/w/old.go"}}
	o.press("up", "enter")
	o.work()
	got := o.screen(80, 20)
	for _, want := range []string{"301 files changed +3 -911 · 5", "a.go stays: it has changed since", "old.go +0 -6\n", "299 more files +0 -900\n", "Revert code changes"} {
		if !strings.Contains(got, want) {
			t.Errorf("lacks %q:\n%s", want, got)
		}
	}
	o.press("d")
	if got := o.screen(80, 20); !strings.Contains(got, "a.go +1 -4\nold.go +0 -6\n299 more files +0 -900\n") {
		t.Error(got)
	}
}
