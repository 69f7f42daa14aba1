package undo_test

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pollux/internal/undo"
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
	if o := end(run); o != nil {
		t.Errorf("changes %v are recorded twice", changed(p, o))
	}
}

func changed(p *place, o *store.Operation) (list []string) {
	for _, c := range o.Changes {
		list = append(list, strings.TrimPrefix(c.Path, p.dir+"/"))
	}
	return list
}
