//go:build unix

package durable

import (
	"errors"
	"io/fs"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// directory is the location of file names: an open directory, or the prefix of a path.
type directory struct {
	dir    int
	prefix string // empty, or ends in a slash
}

// dirFlag makes the system open directories only.
const dirFlag = unix.O_DIRECTORY

func atPath(prefix string) directory { return directory{unix.AT_FDCWD, prefix} }

func atDir(dir *os.File) directory { return directory{int(dir.Fd()), ""} }

// fileState describes an existing file.
type fileState struct {
	kind     fs.FileMode // type bits only
	mode     uint32
	uid, gid uint32
}

func (p directory) lstat(name string) (*fileState, error) {
	var st unix.Stat_t
	if err := unix.Fstatat(p.dir, p.prefix+name, &st, unix.AT_SYMLINK_NOFOLLOW); err != nil {
		return nil, err
	}
	f := &fileState{kind: fs.ModeIrregular, mode: uint32(st.Mode) & 0o7777, uid: st.Uid, gid: st.Gid}
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

func (p directory) checkWritable(name string, _ *fileState) error {
	return unix.Faccessat(p.dir, p.prefix+name, unix.W_OK, unix.AT_EACCESS)
}

func (p directory) create(name string, perm fs.FileMode) (*os.File, error) {
	fd, err := p.open(name, unix.O_WRONLY|unix.O_CREAT|unix.O_EXCL, uint32(perm.Perm()))
	if err != nil {
		return nil, err
	}
	return os.NewFile(uintptr(fd), name), nil
}

func (p directory) open(name string, flags int, perm uint32) (fd int, err error) {
	for {
		fd, err = unix.Openat(p.dir, p.prefix+name, flags|unix.O_CLOEXEC, perm)
		if !errors.Is(err, unix.EINTR) {
			return fd, err
		}
	}
}

func (p directory) rename(from, to string) error {
	return unix.Renameat(p.dir, p.prefix+from, p.dir, p.prefix+to)
}

func (p directory) remove(name string) { _ = unix.Unlinkat(p.dir, p.prefix+name, 0) }

// sync flushes the directory's entries to disk.
func (p directory) sync() error {
	fd, err := p.open(".", unix.O_RDONLY|unix.O_DIRECTORY, 0)
	if err != nil {
		if errors.Is(err, fs.ErrPermission) {
			return nil // writable but not readable: it cannot be opened
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

// openExisting opens a file for reading and writing. It follows no link, and does not wait for a pipe.
func (p directory) openExisting(name string) (*os.File, error) {
	fd, err := p.open(name, unix.O_RDWR|unix.O_NOFOLLOW|unix.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	return os.NewFile(uintptr(fd), p.prefix+name), nil
}

// applyTo gives f the mode, the attributes and, as far as permitted, the owner and group of the old file. Only
// root can change the owner; other users can only choose one of their own groups.
func (old *fileState) applyTo(f *os.File, copyAttributes func() error) error {
	var is unix.Stat_t
	fd := int(f.Fd())
	if err := unix.Fstat(fd, &is); err == nil && (is.Uid != old.uid || is.Gid != old.gid) {
		if unix.Fchown(fd, int(old.uid), int(old.gid)) != nil {
			_ = unix.Fchown(fd, -1, int(old.gid))
		}
	}
	if err := copyAttributes(); err != nil {
		return err
	}
	return unix.Fchmod(fd, old.mode) // last, because a change of owner clears mode bits
}
