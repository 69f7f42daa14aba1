package workspace

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"syscall"

	"pollux/internal/durable"
)

// ErrNotRegular says that a path is no file that can be read to its end: a
// FIFO, a device or a socket.
var ErrNotRegular = errors.New("not a regular file")

// Disk is the seam through which tools reach the disk. Paths are absolute.
type Disk struct {
	// Open opens a regular file for reading. It refuses everything else
	// without blocking: a directory with syscall.EISDIR, a FIFO, device or
	// socket with [ErrNotRegular].
	Open func(path string) (*os.File, error)
	// Stream opens a regular file to be read once, from start to end. It
	// refuses what Open refuses and costs half of it, which counts where
	// thousands of files are read. Left out beside an Open of its own, it is that Open.
	Stream func(path string) (io.ReadCloser, error)
	// Stat follows links, Lstat does not.
	Stat  func(path string) (fs.FileInfo, error)
	Lstat func(path string) (fs.FileInfo, error)
	// ReadDir returns the entries of a directory, sorted by name.
	ReadDir func(path string) ([]fs.DirEntry, error)
	// Write replaces the content of a file, or creates it, so that a crash
	// leaves the old content or the new one. The mode of a file that exists is
	// kept; its directory must exist.
	Write func(path string, data []byte) error
	// Mkdir makes a directory and the ones above it, as far as they are missing.
	Mkdir func(path string) error
}

// orReal fills in the real disk's functions where d has none.
func (d Disk) orReal() Disk {
	if d.Stream == nil {
		d.Stream = openStream
		if open := d.Open; open != nil {
			d.Stream = func(path string) (io.ReadCloser, error) { return open(path) }
		}
	}
	if d.Open == nil {
		d.Open = openRegular
	}
	if d.Stat == nil {
		d.Stat = os.Stat
	}
	if d.Lstat == nil {
		d.Lstat = os.Lstat
	}
	if d.ReadDir == nil {
		d.ReadDir = os.ReadDir
	}
	if d.Write == nil {
		d.Write = func(path string, data []byte) error { return durable.WriteFile(path, data, 0o666) }
	}
	if d.Mkdir == nil {
		d.Mkdir = func(path string) error { return os.MkdirAll(path, 0o777) }
	}
	return d
}

// openRegular opens without waiting for the other end of a FIFO, and looks at
// what it has opened rather than at what was there before.
func openRegular(path string) (*os.File, error) {
	f, err := os.OpenFile(path, os.O_RDONLY|fileFlags, 0)
	if err != nil {
		if errors.Is(err, syscall.ENXIO) { // a socket
			err = &fs.PathError{Op: "open", Path: path, Err: ErrNotRegular}
		}
		return nil, err
	}
	fi, err := f.Stat()
	switch {
	case err != nil:
	case fi.IsDir():
		err = &fs.PathError{Op: "open", Path: path, Err: syscall.EISDIR}
	case !fi.Mode().IsRegular():
		err = &fs.PathError{Op: "open", Path: path, Err: ErrNotRegular}
	default:
		return f, nil
	}
	_ = f.Close() // nothing was read
	return nil, err
}
