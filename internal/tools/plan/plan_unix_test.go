//go:build unix

package plan_test

import (
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// Opening a FIFO would block.
func TestPlanIsFIFO(t *testing.T) {
	t.Parallel()
	h := build(t)
	h.mode = "plan"
	write(t, filepath.Join(h.plans, "other.md"), "x")
	if err := syscall.Mkfifo(filepath.Join(h.plans, "a.md"), 0o600); err != nil {
		t.Fatal(err)
	}
	_, exit := h.tools(true)
	inv := call(t, exit, map[string]any{"plan_filename": "a.md"})
	if got := run(t, inv); !strings.HasPrefix(got, "Failed to read plan file: ") || h.mode != "plan" {
		t.Errorf("%q in mode %s", got, h.mode)
	}
}
