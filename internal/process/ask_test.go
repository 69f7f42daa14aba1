//go:build unix

package process

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"pollux/internal/process/processtest"
)

// script writes a program and returns its path.
func script(t *testing.T, dir, name, text string) string {
	t.Helper()
	path := filepath.Join(dir, name)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	syscall.ForkLock.RLock() // a program that another test starts could hold the file open
	err := os.WriteFile(path, []byte("#!/bin/sh\n"+text+"\n"), 0o700)
	syscall.ForkLock.RUnlock()
	if err != nil {
		t.Fatal(err)
	}
	real, err := filepath.EvalSymlinks(path)
	if err != nil {
		t.Fatal(err)
	}
	return real
}

func TestFind(t *testing.T) {
	t.Parallel()
	top := t.TempDir()
	repository := filepath.Join(top, "repository")
	script(t, filepath.Join(repository, "bin"), "tool", "echo theirs")
	mine := script(t, filepath.Join(top, "bin"), "tool", "echo mine")
	plain := filepath.Join(top, "bin", "text")
	for _, err := range []error{
		os.WriteFile(plain, nil, 0o600),
		os.Mkdir(filepath.Join(top, "bin", "dir"), 0o700),
		os.Symlink(filepath.Join(repository, "bin", "tool"), filepath.Join(top, "bin", "link")),
		os.Symlink("loop", filepath.Join(top, "bin", "loop")),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	f := Finder{
		Path:    strings.Join([]string{"", ".", "bin", filepath.Join(repository, "bin"), filepath.Join(top, "bin")}, string(os.PathListSeparator)),
		Outside: []string{repository},
	}
	for name, want := range map[string]string{
		"tool": mine, mine: mine, "": "", "text": "", "dir": "", "link": "", "loop": "", "none": "", "bin/tool": "",
		filepath.Join(repository, "bin", "tool"): "", "a\x00b": "",
	} {
		if got := f.Find(name); got != want {
			t.Errorf("Find(%q) = %q, want %q", name, got, want)
		}
	}
}

func TestLookPath(t *testing.T) {
	t.Parallel()
	top := t.TempDir()
	bin := filepath.Join(top, "bin")
	mine := filepath.Join(bin, "tool")
	script(t, bin, "tool", "")
	link, plain := filepath.Join(bin, "link"), filepath.Join(bin, "text")
	if err := errors.Join(os.Symlink("tool", link), os.WriteFile(plain, nil, 0o600)); err != nil {
		t.Fatal(err)
	}
	path := strings.Join([]string{"", ".", "bin", top, bin}, string(os.PathListSeparator))
	for name, want := range map[string]string{
		"tool": mine, mine: mine, "link": link, link: link,
		"": "", "bin": "", "none": "", "text": "", plain: "", "bin/tool": "", "./tool": "",
	} {
		if got, err := LookPath(path, name); got != want || (err == nil) != (want != "") {
			t.Errorf("LookPath(%q) = %q, %v, want %q", name, got, err, want)
		}
	}
	if _, err := LookPath(path, "none"); !errors.Is(err, ErrNotFound) {
		t.Error(err)
	}
}

func TestAsk(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for name, tt := range map[string]struct{ text, said, err string }{
		"says":    {"echo ' one'; echo two", "one\ntwo", ""},
		"fails":   {"echo out; echo 'it is off' >&2; echo more >&2; exit 3", "out", "it is off"},
		"warns":   {"echo 'WARNING: old' >&2; echo >&2; echo 'no server' >&2; exit 1", "", "no server"},
		"greets":  {"echo 'for the first time' >&2; echo 'Error: it is gone' >&2; exit 1", "", "Error: it is gone"},
		"worried": {"echo 'warning: old' >&2; exit 1", "", "warning: old"},
		"silent":  {"exit 3", "", "run silent: exit status 3"},
		"flood":   {"head -c 1000000 /dev/zero | tr '\\0' x", strings.Repeat("x", maxAnswer), ""},
		"bytes":   {"printf '\\377ok'", "\uFFFDok", ""},
		"env":     {"echo [$HOME] [$A]", "[] [1]", ""},
		"nowhere": {"", "", "run nowhere: no such file or directory"},
	} {
		path := script(t, dir, name, tt.text)
		if name == "nowhere" {
			if err := os.WriteFile(path, []byte("#!/nonexistent\n"), 0o700); err != nil {
				t.Fatal(err)
			}
		}
		said, err := Launcher{}.Ask(t.Context(), &Command{Path: path, Env: []string{"PATH=/usr/bin:/bin", "A=1"}})
		if said != tt.said || (err == nil) != (tt.err == "") || err != nil && err.Error() != tt.err {
			t.Errorf("%s: %.60q, %v", name, said, err)
		}
	}
}

// A program that hangs ends with the context, and so do its descendants.
func TestAskHangs(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := script(t, dir, "hangs", "sleep 1000 & echo $! >"+filepath.Join(dir, "pid")+"; echo begun; wait")
	why := errors.New("enough")
	ctx, cancel := context.WithCancelCause(t.Context())
	processtest.WhenWritten(t, filepath.Join(dir, "pid"), func() { cancel(why) })
	if _, err := (Launcher{}).Ask(ctx, &Command{Path: path, Env: []string{"PATH=/usr/bin:/bin"}}); !errors.Is(err, why) {
		t.Fatal(err)
	}
	waitUntilEnded(t, dir)
}

// Processes that a program leaves running are killed, whether they hold the streams or not.
func TestAskLeavesNothing(t *testing.T) {
	t.Parallel()
	for name, streams := range map[string]string{"holds": "", "lets go": " >/dev/null 2>&1"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			path := script(t, dir, "leaves", "sleep 1000"+streams+" & echo $! >"+filepath.Join(dir, "pid")+"; echo said")
			if said, err := (Launcher{}).Ask(t.Context(), &Command{Path: path, Env: []string{"PATH=/usr/bin:/bin"}}); said != "said" || err != nil {
				t.Errorf("%q, %v", said, err)
			}
			waitUntilEnded(t, dir)
		})
	}
}

// waitUntilEnded waits until the process whose ID is in the file dir/pid has ended.
func waitUntilEnded(t *testing.T, dir string) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(dir, "pid"))
	if err != nil {
		t.Fatal(err)
	}
	pid, err := strconv.Atoi(strings.TrimSpace(string(text)))
	if err != nil {
		t.Fatal(err)
	}
	processtest.WaitUntil(t, "the process has ended", func() bool { return !processtest.IsRunning(pid) })
}
