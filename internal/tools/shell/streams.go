//go:build unix

package shell

import (
	"os"
	"sync"
	"syscall"
)

// openStreams returns where the output is read and the standard streams of
// the process: the input is empty, and both outputs are one pipe, which keeps their
// order.
func openStreams() (read *os.File, files []*os.File, err error) {
	null, err := os.Open(os.DevNull)
	if err != nil {
		return nil, nil, err
	}
	read, write, err := openPipe(true)
	if err != nil {
		_ = null.Close()
		return nil, nil, err
	}
	return read, []*os.File{null, write, write}, nil
}

func closeAll(files []*os.File) {
	for _, f := range files {
		_ = f.Close() // the pipe is in here twice
	}
}

// pidPipe is how a command tells its background processes and, on Linux, how
// the kernel tells them that we are gone.
type pidPipe struct {
	read  int
	write *os.File
	name  string // as /proc shows it

	once sync.Once
}

func (pp *pidPipe) open() error {
	var fds [2]int
	if err := pipe(&fds); err != nil {
		return os.NewSyscallError("pipe", err)
	}
	pp.read, pp.write = fds[0], os.NewFile(uintptr(fds[1]), "pids")
	pp.name = pipeName(pp.read)
	return nil
}

// readAll returns what was told so far.
func (pp *pidPipe) readAll() string {
	if err := syscall.SetNonblock(pp.read, true); err != nil {
		return ""
	}
	buf := make([]byte, 4096)
	n, err := syscall.Read(pp.read, buf)
	if err != nil {
		return ""
	}
	return string(buf[:n])
}

func (pp *pidPipe) close() {
	pp.once.Do(func() {
		pp.disarm()
		_ = syscall.Close(pp.read)
		_ = pp.write.Close()
	})
}

// openPipe returns a pipe with ends as programs expect them. poll says that we
// read from it, and want to wait for it with others.
func openPipe(poll bool) (read, write *os.File, err error) {
	var fds [2]int
	if err := pipe(&fds); err != nil {
		return nil, nil, os.NewSyscallError("pipe", err)
	}
	if err := syscall.SetNonblock(fds[0], poll); err != nil {
		_ = syscall.Close(fds[0])
		_ = syscall.Close(fds[1])
		return nil, nil, os.NewSyscallError("fcntl", err)
	}
	return os.NewFile(uintptr(fds[0]), "pipe"), os.NewFile(uintptr(fds[1]), "pipe"), nil
}
