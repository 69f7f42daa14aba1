package program

import (
	"testing"
	"unsafe"
)

// TestGrowStack checks that calls after growStack do not move the stack any more.
func TestGrowStack(t *testing.T) {
	t.Parallel()
	moves := func(grow bool) bool {
		moved := make(chan bool)
		go func() {
			var variable byte
			if grow {
				growStack(false)
			}
			before := uintptr(unsafe.Pointer(&variable))
			dig(deepStack / 2)
			moved <- uintptr(unsafe.Pointer(&variable)) != before
		}()
		return <-moved
	}
	if !moves(false) {
		t.Error("the calls do not need a larger stack")
	}
	if moves(true) {
		t.Error("the stack was moved")
	}
}

// dig needs at least this many bytes of the stack.
//
//go:noinline
func dig(bytes int) byte {
	var frame [512]byte
	frame[bytes%len(frame)] = 1
	if bytes < len(frame) {
		return frame[0]
	}
	return dig(bytes-len(frame)) + frame[bytes/2%len(frame)]
}
