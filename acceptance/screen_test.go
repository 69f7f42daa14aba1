//go:build unix

package acceptance

import (
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"pollux/cmd/pollux/program"
	"pollux/internal/crash"
	"pollux/internal/face/tui/tuitest"
)

// emulator runs another program at an emulated terminal, following a script: see [tuitest.Play].
func emulator() {
	if err := tuitest.Play(os.Args[1], os.Args[2:], os.Getenv, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// breakable is Pollux with a bug in one of its goroutines: SIGUSR1 makes it panic.
func breakable() {
	breaks := make(chan os.Signal, 1)
	signal.Notify(breaks, syscall.SIGUSR1)
	go func() {
		defer crash.Recover()
		<-breaks
		panic("breaks")
	}()
	program.Main()
}
