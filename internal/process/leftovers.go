package process

import (
	"slices"
	"sync"
)

// Leftovers are programs that have ended and left processes running, with & in a shell for
// example. The zero value is empty. Its methods may be called from several goroutines at once.
type Leftovers struct {
	mu   sync.Mutex
	list []Leftover // oldest first
}

// Leftover is a program that has ended and left processes running.
type Leftover struct {
	*Process
	Command string // for messages
}

// maxLeftovers limits the number of programs in a list of leftovers.
const maxLeftovers = 100

// Add adds a program that has ended, unless it has left nothing running; then Add releases it.
// Of more than 100 programs, the oldest is dropped and its leftover processes end, except
// those in a session of their own.
func (l *Leftovers) Add(p *Process, command string) {
	p.Keep()
	l.mu.Lock()
	defer l.mu.Unlock()
	l.list = append(l.list, Leftover{p, command})
	l.prune()
	if len(l.list) > maxLeftovers {
		oldest := l.list[0]
		l.list = slices.Delete(l.list, 0, 1)
		if oldest.Runs() {
			oldest.Terminate()
		}
		oldest.Release()
	}
}

// List returns the programs that left processes running, or processes in sessions of their own,
// oldest first.
func (l *Leftovers) List() []Leftover {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.prune()
	return slices.Clone(l.list)
}

// Terminate ends the processes that programs have left running, except those with a session of
// their own. It returns the programs, whose processes have ended when [Process.Gone] is closed.
func (l *Leftovers) Terminate() []*Process {
	l.mu.Lock()
	defer l.mu.Unlock()
	var ended []*Process
	for _, p := range l.list {
		if p.Runs() { // else the number of its group may belong to other processes
			p.Terminate()
			p.Release()
			ended = append(ended, p.Process)
		}
	}
	return ended
}

// prune drops the programs of which nothing is left.
func (l *Leftovers) prune() {
	l.list = slices.DeleteFunc(l.list, func(p Leftover) bool {
		if p.Runs() || len(p.Apart()) > 0 {
			return false
		}
		p.Release()
		return true
	})
}
