package revert

import (
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"
)

// TestKeepsAttributes keeps the extended attributes and the access control list of a file whose content comes back.
func TestKeepsAttributes(t *testing.T) {
	t.Parallel()
	p := newProject(t, mkdir(t), filepath.Join(t.TempDir(), "undo"))
	p.sh(t, "echo old >a")
	if err := unix.Setxattr(filepath.Join(p.dir, "a"), "user.kind", []byte("mine"), 0); err != nil {
		t.Skipf("SKIPPED: no extended attributes here: %v", err)
	}
	o := p.record(t, func() { p.sh(t, "echo new >a") })
	if _, err := p.apply(t, p.plan(t, o.Number)); err != nil {
		t.Fatal(err)
	}
	p.sh(t, "grep -q old a")
	value := make([]byte, 10)
	if n, err := unix.Getxattr(filepath.Join(p.dir, "a"), "user.kind", value); err != nil || string(value[:n]) != "mine" {
		t.Errorf("value %q, error %v", value[:max(n, 0)], err)
	}
}

// TestMountPoint brings the content of a file back that is a mount point, as containers have them.
func TestMountPoint(t *testing.T) {
	t.Parallel()
	p := newProject(t, mkdir(t), filepath.Join(t.TempDir(), "undo"))
	p.sh(t, "echo old >a; echo old >../from")
	path := filepath.Join(p.dir, "a")
	if err := unix.Mount(filepath.Join(filepath.Dir(p.dir), "from"), path, "", unix.MS_BIND, ""); err != nil {
		t.Skipf("SKIPPED: nothing can be mounted here: %v", err)
	}
	t.Cleanup(func() {
		if err := unix.Unmount(path, unix.MNT_DETACH); err != nil {
			t.Error(err)
		}
	})
	o := p.record(t, func() { p.sh(t, "echo new and longer >a") })
	back, err := p.apply(t, p.plan(t, o.Number))
	if err != nil {
		t.Fatal(err)
	}
	p.sh(t, "grep -q old a; grep -q old ../from; test $(ls -A | wc -l) = 1")
	if _, err := p.apply(t, p.plan(t, back.Number)); err != nil {
		t.Fatal(err)
	}
	p.sh(t, "grep -q longer ../from")
}
