package process

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// A sealed process hides its environment from the programs that it starts, which root is no
// measure for: then the test runs as another user.
func TestSeal(t *testing.T) { // not parallel: a fork elsewhere would hold the new program open for writing
	dir := t.TempDir()
	program := filepath.Join(dir, "program")
	if err := copyExecutable(program); err != nil {
		t.Fatal(err)
	}
	for p := dir; p != os.TempDir() && p != "/"; p = filepath.Dir(p) {
		_ = os.Chmod(p, 0o755) // another user must reach the program
	}
	for seal, want := range map[string]string{"": "SECRET=s", "1": "Permission denied"} {
		cmd := exec.Command(program, "-test.run=^TestSealed$", "-test.v")
		cmd.Dir = "/"
		cmd.Env = []string{"SECRET=s", "SEAL_TEST=yes", "SEAL=" + seal, system}
		if os.Getuid() == 0 {
			cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
		}
		out, err := cmd.CombinedOutput()
		if errors.Is(err, fs.ErrPermission) {
			t.Skipf("NOT TESTED: cannot run as another user: %v %s", err, out)
		}
		if err != nil {
			t.Errorf("sealed %q: %v\n%s", seal, err, out)
		}
		if !strings.Contains(string(out), want) || seal != "" && strings.Contains(string(out), "SECRET=s") {
			t.Errorf("sealed %q: %s", seal, out)
		}
	}
}

// TestSealed is the program that TestSeal runs.
func TestSealed(t *testing.T) {
	if os.Getenv("SEAL_TEST") == "" {
		t.Skip("runs as a child of TestSeal")
	}
	if os.Getenv("SEAL") != "" {
		Seal()
	}
	if CallAddress() == 0 {
		t.Error("the address of system calls is unknown")
	}
	cmd := exec.Command("/bin/sh", "-c", "tr '\\0' '\\n' </proc/$PPID/environ")
	cmd.Env = []string{system}
	out, _ := cmd.CombinedOutput() // fails if it cannot read
	t.Logf("%s", out)
}

func copyExecutable(to string) error {
	exe, err := os.Executable()
	if err != nil {
		return err
	}
	src, err := os.Open(exe)
	if err != nil {
		return err
	}
	defer src.Close()
	dst, err := os.OpenFile(to, os.O_CREATE|os.O_WRONLY, 0o755) //nolint:gosec // a program
	if err != nil {
		return err
	}
	_, err = io.Copy(dst, src)
	if closeErr := dst.Close(); err == nil {
		err = closeErr
	}
	return err
}
