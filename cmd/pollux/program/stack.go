package program

// deepStack is more of the stack than a run with a prompt needs, in bytes. The unused part costs addresses, and no memory.
const deepStack = 60 << 10

// growStack makes the stack of this goroutine large at once. Else it is copied each time that it is too small, and the
// more calls are on it, the longer that takes: a tenth of the CPU time of a short run. A function gets the stack for
// all of its variables when it begins, also for those that it does not come to.
//
//go:noinline
func growStack(fill bool) byte {
	if !fill {
		return 0
	}
	var room [deepStack]byte
	for i := range room {
		room[i] = byte(i)
	}
	return room[len(room)/2]
}
