package gitbase_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"pollux/internal/process"
	"pollux/internal/process/processtest"
	"pollux/internal/undo/gitbase"
)

// blob stores a content in a repository and returns its id.
func (u *user) blob(dir, content string) gitbase.ID {
	u.Helper()
	u.write("blob", content)
	id, err := gitbase.Parse(u.must(dir, "hash-object", "-w", "--no-filters", u.path("blob")))
	if err != nil {
		u.Fatalf("%v", err)
	}
	return id
}

// TestReader reads blobs of all sizes, of two kinds of hashes, from several goroutines.
func TestReader(t *testing.T) {
	t.Parallel()
	needGit(t)
	u := newUser(t, t.TempDir())
	u.must("", "init", "-q", "short")
	u.must("", "init", "-q", "--object-format=sha256", "long")
	reader := u.reader(t, u.path("short/.git/objects"), u.path("nowhere"), u.path("long/.git/objects"))
	contents := []string{"", "a", "\n", strings.Repeat("\x00\r\n\xff", 1<<18), "x missing\n"}
	var wg sync.WaitGroup
	for _, dir := range []string{"short", "long"} {
		for _, content := range contents {
			id := u.blob(dir, content)
			for range 3 {
				wg.Go(func() {
					var got bytes.Buffer
					size, err := reader.Copy(t.Context(), id, &got)
					if err != nil || got.String() != content || size != int64(len(content)) {
						t.Errorf("%s: %d bytes, %d, %v", id, got.Len(), size, err)
					}
				})
			}
		}
	}
	wg.Wait()
}

// TestGone reads blobs of a repository that is gone, from a copy of its objects.
func TestGone(t *testing.T) {
	t.Parallel()
	needGit(t)
	u := newUser(t, t.TempDir())
	u.must("", "init", "-q", "r")
	loose, packed := u.blob("r", "loose"), u.blob("r", "packed")
	u.write("r/a", "packed")
	u.must("r", "add", "a")
	u.must("r", "commit", "-qm", "first")
	u.must("r", "repack", "-adq")
	copied := u.path("copy \"of\n objects")
	if err := os.CopyFS(copied, os.DirFS(u.path("r/.git/objects"))); err != nil {
		t.Fatal(err)
	}
	if err := os.RemoveAll(u.path("r")); err != nil {
		t.Fatal(err)
	}
	reader := u.reader(t, copied)
	for id, want := range map[gitbase.ID]string{loose: "loose", packed: "packed"} {
		var got bytes.Buffer
		if _, err := reader.Copy(t.Context(), id, &got); err != nil || got.String() != want {
			t.Errorf("%s: %q, %v", id, got.String(), err)
		}
	}
}

// TestLater reads a blob that has come after the reader has started, and one that was packed meanwhile.
func TestLater(t *testing.T) {
	t.Parallel()
	needGit(t)
	u := newUser(t, t.TempDir())
	u.must("", "init", "-q", "r")
	u.write("r/a", "first")
	u.must("r", "add", "a")
	first := u.blob("r", "first")
	reader := u.reader(t, u.path("r/.git/objects"))
	read := func(id gitbase.ID, want string) {
		t.Helper()
		var got bytes.Buffer
		if _, err := reader.Copy(t.Context(), id, &got); err != nil || got.String() != want {
			t.Errorf("%s: %q, %v", id, got.String(), err)
		}
	}
	read(first, "first")
	second := u.blob("r", "second")
	read(second, "second")
	u.must("r", "commit", "-qm", "first")
	u.must("r", "gc", "-q")
	read(first, "first")
}

// TestErrors checks the errors for blobs that cannot be read, and that the others can be read afterwards.
func TestErrors(t *testing.T) {
	t.Parallel()
	needGit(t)
	u := newUser(t, t.TempDir())
	u.must("", "init", "-q", "r")
	good := u.blob("r", "good")
	big := u.blob("r", strings.Repeat("large ", 1<<20))
	swapped, truncated, empty := u.blob("r", "swapped"), u.blob("r", strings.Repeat("abc", 1000)), u.blob("r", "empty")
	path := func(id gitbase.ID) string {
		return filepath.Join(u.path("r/.git/objects"), id.String()[:2], id.String()[2:])
	}
	damage := func(id gitbase.ID, change func(content []byte) []byte) {
		content, err := os.ReadFile(path(id))
		if err == nil {
			err = errors.Join(os.Chmod(path(id), 0o644), os.WriteFile(path(id), change(content), 0o644))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	other := u.content(path(good), 0)
	damage(swapped, func([]byte) []byte { return other }) // a content of another id
	damage(truncated, func(c []byte) []byte { return c[:len(c)/2] })
	damage(empty, func([]byte) []byte { return nil })
	u.write("r/a", "a")
	u.must("r", "add", "a")
	u.must("r", "commit", "-qm", "first")
	tree, _ := gitbase.Parse(u.must("r", "rev-parse", "HEAD^{tree}"))
	unknown, _ := gitbase.Parse(strings.Repeat("ab", 20))

	reader := u.reader(t, u.path("r/.git/objects"))
	isGood := func() {
		t.Helper()
		var got bytes.Buffer
		if _, err := reader.Copy(t.Context(), good, &got); err != nil || got.String() != "good" {
			t.Errorf("a good blob: %q, %v", got.String(), err)
		}
	}
	isGood()
	for id, want := range map[gitbase.ID]string{
		unknown: gitbase.ErrMissing.Error(), {}: gitbase.ErrMissing.Error(), swapped: gitbase.ErrDamaged.Error(),
		truncated: truncated.String(), empty: gitbase.ErrMissing.Error(), tree: "is a tree",
	} {
		size, err := reader.Copy(t.Context(), id, io.Discard)
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\n") || size != 0 {
			t.Errorf("%s: %d, %v, want %q", id, size, err, want)
		}
		isGood()
	}

	full := errors.New("no space")
	if _, err := reader.Copy(t.Context(), big, failing{full}); !errors.Is(err, full) {
		t.Errorf("a writer that fails: %v", err)
	}
	isGood()
	ctx, cancel := context.WithCancelCause(t.Context())
	interrupted := errors.New("interrupted")
	if _, err := reader.Copy(ctx, big, calling{func() { cancel(interrupted) }}); !errors.Is(err, interrupted) {
		t.Errorf("while it is interrupted: %v", err)
	}
	if _, err := reader.Copy(ctx, good, io.Discard); !errors.Is(err, interrupted) {
		t.Errorf("after it was interrupted: %v", err)
	}
	isGood()
	if err := reader.Close(); err != nil {
		t.Error(err)
	}
	if _, err := reader.Copy(t.Context(), good, io.Discard); !errors.Is(err, os.ErrClosed) {
		t.Errorf("a closed reader: %v", err)
	}
}

type failing struct{ err error }

func (f failing) Write([]byte) (int, error) { return 0, f.err }

// calling calls a function with each write, and takes its time until git must have noticed.
type calling struct{ call func() }

func (c calling) Write(p []byte) (int, error) {
	c.call()
	return len(p), nil
}

// TestRestart checks that a git that was killed, or whose directory was cleaned, is started again.
func TestRestart(t *testing.T) {
	t.Parallel()
	needGit(t)
	u := newUser(t, t.TempDir())
	u.must("", "init", "-q", "r")
	good := u.blob("r", "good")
	var started []*process.Process
	var dirs []string
	launcher := process.NewLauncher(func(next process.Handler) process.Handler {
		return func(ctx context.Context, c *process.Command) (*process.Process, error) {
			p, err := next(ctx, c)
			started, dirs = append(started, p), append(dirs, c.Dir)
			return p, err
		}
	})
	u.git = gitbase.New(launcher, u.environ)
	u.git.Temp = u.path("new/staging") // where commands in the sandbox do not write
	reader := u.git.NewReader(u.path("r/.git/objects"))
	for i := range 3 {
		for range 2 {
			var got bytes.Buffer
			if _, err := reader.Copy(t.Context(), good, &got); err != nil || got.String() != "good" {
				t.Errorf("%d: %q, %v", i, got.String(), err)
			}
		}
		if len(started) != i+1 {
			t.Fatalf("%d: git was started %d times", i, len(started))
		}
		if filepath.Dir(dirs[i]) != u.git.Temp {
			t.Errorf("git runs in %s, not in %s", dirs[i], u.git.Temp)
		}
		processtest.Kill(started[i].PID())
		<-started[i].Closed()
		if i == 1 {
			if err := os.RemoveAll(dirs[i]); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := reader.Close(); err != nil {
		t.Error(err)
	}
	for _, dir := range slices.Compact(dirs) {
		if _, err := os.Stat(dir); !os.IsNotExist(err) {
			t.Errorf("%s is left: %v", dir, err)
		}
	}
}

func TestNoGit(t *testing.T) {
	t.Parallel()
	reader := gitbase.New(process.Launcher{}, nil).NewReader(t.TempDir())
	id, err := gitbase.Parse(strings.Repeat("ab", 32))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := reader.Copy(t.Context(), id, io.Discard); !errors.Is(err, gitbase.ErrNoGit) {
		t.Error(err)
	}
	if err := reader.Close(); err != nil {
		t.Error(err)
	}
}

func TestID(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"", "ab", strings.Repeat("x", 40), strings.Repeat("a", 39), strings.Repeat("a", 66)} {
		if id, err := gitbase.Parse(text); err == nil || id != (gitbase.ID{}) {
			t.Errorf("%q: %s, %v", text, id, err)
		}
	}
	short, err := gitbase.Parse(strings.Repeat("0", 40))
	long, err2 := gitbase.Parse(strings.Repeat("0", 64))
	if err != nil || err2 != nil || short == long || short == (gitbase.ID{}) || short.String() != strings.Repeat("0", 40) {
		t.Errorf("%s, %s, %v, %v", short, long, err, err2)
	}
}
