//go:build unix

package shell

import (
	"os"
	"path/filepath"
	"regexp"
	"testing"
)

// TestLogIsNew checks that a file or link at the path of a log is replaced, not written to.
func TestLogIsNew(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	victim, path := filepath.Join(dir, "victim"), filepath.Join(dir, "logs", "background-1.log")
	if err := os.WriteFile(victim, []byte("whole"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(victim, path); err != nil {
		t.Fatal(err)
	}
	l := newLogFile(path)
	_, _ = l.Write([]byte("secret"))
	l.close()
	if b, _ := os.ReadFile(victim); string(b) != "whole" {
		t.Errorf("the link was followed: %q", b)
	}
	if b, _ := os.ReadFile(path); string(b) != "secret" {
		t.Errorf("the log has %q", b)
	}
}

// TestScanLogThatBeginsAgain checks that a pattern is found in a log that was emptied because it grew too long.
func TestScanLogThatBeginsAgain(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "log")
	if err := os.WriteFile(path, []byte("a long line that has no match\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	f, err := openLog(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	s := &lineScanner{pattern: regexp.MustCompile("ready"), file: f}
	if line, ok := s.scan(t.Context()); ok {
		t.Errorf("found %q", line)
	}
	if err := os.WriteFile(path, []byte("ready\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if line, ok := s.scan(t.Context()); !ok || line != "ready" {
		t.Errorf("found %q, %v", line, ok)
	}
}
