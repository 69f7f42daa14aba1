//go:build unix && !linux && !darwin

package workspace

import "golang.org/x/sys/unix"

// searchFlags open a directory to access its entries.
const searchFlags = unix.O_RDONLY | unix.O_DIRECTORY

// openStraight opens a clean absolute path without following links; a link in it is ELOOP.
func openStraight(path string, flags int) (int, error) { return openSteps(path, flags) }
