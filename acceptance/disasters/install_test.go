//go:build unix

package disasters

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"testing"

	"pollux/acceptance/npm"
)

// installed installs the agents of testdata/package-lock.json, once for all tests and runs.
var installed = sync.OnceValues(func() (string, error) { return npm.Install("testdata", "agents") })

// requireAgents skips a test if the comparison is not enabled, or if something is missing on this machine.
func requireAgents(t *testing.T) {
	t.Helper()
	if os.Getenv("POLLUX_COMPARE") != "agents" {
		t.Skip("NOT COMPARED WITH OTHER AGENTS: run make compare-agents (needs Node.js, downloads 500 MB)")
	}
	if platform := runtime.GOOS + "/" + runtime.GOARCH; platform != "linux/amd64" {
		t.Skipf("NOT COMPARED WITH OTHER AGENTS: package.json has their programs for linux/amd64, and this is %s", platform)
	}
	switch _, err := installed(); {
	case errors.Is(err, npm.ErrChecksum):
		t.Fatal(err)
	case err != nil:
		t.Skipf("NOT COMPARED WITH OTHER AGENTS: %v", err)
	}
}

// binary returns the path of a program in an installed package.
func binary(t *testing.T, pkg, name string) string {
	t.Helper()
	dir, err := installed()
	if err != nil {
		t.Fatal(err)
	}
	return filepath.Join(dir, "node_modules", filepath.FromSlash(pkg), filepath.FromSlash(name))
}

// versions returns the versions of npm packages that are compared.
func versions(t *testing.T) map[string]string {
	t.Helper()
	var pkg struct{ Dependencies map[string]string }
	data, err := os.ReadFile(filepath.Join("testdata", "package.json"))
	if err == nil {
		err = json.Unmarshal(data, &pkg)
	}
	if err != nil {
		t.Fatal(err)
	}
	return pkg.Dependencies
}
