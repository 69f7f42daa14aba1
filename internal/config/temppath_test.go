package config

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestExistingProjectTemp(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	env := NewEnv("HOME=" + home)
	dir := filepath.Join(home, "a", "app")
	paths := func(dir string) *Paths { return NewPaths(env, dir) }
	if got := paths(dir).ExistingProjectTemp(); got != "" {
		t.Errorf("without a directory: %s", got)
	}
	if entries, err := os.ReadDir(home); err != nil || len(entries) > 0 {
		t.Errorf("left behind: %v, %v", entries, err)
	}
	old := filepath.Join(home, ".gemini", "tmp", paths(dir).ProjectHash())
	if err := os.MkdirAll(old, 0o700); err != nil {
		t.Fatal(err)
	}
	if got := paths(dir).ExistingProjectTemp(); got != old {
		t.Errorf("of an older version: %s", got)
	}
	other := filepath.Join(home, "b", "app") // has the same base name, and comes first
	for _, d := range []string{other, dir} {
		want, err := paths(d).ProjectTemp()
		if got := paths(d).ExistingProjectTemp(); err != nil || got != want {
			t.Errorf("%s, want %s, %v", got, want, err)
		}
	}
	if err := os.Remove(filepath.Join(home, ".gemini", "projects.json")); err != nil {
		t.Fatal(err)
	}
	if got, want := paths(dir).ExistingProjectTemp(), filepath.Join(home, ".gemini", "tmp", "app-1"); got != want {
		t.Errorf("by the marker: %s, want %s", got, want)
	}
	if got := paths(filepath.Join(home, "c", "app")).ExistingProjectTemp(); got != "" {
		t.Errorf("of another project: %s", got)
	}
	want := []Project{{other, filepath.Join(home, ".gemini", "tmp", "app")}, {dir, filepath.Join(home, ".gemini", "tmp", "app-1")}}
	if diff := cmp.Diff(want, paths(dir).Projects()); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
}

// A power failure took the content of the marker and of the list of projects, or both files. The project gets its
// directory back, and another of the same name does not.
func TestExistingProjectTempAfterPowerFailure(t *testing.T) {
	t.Parallel()
	takes := []func(string) error{os.Remove, func(file string) error { return os.Truncate(file, 0) }}
	for i := range 2 * len(takes) {
		take, hasUndo := takes[i/2], i%2 == 1
		home := t.TempDir()
		p := NewPaths(NewEnv("HOME="+home), filepath.Join(home, "a", "app"))
		temp, err := p.ProjectTemp()
		if err != nil {
			t.Fatal(err)
		}
		files := []string{p.registry(), filepath.Join(temp, markerName)}
		if hasUndo {
			log, err := p.UndoLog()
			if err != nil {
				t.Fatal(err)
			}
			files = append(files, filepath.Join(filepath.Dir(log), markerName))
		}
		for _, file := range files {
			if err := take(file); err != nil {
				t.Fatal(err)
			}
		}
		again := NewPaths(NewEnv("HOME="+home), p.Dir())
		if got := again.ExistingProjectTemp(); got != temp {
			t.Errorf("%q, want %s", got, temp)
		}
		if got, err := again.ProjectTemp(); err != nil || got != temp {
			t.Errorf("the next session is in %s, want %s, %v", got, temp, err)
		}
		if got := NewPaths(NewEnv("HOME="+home), filepath.Join(home, "b", "app")).ExistingProjectTemp(); got != "" {
			t.Errorf("another project has %s", got)
		}
		if err := os.Mkdir(filepath.Join(p.tmp(), "bin"), 0o700); err != nil { // of programs
			t.Fatal(err)
		}
		if got := NewPaths(NewEnv("HOME="+home), filepath.Join(home, "bin")).ExistingProjectTemp(); got != "" {
			t.Errorf("a project called bin has %s", got)
		}
	}
}
