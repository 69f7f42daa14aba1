//go:build unix

package acceptance

import (
	"fmt"
	"os"

	"pollux/internal/face/tui/tuitest"
)

// emulator runs another program at an emulated terminal, following a script: see [tuitest.Play].
func emulator() {
	if err := tuitest.Play(os.Args[1], os.Args[2:], os.Getenv, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
