//go:build linux

package revert

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pollux/internal/undo/store"
)

// TestAfterUndo takes a change back together with an undo before it, which has brought a link back: its time is not the old
// one.
func TestAfterUndo(t *testing.T) {
	t.Parallel()
	p := newProject(t, mkdir(t), filepath.Join(t.TempDir(), "undo"))
	p.sh(t, "ln -s x link; echo a >a")
	first := p.record(t, func() { p.sh(t, "rm link a") })
	second, err := p.apply(t, p.plan(t, first.Number))
	if err != nil {
		t.Fatal(err)
	}
	third := p.record(t, func() { p.sh(t, "rm link; ln -s y link; echo b >a") })
	plan, err := Make(t.Context(), p.store, []*store.Operation{third, second})
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range plan.Problems() {
		t.Errorf("%s: %s", s.Path, s.Problem)
	}
	if _, err := p.apply(t, plan); err != nil {
		t.Error(err)
	}
	p.sh(t, "test ! -L link; test ! -e a")
}

// TestFilledDirectory has a directory in place of a file, with something in it that the operation has not made: it stays.
func TestFilledDirectory(t *testing.T) {
	t.Parallel()
	p := newProject(t, mkdir(t), filepath.Join(t.TempDir(), "undo"))
	p.sh(t, "echo 1 >file; echo 1 >deep; echo 1 >clean; echo 1 >over; ln -s x link")
	o := p.record(t, func() {
		p.sh(t, "rm file deep clean over link; mkdir -p over file deep/a/b link clean/a; echo 2 >file/made; echo 2 >deep/a/made; echo 2 >clean/a/made; echo 2 >deep/changed; echo 2 >over/changed")
	})
	p.sh(t, "echo 3 >file/new; mkdir deep/a/b/new; echo 3 >deep/changed; echo 3 >over/changed; mkdir link/new")
	plan := p.plan(t, o.Number)
	problems := map[string]string{}
	for _, s := range plan.Problems() {
		problems[strings.TrimPrefix(s.Path, p.dir+"/")] = s.Problem
		if s.IsOverwritable != strings.HasSuffix(s.Path, "changed") {
			t.Errorf("%s: can be overwritten: %v", s.Path, s.IsOverwritable)
		}
	}
	const since = "a directory is in its place, which would not be empty"
	want := map[string]string{"file": since, "deep": since, "link": since, "over": since, "deep/changed": "it was changed since", "over/changed": "it was changed since"}
	if diff := cmp.Diff(want, problems); diff != "" {
		t.Errorf("problems (-want +got):\n%s", diff)
	}
	if _, err := p.apply(t, plan); err != nil {
		t.Error(err)
	}
	p.sh(t, "test -f file/new; test ! -e file/made; test -d deep/a/b/new; test ! -e deep/a/made; grep -q 3 deep/changed; test -d link/new; grep -q 1 clean; grep -q 3 over/changed")
	plan = p.plan(t, o.Number)
	plan.Overwrite()
	if _, err := p.apply(t, plan); err != nil {
		t.Error(err)
	}
	p.sh(t, "test -d deep/a/b/new; test ! -e deep/changed; grep -q 1 over")
}
