package sandbox

import (
	"slices"
	"sync"
)

// maxOwn limits the number of sockets in an ownSockets.
const maxOwn = 4096

// ownSockets are the local sockets that confined programs listen at, by their numbers, which the kernel does not use again soon. Other confined
// programs may connect to them wherever they are: a program reaches no more by a socket that it, or one like it, could have made.
type ownSockets struct {
	mu   sync.Mutex
	list []uint64 // oldest first
}

func (o *ownSockets) add(number uint64) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if slices.Contains(o.list, number) {
		return
	}
	if len(o.list) == maxOwn {
		o.list = o.list[1:]
	}
	o.list = append(o.list, number)
}

func (o *ownSockets) has(number uint64) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	return slices.Contains(o.list, number)
}
