package processtest

import (
	"os/exec"
	"path/filepath"
	"testing"
)

// Build builds the program for users, without the additions of a test binary. It returns the program's
// path, which is valid until the test ends.
func Build(t testing.TB) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "pollux")
	cmd := exec.Command("go", "build", "-trimpath", "-o", path, "pollux/cmd/pollux")
	cmd.Env = append(cmd.Environ(), "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return path
}
