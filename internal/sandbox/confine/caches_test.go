package confine_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pollux/internal/process"
	"pollux/internal/sandbox/confine"
)

// TestClose checks that the directories for caches which no program has used do not stay, and that programs of another session
// that has removed one can use it again.
func TestClose(t *testing.T) {
	t.Parallel()
	c, home := confinement(t)
	if err := os.WriteFile(filepath.Join(home, "work", "go.mod"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := c.Open(); err != nil {
		t.Skipf("NOT TESTED: %v", err)
	}
	cache := filepath.Join(home, ".cache", "go-build")
	if out := shell(t, c, "ls -d "+cache); out != cache+"\n" {
		t.Fatalf("the cache: %s", out)
	}
	if err := os.Remove(cache); err != nil { // as another session does
		t.Fatal(err)
	}
	if out := shell(t, c, "echo x > "+cache+"/x"); out != "" {
		t.Errorf("the cache after another session has removed it: %s", out)
	}
	c.Close()
	if _, err := os.Stat(cache + "/x"); err != nil {
		t.Errorf("a cache with files: %v", err)
	}
	if _, err := os.Stat(filepath.Join(home, "go")); err == nil {
		t.Error("a cache that nothing has used is left")
	}
}

// TestScratch checks that commands can write to the scratch directory, and not beside it.
func TestScratch(t *testing.T) {
	t.Parallel()
	c, home := confinement(t)
	if err := c.Open(); err != nil {
		t.Skipf("NOT TESTED: %v", err)
	}
	temp := filepath.Join(home, ".gemini", "tmp", "work")
	if out := shell(t, c, "cd "+temp+"/scratch && mkdir d && echo text > d/x && cat d/x"); out != "text\n" {
		t.Errorf("in the scratch directory: %s", out)
	}
	if out := shell(t, c, "echo > "+temp+"/x; echo > "+home+"/.gemini/x"); strings.Count(out, "Permission denied") != 2 {
		t.Errorf("beside it: %s", out)
	}
}

// shell returns the output of a command of the model.
func shell(t *testing.T, c *confine.Confinement, command string) string {
	t.Helper()
	var out strings.Builder
	_, err := process.NewLauncher(c.Middleware).Run(t.Context(), &process.Command{
		For: process.Purpose{Kind: process.KindShell, Origin: process.OriginModel}, Path: "/bin/sh", Args: []string{"-c", command},
		Env: []string{"PATH=/usr/bin:/bin"}, Stdout: &out, Stderr: &out,
	})
	if err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// TestAdviseDirectories checks that advice finds the directory that a path in the output begins at, and that a command which has not failed
// gets it as well.
func TestAdviseDirectories(t *testing.T) {
	t.Parallel()
	c, home := confinement(t)
	if err := c.Open(); err != nil {
		t.Skipf("NOT TESTED: %v", err)
	}
	for _, tt := range []struct{ command, dir, output, path string }{
		{"mkdir ../other/x", "", "mkdir: cannot create directory ‘../other/x’: Permission denied", "other/x"},
		{"cd ../other && mkdir x", "", "mkdir: cannot create directory ‘x’: Permission denied", "other/x"},
		{"cd .. && (cd other; echo > x)", "", "/usr/bin/bash: line 1: x: Permission denied", "other/x"},
		{"cd ~/other; touch x; true", "", "touch: cannot touch 'x': Permission denied", "other/x"},
		{"touch ../../other/x", "sub", "touch: cannot touch '../../other/x': Permission denied", "other/x"},
		{"cd && cd other && touch x", "", "touch: cannot touch 'x': Permission denied", "other/x"},
		{"cd ~ && touch other/x", "", "touch: cannot touch 'other/x': Permission denied", "other/x"},
		{"cd \"$HOME\"; tar cf other/a.tar .", "", "tar: other/a.tar: Cannot open: Permission denied", "other/a.tar"},
		{"touch x", "", "touch: cannot touch 'x': Permission denied", ""},
		{"cat log", "", "error 13: permission denied", ""},
	} {
		c.Ask(func(context.Context) confine.Run { return confine.Run{Command: tt.command, Dir: tt.dir} })
		for _, hasFailed := range []bool{true, false} {
			advice := c.Advise(t.Context(), tt.output, hasFailed)
			if (advice == "") != (tt.path == "") || !strings.Contains(advice, filepath.Join(home, tt.path)) && tt.path != "" {
				t.Errorf("%s, failed %v: %q", tt.command, hasFailed, advice)
			}
		}
	}
}
