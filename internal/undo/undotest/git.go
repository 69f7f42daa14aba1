package undotest

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"pollux/internal/process"
	"pollux/internal/undo/state"
)

// SettleGit waits until the file system's clock has moved, and has git write the index of the repository in a directory again:
// then git knows which files have not changed. It does nothing if there is no repository.
func SettleGit(t testing.TB, dir string, environ []string) {
	t.Helper()
	if _, err := os.Lstat(filepath.Join(dir, ".git")); err != nil {
		return
	}
	tick(t, filepath.Join(t.TempDir(), "tick"))
	var out bytes.Buffer
	status, err := process.Launcher{}.Run(t.Context(), &process.Command{
		For: process.Purpose{Kind: process.KindGit, Origin: process.OriginPollux}, Name: "git", Path: process.Finder{Path: process.Getenv(environ, "PATH")}.Find("git"), Args: []string{"status", "--porcelain"}, Dir: dir, Env: environ, Stdout: &out, Stderr: &out,
	})
	if err != nil || status.Code != 0 {
		t.Fatalf("git status: %v %v\n%s", status, err, out.String())
	}
}

// tick waits until a file gets a later time than before.
func tick(t testing.TB, path string) {
	t.Helper()
	for first := int64(0); ; {
		if err := os.WriteFile(path, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		now, err := state.Read(path)
		if err != nil {
			t.Fatal(err)
		}
		if first != 0 && now.Modified > first {
			return
		}
		if first == 0 {
			first = now.Modified
		}
	}
}
