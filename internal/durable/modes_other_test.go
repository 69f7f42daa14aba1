//go:build unix && !linux

package durable

import (
	"os"
	"testing"
)

// obeyModes skips the test for root, for whom the modes of files do not count.
func obeyModes(t *testing.T) {
	t.Helper()
	if os.Geteuid() == 0 {
		t.Skip("NOT TESTED: root may write everywhere")
	}
}
