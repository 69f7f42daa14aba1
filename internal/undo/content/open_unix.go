//go:build unix

package content

import (
	"os"

	"golang.org/x/sys/unix"

	"pollux/internal/undo/state"
)

// open opens a regular file for reading. It follows no link and waits for no FIFO.
func open(path string) (*os.File, state.State, error) {
	f, err := openStraight(path, os.O_RDONLY|unix.O_NONBLOCK|noAccessTime)
	if noAccessTime != 0 && os.IsPermission(err) { // which only the owner may ask for
		f, err = openStraight(path, os.O_RDONLY|unix.O_NONBLOCK)
	}
	if err != nil {
		return nil, state.State{}, err
	}
	return regular(f)
}
