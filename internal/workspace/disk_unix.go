//go:build unix

package workspace

import (
	"errors"
	"io"
	"io/fs"

	"golang.org/x/sys/unix"
)

// fileFlags keep an open from waiting, and a terminal from becoming ours;
// dirFlags open directories only, and no links.
const (
	fileFlags = unix.O_NONBLOCK | unix.O_NOCTTY
	dirFlags  = unix.O_NONBLOCK | unix.O_DIRECTORY | unix.O_NOFOLLOW
)

// stream is a file without what os.File has for files that are waited for.
type stream struct {
	fd   int
	left int64 // bytes until the end, 0 if it is not known
}

func openStream(path string) (io.ReadCloser, error) {
	fd, err := retry(func() (int, error) { return unix.Open(path, unix.O_RDONLY|unix.O_CLOEXEC|fileFlags, 0) })
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

// Read says that the end is reached with the last bytes, and so saves the call
// that would find nothing.
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
