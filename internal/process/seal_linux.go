package process

import "golang.org/x/sys/unix"

// Seal keeps other processes of the same user out of this one: they can neither read its
// environment in /proc, which may hold keys, nor its memory. Only root still can. Processes that
// this one starts are not sealed. As long as this one is sealed, it cannot map user ids for a
// process that it clones into a user namespace.
func Seal() {
	_ = unix.Prctl(unix.PR_SET_DUMPABLE, 0, 0, 0, 0) // nothing is lost if a kernel refuses
}

// isFirstThread reports whether the calling thread is the one that the process began with.
func isFirstThread() bool { return unix.Gettid() == unix.Getpid() }
