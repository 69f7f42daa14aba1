package sandbox

import (
	"slices"
	"sync"

	"pollux/internal/process"
)

// Family is confined programs that may signal one another, with all that they have started: those of a session. The kernel lets each signal only its
// own processes. The zero value is empty. Its methods may be called from several goroutines at once.
type Family struct {
	mu   sync.Mutex
	list []*process.Process // that have a thread, the newest last
}

// add adds a program, and drops those that have ended and are released.
func (f *Family) add(p *process.Process) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.list = slices.DeleteFunc(f.list, func(p *process.Process) bool { return !p.HasThread() })
	f.list = append(f.list, p)
}
