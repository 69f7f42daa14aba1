package workspace

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"syscall"
)

// ErrNotRegular is the error for a path that is neither a regular file nor a directory: a
// FIFO, a device or a socket.
var ErrNotRegular = errors.New("not a regular file")

// Disk is the interface between tools and the disk, as a set of functions. Paths are absolute.
//
// Other functions, such as those of an editor or of a disk in memory, decide themselves what exists. Every file
// tool works on them, and so do walks, ignore files and the files that a prompt names. Programs do not: commands,
// git and hooks see the real disk, and a search runs in this process. The paths of such a disk are taken as they
// are, except that links of the real disk are followed.
//
// The functions of the real disk access only what [Workspace.CheckRead] and
// [Workspace.CheckWrite] permit, even if the path changes between a check and its use; they
// return a [Refusal] otherwise. Stat, Lstat and Stream can access everything in the workspace.
type Disk struct {
	// Open opens a regular file for reading. It refuses everything else without blocking: a
	// directory with syscall.EISDIR, a FIFO, device or socket with [ErrNotRegular]. The result is
	// an interface because an editor's unsaved buffer, which a Disk may serve in place of the
	// file, has no *os.File.
	Open func(path string) (fs.File, error)
	// Stream opens a regular file that a walk has found, to be read once from start to end. It
	// refuses what Open refuses, and links. It costs half as much as Open, which matters when
	// reading thousands of files. If it is nil and Open is set, Open is used.
	Stream func(path string) (io.ReadCloser, error)
	// Stat follows links.
	Stat func(path string) (fs.FileInfo, error)
	// Lstat does not follow links.
	Lstat func(path string) (fs.FileInfo, error)
	// ReadDir returns the entries of a directory, sorted by name. The Info method of an entry
	// does not check access; Lstat does.
	ReadDir func(path string) ([]fs.DirEntry, error)
	// Write replaces the content of a file, or creates it, atomically: a crash leaves the old
	// or the new content. An existing file keeps its mode. The directory must exist.
	Write func(path string, data []byte) error
	// Mkdir creates a directory and its missing parents.
	Mkdir func(path string) error
	// Remove removes a regular file. It refuses a link with [ErrNotRegular].
	Remove func(path string) error
	// RemoveDir removes an empty directory, but none of the workspace's own.
	RemoveDir func(path string) error
}

// withDefaults replaces nil functions with those of the real disk.
func (d Disk) withDefaults(real Disk) Disk {
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
	if d.Remove == nil {
		d.Remove = real.Remove
	}
	if d.RemoveDir == nil {
		d.RemoveDir = real.RemoveDir
	}
	return d
}

// entries are the entries of an open directory, in the order of the disk.
type entries interface {
	ReadDir(n int) ([]fs.DirEntry, error)
	io.Closer
}

// openEntries opens a directory that file tools may read. real is its path without links.
func (w *Workspace) openEntries(path string) (_ entries, real string, err error) {
	if w.readDir != nil {
		if err := w.CheckRead(path); err != nil {
			return nil, "", err
		}
		list, err := w.openBelow(path)
		return list, path, err
	}
	f, err := w.openDir(path)
	if err != nil {
		return nil, "", err
	}
	return f, f.Name(), nil
}

// openBelow opens a directory without links in its path, below one that was opened before.
func (w *Workspace) openBelow(path string) (entries, error) {
	if w.readDir == nil {
		f, err := openDir(path)
		if err != nil {
			return nil, err
		}
		return f, nil
	}
	list, err := w.readDir(path)
	if err != nil {
		return nil, err
	}
	return &entryList{list}, nil
}

// entryList is a directory of a [Disk] whose ReadDir was replaced.
type entryList struct{ rest []fs.DirEntry }

func (l *entryList) ReadDir(n int) ([]fs.DirEntry, error) {
	if len(l.rest) == 0 {
		return nil, io.EOF
	}
	next := l.rest[:min(n, len(l.rest))]
	l.rest = l.rest[len(next):]
	return next, nil
}

func (*entryList) Close() error { return nil }

// openRegular opens a file without waiting for the other end of a FIFO. It follows links.
func openRegular(path string) (*os.File, error) {
	f, err := os.OpenFile(path, os.O_RDONLY|fileFlags, 0)
	if err != nil {
		return nil, notRegular(err)
	}
	return checkRegular(f)
}

// checkRegular checks what was actually opened, rather than what the path was before.
func checkRegular(f *os.File) (*os.File, error) {
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

// notRegular changes the error of opening a socket to ErrNotRegular.
func notRegular(err error) error {
	var p *fs.PathError
	if errors.As(err, &p) && errors.Is(p.Err, syscall.ENXIO) {
		p.Err = ErrNotRegular
	}
	return err
}
