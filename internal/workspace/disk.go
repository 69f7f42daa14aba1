package workspace

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"syscall"
)

// ErrNotRegular says that a path is no file that can be read to its end: a
// FIFO, a device or a socket.
var ErrNotRegular = errors.New("not a regular file")

// Disk is the seam through which tools reach the disk. Paths are absolute.
//
// The real disk's functions go where [Workspace.CheckRead] and
// [Workspace.CheckWrite] let file tools go and nowhere else, whatever becomes
// of the path between a check and the use: what is refused at the use is a
// [Refusal]. Stat, Lstat and Stream reach all that is in the workspace.
type Disk struct {
	// Open opens a regular file for reading. It refuses everything else
	// without blocking: a directory with syscall.EISDIR, a FIFO, device or
	// socket with [ErrNotRegular].
	Open func(path string) (*os.File, error)
	// Stream opens a regular file, which a walk has found, to be read once,
	// from start to end. It refuses what Open refuses, and links, and costs half
	// of it, which counts where thousands of files are read. Left out beside an
	// Open of its own, it is that Open.
	Stream func(path string) (io.ReadCloser, error)
	// Stat follows links, Lstat does not.
	Stat  func(path string) (fs.FileInfo, error)
	Lstat func(path string) (fs.FileInfo, error)
	// ReadDir returns the entries of a directory, sorted by name. Their Info
	// is not confined: Lstat is.
	ReadDir func(path string) ([]fs.DirEntry, error)
	// Write replaces the content of a file, or creates it, so that a crash
	// leaves the old content or the new one. The mode of a file that exists is
	// kept; its directory must exist.
	Write func(path string, data []byte) error
	// Mkdir makes a directory and the ones above it, as far as they are missing.
	Mkdir func(path string) error
}

// or fills in the functions of the real disk where d has none.
func (d Disk) or(real Disk) Disk {
	if d.Stream == nil {
		d.Stream = real.Stream
		if open := d.Open; open != nil {
			d.Stream = func(path string) (io.ReadCloser, error) { return open(path) }
		}
	}
	if d.Open == nil {
		d.Open = real.Open
	}
	if d.Stat == nil {
		d.Stat = real.Stat
	}
	if d.Lstat == nil {
		d.Lstat = real.Lstat
	}
	if d.ReadDir == nil {
		d.ReadDir = real.ReadDir
	}
	if d.Write == nil {
		d.Write = real.Write
	}
	if d.Mkdir == nil {
		d.Mkdir = real.Mkdir
	}
	return d
}

// openRegular opens a file without waiting for the other end of a FIFO. It
// follows links wherever they lead.
func openRegular(path string) (*os.File, error) {
	f, err := os.OpenFile(path, os.O_RDONLY|fileFlags, 0)
	if err != nil {
		return nil, notRegular(err)
	}
	return regular(f)
}

// regular looks at what was opened, rather than at what was there before.
func regular(f *os.File) (*os.File, error) {
	fi, err := f.Stat()
	switch {
	case err != nil:
	case fi.IsDir():
		err = &fs.PathError{Op: "open", Path: f.Name(), Err: syscall.EISDIR}
	case !fi.Mode().IsRegular():
		err = &fs.PathError{Op: "open", Path: f.Name(), Err: ErrNotRegular}
	default:
		return f, nil
	}
	_ = f.Close() // nothing was read
	return nil, err
}

// notRegular makes of the error of opening a socket what others of its kind give.
func notRegular(err error) error {
	var p *fs.PathError
	if errors.As(err, &p) && errors.Is(p.Err, syscall.ENXIO) {
		p.Err = ErrNotRegular
	}
	return err
}
