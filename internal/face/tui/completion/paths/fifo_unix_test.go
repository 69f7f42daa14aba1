//go:build unix

package paths

import (
	"path/filepath"
	"syscall"
	"testing"
)

// TestFIFO checks that a path into a FIFO does not wait for its other end.
func TestFIFO(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	if err := syscall.Mkfifo(filepath.Join(root, "fifo"), 0o600); err != nil {
		t.Skip(err)
	}
	if got := list(New(root, ""), "fifo/"); got != "" {
		t.Errorf("%s", got)
	}
}
