package durable

import (
	"errors"
	"io/fs"
	"os"
	"time"

	"golang.org/x/sys/windows"
)

// Windows refuses to open, to rename or to replace a file at the moment in which another program has it open in a way that
// excludes this: virus scanners and indexers open each new file, and a rename has both files open.
const (
	renameWait = time.Second
	openWait   = 100 * time.Millisecond
)

// whileBusy calls f until it has another error than one of a file that is in use, or the pauses are as long as limit.
func whileBusy(limit time.Duration, pause func(time.Duration), f func() error) error {
	waited := time.Duration(0)
	for next := time.Millisecond; ; next = min(2*next, 10*time.Millisecond) {
		err := f()
		if !isBusy(err) || waited >= limit {
			return err
		}
		pause(next)
		waited += next
	}
}

// isBusy reports whether an error can mean that another program has a file open.
func isBusy(err error) bool {
	return errors.Is(err, windows.ERROR_ACCESS_DENIED) || errors.Is(err, windows.ERROR_SHARING_VIOLATION)
}

// openFile opens a file for reading.
func openFile(path string) (f *os.File, err error) {
	err = whileBusy(openWait, time.Sleep, func() error {
		f, err = os.Open(path)
		return err
	})
	return f, err
}

// replaceFile renames a file, which may replace another one, and waits until the new name is on the disk.
func replaceFile(from, to string, pause func(time.Duration)) error {
	source, err := windows.UTF16PtrFromString(from)
	if err != nil {
		return &fs.PathError{Op: "rename", Path: from, Err: err}
	}
	target, err := windows.UTF16PtrFromString(to)
	if err != nil {
		return &fs.PathError{Op: "rename", Path: to, Err: err}
	}
	return whileBusy(renameWait, pause, func() error {
		return windows.MoveFileEx(source, target, windows.MOVEFILE_REPLACE_EXISTING|windows.MOVEFILE_WRITE_THROUGH)
	})
}

// IsMissing reports whether there is nothing at a path, not even a link.
func IsMissing(path string) bool {
	name, err := windows.UTF16PtrFromString(path)
	if err != nil {
		return false
	}
	_, err = windows.GetFileAttributes(name)
	return err != nil && IsAbsent(err)
}
