package gitstate

import (
	"sync"
	"time"

	"pollux/internal/crash"
)

// Describe begins to read the state of the repository of a directory, and returns a function that waits for its
// description, which is "" if there is no repository.
func Describe(dir string) func() string {
	read := sync.OnceValue(func() string {
		const names, patience = 20, 5 * time.Millisecond
		state, ok := Read(dir, names, patience)
		if !ok {
			return ""
		}
		return state.String()
	})
	go func() {
		defer crash.Recover()
		read()
	}()
	return read
}
