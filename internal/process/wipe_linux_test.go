package process

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// After the wipe the environment is not in /proc, even for root, and the program still has it.
func TestWipeEnvironment(t *testing.T) { // not parallel: a fork elsewhere would hold the new program open for writing
	dir := t.TempDir()
	program := filepath.Join(dir, "program (with) a name")
	if err := copyExecutable(program); err != nil {
		t.Fatal(err)
	}
	for p := dir; p != os.TempDir() && p != "/"; p = filepath.Dir(p) {
		_ = os.Chmod(p, 0o755) // another user must reach the program
	}
	for _, uid := range []uint32{0, 65534} {
		for wipe, isShown := range map[string]bool{"": true, "1": false} {
			cmd := exec.Command(program, "-test.run=^TestWiped$", "-test.v")
			cmd.Dir = "/"
			cmd.Env = []string{"SECRET=s-of-the-user", "WIPE_TEST=yes", "WIPE=" + wipe, "EMPTY=", system}
			if os.Getuid() == 0 {
				cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: uid, Gid: uid}}
			}
			out, err := cmd.CombinedOutput()
			if err != nil {
				t.Skipf("cannot run as another user: %v %s", err, out)
			}
			if shown := strings.Contains(string(out), "shell: SECRET=s-of-the-user"); shown != isShown || !strings.Contains(string(out), "own: s-of-the-user, 5 variables") {
				t.Errorf("wipe %q: %s", wipe, out)
			}
		}
	}
}

// TestWiped is the program that TestWipeEnvironment runs.
func TestWiped(t *testing.T) {
	if os.Getenv("WIPE_TEST") == "" {
		t.Skip("runs as a child of TestWipeEnvironment")
	}
	if os.Getenv("WIPE") != "" {
		WipeEnvironment()
	}
	cmd := exec.Command("/bin/sh", "-c", "tr '\\0' '\\n' </proc/$PPID/environ | sed 's/^/shell: /'")
	cmd.Env = []string{system}
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("\n%s\nown: %s, %d variables", out, os.Getenv("SECRET"), len(os.Environ()))
	own, err := os.ReadFile("/proc/self/environ")
	if err == nil && os.Getenv("WIPE") != "" && len(bytes.Trim(own, "\x00")) > 0 {
		t.Errorf("left: %q", own)
	}
}

func TestEnvironmentAt(t *testing.T) {
	t.Parallel()
	fields := strings.Repeat("1 ", 47)
	for stat, want := range map[string][2]uintptr{
		"1 (a) b) " + fields + "70 90 0": {70, 90},
		"1 (a) " + fields + "70":         {},
		"1 (a) " + fields + "x 90":       {},
		"":                               {},
	} {
		if start, end := environmentAt([]byte(stat)); start != want[0] || end != want[1] {
			t.Errorf("%q: %d %d", stat, start, end)
		}
	}
}

func BenchmarkWipeEnvironment(b *testing.B) {
	for b.Loop() {
		WipeEnvironment()
	}
}
