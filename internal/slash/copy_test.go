//go:build unix

package slash

import (
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
)

func TestCopy(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "darwin" {
		t.Skip("the clipboard of this machine is not for tests")
	}
	const second = "Second.\n\n```go\na()\n```\n\n1. x\n   ```\n   b\n     c\n   ```"
	d := newDriver(t, setup{model: "turn\n  text \"First\\u001b[31m.\"\nturn\n  call list_directory {\"dir_path\": \".\"}\nturn\n  text " + strconv.Quote(second) + "\n"})
	d.wantText("/copy", "No output in history")
	d.prompt("one")
	d.prompt("two")
	d.wantFailure("/copy", "Cannot copy: no clipboard found.")
	bin := t.TempDir()
	// Like xclip, this program stores its input and leaves a process in the background.
	xclip := "#!/bin/sh\nset -e\n[ -z \"$ATTACKED\" ]\n[ \"$*\" = '-selection clipboard' ]\ncat > '" + bin + "/held'\nsleep 100 &\necho $! > '" + bin + "/pid'\n"
	d.file(filepath.Join(bin, "xclip"), xclip)
	d.file("xclip", "#!/bin/sh\ntouch '"+bin+"/fooled'\n")
	for _, dir := range []string{bin, d.dir} {
		if err := os.Chmod(filepath.Join(dir, "xclip"), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	d.file(".env", "ATTACKED=1")
	d.Session.Project.Options.Env = d.Session.Project.Options.Env.With("DISPLAY=:9", "WAYLAND_DISPLAY=w", "PATH="+d.dir+":"+bin+":"+os.Getenv("PATH"))
	d.Session.Project.ReadEnv()
	for line, want := range map[string]string{"/copy": second, "/copy 2": "First.", "/copy code": "b\n  c", "/copy code 2": "a()"} {
		d.wantText(line, "copied to the clipboard")
		if held, err := os.ReadFile(filepath.Join(bin, "held")); string(held) != want || err != nil {
			t.Errorf("%s: %q, %v", line, held, err)
		}
		d.kill(filepath.Join(bin, "pid"))
	}
	d.wantText("/copy 3", "No output in history")
	d.wantText("/copy code 3", "The last response has only 2 blocks of code")
	for _, line := range []string{"/copy 0", "/copy -1", "/copy codes", "/copy code x", "/copy 1 2"} {
		d.wantFailure(line, "such as /copy 2")
	}
	if _, err := os.Stat(filepath.Join(bin, "fooled")); err == nil {
		t.Error("a program of the project's is run")
	}
	d.file(filepath.Join(bin, "xclip"), "#!/bin/sh\nexit 1\n")
	d.wantFailure("/copy", "xclip: exit status 1")
}

// kill kills the process whose ID is in the file at path.
func (d *driver) kill(path string) {
	d.t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		d.t.Fatal(err)
	}
	pid, err := strconv.Atoi(strings.TrimSpace(string(text)))
	if err != nil {
		d.t.Fatal(err)
	}
	_ = syscall.Kill(pid, syscall.SIGKILL)
}
