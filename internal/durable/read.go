package durable

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"syscall"
)

// ErrDirectory is the error of [ReadFile] for a directory.
var ErrDirectory = errors.New("it is a directory")

// ReadFile reads a regular file of at most limit bytes. It never blocks: it refuses pipes and
// devices. Errors do not contain the path, so that the caller can describe the file: "it is a
// directory" ([ErrDirectory]), "it is not a regular file", "it is larger than 4 MB", or the
// system's error.
func ReadFile(path string, limit int64) ([]byte, error) { return AppendFile(nil, path, limit) }

// AppendFile reads a file like [ReadFile], and appends what it holds to data. With an error, it returns data as it was.
func AppendFile(data []byte, path string, limit int64) ([]byte, error) {
	f, err := openFile(path)
	if err != nil {
		return data, Cause(err)
	}
	return appendOpen(data, f, limit)
}

// ErrOutside is the error of [ReadInside] for a link that leads out of the directory, or has an absolute path.
var ErrOutside = errors.New("it is a link that leads out of the project, or has an absolute path")

// ReadInside reads the file at name, a path relative to dir, like [ReadFile]. It follows links that stay below dir, and refuses
// others with [ErrOutside], also if the links change while it reads.
func ReadInside(dir, name string, limit int64) ([]byte, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, Cause(err)
	}
	defer root.Close()
	f, err := root.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		if _, outside := os.Stat(filepath.Join(dir, name)); outside == nil && !errors.Is(err, fs.ErrPermission) {
			return nil, ErrOutside
		}
		return nil, Cause(err)
	}
	return appendOpen(nil, f, limit)
}

// appendOpen appends the content of a file to data, and closes the file. With an error, it returns data as it was.
func appendOpen(data []byte, f *os.File, limit int64) ([]byte, error) {
	defer f.Close()
	info, err := f.Stat()
	switch {
	case err != nil:
		return data, Cause(err)
	case info.IsDir():
		return data, ErrDirectory
	case !info.Mode().IsRegular():
		return data, errors.New("it is not a regular file")
	case info.Size() > limit:
		return data, tooLarge(limit)
	}
	// The size may be out of date, and some files report a wrong one.
	before := len(data)
	read := bytes.NewBuffer(slices.Grow(data, int(info.Size())+bytes.MinRead))
	if _, err := read.ReadFrom(io.LimitReader(f, limit+1)); err != nil {
		return data, Cause(err)
	}
	if int64(read.Len()-before) > limit {
		return data, tooLarge(limit)
	}
	return read.Bytes(), nil
}

// OpenDir opens a directory to read its entries. It never blocks: anything else in its place, such as a pipe, is refused with
// the error that it is not a directory.
func OpenDir(path string) (*os.File, error) { return os.OpenFile(path, os.O_RDONLY|dirFlag, 0) }

func tooLarge(limit int64) error {
	if limit < 1<<20 {
		return fmt.Errorf("it is larger than %d KB", limit>>10)
	}
	return fmt.Errorf("it is larger than %d MB", limit>>20)
}

// IsAbsent reports whether an error means that a file does not exist, also because one of its parents is no
// directory, or because the system has no files of such a name.
func IsAbsent(err error) bool {
	return errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) || isBadName(err)
}

// IsFull reports whether an error means that there is no room: the disk is full, or the user's part of it.
func IsFull(err error) bool {
	return errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) || isFull(err)
}

// CheckLink returns an error if a path at which no file was found is a symbolic link to nothing: then the file was meant to be
// there. It returns nil for a missing file.
func CheckLink(path string) error {
	target, err := os.Readlink(path)
	if err != nil {
		return nil
	}
	return fmt.Errorf("it is a link to %q, which does not exist", target)
}

// Cause returns the system's error without the operation and path that [fs.PathError],
// [os.LinkError] and [os.SyscallError] add, for messages that already name them. Other errors
// are returned unchanged. On Windows, the common errors have the words that they have on other systems.
func Cause(err error) error { return plain(innerCause(err)) }

func innerCause(err error) error {
	if p, ok := errors.AsType[*fs.PathError](err); ok {
		return p.Err
	}
	if l, ok := errors.AsType[*os.LinkError](err); ok {
		return l.Err
	}
	if c, ok := errors.AsType[*os.SyscallError](err); ok {
		return c.Err
	}
	return err
}
