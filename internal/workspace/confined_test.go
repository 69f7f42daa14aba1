//go:build unix

package workspace_test

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"pollux/internal/workspace"
)

// TestDiskConfined uses paths that were not checked before.
func TestDiskConfined(t *testing.T) {
	t.Parallel()
	dir := realDir(t)
	write(t, dir, map[string]string{
		"root/file": "text", "root/sub/deep": "deep", "root/.env": "KEY", "root/.git/config": "git", "root/node_modules/m/x": "x",
		"out/secret": "secret", "out/sub/deep": "secret", "more/x": "more", "home/other.md": "o", "tmp/memory/.inbox/x": "x",
	})
	for link, target := range map[string]string{
		"root/in": "sub", "root/to-file": "file", "root/to-out": "../out", "root/to-secret": "../out/secret", "root/to-git": ".git", "root/to-env": ".env",
		"root/to-nothing": "sub/new", "root/to-nothing-out": "../out/new", "root/loop": "loop", "outer": "root",
	} {
		must(t, os.Symlink(target, filepath.Join(dir, link)))
	}
	w, _ := workspace.New(workspace.Options{
		Root: dir + "/root", Include: []string{dir + "/more"}, ProjectTemp: dir + "/tmp", GlobalMemory: dir + "/home/.gemini/GEMINI.md",
	})
	disk := w.Disk()
	open := func(path string) error {
		f, err := disk.Open(path)
		if err != nil {
			return err
		}
		defer f.Close()
		_, err = io.ReadAll(f)
		return err
	}
	stream := func(path string) error {
		f, err := disk.Stream(path)
		if err == nil {
			err = f.Close()
		}
		return err
	}
	stat := func(path string) error { _, err := disk.Stat(path); return err }
	lstat := func(path string) error { _, err := disk.Lstat(path); return err }
	list := func(path string) error { _, err := disk.ReadDir(path); return err }
	put := func(path string) error { return disk.Write(path, []byte("text")) }
	out := errors.New("refused")
	for _, tc := range []struct {
		op   string
		do   func(string) error
		path string
		want error // out for a Refusal
	}{
		{"open", open, "root/file", nil},
		{"open", open, "root/in/deep", nil},
		{"open", open, "root/to-file", nil},
		{"open", open, "outer/file", nil},
		{"open", open, "more/x", nil},
		{"open", open, "root/sub", syscall.EISDIR},
		{"open", open, "root/gone", fs.ErrNotExist},
		{"open", open, "root/to-nothing", fs.ErrNotExist},
		{"open", open, "root/loop", syscall.ELOOP},
		{"open", open, "root/.env", out},
		{"open", open, "root/to-env", out},
		{"open", open, "root/to-git/config", out},
		{"open", open, "root/to-secret", out},
		{"open", open, "root/to-out/sub/deep", out},
		{"open", open, "root/../out/secret", out},
		{"open", open, "out/secret", out},
		{"open", open, "out/gone", out},
		{"open", open, "home/other.md", out},
		{"open", open, "tmp/memory/.inbox/x", out},
		{"stream", stream, "root/file", nil},
		{"stream", stream, "root/node_modules/m/x", nil},
		{"stream", stream, "root/to-file", syscall.ELOOP},
		{"stream", stream, "root/in/deep", syscall.ELOOP},
		{"stream", stream, "root/to-git/config", syscall.ELOOP},
		{"stream", stream, "out/secret", out},
		{"stat", stat, "root", nil},
		{"stat", stat, "root/.env", nil},
		{"stat", stat, "root/to-git", nil},
		{"stat", stat, "root/to-secret", out},
		{"stat", stat, "out", out},
		{"stat", stat, "root/to-nothing", fs.ErrNotExist},
		{"stat", stat, "out/gone", fs.ErrNotExist},
		{"lstat", lstat, "root", nil},
		{"lstat", lstat, "root/to-secret", nil},
		{"lstat", lstat, "root/loop", nil},
		{"lstat", lstat, "root/to-out/secret", out},
		{"list", list, "root", nil},
		{"list", list, "root/in", nil},
		{"list", list, "root/file", syscall.ENOTDIR},
		{"list", list, "root/.git", out},
		{"list", list, "root/to-git", out},
		{"list", list, "root/to-out", out},
		{"write", put, "root/file", nil},
		{"write", put, "root/new", nil},
		{"write", put, "root/in/new2", nil},
		{"write", put, "root/to-nothing", nil}, // and so there is sub/new
		{"write", put, "root/gone/x", fs.ErrNotExist},
		{"write", put, "root/sub", syscall.EISDIR},
		{"write", put, "root", syscall.EISDIR},
		{"write", put, "root/to-secret", out},
		{"write", put, "root/to-nothing-out", out},
		{"write", put, "root/to-out/new", out},
		{"write", put, "root/to-env", out},
		{"mkdir", disk.Mkdir, "root/a/b/c", nil},
		{"mkdir", disk.Mkdir, "root/a/b", nil},
		{"mkdir", disk.Mkdir, "root/in/d", nil},
		{"mkdir", disk.Mkdir, "root/file/d", syscall.ENOTDIR},
		{"mkdir", disk.Mkdir, "root/file", syscall.ENOTDIR},
		{"mkdir", disk.Mkdir, "root/to-out/d", out},
		{"mkdir", disk.Mkdir, "root/to-out/sub", out},
		{"mkdir", disk.Mkdir, "home", out},
		{"mkdir", disk.Mkdir, "home/.gemini", nil},
		{"write", put, "home/.gemini/GEMINI.md", nil},
		{"write", put, "home/.gemini/other.md", out},
		{"mkdir", disk.Mkdir, "tmp/plans", nil},
	} {
		err := tc.do(filepath.Join(dir, tc.path))
		if strings.Contains(tc.path, "..") {
			err = tc.do(dir + "/" + tc.path)
		}
		var refusal workspace.Refusal
		switch {
		case errors.Is(tc.want, out) && !errors.As(err, &refusal), !errors.Is(tc.want, out) && !errors.Is(err, tc.want):
			t.Errorf("%s %s: %v, want %v", tc.op, tc.path, err, tc.want)
		}
	}
	if entries, err := os.ReadDir(dir + "/out"); err != nil || len(entries) != 2 {
		t.Errorf("out holds %v, %v", entries, err)
	}
	if got, err := os.ReadFile(dir + "/root/sub/new"); err != nil || string(got) != "text" {
		t.Errorf("a write through a link: %q, %v", got, err)
	}
}

// TestDiskStat compares Stat with the system's.
func TestDiskStat(t *testing.T) {
	t.Parallel()
	dir := realDir(t)
	write(t, dir, map[string]string{"file": "text", "dir/": ""})
	must(t, os.Symlink("file", filepath.Join(dir, "link")))
	must(t, syscall.Mkfifo(filepath.Join(dir, "fifo"), 0o600))
	must(t, os.Chmod(filepath.Join(dir, "file"), 0o741|fs.ModeSetuid))
	must(t, os.Chmod(filepath.Join(dir, "dir"), 0o755|fs.ModeSticky|fs.ModeSetgid))
	w, _ := workspace.New(workspace.Options{Root: dir})
	for _, name := range []string{"file", "dir", "link", "fifo", "."} {
		for op, fn := range map[string][2]func(string) (fs.FileInfo, error){"stat": {w.Disk().Stat, os.Stat}, "lstat": {w.Disk().Lstat, os.Lstat}} {
			path := filepath.Join(dir, name)
			got, err := fn[0](path)
			must(t, err)
			want, err := fn[1](path)
			must(t, err)
			if got.Mode() != want.Mode() || got.Size() != want.Size() || !got.ModTime().Equal(want.ModTime()) || got.IsDir() != want.IsDir() {
				t.Errorf("%s %s: %v, want %v", op, name, fs.FormatFileInfo(got), fs.FormatFileInfo(want))
			}
			if name != "link" && got.Name() != want.Name() {
				t.Errorf("%s %s is called %s", op, name, got.Name())
			}
		}
	}
	devices, _ := workspace.New(workspace.Options{Root: "/dev"})
	if got, err := devices.Disk().Stat("/dev/null"); err != nil || got.Mode().Type() != fs.ModeDevice|fs.ModeCharDevice {
		t.Errorf("/dev/null: %v, %v", got, err)
	}
}

// TestDiskAnew goes on when the workspace is removed and made again.
func TestDiskAnew(t *testing.T) {
	t.Parallel()
	root := filepath.Join(realDir(t), "root")
	write(t, root, map[string]string{"file": "one"})
	w, _ := workspace.New(workspace.Options{Root: root})
	must(t, w.Disk().Write(root+"/file", []byte("two")))
	must(t, os.RemoveAll(root))
	write(t, root, map[string]string{"file": "three"})
	must(t, w.Disk().Write(root+"/other", nil))
	if got := walk(t, w, root, workspace.WalkOptions{}); strings.Join(got, " ") != "file other" {
		t.Errorf("found %q", got)
	}
}

// TestDiskUnlistable reads and writes in directories that cannot be listed.
func TestDiskUnlistable(t *testing.T) {
	t.Parallel()
	dir := realDir(t)
	write(t, dir, map[string]string{"dark/sub/file": "text"})
	must(t, os.Chmod(filepath.Join(dir, "dark"), 0o300))
	t.Cleanup(func() { _ = os.Chmod(filepath.Join(dir, "dark"), 0o700) })
	w, _ := workspace.New(workspace.Options{Root: dir})
	f, err := w.Disk().Open(filepath.Join(dir, "dark", "sub", "file"))
	must(t, err)
	must(t, f.Close())
	must(t, w.Disk().Write(filepath.Join(dir, "dark", "new"), []byte("x")))
	must(t, w.Disk().Mkdir(filepath.Join(dir, "dark", "more", "x")))
}

// Files of Pollux are private, whatever the umask; those of the project are not.
func TestConfinedModes(t *testing.T) {
	t.Parallel()
	dir := realDir(t)
	write(t, dir, map[string]string{"root/file": "", "tmp/file": ""})
	w, _ := workspace.New(workspace.Options{Root: dir + "/root", ProjectTemp: dir + "/tmp"})
	for base, want := range map[string][2]os.FileMode{"root": {0o777, 0o666}, "tmp": {0o700, 0o600}} {
		sub := filepath.Join(dir, base, "id", "plans")
		must(t, w.Disk().Mkdir(sub))
		must(t, w.Disk().Write(filepath.Join(sub, "plan.md"), []byte("x")))
		for i, path := range []string{sub, filepath.Join(sub, "plan.md")} {
			fi, err := os.Stat(path)
			must(t, err)
			if got := fi.Mode().Perm(); got&^want[i] != 0 || base == "root" && got&0o400 == 0 || base == "tmp" && got != want[i] {
				t.Errorf("%s: mode %o, want %o", path, got, want[i])
			}
		}
	}
}

// Remove removes regular files that tools may write, and nothing that a link leads to.
func TestDiskRemove(t *testing.T) {
	t.Parallel()
	dir := realDir(t)
	write(t, dir, map[string]string{"root/file": "", "root/kept": "", "root/sub/file": "", "root/.git/config": "", "outside": ""})
	root := filepath.Join(dir, "root")
	must(t, os.Symlink(filepath.Join(dir, "outside"), root+"/out"))
	must(t, os.Symlink(root+"/kept", root+"/in"))
	must(t, os.Symlink(dir, root+"/up"))
	w, _ := workspace.New(workspace.Options{Root: root})
	must(t, w.Disk().Remove(root+"/file"))
	must(t, w.Disk().Remove(root+"/sub/file"))
	must(t, os.MkdirAll(root+"/a/b", 0o700))
	must(t, os.Mkdir(root+"/.git/empty", 0o700))
	must(t, os.Mkdir(dir+"/empty", 0o700))
	must(t, os.Symlink(root+"/sub", root+"/indir"))
	for _, path := range []string{"/a", "/kept", "/indir", "/up", "/up/empty", "/../empty", "", "/.git/empty", "/nowhere"} {
		if err := w.Disk().RemoveDir(root + path); err == nil {
			t.Errorf("the directory %q is removed", path)
		}
	}
	must(t, w.Disk().RemoveDir(root+"/a/b"))
	for _, path := range []string{"/file", "/out", "/in", "/up/outside", "/sub", "", "/.git/config", "/../outside", "/nowhere/file"} {
		if err := w.Disk().Remove(root + path); err == nil {
			t.Errorf("%q is removed", path)
		}
	}
	for _, path := range []string{root + "/kept", root + "/in", root + "/out", root + "/.git/config", dir + "/outside"} {
		if _, err := os.Lstat(path); err != nil {
			t.Error(err)
		}
	}
}
