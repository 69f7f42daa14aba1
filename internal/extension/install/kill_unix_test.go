//go:build unix

package install

import (
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"pollux/internal/extension/integrity"
	"pollux/internal/keychain"
)

// The directories that the process to kill gets.
const (
	killedHome   = "POLLUX_TEST_HOME"
	killedSource = "POLLUX_TEST_SOURCE"
)

const manyFiles = 60

// version writes an extension of many files that all contain the version.
func version(t *testing.T, dir string, n int) {
	t.Helper()
	all := manifest(fmt.Sprintf("%d.0.0", n), "")
	for i := range manyFiles {
		all[fmt.Sprintf("d%d/file", i)] = fmt.Sprint(n)
	}
	write(t, dir, all)
}

// managerOf returns the manager of an existing home directory.
func managerOf(t *testing.T, home string) *Manager {
	t.Helper()
	m, _ := newManager(t)
	m.Home, m.Dir = home, filepath.Join(home, ".gemini", "extensions")
	m.Options.Dir = m.Dir
	m.Keychain = keychain.Open(keychain.Options{File: filepath.Join(home, ".gemini", "gemini-credentials.json"), FileOnly: true})
	m.Integrity = integrity.New(filepath.Dir(m.Dir), m.Keychain)
	return m
}

// TestKilledProcess is the process that TestKilled kills: it updates an extension again and again.
func TestKilledProcess(t *testing.T) {
	home, src := os.Getenv(killedHome), os.Getenv(killedSource)
	if home == "" {
		t.Skip("not started by TestKilled")
	}
	m := managerOf(t, home)
	fmt.Println("ready")
	for n := 2; ; n++ {
		version(t, src, n)
		if _, err := m.Update(t.Context(), mustFind(t, m, "x")); err != nil {
			t.Fatal(err)
		}
	}
}

// A kill at any time leaves the old or the new extension, never a mixture or nothing, and it can be
// updated afterwards.
func TestKilled(t *testing.T) {
	t.Parallel()
	home, src := t.TempDir(), t.TempDir()
	m := managerOf(t, home)
	version(t, src, 1)
	mustInstall(t, m, src, Options{})
	for range 12 {
		kill(t, home, src)
		e := mustFind(t, m, "x")
		want := strings.TrimSuffix(e.Version, ".0.0")
		for i := range manyFiles {
			data, err := os.ReadFile(filepath.Join(e.Dir, fmt.Sprintf("d%d/file", i)))
			if err != nil || string(data) != want {
				t.Fatalf("version %s has a file of version %q, %v", want, data, err)
			}
		}
		version(t, src, 1000)
		if _, err := m.Update(t.Context(), e); err != nil {
			t.Fatal(err)
		}
		entries, err := os.ReadDir(filepath.Join(home, ".gemini"))
		if err != nil {
			t.Fatal(err)
		}
		if slices.ContainsFunc(entries, func(e os.DirEntry) bool { return e.Name() == stagesName }) {
			t.Error("a stage is left behind")
		}
	}
}

// kill starts a process that updates an extension, and kills it after a while.
func kill(t *testing.T, home, src string) {
	t.Helper()
	cmd := exec.Command(os.Args[0], "-test.run=^TestKilledProcess$")
	cmd.Env = append(os.Environ(), killedHome+"="+home, killedSource+"="+src, "TMPDIR="+t.TempDir())
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if _, err := out.Read(make([]byte, 1)); err != nil {
		t.Fatal(err)
	}
	time.Sleep(rand.N(150 * time.Millisecond))
	_ = cmd.Process.Kill() // SIGKILL
	_ = cmd.Wait()
}
