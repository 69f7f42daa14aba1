//go:build linux

package undo

import (
	"os"
	"path/filepath"
	"testing"

	"pollux/internal/undo/store"
)

// TestKilledAtEnd recovers from the bases of a process that was killed when a run had ended: before its operation was in the
// log, with some of the versions after it in the manifest, and after that, when nothing is left to be recorded.
func TestKilledAtEnd(t *testing.T) {
	t.Parallel()
	for _, isRecorded := range []bool{false, true} {
		dir, err := filepath.EvalSymlinks(t.TempDir())
		if err != nil {
			t.Fatal(err)
		}
		root := filepath.Join(dir, "project")
		one, two := filepath.Join(root, "one"), filepath.Join(dir, "two")
		put(t, one, "1")
		put(t, two, "2")
		s := store.Open(filepath.Join(dir, "undo"), store.DefaultLimit)
		r := New(Options{Store: func() (*store.Store, error) { return s, nil }, Roots: func() []string { return []string{root} }})
		if _, err := r.Begin(t.Context(), store.Header{Title: "at a path"}, Scope{Paths: []string{two}}); err != nil {
			t.Fatal(err)
		}
		run, err := r.Begin(t.Context(), store.Header{Title: "anywhere"}, Scope{Anywhere: true})
		if err != nil {
			t.Fatal(err)
		}
		dead := filepath.Join(s.Dir(), "bases", "1-dead")
		if err := os.CopyFS(dead, os.DirFS(r.base.File(""))); err != nil {
			t.Fatal(err)
		}
		put(t, one, "one")
		put(t, two, "two")
		if o, err := run.End(t.Context()); err != nil || o == nil {
			t.Fatalf("operation %+v, error %v", o, err)
		}
		data, err := os.ReadFile(r.base.File(manifestFile))
		if err == nil {
			err = os.WriteFile(filepath.Join(dead, manifestFile), data, 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
		r.Close()
		if !isRecorded {
			if err := os.RemoveAll(filepath.Join(s.Dir(), "operations")); err != nil {
				t.Fatal(err)
			}
		}
		if err := Recover(t.Context(), s, nil); err != nil {
			t.Fatal(err)
		}
		list, damaged, err := s.List()
		if err != nil || len(damaged) > 0 || len(list) != 2 {
			t.Fatalf("recorded before: %v: operations %+v, damaged %v, error %v", isRecorded, list, damaged, err)
		}
		for _, h := range list {
			o, err := s.Read(h.Number)
			if err != nil || len(o.Changes) != 1 || (o.Changes[0].Path == one) != (h.Title == "anywhere") || o.Changes[0].Before.State.Size != 1 {
				t.Errorf("recorded before: %v: operation %+v, error %v", isRecorded, o, err)
			}
		}
	}
}
