package process

import (
	"os"
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
	CallAddress()                                    // from now on, /proc hides it from this process, too
	_ = unix.Prctl(unix.PR_SET_DUMPABLE, 0, 0, 0, 0) // nothing is lost if a kernel refuses
}

// isFirstThread reports whether the calling thread is the one that the process began with.
func isFirstThread() bool { return unix.Gettid() == unix.Getpid() }

// CallAddress returns the address at which this process makes its system calls, those between a fork and the start of a program included: Go
// has one for all, but for those of its runtime. It is 0 if the kernel does not tell. A program may have code of its own at this address.
var CallAddress = sync.OnceValue(func() uint64 {
	call, err := os.ReadFile("/proc/thread-self/syscall") // it describes the call by which it is read
	if err != nil {
		return 0
	}
	words := strings.Fields(string(call))
	if len(words) < 3 {
		return 0
	}
	at, err := strconv.ParseUint(words[len(words)-1], 0, 64)
	if err != nil {
		return 0
	}
	return at
})
