package content

import (
	"os"

	"pollux/internal/undo/state"
)

// regular closes a file that is none of its kind.
func regular(f *os.File) (*os.File, state.State, error) {
	info, err := f.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = ErrChanged
	}
	if err != nil {
		_ = f.Close()
		return nil, state.State{}, err
	}
	return f, state.Of(info), nil
}
