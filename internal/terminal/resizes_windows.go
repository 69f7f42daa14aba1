package terminal

import (
	"os"
	"sync"
	"syscall"
	"time"

	"golang.org/x/term"

	"pollux/internal/crash"
)

// CatchResizes returns a channel with a value each time the size of the console changes, until release. There is no signal
// here: CatchResizes looks at the size four times a second.
func CatchResizes() (resizes <-chan os.Signal, release func()) {
	console, err := os.OpenFile("CONOUT$", os.O_RDWR, 0)
	if err != nil {
		return nil, func() {}
	}
	changed, done := make(chan os.Signal, 1), make(chan struct{})
	var running sync.WaitGroup
	running.Add(1)
	go func() {
		defer running.Done()
		defer crash.Recover()
		tick := time.NewTicker(time.Second / 4)
		defer tick.Stop()
		watchSize(func() (int, int, error) { return term.GetSize(int(console.Fd())) }, tick.C, done, changed)
	}()
	return changed, sync.OnceFunc(func() {
		close(done)
		running.Wait()
		_ = console.Close() // nothing was written
	})
}

// sizeChanged is the value in the channel of CatchResizes; no program sends it.
const sizeChanged = syscall.Signal(0)

// watchSize sends a value to changed when the size differs from the last one that it has seen at a tick, until done.
func watchSize(size func() (width, height int, err error), tick <-chan time.Time, done <-chan struct{}, changed chan<- os.Signal) {
	width, height, _ := size() // 0 if it fails
	for {
		select {
		case <-done:
			return
		case <-tick:
		}
		w, h, err := size()
		if err != nil || w == width && h == height {
			continue
		}
		width, height = w, h
		select {
		case changed <- sizeChanged:
		default: // the reader has not looked yet, and finds the newest size
		}
	}
}
