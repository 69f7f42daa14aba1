//go:build !unix

package acceptance

import (
	"fmt"
	"os"
)

// talk needs a pseudo-terminal.
func talk() {
	fmt.Fprintln(os.Stderr, "there are no pseudo-terminals here")
	os.Exit(1)
}

// emulator needs a pseudo-terminal.
func emulator() { talk() }

// breakable needs SIGUSR1.
func breakable() { talk() }
