package durable

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"syscall"
)

// orInPlace overwrites an existing file that could not be replaced, if the error tells that only the replacement is impossible. Else, and if
// the file cannot be opened either, it returns the error.
func (p directory) orInPlace(err error, name string, data []byte, old *fileState) error {
	isOnlyRename := errors.Is(err, fs.ErrPermission) || errors.Is(err, syscall.EBUSY) || errors.Is(err, syscall.EROFS) || errors.Is(err, errAttributes)
	if old == nil || !isOnlyRename {
		return err
	}
	f, failed := p.openExisting(name)
	if failed != nil {
		return err
	}
	defer f.Close()
	if info, failed := f.Stat(); failed != nil || !info.Mode().IsRegular() {
		return err
	}
	before, failed := io.ReadAll(f)
	if failed != nil {
		return err
	}
	return overwrite(f, f.WriteAt, before, data)
}

// errAttributes is returned if a new file cannot have the extended attributes of the old one.
var errAttributes = errors.New("its extended attributes cannot be kept")

// overwrite changes the content of an open file, and restores the content before if it fails. write is its method WriteAt.
func overwrite(f *os.File, write func(data []byte, at int64) (int, error), before, data []byte) error {
	size := len(before)
	if len(data) > size { // first, because it needs room, and changes nothing that is there
		if _, err := write(data[size:], int64(size)); err != nil {
			return errors.Join(err, f.Truncate(int64(size)))
		}
	}
	_, err := write(data[:min(size, len(data))], 0)
	if err == nil {
		err = f.Truncate(int64(len(data)))
	}
	if err == nil {
		err = f.Sync()
	}
	if err == nil {
		return nil
	}
	_, failed := write(before, 0)
	return errors.Join(err, failed, f.Truncate(int64(size)), f.Sync())
}
