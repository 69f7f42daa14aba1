//go:build linux

package undo

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"pollux/internal/undo/store"
)

// limitedIn is the variable that a test process has which may watch few directories only.
const limitedIn = "POLLUX_TEST_LIMITED"

// TestWatchLimit runs out of watches: all files are looked at then.
func TestWatchLimit(t *testing.T) {
	t.Parallel()
	if os.Getenv(limitedIn) == "" {
		c := exec.Command("unshare", "-Ur", "/bin/sh", "-c", `echo 3 >/proc/sys/user/max_inotify_watches && exec "$0" -test.run '^TestWatchLimit$' -test.v`, os.Args[0])
		c.Env = append(os.Environ(), limitedIn+"=1")
		out, err := c.CombinedOutput()
		switch {
		case err == nil && strings.Contains(string(out), "--- PASS: TestWatchLimit"):
			return
		case !strings.Contains(string(out), "=== RUN"):
			t.Skipf("SKIPPED: no process can be limited here: %v: %s", err, out)
		}
		t.Fatalf("%v\n%s", err, out)
	}
	r, dir := watched(t, "a", "b", "c", "d/e")
	if why := r.trees[0].Unwatched(); !errors.Is(why, syscall.ENOSPC) {
		t.Fatalf("it is watched: %v", why)
	}
	recordsAll(t, r, dir, func() {})
}

// TestLost loses the kernel's queue of changes: all files are looked at then.
func TestLost(t *testing.T) {
	t.Parallel()
	r, dir := watched(t, "a", "b", "c", "d/e")
	if r.watcher == nil || r.trees[0].Unwatched() != nil {
		t.Skip("SKIPPED: nothing can be watched here")
	}
	recordsAll(t, r, dir, func() {
		r.watcher.Drain()
		r.isLost = true
	})
	recordsAll(t, r, dir, func() {})
}

// watched returns a recorder that has read a workspace with a file x in each of these directories.
func watched(t *testing.T, dirs ...string) (*Recorder, string) {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range dirs {
		put(t, filepath.Join(dir, "project", d, "x"), "before")
	}
	r := New(Options{
		Walked: -1,
		Store:  func() (*store.Store, error) { return store.Open(filepath.Join(dir, "undo"), store.DefaultLimit), nil },
		Roots:  func() []string { return []string{filepath.Join(dir, "project")} },
	})
	t.Cleanup(r.Close)
	r.Start()
	<-r.reading
	if r.unread != nil {
		t.Fatal(r.unread)
	}
	return r, filepath.Join(dir, "project")
}

func put(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// recordsAll checks that a run records changes everywhere in the workspace.
func recordsAll(t *testing.T, r *Recorder, dir string, before func()) {
	t.Helper()
	run, err := r.Begin(t.Context(), store.Header{}, Scope{Anywhere: true})
	if err != nil {
		t.Fatal(err)
	}
	var paths []string
	for _, d := range []string{"a", "b", "c", "d/e"} {
		path := filepath.Join(dir, d, "x")
		paths = append(paths, path)
		if err := os.Remove(path); err != nil {
			t.Fatal(err)
		}
		put(t, path, "after")
	}
	before()
	o, err := run.End(t.Context())
	if err != nil || o == nil {
		t.Fatalf("operation %+v, error %v", o, err)
	}
	for i, c := range o.Changes {
		if i >= len(paths) || c.Path != paths[i] {
			t.Errorf("change %s", c.Path)
		}
	}
	if len(o.Changes) != len(paths) {
		t.Errorf("%d changes", len(o.Changes))
	}
}

// TestSmallIsWalked watches only large roots, and finds the changes of both.
func TestSmallIsWalked(t *testing.T) {
	t.Parallel()
	for walked, isWatched := range map[int]bool{0: false, 10: false, 9: true, -1: true} {
		dir, err := filepath.EvalSymlinks(t.TempDir())
		if err != nil {
			t.Fatal(err)
		}
		root := filepath.Join(dir, "project")
		for _, d := range []string{"a", "b", "c", "d/e"} { // six directories and four files
			put(t, filepath.Join(root, d, "x"), "before")
		}
		s := store.Open(filepath.Join(dir, "undo"), store.DefaultLimit)
		r := New(Options{Store: func() (*store.Store, error) { return s, nil }, Roots: func() []string { return []string{root} }, Walked: walked})
		recordsAll(t, r, root, func() {})
		if got := r.watcher != nil; got != isWatched {
			t.Errorf("walked up to %d: watched %v", walked, got)
		}
		r.Close()
	}
}
