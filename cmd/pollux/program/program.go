// Package program is the program pollux, for its command and for test binaries that stand in for it.
package program

import (
	"fmt"
	"os"

	"pollux/internal/cli"
	"pollux/internal/config"
	"pollux/internal/exit"
	"pollux/internal/process"
	"pollux/internal/sandbox/container"
	"pollux/internal/terminal"
)

// Main runs the program as this process, and ends it.
func Main() {
	growStack(false)
	env := config.Environ()
	if how := env.Get(container.Variable); how != "" && how != container.Inside {
		if err := container.Enter(os.Args[1:], env.List()); err != nil {
			fmt.Fprintf(os.Stderr, "The session in the container cannot start: %v.\n", err)
			os.Exit(int(exit.Sandbox))
		}
		return
	}
	process.WipeEnvironment() // it may hold keys, and the programs that Pollux starts can look there
	t := terminal.New(os.Stdin, os.Stdout, os.Stderr, env.Get)
	cli.Process(os.Args[1:], t, env)
}
