//go:build unix

package shell_test

import (
	"os/exec"
	"testing"

	"go.uber.org/goleak"
)

// TestMain fails if a goroutine is left after all tests.
func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func requireBash(t testing.TB) {
	t.Helper()
	if _, err := exec.LookPath("bash"); err != nil {
		t.Skip("NOT TESTED: bash is not installed")
	}
}
