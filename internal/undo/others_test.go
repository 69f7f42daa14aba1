package undo_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"pollux/internal/undo"
	"pollux/internal/undo/state"
	"pollux/internal/undo/store"
	"pollux/internal/undo/undotest"
)

// TestTwoRecorders has two sessions in one workspace. The undo of one takes nothing of the other back.
func TestTwoRecorders(t *testing.T) {
	t.Parallel()
	p := newPlace(t, "for f in a b c d e link; do echo $f >$f; done; mkdir dir; ln -s a l; echo f >f")
	other := undo.New(undo.Options{Store: p.open, Roots: func() []string { return []string{p.dir} }})
	defer other.Close()
	begin := func(r *undo.Recorder, title string, may undo.Scope) *undo.Run {
		run, err := r.Begin(t.Context(), store.Header{Kind: store.Call, Title: title}, may)
		if err != nil {
			t.Fatal(err)
		}
		return run
	}
	end := func(run *undo.Run) *store.Operation {
		o, err := run.End(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return o
	}
	old := p.run(t, "echo old >d; rm link; ln -s a link; echo x >dir/x; ln -sf b l")
	edit := begin(other, "edit", undo.Scope{Paths: []string{filepath.Join(p.dir, "f")}})
	p.sh(t, "rm f")
	end(edit)
	p.sh(t, "echo f >f")
	run := begin(p.recorder, "long", undo.Scope{Anywhere: true})
	p.sh(t, "echo mine >a; rm f")
	edit = begin(other, "edit", undo.Scope{Paths: []string{filepath.Join(p.dir, "b"), filepath.Join(p.dir, "e")}})
	p.sh(t, "echo theirs >b; rm e")
	end(edit)
	p.undo(t, old.Number) // in a third process
	edit = begin(other, "edit", undo.Scope{Paths: []string{filepath.Join(p.dir, "c")}})
	p.sh(t, "echo theirs >c")
	end(edit)
	p.sh(t, "echo mine >c") // after them
	o := end(run)
	if got := changed(p, o); !slices.Equal(got, []string{"a", "c", "f"}) {
		t.Errorf("changes %v", got)
	}
	before := undotest.Take(t, p.dir)
	p.undo(t, o.Number)
	p.sh(t, "grep -q theirs c") // it has taken the command back, not the edit before
	after := undotest.Take(t, p.dir)
	for path := range before {
		if before[path] != after[path] && path != "a" && path != "c" && path != "f" {
			t.Errorf("%s was %s, and is %s", path, before[path], after[path])
		}
	}
	// Commands at the same time are named.
	run = begin(p.recorder, "long", undo.Scope{Anywhere: true})
	short := begin(other, "short", undo.Scope{Anywhere: true})
	p.sh(t, "echo short >b")
	o = end(short)
	if got := changed(p, o); !slices.Equal(got, []string{"b"}) || !slices.Equal(o.Beside, []string{"long (in another session)"}) {
		t.Errorf("changes %v, beside %q", got, o.Beside)
	}
	both := []*store.Operation{o, end(run)}
	if got := changed(p, both[1]); !slices.Equal(got, []string{"b"}) || !slices.Equal(both[1].Beside, []string{"short (in another session)"}) {
		t.Errorf("changes %v, beside %q", got, both[1].Beside)
	}
	for _, o := range both { // either may have made it
		plan := p.plan(t, o.Number)
		if list := plan.Problems(); len(list) != 1 || !list[0].IsOverwritable || !strings.Contains(list[0].Problem, "a command of another session ran at the same time") {
			t.Errorf("%s: problems %+v", o.Title, list)
		}
	}
	plan := p.plan(t, both[0].Number)
	plan.Overwrite()
	if _, err := p.apply(t, plan); err != nil {
		t.Error(err)
	}
	p.sh(t, "grep -q theirs b")
}

// TestOverlap has commands of two sessions that run at the same time for a part of their time. Changes that either may have made
// are in the operations of both, and the undo of none takes them back.
func TestOverlap(t *testing.T) {
	t.Parallel()
	p := newPlace(t, "mkdir d; for f in a b one two d/gone d/lost; do echo $f >$f; done")
	other := undo.New(undo.Options{Store: p.open, Roots: func() []string { return []string{p.dir} }})
	defer other.Close()
	begin := func(r *undo.Recorder, title string) *undo.Run {
		run, err := r.Begin(t.Context(), store.Header{Kind: store.Call, Title: title}, undo.Scope{Anywhere: true})
		if err != nil {
			t.Fatal(err)
		}
		return run
	}
	check := func(run *undo.Run, beside string, want ...string) *store.Operation {
		t.Helper()
		o, err := run.End(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, c := range o.Changes {
			name := strings.TrimPrefix(c.Path, p.dir+"/")
			if c.IsShared {
				name += " shared"
			}
			got = append(got, name)
		}
		if !slices.Equal(got, want) || !slices.Equal(o.Beside, []string{beside}) {
			t.Errorf("%s: changes %q, want %q; beside %q, want %q", o.Title, got, want, o.Beside, beside)
		}
		return o
	}
	first := begin(p.recorder, "first")
	p.sh(t, "echo first >a; rm d/gone")
	p.passTime(t)
	second := begin(other, "second")
	p.sh(t, "echo first >one; echo second >two; echo new >new")
	a := check(first, "second (in another session)", "a", "d/gone", "new shared", "one shared", "two shared")
	p.passTime(t)
	p.sh(t, "echo second >b; echo second >>two; rm d/lost")
	b := check(second, "first (in another session)", "b", "d/lost", "new shared", "one shared", "two")
	want := map[int][]string{a.Number: {"a", "d/gone"}, b.Number: {"b", "d/lost", "two"}}
	for _, o := range []*store.Operation{b, a} {
		plan := p.plan(t, o.Number)
		var changes []string
		for _, s := range plan.Changes() {
			changes = append(changes, strings.TrimPrefix(s.Path, p.dir+"/"))
		}
		if !slices.Equal(changes, want[o.Number]) {
			t.Errorf("the undo of %s changes %q, want %q", o.Title, changes, want[o.Number])
		}
		if _, err := p.apply(t, plan); err != nil {
			t.Error(err)
		}
	}
	p.sh(t, "grep -q a a; grep -q b b; grep -q gone d/gone; grep -q lost d/lost; grep -q first one; test \"$(cat two)\" = second; grep -q new new")
}

// passTime waits until the clock of the file system has moved by more than the time by which it may be behind.
func (p *place) passTime(t *testing.T) {
	t.Helper()
	path := filepath.Join(filepath.Dir(p.dir), "clock")
	for first := int64(0); ; {
		if err := os.WriteFile(path, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		now, err := state.Read(path)
		if err != nil {
			t.Fatal(err)
		}
		if first == 0 {
			first = now.Changed
		}
		if now.Changed > first+int64(40*time.Millisecond) {
			return
		}
	}
}

func changed(p *place, o *store.Operation) (list []string) {
	for _, c := range o.Changes {
		list = append(list, strings.TrimPrefix(c.Path, p.dir+"/"))
	}
	return list
}
