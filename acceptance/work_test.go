package acceptance

import (
	"errors"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

// TestWork runs the scripts about ordinary work in the sandbox. The home directory is not in /tmp, so that programs can use that for
// temporary files as on other machines.
func TestWork(t *testing.T) {
	t.Parallel()
	run(t, "work", "", func(env *testscript.Env) error {
		home, err := os.MkdirTemp("/var/tmp", "pollux-work-")
		if err != nil {
			return err
		}
		env.Defer(func() { _ = os.RemoveAll(home) })
		w := env.Values[worldKey{}].(*world)
		w.home, w.work = home, filepath.Join(home, "project")
		env.Cd = w.work
		env.Setenv("HOME", w.home)
		env.Setenv("WORK", w.work)
		env.Setenv("TMPDIR", w.home+"/tmp")
		env.Setenv("UID", strconv.Itoa(os.Getuid()))
		if u, err := user.Current(); err == nil { // rustup looks for compilers in the home directory
			env.Setenv("RUSTUP_HOME", filepath.Join(u.HomeDir, ".rustup"))
		}
		return errors.Join(os.CopyFS(home, os.DirFS(env.WorkDir)), os.MkdirAll(w.work, 0o755), os.MkdirAll(w.home+"/tmp", 0o700))
	})
}

// TestWorkPage checks that the table of ordinary work in the documentation names the scripts that prove it, and each of them.
func TestWorkPage(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../docs/sandbox.md")
	if err != nil {
		t.Fatal(err)
	}
	_, table, _ := strings.Cut(string(page), "\n## Ordinary work\n")
	table, _, _ = strings.Cut(table, "\n## ")
	named := map[string]bool{}
	for _, m := range regexp.MustCompile("`([a-z_]+)\\.txtar`").FindAllStringSubmatch(table, -1) {
		named[m[1]] = true
	}
	files, err := filepath.Glob("work/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".txtar")
		if !named[name] {
			t.Errorf("docs/sandbox.md does not name %s", file)
		}
		delete(named, name)
	}
	for name := range named {
		t.Errorf("docs/sandbox.md names %s.txtar, which is not there", name)
	}
}

// canMount reports whether a program can have a file system of its own.
func canMount() bool {
	return exec.Command("unshare", "-rm", "mount", "-t", "tmpfs", "none", os.TempDir()).Run() == nil
}
