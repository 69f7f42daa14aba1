package console

import (
	"sync"

	"pollux/internal/process"
)

// input passes keys and replies to a program, in their order. Before the program has started they wait.
type input struct {
	mu      sync.Mutex
	process *process.Process // nil before the start
	early   []byte
}

// maxEarly limits the input that waits, in bytes.
const maxEarly = 4 << 10

func (i *input) connect(p *process.Process) {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.process = p
	_ = p.Type(i.early) // a program that does not read loses it
	i.early = nil
}

// send returns an error if the program does not read.
func (i *input) send(b []byte) error {
	i.mu.Lock()
	defer i.mu.Unlock()
	switch {
	case len(b) == 0:
		return nil
	case i.process != nil:
		return i.process.Type(b)
	case len(i.early) < maxEarly:
		i.early = append(i.early, b...)
	}
	return nil
}

// running returns the program, nil before its start.
func (i *input) running() *process.Process {
	i.mu.Lock()
	defer i.mu.Unlock()
	return i.process
}
