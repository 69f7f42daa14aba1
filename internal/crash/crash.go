// Package crash reports panics of goroutines to the program. A panic ends a Go program with the
// stacks of its goroutines on standard error; with [Recover], the program can end it with one line
// for the user and a report in a file.
package crash

import (
	"runtime/debug"
	"sync/atomic"
)

// handler is the program's function for a panic. The runtime has one state per process, too.
var handler atomic.Pointer[func(value any, stack []byte)]

// Handle sets the function that [Recover] calls with the value of a panic and the stack of its
// goroutine. The function ends the process. remove removes it.
func Handle(f func(value any, stack []byte)) (remove func()) {
	handler.Store(&f)
	return func() { handler.Store(nil) }
}

// Recover passes the panic of a goroutine to the function of [Handle]. Without one, the panic takes
// its course, as in a program that uses Pollux as a library. A goroutine must defer Recover after its
// other deferred calls, so that it reports the panic before others see that it has ended:
//
//	go func() {
//		defer close(done)
//		defer crash.Recover()
//		...
//	}()
func Recover() {
	f := handler.Load()
	if f == nil {
		return
	}
	if value := recover(); value != nil {
		(*f)(value, debug.Stack())
	}
}
