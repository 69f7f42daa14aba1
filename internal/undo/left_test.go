package undo_test

import (
	"path/filepath"
	"strings"
	"testing"

	"pollux/internal/undo"
	"pollux/internal/undo/store"
)

// TestLeft checks that calls run where nothing, or not all, can be recorded, and that the user hears of it once.
func TestLeft(t *testing.T) {
	t.Parallel()
	p := newPlace(t, "echo 1 >a; echo 2 >b; echo 3 >c; echo 4 >d; mkdir ../other; echo 5 >../other/e")
	other := filepath.Join(filepath.Dir(p.dir), "other")
	for name, o := range map[string]struct {
		roots []string
		max   int
		left  string // root
		want  string // paths that are recorded
	}{
		"home":      {nil, 0, "", ""},
		"too large": {[]string{p.dir, other}, 3, p.dir, other + "/e"},
		"gone":      {[]string{filepath.Join(p.dir, "gone")}, 0, "", ""},
		"too long":  {[]string{filepath.Join(p.dir, strings.Repeat("n", 300))}, 0, filepath.Join(p.dir, strings.Repeat("n", 300)), ""},
	} {
		t.Run(name, func(t *testing.T) {
			var left []string
			r := undo.New(undo.Options{
				Store: p.open, Max: o.max, Roots: func() []string { return o.roots },
				Left: func(root string, _ error) { left = append(left, root) },
			})
			defer r.Close()
			var got []string
			for range 2 {
				run, err := r.Begin(t.Context(), store.Header{}, undo.Scope{Anywhere: true, Paths: []string{filepath.Join(p.dir, strings.Repeat("m", 300))}})
				if err != nil {
					t.Fatal(err)
				}
				p.sh(t, "echo more >>a; echo more >>../other/e")
				operation, err := run.End(t.Context())
				if err != nil {
					t.Fatal(err)
				}
				got = nil
				if operation != nil {
					for _, c := range operation.Changes {
						got = append(got, c.Path)
					}
				}
			}
			if strings.Join(left, " ") != o.left || strings.Join(got, " ") != o.want {
				t.Errorf("left %q, recorded %q", left, got)
			}
		})
	}
}
