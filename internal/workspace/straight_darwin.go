package workspace

import "golang.org/x/sys/unix"

// searchFlags open a directory to access its entries, which needs no permission to list it.
const searchFlags = unix.O_SEARCH

// openStraight opens a clean absolute path without following links; a link in it is ELOOP.
func openStraight(path string, flags int) (int, error) {
	return retry(func() (int, error) {
		return unix.Open(path, flags&^unix.O_NOFOLLOW|unix.O_NOFOLLOW_ANY|unix.O_CLOEXEC, 0)
	})
}
