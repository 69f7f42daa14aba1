package config

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"pollux/internal/durable"
)

func TestSlugOf(t *testing.T) {
	t.Parallel()
	for path, want := range map[string]string{
		"/a/My Project":         "my-project",
		"/a/--x__Y..z--":        "x-y-z",
		"/":                     "project",
		"/a/...":                "project",
		"/a/日本語":                "project",
		"/a/émile2":             "mile2",
		"/a/UPPER":              "upper",
		"/a/new\nline\x00\x1b]": "new-line",
	} {
		if got := slugOf(path); got != want || !isSlug(got) {
			t.Errorf("slugOf(%q) = %q, want %q", path, got, want)
		}
	}
}

func registryOf(t *testing.T, p *Paths) map[string]string {
	t.Helper()
	data, err := os.ReadFile(p.registry())
	if err != nil {
		t.Fatal(err)
	}
	var file struct{ Projects map[string]string }
	if err := json.Unmarshal(data, &file); err != nil {
		t.Fatalf("%s: %v", data, err)
	}
	return file.Projects
}

func slug(t *testing.T, p *place, dir string) string {
	t.Helper()
	slug, err := NewPaths(p.env, dir).slug()
	if err != nil {
		t.Fatal(err)
	}
	return slug
}

func TestSlug(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	if entries, err := os.ReadDir(p.home); err != nil || len(entries) > 0 {
		t.Fatalf("making paths wrote %v (%v)", entries, err)
	}
	for i, dir := range []string{"/a/work", "/b/work", "/c/work", "/a/work", "/x/bin"} {
		want := []string{"work", "work-1", "work-2", "work", "bin-1"}[i]
		if got := slug(t, p, dir); got != want {
			t.Errorf("%s is %q, want %q", dir, got, want)
		}
	}
	paths := NewPaths(p.env, "/b/work")
	want := map[string]string{"/a/work": "work", "/b/work": "work-1", "/c/work": "work-2", "/x/bin": "bin-1"}
	if diff := cmp.Diff(want, registryOf(t, paths)); diff != "" {
		t.Error(diff)
	}
	if dir, err := paths.ProjectTemp(); err != nil || dir != filepath.Join(p.home, ".gemini", "tmp", "work-1") {
		t.Errorf("the directory for temporary files is %q (%v)", dir, err)
	}
	dir := filepath.Join(p.home, ".gemini", "tmp", "work-1")
	if owner := markerOf(t, dir); owner != "/b/work" {
		t.Errorf("the marker is %q", owner)
	}
	if exists(paths.history()) {
		t.Error("there is a directory for changes, and nothing has changed")
	}
	above := filepath.Join(p.home, ".gemini", "history", "work-1")
	if log, err := paths.UndoLog(); err != nil || log != filepath.Join(above, "undo") || markerOf(t, above) != "/b/work" {
		t.Errorf("the log of changes is %s (%v)", log, err)
	}
	for _, d := range []string{dir, filepath.Dir(dir), above, filepath.Dir(above)} {
		if info, err := os.Stat(d); err != nil || info.Mode().Perm() != 0o700 {
			t.Errorf("%s: %v %v", d, info.Mode(), err)
		}
	}
	if left, _ := filepath.Glob(filepath.Join(p.home, ".gemini", "*.lock")); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
	if left, _ := filepath.Glob(filepath.Join(p.home, ".gemini", "*", "*", "*.tmp")); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

func markerOf(t *testing.T, dir string) string {
	t.Helper()
	marker, err := os.ReadFile(filepath.Join(dir, ".project_root"))
	if err != nil {
		t.Fatal(err)
	}
	return string(marker)
}

// TestUndoLogOfAnother does not take the directory of another project.
func TestUndoLogOfAnother(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	paths := NewPaths(p.env, "/a/work")
	if _, err := paths.ProjectTemp(); err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(paths.history(), "work")
	write(t, filepath.Join(dir, ".project_root"), "/b/work")
	if log, err := paths.UndoLog(); err == nil || !strings.Contains(err.Error(), "names another project") {
		t.Errorf("the log is %s (%v)", log, err)
	}
	if owner := markerOf(t, dir); owner != "/b/work" {
		t.Errorf("the directory belongs to %q", owner)
	}
}

// TestSlugMarksCheckpoints writes the marker that Gemini CLI's directory of checkpoints lacks.
func TestSlugMarksCheckpoints(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	history := NewPaths(p.env, "/").history()
	mkdir(t, filepath.Join(history, "work"))
	slug(t, p, "/a/work")
	if owner := markerOf(t, filepath.Join(history, "work")); owner != "/a/work" {
		t.Errorf("the directory belongs to %q", owner)
	}
}

// Files of other programs or earlier versions are read, and never trusted.
func TestSlugFromFiles(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		files map[string]string // below ~/.gemini
		want  string
	}{
		"registry and markers": {map[string]string{
			"projects.json":           `{"projects": {"/a/work": "other"}}`,
			"tmp/other/.project_root": "/a/work", "history/other/.project_root": "/a/work",
		}, "other"},
		"registry alone":         {map[string]string{"projects.json": `{"projects": {"/a/work": "other"}}`}, "other"},
		"one marker alone":       {map[string]string{"history/mine/.project_root": "/a/work\n"}, "mine"},
		"marker contradicts":     {map[string]string{"projects.json": `{"projects": {"/a/work": "other"}}`, "tmp/other/.project_root": "/b"}, "work"},
		"empty marker":           {map[string]string{"projects.json": `{"projects": {"/a/work": "other"}}`, "tmp/other/.project_root": ""}, "other"},
		"taken on disk":          {map[string]string{"tmp/work/.project_root": "/b"}, "work-1"},
		"taken in the registry":  {map[string]string{"projects.json": `{"projects": {"/b": "work"}}`}, "work-1"},
		"directory of no one":    {map[string]string{"tmp/work/x": ""}, "work"},
		"broken registry":        {map[string]string{"projects.json": `{"projects": `, "tmp/mine/.project_root": "/a/work"}, "mine"},
		"registry of wrong type": {map[string]string{"projects.json": `{"projects": {"/a/work": 5}}`}, "work"},
		"registry leads out":     {map[string]string{"projects.json": `{"projects": {"/a/work": "../../../evil"}}`}, "work"},
		"registry absolute":      {map[string]string{"projects.json": `{"projects": {"/a/work": "/etc"}}`}, "work"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newPlace(t)
			for file, content := range tt.files {
				write(t, filepath.Join(p.home, ".gemini", file), content)
			}
			for range 2 {
				if got := slug(t, p, "/a/work"); got != tt.want {
					t.Errorf("got %q, want %q", got, tt.want)
				}
			}
			if got := registryOf(t, NewPaths(p.env, "/")); got["/a/work"] != tt.want {
				t.Errorf("the registry says %v", got)
			}
		})
	}
}

// TestRegistryKeepsOthers adds a project to a registry with entries that are not valid.
func TestRegistryKeepsOthers(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	write(t, filepath.Join(p.home, ".gemini", "projects.json"), `{"projects": {"/b": "bee", "/c": null, "/d": "../x"}}`)
	slug(t, p, "/a/work")
	want := map[string]string{"/a/work": "work", "/b": "bee"}
	if diff := cmp.Diff(want, registryOf(t, NewPaths(p.env, "/"))); diff != "" {
		t.Error(diff)
	}
}

// TestRegistryLink locks and writes the file that a link leads to, as Gemini CLI does.
func TestRegistryLink(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	real := filepath.Join(t.TempDir(), "real.json")
	write(t, real, `{"projects": {"/b": "bee"}}`)
	mkdir(t, filepath.Join(p.home, ".gemini"))
	link(t, real, filepath.Join(p.home, ".gemini", "projects.json"))
	unlock, err := durable.Lock(real)
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan string)
	go func() { done <- slug(t, p, "/a/work") }()
	select {
	case <-done:
		unlock()
		t.Fatal("it did not wait for the lock")
	case <-time.After(50 * time.Millisecond):
	}
	unlock()
	if got := <-done; got != "work" {
		t.Error(got)
	}
	if got := registryOf(t, NewPaths(p.env, "/")); got["/b"] != "bee" || got["/a/work"] != "work" {
		t.Error(got)
	}
	if info, err := os.Lstat(filepath.Join(p.home, ".gemini", "projects.json")); err != nil || info.Mode()&os.ModeSymlink == 0 {
		t.Error("the link was replaced", err)
	}
}

func TestSlugAdoptsOldDirectory(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	paths := NewPaths(p.env, "/a/work")
	old := filepath.Join(p.home, ".gemini", "tmp", paths.ProjectHash())
	write(t, filepath.Join(old, "chats", "one.json"), "one")
	link(t, "/etc/passwd", filepath.Join(old, "chats", "link"))
	mkfifo(t, filepath.Join(old, "pipe"))
	write(t, filepath.Join(paths.history(), paths.ProjectHash(), "HEAD"), "ref")
	dir, err := paths.ProjectTemp()
	if err != nil {
		t.Fatal(err)
	}
	if data, err := os.ReadFile(filepath.Join(dir, "chats", "one.json")); err != nil || string(data) != "one" {
		t.Errorf("the session was not copied: %q, %v", data, err)
	}
	history := filepath.Join(paths.history(), filepath.Base(dir))
	if data, err := os.ReadFile(filepath.Join(history, "HEAD")); err != nil || string(data) != "ref" || markerOf(t, history) != "/a/work" {
		t.Errorf("the checkpoints were not copied: %q, %v", data, err)
	}
	for _, name := range []string{"chats/link", "pipe"} {
		if _, err := os.Lstat(filepath.Join(dir, name)); err == nil {
			t.Errorf("%s was copied", name)
		}
	}
	if _, err := os.Stat(filepath.Join(old, "chats", "one.json")); err != nil {
		t.Error("the old file is gone")
	}
}

func TestSlugLock(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	paths := NewPaths(p.env, "/a/work")
	lock := paths.registry() + ".lock"
	mkdir(t, lock)

	// Pollux waits until the lock is released.
	got := make(chan string, 1)
	go func() {
		slug, err := paths.slug()
		got <- fmt.Sprint(slug, err)
	}()
	for deadline := time.Now().Add(50 * time.Millisecond); time.Now().Before(deadline); {
		select {
		case s := <-got:
			t.Fatalf("the lock was not waited for: %s", s)
		case <-time.After(5 * time.Millisecond):
		}
	}
	if err := os.Remove(lock); err != nil {
		t.Fatal(err)
	}
	if s := <-got; s != "work<nil>" {
		t.Errorf("got %s", s)
	}

	// A lock that a crash left behind is not.
	mkdir(t, lock)
	old := time.Now().Add(-time.Minute)
	if err := os.Chtimes(lock, old, old); err != nil {
		t.Fatal(err)
	}
	if got := slug(t, p, "/b/work"); got != "work-1" {
		t.Errorf("got %q", got)
	}
}

func TestSlugErrors(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	write(t, filepath.Join(p.home, ".gemini"), "a file")
	_, err := NewPaths(p.env, "/a/work").slug()
	if err == nil || !strings.Contains(err.Error(), "/a/work") {
		t.Errorf("got %v", err)
	}
	p = newPlace(t)
	mkdir(t, filepath.Join(p.home, ".gemini", "projects.json"))
	if _, err := NewPaths(p.env, "/a/work").slug(); err == nil {
		t.Error("a directory is taken for a registry")
	}
}

// TestSlugProcesses lets several processes look for a place for the same
// projects at once: each project must get one, and no two the same.
func TestSlugProcesses(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	const processes, projects = 6, 8
	var children []*exec.Cmd
	var outs []*strings.Builder
	for range processes {
		cmd := exec.Command(os.Args[0], "-test.run=^TestSlugChild$", "-test.v")
		cmd.Env = append(os.Environ(), "SLUG_TEST_HOME="+p.home, fmt.Sprint("SLUG_TEST_PROJECTS=", projects))
		out := &strings.Builder{}
		cmd.Stdout, cmd.Stderr = out, out
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		children, outs = append(children, cmd), append(outs, out)
	}
	seen := map[string]string{}
	for i, cmd := range children {
		if err := cmd.Wait(); err != nil {
			t.Fatalf("%v\n%s", err, outs[i])
		}
		lines := bufio.NewScanner(strings.NewReader(outs[i].String()))
		for lines.Scan() {
			dir, slug, ok := strings.Cut(lines.Text(), " => ")
			if !ok {
				continue
			}
			if was, ok := seen[dir]; ok && was != slug {
				t.Errorf("%s is %q and %q", dir, was, slug)
			}
			seen[dir] = slug
		}
	}
	slugs := map[string]bool{}
	for _, slug := range seen {
		slugs[slug] = true
	}
	if len(seen) != projects || len(slugs) != projects {
		t.Errorf("%d projects share %d slugs: %v", len(seen), len(slugs), seen)
	}
	if diff := cmp.Diff(seen, registryOf(t, NewPaths(p.env, "/"))); diff != "" {
		t.Errorf("the registry differs: %s", diff)
	}
}

func TestSlugChild(t *testing.T) {
	env := Environ()
	home := env.Get("SLUG_TEST_HOME")
	if home == "" {
		t.Skip("runs as a child of TestSlugProcesses")
	}
	n := 0
	if _, err := fmt.Sscan(env.Get("SLUG_TEST_PROJECTS"), &n); err != nil {
		t.Fatal(err)
	}
	var errs error
	for i := range n {
		dir := fmt.Sprintf("/%d/work", i)
		slug, err := NewPaths(NewEnv("GEMINI_CLI_HOME="+home), dir).slug()
		errs = errors.Join(errs, err)
		fmt.Printf("%s => %s\n", dir, slug)
	}
	if errs != nil {
		t.Fatal(errs)
	}
}

func TestAbsolute(t *testing.T) {
	t.Parallel()
	p := NewPaths(NewEnv("HOME=/h"), "/w")
	for path, want := range map[string]string{"a/b": "/w/a/b", "~/a": "/h/a", "/a": "/a", ".": "/w"} {
		if got := p.Absolute(path); got != want {
			t.Errorf("%s is %s, want %s", path, got, want)
		}
	}
}

func TestPaths(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		env                    []string
		user, system, defaults string
	}{
		{[]string{"HOME=/h"}, "/h/.gemini/settings.json", "", ""},
		{[]string{"HOME=/h", "GEMINI_CLI_HOME=/g"}, "/g/.gemini/settings.json", "", ""},
		{[]string{"HOME=/h", "GEMINI_CLI_HOME=~/g"}, "/h/g/.gemini/settings.json", "", ""},
		{[]string{"HOME=/h", "GEMINI_CLI_HOME=~"}, "/h/.gemini/settings.json", "", ""},
		{[]string{"HOME=/h", "GEMINI_CLI_HOME=/~g"}, "/~g/.gemini/settings.json", "", ""},
		{[]string{"HOME=/h", "GEMINI_CLI_SYSTEM_SETTINGS_PATH=/s/x.json"}, "/h/.gemini/settings.json", "/s/x.json", "/s/system-defaults.json"},
		{[]string{"HOME=/h", "GEMINI_CLI_SYSTEM_DEFAULTS_PATH=d.json"}, "/h/.gemini/settings.json", "", "/w/d.json"},
	} {
		p := NewPaths(NewEnv(tt.env...), "/w")
		if got := p.UserSettings(); got != tt.user {
			t.Errorf("%v: user %q", tt.env, got)
		}
		if got := p.SystemSettings(); tt.system != "" && got != tt.system {
			t.Errorf("%v: system %q", tt.env, got)
		}
		if got := p.SystemDefaults(); tt.defaults != "" && got != tt.defaults {
			t.Errorf("%v: defaults %q", tt.env, got)
		}
	}
	if got := NewPaths(NewEnv("HOME=/h", "SANDBOX=sandbox-exec"), "/w").RuntimeDir(); got != "/h/.cache/.gemini" {
		t.Errorf("Runtime is %q", got)
	}
	if got := NewPaths(NewEnv(), "/w").Home(); !filepath.IsAbs(got) {
		t.Errorf("without HOME, home is %q", got)
	}
}

func BenchmarkProjectTemp(b *testing.B) {
	p := newPlace(b)
	for b.Loop() {
		if _, err := p.paths().ProjectTemp(); err != nil {
			b.Fatal(err)
		}
	}
}

// The registry is read once, however often the path is asked for.
func TestProjectTempPathIsKept(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	p := NewPaths(NewEnv("HOME="+home), filepath.Join(home, "My Project"))
	before := p.ProjectTempPath()
	if want := filepath.Join(home, ".gemini", "tmp", "my-project"); before != want {
		t.Fatalf("the path is %s, want %s", before, want)
	}
	if err := os.MkdirAll(filepath.Join(home, ".gemini"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(p.registry(), []byte(`{"projects": {"`+p.Dir()+`": "other"}}`), 0o600); err != nil {
		t.Fatal(err)
	}
	if after := p.ProjectTempPath(); after != before {
		t.Errorf("the path became %s", after)
	}
}
