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
// Other functions, such as those of an editor or of a disk in memory, decide themselves which files exist. Every
// file tool works on them, and so do walks, ignore files and the files that a prompt names. Programs do not:
// commands, git and hooks see the real disk, and a search runs in this process. The paths of such a disk are
// taken as they are, except that links of the real disk are followed.
//
// The functions of the real disk access only files that [Workspace.CheckRead] and
// [Workspace.CheckWrite] permit, even if the path changes between a check and its use; they
// return a [Refusal] otherwise. Stat, Lstat and Stream can access everything in the workspace.
type Disk struct {
	// Open opens a regular file for reading. It refuses everything else without blocking: a
	// directory with syscall.EISDIR, a FIFO, device or socket with [ErrNotRegular]. The result is
	// an interface because a text in memory, which a Disk may serve in place of the file, has
	// no *os.File.
	Open func(path string) (fs.File, error)
	// Stream opens a regular file that a walk has found, to be read once from start to end. It
	// refuses the same files as Open, and links. It costs half as much as Open, which matters when
	// reading thousands of files. If it is nil and Open is set, Open is used.
	Stream func(path string) (io.ReadCloser, error)
	// Stat follows links.
	Stat func(path string) (fs.FileInfo, error)
	// Lstat does not follow links.
	Lstat func(path string) (fs.FileInfo, error)
	// ReadDir returns the entries of a directory, sorted by name. One that replaces it serves all directories. The Info method of an entry
	// does not check access; Lstat does.
	ReadDir func(path string) ([]fs.DirEntry, error)
	// Write replaces the content of a file, or creates it, atomically: a crash leaves the old
	// or the new content. An existing file keeps its mode. The directory must exist.
	Write func(path string, data []byte) error
	// Save makes the file on the disk have the text that Open returns, if an editor has a newer one. A file that
	// tools may not write stays as it is.
	Save func(path string) error
	// Mkdir creates a directory and its missing parents.
	Mkdir func(path string) error
	// Remove removes a regular file. It refuses a link with [ErrNotRegular].
	Remove func(path string) error
	// RemoveDir removes an empty directory, but none of the workspace's own.
	RemoveDir func(path string) error
}

// ErrNotServed is returned by a function of [Options.Disk] for a path that it leaves to the real disk.
var ErrNotServed = errors.New("the file is on the real disk")

// withDefaults replaces nil functions with those of the real disk, which also get the paths that the others do not serve.
func (d Disk) withDefaults(real Disk) Disk {
	stream := d.Stream
	if open := d.Open; stream == nil && open != nil {
		stream = func(path string) (io.ReadCloser, error) { return open(path) }
	}
	readDir := d.ReadDir
	if readDir == nil {
		readDir = real.ReadDir
	}
	return Disk{
		Open: orReal(d.Open, real.Open), Stream: orReal(stream, real.Stream), Stat: orReal(d.Stat, real.Stat), Lstat: orReal(d.Lstat, real.Lstat),
		ReadDir: readDir, Write: d.orRealWrite(real), Save: func(string) error { return nil }, Mkdir: orRealDo(d.Mkdir, real.Mkdir), Remove: orRealDo(d.Remove, real.Remove), RemoveDir: orRealDo(d.RemoveDir, real.RemoveDir),
	}
}

// orReal returns a function that asks real for the paths that own, which may be nil, does not serve.
func orReal[T any](own, real func(string) (T, error)) func(string) (T, error) {
	if own == nil {
		return real
	}
	return func(path string) (T, error) {
		v, err := own(path)
		if errors.Is(err, ErrNotServed) {
			return real(path)
		}
		return v, err
	}
}

// orRealDo is [orReal] for a function without a result.
func orRealDo(own, real func(string) error) func(string) error {
	if own == nil {
		return real
	}
	return func(path string) error {
		err := own(path)
		if errors.Is(err, ErrNotServed) {
			return real(path)
		}
		return err
	}
}

func (d Disk) orRealWrite(real Disk) func(string, []byte) error {
	if d.Write == nil {
		return real.Write
	}
	return func(path string, data []byte) error {
		err := d.Write(path, data)
		if errors.Is(err, ErrNotServed) {
			return real.Write(path, data)
		}
		return err
	}
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

// checkRegular checks the opened file itself, because the path may have changed.
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
