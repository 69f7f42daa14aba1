package doctor

import (
	"path/filepath"
	"strings"
	"testing"

	"pollux/internal/config"
	"pollux/internal/project"
	"pollux/internal/undo/store"
)

// TestUndoSpace shows how much undo keeps, of all projects, and nothing if it keeps nothing.
func TestUndoSpace(t *testing.T) {
	t.Parallel()
	paths := config.NewPaths(testEnv(t), t.TempDir())
	x := &examination{Report: &Report{}, set: &project.Project{Paths: paths}}
	check := func(want string) {
		t.Helper()
		s := sectionReport{ID: "files"}
		x.checkUndo(&s)
		var got []string
		for _, c := range s.Checks {
			got = append(got, c.Text)
		}
		if strings.Join(got, "; ") != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	check("")
	for _, name := range []string{"one", "two"} {
		b, err := store.Open(filepath.Join(paths.GeminiDir(), "history", name, "undo"), store.DefaultLimit).Open()
		if err != nil {
			t.Fatal(err)
		}
		defer b.Close()
		if err := b.Begin().Commit(&store.Operation{}); err != nil {
			t.Fatal(err)
		}
	}
	check("2 changes of 2 projects take 0 bytes")
}
