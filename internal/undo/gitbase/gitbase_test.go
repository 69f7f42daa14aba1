package gitbase_test

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pollux/internal/process"
	"pollux/internal/undo/gitbase"
	"pollux/internal/undo/state"
)

// fatal has the methods of a test that helpers use, real or of a property.
type fatal interface {
	Helper()
	Fatalf(format string, args ...any)
	Errorf(format string, args ...any)
}

// user is someone with a home directory and repositories, which git itself makes.
type user struct {
	fatal
	base, home string
	environ    []string
	git        *gitbase.Git
}

// newUser makes a user. Files are below the directory dir.
func newUser(t fatal, dir string) *user {
	t.Helper()
	dir, err := filepath.EvalSymlinks(dir)
	if err != nil {
		t.Fatalf("%v", err)
	}
	u := &user{fatal: t, base: dir, home: filepath.Join(dir, "home")}
	u.environ = []string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + u.home, "GIT_CONFIG_NOSYSTEM=1", "TMPDIR=" + os.TempDir(),
		"GIT_AUTHOR_NAME=A", "GIT_AUTHOR_EMAIL=a@b.c", "GIT_COMMITTER_NAME=A", "GIT_COMMITTER_EMAIL=a@b.c",
	}
	u.write("home/.gitconfig", "[init]\n\tdefaultBranch = main\n[gc]\n\tauto = 0\n[protocol \"file\"]\n\tallow = always\n[core]\n\tsafecrlf = false\n")
	u.git = gitbase.New(process.Launcher{}, u.environ)
	return u
}

func needGit(t testing.TB) {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("NOT TESTED: git is not installed")
	}
}

// run runs git in a directory below the base, and returns its output. It may fail.
func (u *user) run(dir string, args ...string) (string, error) {
	cmd := exec.Command("git", args...)
	cmd.Dir, cmd.Env = filepath.Join(u.base, dir), u.environ
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	err := cmd.Run()
	return strings.TrimSpace(out.String()), err
}

func (u *user) must(dir string, args ...string) string {
	u.Helper()
	out, err := u.run(dir, args...)
	if err != nil {
		u.Fatalf("git %q: %v\n%s", args, err, out)
	}
	return out
}

func (u *user) path(name string) string { return filepath.Join(u.base, filepath.FromSlash(name)) }

func (u *user) write(name, text string) {
	u.Helper()
	if err := os.MkdirAll(filepath.Dir(u.path(name)), 0o755); err != nil {
		u.Fatalf("%v", err)
	}
	if err := os.WriteFile(u.path(name), []byte(text), 0o644); err != nil {
		u.Fatalf("%v", err)
	}
}

// settle waits for the next tick of the file system's clock and has git write the index again, so that no file is racy.
func (u *user) settle(dir string) {
	u.Helper()
	u.tick()
	u.must(dir, "status", "--porcelain")
}

// tick waits until files that are written get a later time than those that were written before.
func (u *user) tick() {
	u.Helper()
	var before state.State
	for {
		u.write("tick", "x")
		now, err := state.Read(u.path("tick"))
		if err != nil {
			u.Fatalf("%v", err)
		}
		if before.Changed != 0 && now.Changed > before.Changed || before.Modified != 0 && now.Modified > before.Modified {
			return
		}
		before = now
	}
}

// open opens a repository and verifies it. The reader is closed with the test.
func (u *user) open(t testing.TB, dir string) (*gitbase.Repository, *gitbase.Reader) {
	t.Helper()
	r := u.git.Open(u.path(dir))
	if r == nil {
		t.Fatalf("%s is no repository", dir)
	}
	reader := u.reader(t, r.ObjectDir())
	if err := r.Verify(t.Context(), reader, nil); err != nil {
		t.Fatal(err)
	}
	return r, reader
}

func (u *user) reader(t testing.TB, objectDirs ...string) *gitbase.Reader {
	t.Helper()
	reader := u.git.NewReader(objectDirs...)
	t.Cleanup(func() {
		if err := reader.Close(); err != nil {
			t.Error(err)
		}
	})
	return reader
}

// object returns the id of the blob of a file in its present state.
func (u *user) object(r *gitbase.Repository, dir, name string) (gitbase.ID, bool) {
	u.Helper()
	now, err := state.Read(u.path(dir + "/" + name))
	if err != nil {
		u.Fatalf("%v", err)
	}
	return r.Object(name, now)
}

// content is the content of a file, or the target of a link.
func (u *user) content(path string, kind state.Kind) []byte {
	u.Helper()
	if kind == state.Link {
		target, err := os.Readlink(path)
		if err != nil {
			u.Fatalf("%v", err)
		}
		return []byte(target)
	}
	content, err := os.ReadFile(path)
	if err != nil {
		u.Fatalf("%v", err)
	}
	return content
}

// known checks each file below a directory: if its blob is known, it must have the content of the file. It returns the paths
// of these.
func (u *user) known(r *gitbase.Repository, reader *gitbase.Reader, dir string) (known []string) {
	u.Helper()
	top := u.path(dir)
	err := filepath.WalkDir(top, func(path string, d os.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.Name() == ".git":
			if d.IsDir() {
				return filepath.SkipDir
			}
			return nil
		case d.IsDir():
			return nil
		}
		name := filepath.ToSlash(strings.TrimPrefix(path, top+string(filepath.Separator)))
		now, err := state.Read(path)
		if err != nil {
			return err
		}
		id, ok := r.Object(name, now)
		if !ok {
			return nil
		}
		known = append(known, name)
		var got bytes.Buffer
		if _, err := reader.Copy(context.Background(), id, &got); err != nil {
			u.Errorf("%q: %v", name, err)
		}
		if want := u.content(path, now.Kind); !bytes.Equal(got.Bytes(), want) {
			u.Errorf("%q has %q, the blob %s has %q", name, want, id, got.Bytes())
		}
		return nil
	})
	if err != nil {
		u.Fatalf("%v", err)
	}
	slices.Sort(known)
	return known
}

// want checks which files have known blobs, as names with spaces between them.
func (u *user) want(t testing.TB, dir, want string) {
	t.Helper()
	r, reader := u.open(t, dir)
	if got := strings.Join(u.known(r, reader, dir), " "); got != want {
		t.Errorf("known are %q, want %q", got, want)
	}
}
