package cost

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"pollux/bench/scene"
)

// place is a user with a home directory, a directory of pages and a model. Counts depend on little else: not on
// the machine's other programs, its processors and its directories.
type place struct {
	*scene.Model
	root string // contains all
	env  []string
}

// newPlace returns a place with this many pages, and the key of a model for one protocol.
func newPlace(t *testing.T, pages int, w *scene.Wire) *place {
	t.Helper()
	return newPlaceIn(t, "/tmp", pages, w)
}

// newPlaceIn is newPlace in a directory.
func newPlaceIn(t *testing.T, dir string, pages int, w *scene.Wire) *place {
	t.Helper()
	// The program looks for files in all parent directories: their number has to be the same everywhere.
	root, err := os.MkdirTemp(dir, "pollux-cost-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(root) })
	p := &place{Model: scene.Start(settle), root: root}
	t.Cleanup(p.Close)
	for _, name := range []string{"home", "work", "bin", "tmp"} {
		if err := os.Mkdir(p.path(name), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	for i := range pages {
		if err := os.WriteFile(p.path("work", fmt.Sprint("page", i)), []byte(strings.Repeat(fmt.Sprintf("line of page %d\n", i), 6)), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	// A directory that has just changed is looked at more often.
	past := time.Now().Add(-time.Hour)
	if err := os.Chtimes(p.path("work"), past, past); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"bash", "yes", "head"} {
		if path, err := exec.LookPath(name); err == nil {
			if err := os.Symlink(path, p.path("bin", name)); err != nil {
				t.Fatal(err)
			}
		}
	}
	p.env = append(w.Variables(p.URL),
		"HOME="+p.path("home"), "PATH="+p.path("bin"), "TMPDIR="+p.path("tmp"), "TZ=UTC", "LANG=C.UTF-8",
		"GEMINI_CLI_TRUST_WORKSPACE=true", "GEMINI_FORCE_FILE_STORAGE=true", "GEMINI_CLI_SYSTEM_SETTINGS_PATH="+p.path("none.json"),
		"GOMAXPROCS=2")
	return p
}

func (p *place) path(names ...string) string {
	return filepath.Join(slices.Insert(names, 0, p.root)...)
}

// run runs a program to its end, and returns its standard output and its standard error.
func (p *place) run(t *testing.T, variable string, command ...string) (out, errs string) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), command[0], command[1:]...)
	var stdout, stderr strings.Builder
	cmd.Dir, cmd.Env, cmd.Stdout, cmd.Stderr = p.path("work"), p.env, &stdout, &stderr
	if variable != "" {
		cmd.Env = append(slices.Clone(p.env), variable)
	}
	if err := cmd.Run(); err != nil {
		t.Fatalf("%q: %v\n%s%s", command, err, &stdout, &stderr)
	}
	return stdout.String(), stderr.String()
}
