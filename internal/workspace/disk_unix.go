//go:build unix

package workspace

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"golang.org/x/sys/unix"

	"pollux/internal/durable"
)

// The functions of this file take clean absolute paths and follow no links: a link anywhere in
// the path is ELOOP.

// fileFlags keep an open from waiting, and a terminal from becoming ours;
// dirFlags open directories only.
const (
	fileFlags = unix.O_NONBLOCK | unix.O_NOCTTY
	dirFlags  = unix.O_NONBLOCK | unix.O_DIRECTORY
)

func openFile(path string) (*os.File, error) {
	f, err := openAs(path, unix.O_RDONLY|fileFlags)
	if err != nil {
		return nil, notRegular(err)
	}
	return checkRegular(f)
}

func openDir(path string) (*os.File, error) { return openAs(path, unix.O_RDONLY|dirFlags) }

func openAs(path string, flags int) (*os.File, error) {
	fd, err := openStraight(path, flags)
	if err != nil {
		return nil, &fs.PathError{Op: "open", Path: path, Err: err}
	}
	return os.NewFile(uintptr(fd), path), nil
}

func writeFile(path string, data []byte, mode fs.FileMode) error {
	return inParent(path, func(dir *os.File, name string) error { return durable.WriteFileAt(dir, name, data, mode&^0o111) })
}

// inParent calls use with the directory of a path and the last name in it.
func inParent(path string, use func(dir *os.File, name string) error) error {
	dir, err := openAs(filepath.Dir(path), searchFlags)
	if err != nil {
		return err
	}
	defer dir.Close()
	return use(dir, filepath.Base(path))
}

func removeFile(path string) error {
	return inParent(path, func(dir *os.File, name string) error {
		var st unix.Stat_t
		err := unix.Fstatat(int(dir.Fd()), name, &st, unix.AT_SYMLINK_NOFOLLOW)
		if err == nil && st.Mode&unix.S_IFMT != unix.S_IFREG {
			err = ErrNotRegular
		}
		if err == nil {
			err = unix.Unlinkat(int(dir.Fd()), name, 0)
		}
		return removeError(path, err)
	})
}

func removeDir(path string) error {
	return inParent(path, func(dir *os.File, name string) error {
		return removeError(path, unix.Unlinkat(int(dir.Fd()), name, unix.AT_REMOVEDIR))
	})
}

func removeError(path string, err error) error {
	if err == nil {
		return nil
	}
	return &fs.PathError{Op: "remove", Path: path, Err: err}
}

func makeDir(path string, mode fs.FileMode) error {
	fd, err := openMade(path, mode)
	if err != nil {
		return &fs.PathError{Op: "mkdir", Path: path, Err: err}
	}
	return unix.Close(fd)
}

// openMade opens a directory, and creates it and its missing parents.
func openMade(path string, mode fs.FileMode) (int, error) {
	fd, err := openStraight(path, searchFlags)
	if !errors.Is(err, unix.ENOENT) || path == "/" {
		return fd, err
	}
	above, err := openMade(filepath.Dir(path), mode)
	if err != nil {
		return -1, err
	}
	defer unix.Close(above)
	name := filepath.Base(path)
	if err := unix.Mkdirat(above, name, uint32(mode)); err != nil && !errors.Is(err, unix.EEXIST) {
		return -1, err
	}
	return retry(func() (int, error) { return unix.Openat(above, name, searchFlags|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0) })
}

func lstat(path string) (fs.FileInfo, error) {
	dir, name := filepath.Dir(path), filepath.Base(path)
	if path == dir {
		name = "." // the root
	}
	fd, err := openStraight(dir, searchFlags)
	if err != nil {
		return nil, err
	}
	defer unix.Close(fd)
	info := &fileInfo{name: filepath.Base(path)}
	if err := unix.Fstatat(fd, name, &info.st, unix.AT_SYMLINK_NOFOLLOW); err != nil {
		return nil, err
	}
	return info, nil
}

// fileInfo is the result of os.Lstat for a name in an open directory.
type fileInfo struct {
	name string
	st   unix.Stat_t
}

func (i *fileInfo) Name() string       { return i.name }
func (i *fileInfo) Size() int64        { return i.st.Size }
func (i *fileInfo) IsDir() bool        { return i.Mode().IsDir() }
func (i *fileInfo) ModTime() time.Time { return time.Unix(i.st.Mtim.Unix()) }
func (i *fileInfo) Sys() any           { return &i.st }

func (i *fileInfo) Mode() fs.FileMode {
	m := fs.FileMode(i.st.Mode & 0o777)
	switch i.st.Mode & unix.S_IFMT {
	case unix.S_IFREG:
	case unix.S_IFDIR:
		m |= fs.ModeDir
	case unix.S_IFLNK:
		m |= fs.ModeSymlink
	case unix.S_IFIFO:
		m |= fs.ModeNamedPipe
	case unix.S_IFSOCK:
		m |= fs.ModeSocket
	case unix.S_IFCHR:
		m |= fs.ModeDevice | fs.ModeCharDevice
	case unix.S_IFBLK:
		m |= fs.ModeDevice
	default:
		m |= fs.ModeIrregular
	}
	if i.st.Mode&unix.S_ISUID != 0 {
		m |= fs.ModeSetuid
	}
	if i.st.Mode&unix.S_ISGID != 0 {
		m |= fs.ModeSetgid
	}
	if i.st.Mode&unix.S_ISVTX != 0 {
		m |= fs.ModeSticky
	}
	return m
}

// stream is a file without the runtime poller support of os.File.
type stream struct {
	fd   int
	left int64 // bytes until the end, 0 if unknown
}

func openStream(path string) (io.ReadCloser, error) {
	fd, err := openStraight(path, unix.O_RDONLY|fileFlags)
	if errors.Is(err, unix.ENXIO) { // a socket
		err = ErrNotRegular
	}
	if err != nil {
		return nil, &fs.PathError{Op: "open", Path: path, Err: err}
	}
	var st unix.Stat_t
	if err = unix.Fstat(fd, &st); err == nil {
		switch st.Mode & unix.S_IFMT {
		case unix.S_IFREG:
			return &stream{fd, st.Size}, nil
		case unix.S_IFDIR:
			err = unix.EISDIR
		default:
			err = ErrNotRegular
		}
	}
	_ = unix.Close(fd) // nothing was read
	return nil, &fs.PathError{Op: "open", Path: path, Err: err}
}

// Read returns io.EOF together with the last bytes, which saves the call that would return
// nothing.
func (s *stream) Read(p []byte) (int, error) {
	n, err := retry(func() (int, error) { return unix.Read(s.fd, p) })
	if err != nil {
		return 0, err
	}
	if n == 0 && len(p) > 0 {
		return 0, io.EOF
	}
	if s.left > 0 {
		if s.left -= int64(n); s.left <= 0 {
			return n, io.EOF
		}
	}
	return n, nil
}

func (s *stream) Close() error { return unix.Close(s.fd) }

func retry(call func() (int, error)) (int, error) {
	for {
		if n, err := call(); !errors.Is(err, unix.EINTR) {
			return n, err
		}
	}
}
