package gitstate

import (
	"sync"
	"time"

	"pollux/internal/crash"
)

// A Description is the state of the repository of a directory in words, which is read once.
type Description struct{ text func() string }

// Describe returns the description of the repository of a directory. It reads nothing yet.
func Describe(dir string) Description {
	return Description{sync.OnceValue(func() string {
		const names, patience = 20, 5 * time.Millisecond
		state, ok := Read(dir, names, patience)
		if !ok {
			return ""
		}
		return state.String()
	})}
}

// Begin reads the state in the background, if that has not begun.
func (d Description) Begin() {
	go func() {
		defer crash.Recover()
		d.text()
	}()
}

// String waits until the state is read. It returns "" if there is no repository.
func (d Description) String() string { return d.text() }
