//go:build unix

package disasters

import (
	"bytes"
	"context"
	"crypto/sha256"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"pollux/internal/undo/undotest"
)

// project is the project of undotest.Repository, and a home directory for an agent.
type project struct {
	dir, home, tmp string
	env            []string
}

func newProject(t *testing.T) *project {
	t.Helper()
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	p := &project{dir: filepath.Join(root, "project"), home: filepath.Join(root, "home"), tmp: filepath.Join(root, "tmp")}
	for _, dir := range []string{p.dir, p.home, p.tmp} {
		if err := os.Mkdir(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	p.env = []string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + p.home, "TMPDIR=" + p.tmp, "TERM=xterm-256color", "LANG=C.UTF-8", "SHELL=/bin/bash", "USER=user", "LOGNAME=user",
		"GIT_CONFIG_NOSYSTEM=1", "GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@b", "GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@b",
		// All projects have the same commits.
		"GIT_AUTHOR_DATE=2026-01-02T03:04:05Z", "GIT_COMMITTER_DATE=2026-01-02T03:04:05Z",
	}
	p.sh(t, undotest.Repository)
	undotest.SettleGit(t, p.dir, p.env)
	return p
}

func (p *project) sh(t *testing.T, script string) string {
	t.Helper()
	out, err := p.run(t, []string{"/bin/sh", "-ec", script})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// patience is how long a program may take; nothing is measured by it.
const patience = 3 * time.Minute

// run runs a command in the project to its end, and returns its standard output.
func (p *project) run(t *testing.T, command []string, env ...string) (string, error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	c := exec.CommandContext(ctx, command[0], command[1:]...)
	c.Dir, c.Env = p.dir, append(p.env[:len(p.env):len(p.env)], env...)
	var out, stderr bytes.Buffer
	c.Stdout, c.Stderr = &out, &stderr
	// A group of its own ends with it, whatever it has started.
	c.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	c.Cancel = func() error { return syscall.Kill(-c.Process.Pid, syscall.SIGKILL) }
	c.WaitDelay = 5 * time.Second
	err := c.Run()
	if *show {
		t.Logf("%q: %v\n%s\n%s", command, err, out.String(), stderr.String())
	}
	if err != nil {
		return "", fmt.Errorf("%q: %w\n%s\n%s", command, err, out.String(), stderr.String())
	}
	return out.String(), nil
}

// picture describes each path of the project outside of .git by its mode and content, and git's state: HEAD, the
// branches, tags and stashes, and the index. Times are left out, because no agent but Pollux restores them.
func (p *project) picture(t *testing.T) map[string]string {
	t.Helper()
	all := map[string]string{}
	err := filepath.WalkDir(p.dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name, err := filepath.Rel(p.dir, path)
		if err != nil {
			return err
		}
		if name == ".git" {
			return fs.SkipDir
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		all[name], err = describe(path, info)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(p.dir, ".git", "HEAD")); err == nil {
		maps.Copy(all, p.repository(t))
	}
	return all
}

func describe(path string, info fs.FileInfo) (string, error) {
	switch mode := info.Mode(); {
	case mode.IsRegular():
		data, err := os.ReadFile(path)
		return fmt.Sprintf("%v %x", mode, sha256.Sum256(data)), err
	case mode&fs.ModeSymlink != 0:
		target, err := os.Readlink(path)
		return "-> " + target, err
	default:
		return mode.String(), nil
	}
}

// repository describes git's state. Stashes are in a reflog.
func (p *project) repository(t *testing.T) map[string]string {
	t.Helper()
	all := map[string]string{"HEAD": p.sh(t, "cat .git/HEAD")}
	for line := range strings.Lines(p.sh(t, "git for-each-ref --format='%(refname) %(objectname)'; git stash list --format='%gd %H'")) {
		name, id, _ := strings.Cut(strings.TrimSpace(line), " ")
		all["git "+name] = id
	}
	for line := range strings.Lines(p.sh(t, "git ls-files --stage")) {
		what, name, _ := strings.Cut(strings.TrimSpace(line), "\t")
		all["index "+name] = what
	}
	return all
}
