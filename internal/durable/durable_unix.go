//go:build unix

package durable

import (
	"errors"
	"io/fs"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// place is where names are: in an open directory, or behind the prefix of a path.
type place struct {
	dir    int
	prefix string // empty, or with a slash at the end
}

func byPath(prefix string) place { return place{unix.AT_FDCWD, prefix} }

func inside(dir *os.File) place { return place{int(dir.Fd()), ""} }

// found is what has a name.
type found struct {
	kind     fs.FileMode // its type bits
	mode     uint32
	uid, gid uint32
}

func (p place) look(name string) (*found, error) {
	var st unix.Stat_t
	if err := unix.Fstatat(p.dir, p.prefix+name, &st, unix.AT_SYMLINK_NOFOLLOW); err != nil {
		return nil, err
	}
	f := &found{kind: fs.ModeIrregular, mode: uint32(st.Mode) & 0o7777, uid: st.Uid, gid: st.Gid}
	switch st.Mode & unix.S_IFMT {
	case unix.S_IFREG:
		f.kind = 0
	case unix.S_IFDIR:
		f.kind = fs.ModeDir
	case unix.S_IFLNK:
		f.kind = fs.ModeSymlink
	}
	return f, nil
}

func (p place) mayWrite(name string, _ *found) error {
	return unix.Faccessat(p.dir, p.prefix+name, unix.W_OK, unix.AT_EACCESS)
}

func (p place) create(name string, perm fs.FileMode) (*os.File, error) {
	fd, err := p.open(name, unix.O_WRONLY|unix.O_CREAT|unix.O_EXCL, uint32(perm.Perm()))
	if err != nil {
		return nil, err
	}
	return os.NewFile(uintptr(fd), name), nil
}

func (p place) open(name string, flags int, perm uint32) (fd int, err error) {
	for {
		fd, err = unix.Openat(p.dir, p.prefix+name, flags|unix.O_CLOEXEC, perm)
		if !errors.Is(err, unix.EINTR) {
			return fd, err
		}
	}
}

func (p place) rename(from, to string) error {
	return unix.Renameat(p.dir, p.prefix+from, p.dir, p.prefix+to)
}

func (p place) remove(name string) { _ = unix.Unlinkat(p.dir, p.prefix+name, 0) }

// sync makes the disk keep the names.
func (p place) sync() error {
	fd, err := p.open(".", unix.O_RDONLY|unix.O_DIRECTORY, 0)
	if err != nil {
		if errors.Is(err, fs.ErrPermission) {
			return nil // writable but not readable: it cannot be asked
		}
		return err
	}
	d := os.NewFile(uintptr(fd), p.prefix)
	defer d.Close()
	// Some file systems (FUSE, network ones) cannot sync a directory.
	if err := d.Sync(); err != nil && !errors.Is(err, syscall.EINVAL) && !errors.Is(err, errors.ErrUnsupported) {
		return err
	}
	return nil
}

// give makes f as old was. Of the owner it does what it can: only root may
// give files away, and others may choose between their own groups.
func (old *found) give(f *os.File) error {
	var is unix.Stat_t
	fd := int(f.Fd())
	if err := unix.Fstat(fd, &is); err == nil && (is.Uid != old.uid || is.Gid != old.gid) {
		if unix.Fchown(fd, int(old.uid), int(old.gid)) != nil {
			_ = unix.Fchown(fd, -1, int(old.gid))
		}
	}
	return unix.Fchmod(fd, old.mode) // last: a change of owner clears bits of it
}
