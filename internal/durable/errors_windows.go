package durable

import (
	"errors"
	"io/fs"
	"strings"
	"syscall"

	"golang.org/x/sys/windows"
)

// isBadName reports whether an error means that no file can have the name.
func isBadName(err error) bool { return errors.Is(err, windows.ERROR_INVALID_NAME) }

// isFull reports whether an error means that the disk is full.
func isFull(err error) bool {
	return errors.Is(err, windows.ERROR_DISK_FULL) || errors.Is(err, windows.ERROR_HANDLE_DISK_FULL)
}

// plain returns an error of the system with a text that fits into a sentence: Windows ends its own with a full stop.
func plain(err error) error {
	errno, ok := err.(syscall.Errno) // not one that is wrapped in words
	if !ok {
		return err
	}
	text := strings.TrimRight(errno.Error(), ". ")
	for _, usual := range [...]struct {
		kind error
		text string
	}{
		{fs.ErrNotExist, "no such file or directory"}, {fs.ErrExist, "file exists"}, {fs.ErrPermission, "permission denied"},
	} {
		if errors.Is(errno, usual.kind) {
			text = usual.text
		}
	}
	return systemError{errno, text}
}

// systemError is an error of the system with another text.
type systemError struct {
	errno syscall.Errno
	text  string
}

func (e systemError) Error() string { return e.text }

func (e systemError) Unwrap() error { return e.errno }
