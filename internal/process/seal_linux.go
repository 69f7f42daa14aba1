package process

import (
	"strconv"
	"strings"
	"sync"

	"golang.org/x/sys/unix"
)

// Seal keeps other processes of the same user out of this one: they can neither read its
// environment in /proc, which may hold keys, nor its memory. Only root still can. Processes that
// this one starts are not sealed. As long as this one is sealed, it cannot map user ids for a
// process that it clones into a user namespace.
func Seal() {
	ownCall.read()                                   // from now on, /proc hides it from this process, too
	_ = unix.Prctl(unix.PR_SET_DUMPABLE, 0, 0, 0, 0) // nothing is lost if a kernel refuses
}

// isFirstThread reports whether the calling thread is the one that the process began with.
func isFirstThread() bool { return unix.Gettid() == unix.Getpid() }

// call is a system call of this process, as the kernel describes it: numbers, the last of which is the address at which it was made.
type call struct {
	once sync.Once
	text [256]byte
	n    int
}

var ownCall call

// read reads the description of the call by which it is read. Each start does, with three calls.
func (c *call) read() {
	c.once.Do(func() {
		fd, err := unix.Open("/proc/thread-self/syscall", unix.O_RDONLY|unix.O_CLOEXEC, 0)
		if err != nil {
			return
		}
		defer unix.Close(fd)
		if n, err := unix.Read(fd, c.text[:]); err == nil {
			c.n = n
		}
	})
}

// CallAddress returns the address at which this process makes its system calls, those between a fork and the start of a program included: Go
// has one for all, but for those of its runtime. It is 0 if the kernel does not tell. A program may have code of its own at this address.
func CallAddress() uint64 {
	ownCall.read()
	words := strings.Fields(string(ownCall.text[:ownCall.n]))
	if len(words) < 3 {
		return 0
	}
	at, err := strconv.ParseUint(words[len(words)-1], 0, 64)
	if err != nil {
		return 0
	}
	return at
}
