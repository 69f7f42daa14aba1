// Package program is the program pollux, for its command and for test binaries that stand in for it.
package program

import (
	"os"

	"pollux/internal/cli"
	"pollux/internal/config"
	"pollux/internal/process"
	"pollux/internal/terminal"
)

// Main runs the program as this process, and ends it.
func Main() {
	growStack(false)
	env := config.Environ()
	process.WipeEnvironment() // it may hold keys, and the programs that Pollux starts can look there
	t := terminal.New(os.Stdin, os.Stdout, os.Stderr, env.Get)
	cli.Process(os.Args[1:], t, env)
}
