//go:build unix

package gemini

import (
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"pollux/acceptance/npm"
	"pollux/internal/process/processtest"
)

// compareVariable enables the comparison with Gemini CLI if its value is 1, or that of a part of the scenes, such as 2/4.
const compareVariable = "POLLUX_COMPARE"

// peer returns the command of Gemini CLI, as its release is on npm. It skips the test if
// the comparison is not enabled, or if something is missing on this machine.
func peer(t *testing.T) []string {
	t.Helper()
	if value := os.Getenv(compareVariable); value != "1" && !strings.Contains(value, "/") {
		t.Skipf("NOT COMPARED WITH GEMINI CLI: set %s=1, or run make compare (needs Node.js, downloads 100 MB)", compareVariable)
	}
	hasScenes := t.Name() == "TestScenes" || t.Name() == "TestScreens" // which choose among them
	if !hasScenes && !processtest.InPartOf(compareVariable, t.Name()) {
		t.Skip("another part of the tests: " + os.Getenv(compareVariable))
	}
	if raced {
		t.Skip("compared with Gemini CLI without the race detector, which sees nothing of another program")
	}
	command, err := installed()
	if errors.Is(err, npm.ErrChecksum) {
		t.Fatal(err)
	}
	if err != nil {
		t.Skipf("NOT COMPARED WITH GEMINI CLI: %v", err)
	}
	return command
}

// installed installs Gemini CLI once for all tests and runs: the versions and the
// checksums are those of testdata/package-lock.json.
var installed = sync.OnceValues(func() ([]string, error) {
	dir, err := npm.Install("testdata", cacheName)
	if err != nil {
		return nil, err
	}
	main := filepath.Join(dir, "node_modules", "@google", "gemini-cli")
	text, err := os.ReadFile(filepath.Join(main, "package.json"))
	if err != nil {
		return nil, err
	}
	var pkg struct{ Bin map[string]string }
	if err := json.Unmarshal(text, &pkg); err != nil {
		return nil, err
	}
	node, err := exec.LookPath("node")
	if err != nil {
		return nil, err
	}
	return []string{node, filepath.Join(main, pkg.Bin["gemini"])}, nil
})

// cacheName is the name of the directory with the installed versions.
const cacheName = "gemini-cli"
