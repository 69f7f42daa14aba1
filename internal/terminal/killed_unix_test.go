//go:build linux || darwin

package terminal

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"
)

// TestResetKilled checks that a terminal is reset after a program that was killed, once, and not while or after another one has it.
func TestResetKilled(t *testing.T) {
	t.Parallel()
	master, term := openPTY(t)
	if term.ResetKilled() {
		t.Error("reset without a directory for marks")
	}
	term.Marks = filepath.Join(t.TempDir(), "tmp", "marks")
	other := New(term.out, term.out, term.out, getenv(nil)) // of another process
	other.Marks = term.Marks
	c, err := term.OpenConsole()
	if err != nil {
		t.Fatal(err)
	}
	path := term.markPath()
	if _, err := os.Stat(path); err != nil || other.ResetKilled() {
		t.Errorf("it is reset while a program has it, or has no mark: %v", err)
	}
	second, err := other.OpenConsole()
	if err != nil {
		t.Fatal(err)
	}
	second.Close()
	if _, err := os.Stat(path); err != nil {
		t.Errorf("another program has removed the mark: %v", err)
	}
	c.Close()
	if _, err := os.Stat(path); err == nil || other.ResetKilled() {
		t.Errorf("it is reset after an end in order, or has a mark: %v", err)
	}

	old, fresh := filepath.Join(term.Marks, "8800-1"), filepath.Join(term.Marks, "8801-2")
	for _, name := range []string{path, old, fresh} {
		if err := os.WriteFile(name, nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Chtimes(old, time.Time{}, time.Now().Add(-40*24*time.Hour)); err != nil {
		t.Fatal(err)
	}
	if !other.ResetKilled() || other.ResetKilled() {
		t.Fatal("it is not reset after a kill, or twice")
	}
	if left, _ := filepath.Glob(filepath.Join(term.Marks, "*")); !slices.Equal(left, []string{fresh}) {
		t.Errorf("marks that stay: %q", left)
	}
	got := make([]byte, 1024)
	n, err := master.Read(got)
	if err != nil || !bytes.Contains(got[:n], []byte("\x1b[=0u"+OtherScreen.Leave)) || bytes.Count(got[:n], []byte(KittyKeys.Leave)) != 1 || !bytes.HasSuffix(got[:n], []byte("\x1b[J\r")) {
		t.Errorf("the reset is %q: %v", got[:n], err)
	}
}

// TestUnmarked checks that a program gets a terminal that cannot be marked.
func TestUnmarked(t *testing.T) {
	t.Parallel()
	_, term := openPTY(t)
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{"", file, filepath.Join(file, "below")} {
		term.Marks = dir
		c, err := term.OpenConsole()
		if err != nil {
			t.Fatalf("%q: %v", dir, err)
		}
		c.Close()
		if term.ResetKilled() {
			t.Errorf("%q: it is reset", dir)
		}
	}
	term.Marks, term.OutTTY = t.TempDir(), false
	if term.markPath() != "" {
		t.Error("an output that is no terminal has a mark")
	}
}
