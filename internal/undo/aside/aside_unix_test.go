//go:build unix

package aside

import (
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// TestOpenRefuses uses no directory that another user may have prepared.
func TestOpenRefuses(t *testing.T) {
	t.Parallel()
	elsewhere := t.TempDir()
	for name, prepare := range map[string]func(all string) error{
		"a link":                       func(all string) error { return os.Symlink(elsewhere, all) },
		"a file":                       func(all string) error { return os.WriteFile(all, nil, 0o600) },
		"a directory for all":          func(all string) error { return errors.Join(os.Mkdir(all, 0o700), os.Chmod(all, 0o777)) },
		"a directory of anyone's":      func(all string) error { return os.Chmod(filepath.Dir(all), 0o777) },
		"a directory that has a place": func(string) error { return nil },
	} {
		top := t.TempDir()
		if err := prepare(filepath.Join(top, Name())); err != nil {
			t.Fatal(err)
		}
		dir, err := New(t.TempDir(), nil).open(top)
		if isFine := name == "a directory that has a place"; (err == nil) != isFine {
			t.Errorf("%s: directory %q, error %v", name, dir, err)
		}
	}
	if entries, err := os.ReadDir(elsewhere); err != nil || len(entries) > 0 {
		t.Errorf("entries %v, error %v", entries, err)
	}
}

// TestLinkAvoidsRoots prefers a directory above a root, and takes the root if it must.
func TestLinkAvoidsRoots(t *testing.T) {
	t.Parallel()
	top := t.TempDir()
	root := filepath.Join(top, "root")
	if err := os.MkdirAll(filepath.Join(root, "below"), 0o755); err != nil {
		t.Fatal(err)
	}
	d := New(t.TempDir(), nil)
	d.Avoid(func() []string { return []string{root} })
	info, err := os.Stat(top)
	if err != nil {
		t.Fatal(err)
	}
	list := d.candidates(filepath.Join(root, "below", "file"), uint64(info.Sys().(*syscall.Stat_t).Dev))
	if n := len(list); n < 2 || list[n-1] != root || list[n-2] != top {
		t.Errorf("candidates %q", list)
	}
}

// TestSweep removes the directory of an owner that is gone, and keeps that of another.
func TestSweep(t *testing.T) {
	t.Parallel()
	top, gone, there := t.TempDir(), filepath.Join(t.TempDir(), "gone"), t.TempDir()
	var dirs []string
	for _, owner := range []string{gone, there} {
		if err := os.MkdirAll(owner, 0o700); err != nil {
			t.Fatal(err)
		}
		dir, err := New(owner, nil).open(top)
		if err != nil {
			t.Fatal(err)
		}
		dirs = append(dirs, dir)
	}
	var reaped []string
	d := New(t.TempDir(), func(owner string) {
		if reaped = append(reaped, owner); owner == gone {
			_ = os.RemoveAll(owner)
		}
	})
	own, err := d.open(top)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(dirs[0]); !os.IsNotExist(err) || len(reaped) != 2 {
		t.Errorf("what the owner that is gone has left: %v, asked for %q", err, reaped)
	}
	if _, err := os.Stat(dirs[1]); err != nil {
		t.Error(err)
	}
	remove(own)
	Load(there).Close()
	if _, err := os.Stat(filepath.Join(top, Name())); !os.IsNotExist(err) {
		t.Errorf("the directory is left: %v", err)
	}
}
