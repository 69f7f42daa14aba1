//go:build unix

package workspace_test

import (
	"errors"
	"io"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"

	"pollux/internal/workspace"
)

func TestNew(t *testing.T) {
	t.Parallel()
	dir := realDir(t)
	write(t, dir, map[string]string{"root/": "", "more/": "", "file": ""})
	must(t, os.Symlink("more", filepath.Join(dir, "link")))
	w, warnings := workspace.New(workspace.Options{
		Root:    filepath.Join(dir, "root"),
		Include: []string{filepath.Join(dir, "more"), "../link", "../gone", "../file", "."},
	})
	if len(warnings) != 2 {
		t.Errorf("warnings %q, want two: a missing directory and a file", warnings)
	}
	if got, want := strings.Join(w.Dirs(), " "), dir+"/root "+dir+"/more"; got != want {
		t.Errorf("Dirs() = %s, want %s", got, want)
	}
	if got := w.Rel(dir + "/root/a/b"); got != "a/b" {
		t.Errorf("Rel = %q", got)
	}
	if got := w.Rel(dir + "/more/b"); got != "../more/b" {
		t.Errorf("Rel = %q", got)
	}
}

func TestResolve(t *testing.T) {
	t.Parallel()
	dir := realDir(t)
	root := filepath.Join(dir, "root")
	write(t, dir, map[string]string{
		"root/a.txt": "", "root/sub/b.txt": "", "root/@at/c.txt": "", "root/@file": "", "root/100%25.txt": "", "root/a b.txt": "",
		"root/re\u0301sume\u0301.txt": "", "root/\u1112\u1161\u11ab/x.txt": "", "root/3.00\u202fPM.png": "", "root/n\u00a01": "", "root/n\u20071": "",
		"out/secret": "",
	})
	for link, target := range map[string]string{
		"root/in": "sub", "root/out": "../out", "root/abs": dir + "/out/secret", "root/dangling": "../out/new",
		"root/loop1": "loop2", "root/loop2": "loop1", "root/self": ".", "root/up": "sub/../../out",
	} {
		must(t, os.Symlink(target, filepath.Join(dir, link)))
	}
	w, _ := workspace.New(workspace.Options{Root: root, Home: filepath.Join(dir, "home")})
	long := strings.Repeat("x/", 5000)
	for _, tc := range []struct{ name, path, want string }{
		{"relative", "a.txt", "root/a.txt"},
		{"absolute", root + "/a.txt", "root/a.txt"},
		{"empty", "", "root"},
		{"dot", ".", "root"},
		{"missing", "new/file.txt", "root/new/file.txt"},
		{"up", "../out/secret", "out/secret"},
		{"up and down", "sub/../a.txt", "root/a.txt"},
		{"NUL", "a\x00.txt", "root/a.txt"},
		{"link inside", "in/b.txt", "root/sub/b.txt"},
		{"link outside", "out/secret", "out/secret"},
		{"absolute link", "abs", "out/secret"},
		{"link to nothing", "dangling", "out/new"},
		{"file below a missing link target", "dangling/x", "out/new/x"},
		{"link with dots", "up/secret", "out/secret"},
		{"link to itself", "self/self/self/a.txt", "root/a.txt"},
		{"links in a circle", "loop1", "root/loop1"},
		{"at", "@a.txt", "root/a.txt"},
		{"at and slash", "@/sub/b.txt", "root/sub/b.txt"},
		{"at of a directory", "@at/c.txt", "root/@at/c.txt"},
		{"at of a directory, missing", "@at/new", "root/@at/new"},
		{"at of a file", "@file", "root/@file"},
		{"at that is too much", "@sub/b.txt", "root/sub/b.txt"},
		{"composed accents", "r\u00e9sum\u00e9.txt", "root/re\u0301sume\u0301.txt"},
		{"composed Hangul", "\ud55c/x.txt", "root/\u1112\u1161\u11ab/x.txt"},
		{"new file below composed Hangul", "\ud55c/\u00e9/new.txt", "root/\u1112\u1161\u11ab/\u00e9/new.txt"},
		{"absolute, another space", root + "/3.00 PM.png", "root/3.00\u202fPM.png"},
		{"two with other spaces", "n 1", "root/n 1"},
		{"percent", "a%20b.txt", "root/a b.txt"},
		{"percent of a name", "100%25.txt", "root/100%25.txt"},
		{"percent that is none", "50%.txt", "root/50%.txt"},
		{"percent of no UTF-8", "%ff", "root/%ff"},
		{"percent that hides dots", "%2e%2e/out/secret", "out/secret"},
		{"percent NUL", "a%00.txt", "root/a.txt"},
		{"URL", "file://" + root + "/a%20b.txt", "root/a b.txt"},
		{"URL of this host", "file://localhost" + root + "/a.txt", "root/a.txt"},
		{"home", "~/x", "home/x"},
		{"up from home", "~/../out/secret", "out/secret"},
		{"home of another user", "~other/x", "root/~other/x"},
		{"a name", "~", "root/~"},
		{"10,000 characters", long, "root/" + strings.TrimSuffix(long, "/")},
	} {
		if got, want := w.Resolve(tc.path), filepath.Join(dir, tc.want); got != want {
			t.Errorf("%s: Resolve(%.60q) = %.100q, want %.100q", tc.name, tc.path, got, want)
		}
	}
}

func TestCheck(t *testing.T) {
	t.Parallel()
	dir := realDir(t)
	write(t, dir, map[string]string{
		"root/sub/": "", "more/": "", "tmp/memory/": "", "home/GEMINI.md": "", "home/other.md": "", "rooted/x": "",
		"root/app/[...slug]/page.tsx": "", "root/notes/the \"big\" plan.md": "", "root/FAIL logs/1": "",
	})
	must(t, os.Symlink("../home", filepath.Join(dir, "root", "out")))
	must(t, os.Symlink(".git", filepath.Join(dir, "root", "to-git")))
	w, _ := workspace.New(workspace.Options{
		Root: dir + "/root", Include: []string{dir + "/more"}, ProjectTemp: dir + "/tmp", GlobalMemory: dir + "/home/GEMINI.md",
	})
	outside := func(path string) string {
		return `Path not in workspace: Attempted path "` + path + `" resolves outside the allowed workspace directories: ` +
			dir + "/root, " + dir + "/more or the project temp directory: " + dir + "/tmp. A user can add its directory: with /directory add in a session, or with --include-directories at its start."
	}
	for _, tc := range []struct {
		path string // absolute, or below dir
		want string // "" allowed, "outside", "no " and files that are never accessible, or the beginning of the text
	}{
		{"root", ""},
		{"root/sub/new.txt", ""},
		{"more/x", ""},
		{"tmp/plan.md", ""},
		{"tmp/memory/x", ""},
		{"home/GEMINI.md", ""},
		{"root/out/GEMINI.md", ""},
		{"root/.envrc", ""},
		{"root/.gitignore", ""},
		{"root/environment/.env.example", ""},
		{"tmp/memory/.inbox/x", "no Pollux's own records"},
		{"tmp/chats/session-x.jsonl", "no Pollux's own records"},
		{"tmp/CHATS/x", "no Pollux's own records"},
		{"tmp/checkpoint-tag.json", "no Pollux's own records"},
		{"tmp/logs.json", "no Pollux's own records"},
		{"tmp/.project_root", "no Pollux's own records"},
		{"home/other.md", "outside"},
		{"root/out/other.md", "outside"},
		{"rooted/x", "outside"},
		{"root/../home/other.md", "outside"},
		{"/etc/passwd", "outside"},
		{"root/.git/config", "no in .git"},
		{"root/sub/.GIT/config", "no in .git"},
		{"root/.git. ./config", "no in .git"},
		{"root/.git::$INDEX_ALLOCATION/config", "no in .git"},
		{"root/.env", "no files with credentials"},
		{"root/sub/.Env", "no files with credentials"},
		{"root/node_modules/x/y.js", "no in node_modules"},
		{"root/to-git/config", "no in .git"},
		{"home/.git/config", "outside"},
		{"root/gha-creds-0123.json", "no files with credentials"},
		{"root/a\nb", "Invalid path: "},
		{"root/a\x00b", "Invalid path: "},
		{"root/a\tb", "Invalid path: "},
		{`root/and then he said "no"`, "Invalid path: "},
		{"root/some/long/path/...", "Invalid path: "},
		{"root/AssertionError: expected 1", "Invalid path: "},
		{"root/app/[...slug]/page.tsx", ""},
		{"root/app/[...slug]", ""},
		{"root/app/[...slug]/new.tsx", ""},
		{"root/app/[...slug]/...", "Invalid path: "},
		{"root/app/[...other]/page.tsx", "Invalid path: "},
		{`root/notes/the "big" plan.md`, ""},
		{`root/notes/the "other" plan.md`, "Invalid path: "},
		{"root/FAIL logs/1", ""},
		{"root/FAIL logs/2", ""},
		{"root/FAIL logs/✓ 2", "Invalid path: "},
		{"root/✓ passes", "Invalid path: "},
		{"root/" + strings.Repeat("x", 256), "Invalid path: "},
		{"root/" + strings.Repeat("x/", 5000), "Invalid path: "},
	} {
		path := tc.path
		if !strings.HasPrefix(path, "/") {
			path = dir + "/" + path
		}
		want := tc.want
		if what, ok := strings.CutPrefix(want, "no "); ok {
			want = `Path not allowed: file tools neither read nor write ` + what + `: "` + path + `"`
		} else if want == "outside" {
			want = outside(path)
		}
		for op, check := range map[string]func(string) error{"read": w.CheckRead, "write": w.CheckWrite} {
			err := check(path)
			switch {
			case want == "" && err != nil:
				t.Errorf("%s %.80q: %v", op, path, err)
			case want != "" && err == nil:
				t.Errorf("%s %.80q is allowed", op, path)
			case want != "" && !strings.HasPrefix(err.Error(), want):
				t.Errorf("%s %.80q: got %q, want %q", op, path, err, want)
			}
		}
	}
	if err := w.CheckRead(""); err == nil {
		t.Error("an empty path is allowed")
	}
}

func TestDisk(t *testing.T) {
	t.Parallel()
	dir := realDir(t)
	write(t, dir, map[string]string{"file": "text", "empty": "", "dir/": ""})
	w, _ := workspace.New(workspace.Options{Root: dir})
	disk := w.Disk()
	stream := func(path string) (io.ReadCloser, error) { return disk.Stream(path) }
	open := func(path string) (io.ReadCloser, error) { return disk.Open(path) }
	for name, fn := range map[string]func(string) (io.ReadCloser, error){"Open": open, "Stream": stream} {
		for file, want := range map[string]string{"file": "text", "empty": ""} {
			f, err := fn(filepath.Join(dir, file))
			must(t, err)
			got, err := io.ReadAll(f)
			must(t, err)
			must(t, f.Close())
			if string(got) != want {
				t.Errorf("%s: read %q, want %q", name, got, want)
			}
		}
		if _, err := fn(filepath.Join(dir, "dir")); !errors.Is(err, syscall.EISDIR) {
			t.Errorf("%s of a directory: %v", name, err)
		}
		if _, err := fn(filepath.Join(dir, "gone")); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("%s of nothing: %v", name, err)
		}
	}
	path := filepath.Join(dir, "dir", "new", "deep", "x")
	must(t, disk.Mkdir(filepath.Dir(path)))
	must(t, disk.Write(path, []byte("one")))
	must(t, os.Chmod(path, 0o600))
	must(t, disk.Write(path, []byte("two")))
	got, err := os.ReadFile(path)
	must(t, err)
	fi, err := disk.Stat(path)
	must(t, err)
	if string(got) != "two" || fi.Mode().Perm() != 0o600 {
		t.Errorf("wrote %q with mode %v", got, fi.Mode())
	}
}

func TestDiskRefusesBlocking(t *testing.T) {
	t.Parallel()
	dir := realDir(t)
	fifo := filepath.Join(dir, "fifo")
	must(t, syscall.Mkfifo(fifo, 0o600))
	socket := filepath.Join(dir, "s")
	l, err := net.Listen("unix", socket)
	if err != nil {
		t.Skip("cannot listen on a Unix socket:", err)
	}
	defer l.Close()
	w, _ := workspace.New(workspace.Options{Root: dir})
	devices, _ := workspace.New(workspace.Options{Root: "/dev"})
	for path, w := range map[string]*workspace.Workspace{fifo: w, socket: w, "/dev/null": devices, "/dev/zero": devices, "/dev/tty": devices} {
		if f, err := w.Disk().Open(path); err == nil {
			f.Close()
			t.Errorf("opened %s", path)
		} else if path != "/dev/tty" && !errors.Is(err, workspace.ErrNotRegular) {
			t.Errorf("Open(%s): %v", path, err)
		}
		if f, err := w.Disk().Stream(path); err == nil {
			f.Close()
			t.Errorf("opened %s", path)
		}
	}
}

// realDir is t.TempDir without links in its path.
func realDir(t testing.TB) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	must(t, err)
	return dir
}

// A directory joins while others look.
func TestAdd(t *testing.T) {
	t.Parallel()
	root, more := t.TempDir(), t.TempDir()
	if err := os.Mkdir(filepath.Join(root, "sub"), 0o700); err != nil {
		t.Fatal(err)
	}
	w, _ := workspace.New(workspace.Options{Root: root})
	file := filepath.Join(more, "a.txt")
	if w.Contains(file) || w.CheckRead(file) == nil {
		t.Error("it is inside already")
	}
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() { w.Contains(file) })
		all.Go(func() {
			if _, _, err := w.Add(more); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	if !w.Contains(file) || w.CheckRead(file) != nil || len(w.Dirs()) != 2 {
		t.Errorf("the directories are %q", w.Dirs())
	}
	if path, added, err := w.Add("sub"); err != nil || !added || path != filepath.Join(w.Root(), "sub") {
		t.Errorf("%s, %v, %v", path, added, err)
	}
	if _, added, err := w.Add(file); err == nil || added {
		t.Error("a file was added as a directory")
	}
}
