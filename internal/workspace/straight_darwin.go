package workspace

import "golang.org/x/sys/unix"

// searchFlags open a directory for what is in it, which needs no permission
// to list it.
const searchFlags = unix.O_SEARCH

// openStraight opens a clean absolute path and follows no link at any step of
// it: one that it meets is ELOOP.
func openStraight(path string, flags int) (int, error) {
	return retry(func() (int, error) {
		return unix.Open(path, flags&^unix.O_NOFOLLOW|unix.O_NOFOLLOW_ANY|unix.O_CLOEXEC, 0)
	})
}
