package gitbase_test

import (
	"bytes"
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"pollux/internal/process"
	"pollux/internal/undo/gitbase"
)

// TestHostile checks that no program of a repository or of the user's configuration runs, that nothing but the blobs of
// the repository are read, and that the repository stays as it is.
func TestHostile(t *testing.T) {
	t.Parallel()
	needGit(t)
	if runtime.GOOS == "windows" {
		t.Skip("NOT TESTED: the programs are scripts for a shell")
	}
	u := newUser(t, t.TempDir())
	u.must("", "init", "-q", "r")
	u.write("r/a", "content of a")
	u.write("r/b", "content of b")
	u.write("r/.gitattributes", "b filter=evil diff=evil merge=evil\n")
	u.must("r", "add", "-A")
	u.must("r", "commit", "-qm", "first")
	real, other := u.blob("r", "content of a"), u.blob("r", "replaced")
	u.must("r", "replace", real.String(), other.String())
	lost := u.blob("r", "lost")
	if err := os.Remove(filepath.Join(u.path("r/.git/objects"), lost.String()[:2], lost.String()[2:])); err != nil {
		t.Fatal(err)
	}
	u.settle("r")
	program, ran := u.path("program"), u.path("ran")
	u.write("program", fmt.Sprintf("#!/bin/sh\necho \"$0 $@\" >> '%s'\nif [ \"$1\" = fetch ]; then exit 1; fi\ncat\n", ran))
	if err := os.Chmod(program, 0o755); err != nil {
		t.Fatal(err)
	}
	evil := hostileConfig(program)
	config := string(u.content(u.path("r/.git/config"), 0))
	u.write("r/.git/config", config+evil+"[extensions]\n\tpartialClone = origin\n[core]\n\trepositoryFormatVersion = 1\n")
	u.write("home/.gitconfig", evil)
	for _, hook := range []string{"post-index-change", "reference-transaction", "fsmonitor-watchman", "post-checkout"} {
		u.write("r/.git/hooks/"+hook, "#!/bin/sh\n"+program+" "+hook+"\n")
		if err := os.Chmod(u.path("r/.git/hooks/"+hook), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"PAGER", "GIT_PAGER", "GIT_EXTERNAL_DIFF", "GIT_ASKPASS", "GIT_SSH_COMMAND", "GIT_EDITOR", "GIT_PROXY_COMMAND"} {
		u.environ = append(u.environ, name+"="+program)
	}
	// Git itself, without protection, runs the programs: else the test proves nothing.
	for _, args := range [][]string{{"status"}, {"cat-file", "--filters", "HEAD:b"}, {"cat-file", "-p", lost.String()}} {
		_, _ = u.run("r", args...)
		if _, err := os.Stat(ran); err != nil {
			t.Fatalf("git %q runs no program: %v", args, err)
		}
		if err := os.Remove(ran); err != nil {
			t.Fatal(err)
		}
	}

	var mu sync.Mutex
	var commands []string
	u.git = gitbase.New(process.NewLauncher(func(next process.Handler) process.Handler {
		return func(ctx context.Context, c *process.Command) (*process.Process, error) {
			mu.Lock()
			defer mu.Unlock()
			commands = append(commands, strings.Join(c.Args, " "))
			if rel, err := filepath.Rel(u.base, c.Dir); err == nil && filepath.IsLocal(rel) {
				t.Errorf("git runs in %s", c.Dir)
			}
			return next(ctx, c)
		}
	}), u.environ)
	before := snapshot(t, u.path("r"))
	r, reader := u.open(t, "r")
	if got := u.known(r, reader, "r"); !slices.Equal(got, []string{".gitattributes", "a"}) {
		t.Errorf("known are %q", got)
	}
	var got bytes.Buffer
	if _, err := reader.Copy(t.Context(), lost, &got); err == nil {
		t.Errorf("a blob that is not there: %q", got.String())
	}
	if err := reader.Close(); err != nil {
		t.Error(err)
	}
	if text, err := os.ReadFile(ran); err == nil {
		t.Errorf("programs ran:\n%s", text)
	}
	if after := snapshot(t, u.path("r")); after != before {
		t.Errorf("the repository has changed:\n%s\nwant\n%s", after, before)
	}
	if len(commands) != 2 {
		t.Errorf("git ran as %q", commands)
	}
}

// hostileConfig is a configuration that names a program wherever git takes one.
func hostileConfig(program string) string {
	var b strings.Builder
	for _, setting := range []string{
		"core.fsmonitor", "core.pager", "core.editor", "core.askPass", "core.sshCommand", "core.gitProxy", "core.alternateRefsCommand",
		"filter.evil.clean", "filter.evil.smudge", "filter.evil.process", "diff.evil.command", "diff.evil.textconv", "merge.evil.driver",
		"diff.external", "credential.helper", "pager.cat-file", "gpg.program", "uploadpack.packObjectsHook",
	} {
		at := strings.LastIndexByte(setting, '.')
		section, sub, hasSub := strings.Cut(setting[:at], ".")
		if hasSub {
			section += ` "` + sub + `"`
		}
		fmt.Fprintf(&b, "[%s]\n\t%s = %s\n", section, setting[at+1:], program)
	}
	fmt.Fprintf(&b, "[alias]\n\tcat-file = !%s\n[protocol]\n\tallow = always\n[protocol \"ext\"]\n\tallow = always\n", program)
	fmt.Fprintf(&b, "[remote \"origin\"]\n\turl = ext::%s fetch\n\tpromisor = true\n\tfetch = +refs/heads/*:refs/remotes/origin/*\n", program)
	return b.String()
}

// snapshot lists all files below a directory with their states and contents.
func snapshot(t *testing.T, dir string) string {
	t.Helper()
	var b strings.Builder
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		fmt.Fprintf(&b, "%s %s %d %s\n", path, info.Mode(), info.Size(), info.ModTime())
		if d.Type().IsRegular() {
			content, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			fmt.Fprintf(&b, "\t%q\n", content)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return b.String()
}
