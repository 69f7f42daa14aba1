//go:build unix && !linux && !darwin

package workspace

import "golang.org/x/sys/unix"

// searchFlags open a directory for what is in it.
const searchFlags = unix.O_RDONLY | unix.O_DIRECTORY

// openStraight opens a clean absolute path and follows no link at any step of
// it: one that it meets is ELOOP.
func openStraight(path string, flags int) (int, error) { return openSteps(path, flags) }
