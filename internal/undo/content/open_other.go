//go:build !unix

package content

import (
	"os"

	"pollux/internal/undo/state"
)

// open opens a regular file for reading.
func open(path string) (*os.File, state.State, error) {
	if now, err := state.Read(path); err != nil || now.Kind != state.Regular {
		return nil, now, ErrChanged
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, state.State{}, err
	}
	return regular(f)
}

func statStraight(path string) (state.State, error) { return state.Read(path) }
