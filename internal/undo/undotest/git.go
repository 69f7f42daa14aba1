package undotest

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"pollux/internal/process"
	"pollux/internal/undo/state"
)

// Make runs the script Repository in a new directory, and settles the repository as SettleGit does.
func Make(ctx context.Context, dir string, environ []string) error {
	if err := os.Mkdir(dir, 0o755); err != nil {
		return err
	}
	if err := run(ctx, dir, environ, "sh", "-ec", Repository); err != nil {
		return err
	}
	return settle(ctx, dir, environ, dir+".tick")
}

// SettleGit waits until the file system's clock has moved, and has git write the index of the repository in a directory again:
// then git knows which files have not changed. It does nothing if there is no repository.
func SettleGit(t testing.TB, dir string, environ []string) {
	t.Helper()
	if _, err := os.Lstat(filepath.Join(dir, ".git")); err != nil {
		return
	}
	if err := settle(t.Context(), dir, environ, filepath.Join(t.TempDir(), "tick")); err != nil {
		t.Fatal(err)
	}
}

// settle settles the repository in a directory. It makes a file at the path, and removes it.
func settle(ctx context.Context, dir string, environ []string, path string) error {
	if err := tick(path); err != nil {
		return err
	}
	return run(ctx, dir, environ, "git", "status", "--porcelain")
}

// run runs a program of the PATH in environ to its end.
func run(ctx context.Context, dir string, environ []string, name string, args ...string) error {
	var out bytes.Buffer
	status, err := process.Launcher{}.Run(ctx, &process.Command{
		For: process.Purpose{Kind: process.KindGit, Origin: process.OriginPollux}, Name: name, Path: process.Finder{Path: process.Getenv(environ, "PATH")}.Find(name), Args: args, Dir: dir, Env: environ, Stdout: &out, Stderr: &out,
	})
	if err != nil || status.Code != 0 {
		return fmt.Errorf("%s %q: %v %w\n%s", name, args, status, err, out.String())
	}
	return nil
}

// tick waits until a file gets a later time than before.
func tick(path string) error {
	defer os.Remove(path)
	for first := int64(0); ; {
		if err := os.WriteFile(path, nil, 0o600); err != nil {
			return err
		}
		now, err := state.Read(path)
		if err != nil {
			return err
		}
		if first != 0 && now.Modified > first {
			return nil
		}
		if first == 0 {
			first = now.Modified
		}
	}
}
