package durable

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"syscall"
)

// ErrDirectory says that a directory is where a file should be.
var ErrDirectory = errors.New("it is a directory")

// ReadFile reads a regular file of at most limit bytes. It never waits: what could
// keep it waiting, a pipe or a device, is refused. Errors say what is wrong and do
// not name the file: the caller knows what it is to a person.
func ReadFile(path string, limit int64) ([]byte, error) {
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, Cause(err)
	}
	defer f.Close()
	info, err := f.Stat()
	switch {
	case err != nil:
		return nil, Cause(err)
	case info.IsDir():
		return nil, ErrDirectory
	case !info.Mode().IsRegular():
		return nil, errors.New("it is not a regular file")
	case info.Size() > limit:
		return nil, tooLarge(limit)
	}
	// What a file says of its size may be untrue by now, or have been before.
	data := bytes.NewBuffer(make([]byte, 0, info.Size()+bytes.MinRead))
	if _, err := data.ReadFrom(io.LimitReader(f, limit+1)); err != nil {
		return nil, Cause(err)
	}
	if int64(data.Len()) > limit {
		return nil, tooLarge(limit)
	}
	return data.Bytes(), nil
}

func tooLarge(limit int64) error {
	if limit < 1<<20 {
		return fmt.Errorf("it is larger than %d KB", limit>>10)
	}
	return fmt.Errorf("it is larger than %d MB", limit>>20)
}

// Cause takes the operation and the path off a file error: where both have been said,
// what the system says is enough.
func Cause(err error) error {
	var p *fs.PathError
	var l *os.LinkError
	var c *os.SyscallError
	switch {
	case errors.As(err, &p):
		return p.Err
	case errors.As(err, &l):
		return l.Err
	case errors.As(err, &c):
		return c.Err
	}
	return err
}
