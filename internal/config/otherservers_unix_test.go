//go:build unix

package config

import (
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// TestOtherServersPipe checks that a pipe in the place of the file does not hold up the start.
func TestOtherServersPipe(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	if err := syscall.Mkfifo(filepath.Join(p.work, ".mcp.json"), 0o600); err != nil {
		t.Skip(err)
	}
	s, warnings := p.mustLoad(t)
	if len(warnings) != 1 || !strings.Contains(string(warnings[0]), "it is not a regular file") || len(MCPServers.In(s, nil)) > 0 {
		t.Errorf("warnings %q", warnings)
	}
}
