package gitstate_test

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"pollux/internal/gitstate"
)

// repository is a repository that git itself has made.
type repository struct {
	t   *testing.T
	dir string
}

func newRepository(t *testing.T, args ...string) *repository {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("NOT TESTED: git is not installed")
	}
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	r := &repository{t, dir}
	r.git(append([]string{"init", "-q", "-b", "main"}, args...)...)
	return r
}

func (r *repository) git(args ...string) string {
	r.t.Helper()
	cmd := exec.Command("git", append([]string{"-c", "user.name=A", "-c", "user.email=a@b.c", "-c", "commit.gpgsign=false"}, args...)...)
	cmd.Dir, cmd.Env = r.dir, append(os.Environ(), "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_CONFIG_SYSTEM="+os.DevNull)
	out, err := cmd.CombinedOutput()
	if err != nil {
		r.t.Logf("git %q: %v\n%s", args, err, out)
	}
	return strings.TrimSpace(string(out))
}

func (r *repository) write(name, text string) {
	r.t.Helper()
	path := filepath.Join(r.dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		r.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		r.t.Fatal(err)
	}
}

// commit commits files whose times are long before that of the index.
func (r *repository) commit(names ...string) {
	r.t.Helper()
	for _, name := range names {
		r.write(name, "content of "+name)
		old := time.Now().Add(-time.Hour)
		if err := os.Chtimes(filepath.Join(r.dir, name), old, old); err != nil {
			r.t.Fatal(err)
		}
	}
	r.git("add", "-A")
	r.git("commit", "-q", "-m", "first")
}

func (r *repository) want(dir, want string) {
	r.t.Helper()
	s, ok := gitstate.Read(filepath.Join(r.dir, dir), 3, time.Minute)
	if got := s.String(); !ok || got != want {
		r.t.Errorf("%s: %q, %v, want %q", dir, got, ok, want)
	}
}

func TestChanges(t *testing.T) {
	t.Parallel()
	for _, version := range []string{"2", "3", "4"} {
		t.Run(version, func(t *testing.T) {
			t.Parallel()
			r := newRepository(t)
			r.git("config", "index.version", version)
			r.want("", "on branch main, without commits.") // and without an index
			r.commit("a.txt", "ab.txt", "b/c.txt", "b/cd.txt", "b/long/name/of/a/file.txt", "d.txt", "e.txt")
			if version == "3" {
				r.write("later.txt", "x")
				r.git("add", "-N", "later.txt")
				r.want("", "on branch main; changed and not staged: later.txt.")
				r.git("rm", "-q", "--cached", "later.txt")
			}
			r.want("", "on branch main.")
			r.want("b/long", "on branch main.")
			r.write("a.txt", "content of b.txt") // of the same size
			r.write("untracked", "x")
			if err := os.Chtimes(filepath.Join(r.dir, "d.txt"), time.Now(), time.Now()); err != nil {
				t.Fatal(err)
			}
			r.want("", "on branch main; changed and not staged: a.txt.")
			r.write("b/c.txt", "longer than before, by much")
			r.want("b", "on branch main; changed and not staged: ../a.txt, c.txt.")
			if err := os.Remove(filepath.Join(r.dir, "ab.txt")); err != nil {
				t.Fatal(err)
			}
			r.write("e.txt", "")
			r.want("", "on branch main; changed and not staged: a.txt, ab.txt, b/c.txt and 1 more.")
			if got, want := r.git("ls-files", "-m"), "a.txt\nab.txt\nb/c.txt\ne.txt"; got != want {
				t.Errorf("git finds %q", got)
			}
			r.git("update-index", "--assume-unchanged", "a.txt")
			r.git("update-index", "--skip-worktree", "b/c.txt")
			r.want("", "on branch main; changed and not staged: ab.txt, e.txt.")
			r.git("add", "-A")
			r.want("", "on branch main.")
		})
	}
}

func TestHeads(t *testing.T) {
	t.Parallel()
	r := newRepository(t)
	r.commit("a.txt")
	r.git("checkout", "-q", "-b", "feature/x")
	r.want("", "on branch feature/x.")
	r.git("pack-refs", "--all")
	r.want("", "on branch feature/x.")
	r.write("a.txt", "one")
	r.git("commit", "-q", "-am", "one")
	r.git("worktree", "add", "-q", "tree", "main")
	r.want("tree", "on branch main.")
	r.write("tree/a.txt", "two")
	r.want("tree", "on branch main; changed and not staged: a.txt.")
	r.git("-C", "tree", "commit", "-q", "-am", "two")
	r.git("merge", "-q", "main")
	r.want("", "on branch feature/x; merge in progress; changed and not staged: a.txt.")
	r.write("a.txt", "content of a.txt") // as one of the versions in conflict
	r.want("", "on branch feature/x; merge in progress; changed and not staged: a.txt.")
	r.git("merge", "--abort")
	r.git("checkout", "-q", "--detach")
	r.want("", "HEAD is detached at "+r.git("rev-parse", "HEAD")[:8]+".")
}

// TestSameTime checks that a file that was changed in the same moment in which git looked at it is
// compared by its content.
func TestSameTime(t *testing.T) {
	t.Parallel()
	r := newRepository(t)
	r.commit("a.txt", "b.txt")
	later := time.Now().Add(time.Hour)
	at := func(name string) {
		if err := os.Chtimes(filepath.Join(r.dir, name), later, later); err != nil {
			t.Fatal(err)
		}
	}
	at("a.txt")
	at("b.txt")
	r.git("add", "-A")
	r.want("", "on branch main.")
	r.write("a.txt", "content of b.txt")
	at("a.txt")
	r.want("", "on branch main; changed and not staged: a.txt.")
}

// TestBounds checks that a large repository takes no longer than asked for, and damaged ones no harm.
func TestBounds(t *testing.T) {
	t.Parallel()
	r := newRepository(t)
	var names []string
	for i := range 100 {
		names = append(names, fmt.Sprintf("f%02d", i))
	}
	r.commit(names...)
	for _, name := range names {
		r.write(name, "changed")
	}
	if s, ok := gitstate.Read(r.dir, 20, 0); !ok || s.Total != 0 || s.Branch != "main" {
		t.Errorf("without patience: %+v", s)
	}
	if s, _ := gitstate.Read(r.dir, 20, time.Minute); s.Total != 100 || len(s.Changed) != 20 {
		t.Errorf("%+v", s)
	}
	index := filepath.Join(r.dir, ".git", "index")
	data, err := os.ReadFile(index)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(index, append(slices.Clone(data), make([]byte, 400<<10)...), 0o644); err != nil {
		t.Fatal(err)
	}
	if s, ok := gitstate.Read(r.dir, 20, time.Minute); !ok || s.Total != 0 || s.Branch != "main" {
		t.Errorf("a large index: %+v", s)
	}
	for n := range len(data) / 7 {
		if err := os.WriteFile(index, data[:n*7], 0o644); err != nil {
			t.Fatal(err)
		}
		if s, ok := gitstate.Read(r.dir, 20, time.Minute); !ok || s.Branch != "main" {
			t.Fatalf("%d bytes: %+v", n*7, s)
		}
	}
	if err := os.WriteFile(filepath.Join(r.dir, ".git", "HEAD"), []byte("nonsense"), 0o644); err != nil {
		t.Fatal(err)
	}
	if s, ok := gitstate.Read(r.dir, 20, time.Minute); ok {
		t.Errorf("%+v", s)
	}
	if s, ok := gitstate.Read(t.TempDir(), 20, time.Minute); ok {
		t.Errorf("no repository: %+v", s)
	}
}

// TestSHA256 checks that an index with other hashes is not misread.
func TestSHA256(t *testing.T) {
	t.Parallel()
	r := newRepository(t, "--object-format=sha256")
	r.commit("a.txt")
	r.write("a.txt", "changed")
	r.want("", "on branch main.")
}

// copied returns a work tree whose files were copied: their times say nothing.
func copied(t testing.TB, files, size int) string {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not installed")
	}
	dir := t.TempDir()
	for i := range files {
		if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("file%02d.txt", i)), bytes.Repeat([]byte{byte(i)}, size), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for _, args := range [][]string{{"init", "-q", "-b", "main"}, {"add", "."}} {
		if out, err := exec.Command("git", append([]string{"-C", dir}, args...)...).CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", args, out)
		}
	}
	paths, _ := filepath.Glob(filepath.Join(dir, "*.txt"))
	for _, path := range paths {
		if err := os.Chtimes(path, time.Now(), time.Now().Add(-time.Hour)); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// TestCopied checks that the contents of a few copied files are compared, and that those of many are not read.
func TestCopied(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ files, size, want int }{{15, 4 << 10, 1}, {40, 1 << 10, 1}, {100, 4 << 10, 0}} {
		dir := copied(t, tt.files, tt.size)
		if err := os.WriteFile(filepath.Join(dir, "file01.txt"), make([]byte, tt.size), 0o644); err != nil {
			t.Fatal(err)
		}
		s, ok := gitstate.Read(dir, 20, time.Minute)
		if !ok || s.Branch != "main" || s.Total != tt.want || len(s.Changed) != tt.want {
			t.Errorf("%d files: %+v", tt.files, s)
		}
	}
}

// BenchmarkReadCopied reads the state of a work tree whose files were copied.
func BenchmarkReadCopied(b *testing.B) {
	dir := copied(b, 100, 4<<10)
	b.ReportAllocs()
	for b.Loop() {
		if s, _ := gitstate.Read(dir, 20, time.Minute); s.Total > 0 {
			b.Fatalf("%+v", s)
		}
	}
}

func BenchmarkRead(b *testing.B) {
	if _, err := exec.LookPath("git"); err != nil {
		b.Skip("git is not installed")
	}
	dir, err := os.Getwd()
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		gitstate.Read(dir, 20, 5*time.Millisecond)
	}
}
