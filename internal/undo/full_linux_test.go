package undo_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pollux/internal/durable"
	"pollux/internal/undo"
	"pollux/internal/undo/store"
	"pollux/internal/undo/undotest"
)

// TestFillsDisk has a run that leaves no room for its changes. They are recorded when there is room: by the same recorder, which refuses
// further runs until then, or by another process.
func TestFillsDisk(t *testing.T) {
	t.Parallel()
	for _, isSame := range []bool{true, false} {
		for _, may := range []func(p *place) undo.Scope{
			func(*place) undo.Scope { return undo.Scope{Anywhere: true} },
			func(p *place) undo.Scope {
				return undo.Scope{Paths: []string{filepath.Join(p.dir, "a"), filepath.Join(p.dir, "b"), filepath.Join(p.dir, "large")}}
			},
		} {
			disk := tmpfs(t, "40m")
			p := newPlace(t, "true")
			p.dir, p.store = filepath.Join(disk, "project"), store.Open(filepath.Join(disk, "undo"), store.DefaultLimit)
			if err := os.Mkdir(p.dir, 0o755); err != nil {
				t.Fatal(err)
			}
			p.sh(t, "echo a >a; head -c 5000 /dev/urandom >b; head -c 17000000 /dev/urandom >large; mkdir node_modules")
			before := undotest.Take(t, p.dir)
			p.restart(undo.Options{})
			run, err := p.recorder.Begin(t.Context(), store.Header{Kind: store.Call, Title: "fills"}, may(p))
			if err != nil {
				t.Fatal(err)
			}
			p.sh(t, "echo x >a; rm b large; cat /dev/zero >node_modules/filler 2>/dev/null || true")
			if o, err := run.End(t.Context()); !durable.IsFull(err) {
				t.Fatalf("operation %+v, error %v", o, err)
			}
			if _, err := p.recorder.Begin(t.Context(), store.Header{}, undo.Scope{Anywhere: true}); !durable.IsFull(err) {
				t.Fatalf("error %v", err)
			}
			if !isSame {
				p.recorder.Close()
			}
			p.sh(t, "rm node_modules/filler")
			waitForRoom(t, disk, 10<<20)
			if isSame {
				p.run(t, "true")
			} else if err := undo.Recover(t.Context(), p.store, p.git()); err != nil {
				t.Fatal(err)
			}
			p.undo(t, 1)
			p.recorder.Close()
			if diff := cmp.Diff(before, undotest.Take(t, p.dir)); diff != "" {
				t.Errorf("same recorder %v: after undo (-want +got):\n%s", isSame, diff)
			}
			if entries, err := os.ReadDir(filepath.Join(disk, "undo", "bases")); err != nil || len(entries) > 0 {
				t.Errorf("bases %v, error %v", entries, err)
			}
		}
	}
}
