//go:build amd64 || arm64

package sandbox_test

import (
	"strings"
	"testing"

	"pollux/internal/process"
	"pollux/internal/sandbox"
)

// Without privileges, Pollux could not answer the calls of a program that has closed itself to others of its user.
func TestClosedPrograms(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s, err := newSandbox(sandbox.Profile{Write: []string{dir}})
	if err != nil || sandbox.Gap() != "" {
		t.Skip("NOT TESTED:", err, sandbox.Gap())
	}
	t.Cleanup(s.Close)
	const script = `import ctypes
c = ctypes.CDLL(None)
print(c.prctl(4, 0, 0, 0, 0), c.prctl(3, 0, 0, 0, 0), c.prctl(4, 1, 0, 0, 0), c.prctl(4, 9, 0, 0, 0))`
	var out strings.Builder
	_, err = process.NewLauncher(s.Confine).Run(t.Context(), &process.Command{
		For: process.Purpose{Kind: process.KindShell, Origin: process.OriginModel}, Path: "/bin/sh", Args: []string{"-c", "exec python3 -c '" + script + "'"},
		Env: []string{"PATH=/usr/bin:/bin"}, Dir: dir, Stdout: &out, Stderr: &out,
	})
	// PR_SET_DUMPABLE succeeds, PR_GET_DUMPABLE still shows an open program, and other values are those of the kernel.
	if got := strings.TrimSpace(out.String()); err != nil || got != "0 1 0 -1" {
		t.Errorf("got %q, %v", got, err)
	}
}
