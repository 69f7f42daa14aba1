//go:build unix

package theme

import (
	"path/filepath"
	"slices"
	"syscall"
	"testing"
)

// TestLoadPipe checks that a pipe is not opened, which would wait for its writer.
func TestLoadPipe(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	path := filepath.Join(home, "p.json")
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Skip(err)
	}
	want := []string{"Theme file " + quote(path) + ": it is not a regular file."}
	if got, warnings := LoadFile(path, home); got.Name != "" || !slices.Equal(warnings, want) {
		t.Errorf("%q %q", got.Name, warnings)
	}
}
