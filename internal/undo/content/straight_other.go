//go:build unix && !linux

package content

import (
	"os"

	"golang.org/x/sys/unix"

	"pollux/internal/undo/state"
)

// openStraight opens a file without following a link in its place.
func openStraight(path string, flags int) (*os.File, error) {
	return os.OpenFile(path, flags|unix.O_NOFOLLOW, 0)
}

func statStraight(path string) (state.State, error) { return state.Read(path) }
