//go:build unix

package gemini

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// compareVariable enables the comparison with Gemini CLI if its value is 1.
const compareVariable = "POLLUX_COMPARE"

// peer returns the command of Gemini CLI, as its release is on npm. It skips the test if
// the comparison is not enabled, or if something is missing on this machine.
func peer(t *testing.T) []string {
	t.Helper()
	if os.Getenv(compareVariable) != "1" {
		t.Skipf("NOT COMPARED WITH GEMINI CLI: set %s=1, or run make compare (needs Node.js, downloads 100 MB)", compareVariable)
	}
	if raced {
		t.Skip("compared with Gemini CLI without the race detector, which sees nothing of another program")
	}
	command, err := installed()
	if errors.Is(err, errOther) {
		t.Fatal(err)
	}
	if err != nil {
		t.Skipf("NOT COMPARED WITH GEMINI CLI: %v", err)
	}
	return command
}

// errOther reports that the registry's package is not the recorded one.
var errOther = errors.New("npm sends a package with another checksum")

// installed installs Gemini CLI once for all tests and runs: the versions and the
// checksums are those of testdata/package-lock.json.
var installed = sync.OnceValues(func() ([]string, error) {
	node, err := exec.LookPath("node")
	if err != nil {
		return nil, errors.New("node is not on this machine")
	}
	if err := newEnough(node); err != nil {
		return nil, err
	}
	dir, err := cache()
	if err != nil {
		return nil, err
	}
	main := filepath.Join(dir, "node_modules", "@google", "gemini-cli")
	if err := install(dir, filepath.Join(dir, "installed")); err != nil {
		return nil, err
	}
	text, err := os.ReadFile(filepath.Join(main, "package.json"))
	if err != nil {
		return nil, err
	}
	var pkg struct{ Bin map[string]string }
	if err := json.Unmarshal(text, &pkg); err != nil {
		return nil, err
	}
	return []string{node, filepath.Join(main, pkg.Bin["gemini"])}, nil
})

func newEnough(node string) error {
	out, err := exec.Command(node, "--version").Output()
	if err != nil {
		return fmt.Errorf("node --version: %w", err)
	}
	version := strings.TrimSpace(string(out))
	major, _, _ := strings.Cut(strings.TrimPrefix(version, "v"), ".")
	if n, err := strconv.Atoi(major); err != nil || n < 20 {
		return fmt.Errorf("node is %s, and 20 is needed", version)
	}
	return nil
}

// cache returns the directory of the installed versions: outside the repository, so
// that npm downloads them once.
func cache() (string, error) {
	lock, err := os.ReadFile(filepath.Join("testdata", "package-lock.json"))
	if err != nil {
		return "", err
	}
	base, err := os.UserCacheDir()
	if err != nil {
		base = os.TempDir()
	}
	return filepath.Join(base, "pollux-test", fmt.Sprintf("gemini-cli-%x", sha256.Sum256(lock))[:27]), nil
}

// install fills dir, unless the file done is there, which it writes last. Other
// processes wait for the one that does it.
func install(dir, done string) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	lock, err := os.OpenFile(filepath.Join(dir, "lock"), os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return err
	}
	defer lock.Close() // which unlocks it
	if err := syscall.Flock(int(lock.Fd()), syscall.LOCK_EX); err != nil {
		return err
	}
	if _, err := os.Stat(done); err == nil {
		return nil
	}
	npm, err := exec.LookPath("npm")
	if err != nil {
		return errors.New("npm is not on this machine")
	}
	for _, name := range []string{"package.json", "package-lock.json"} {
		text, err := os.ReadFile(filepath.Join("testdata", name))
		if err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(dir, name), text, 0o600); err != nil {
			return err
		}
	}
	ctx, cancel := context.WithTimeout(context.Background(), 3*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, npm, "ci", "--ignore-scripts", "--no-audit", "--no-fund", "--fetch-retries=1", "--fetch-timeout=30000")
	cmd.Dir = dir
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := cmd.Run(); err != nil {
		if strings.Contains(out.String(), "EINTEGRITY") {
			return fmt.Errorf("%w: %s", errOther, last(out.String(), 500))
		}
		return fmt.Errorf("npm ci: %w: %s", err, last(out.String(), 500))
	}
	return os.WriteFile(done, nil, 0o600)
}

func last(s string, n int) string { return s[max(0, len(s)-n):] }
