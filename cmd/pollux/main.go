// Command pollux is an AI agent for the terminal. Run "pollux --help" for its flags and
// subcommands.
package main

import (
	"os"

	"pollux/internal/cli"
	"pollux/internal/config"
	"pollux/internal/process"
	"pollux/internal/terminal"
)

func main() {
	env := config.Environ()
	process.WipeEnvironment() // it may hold keys, and the programs that Pollux starts can look there
	t := terminal.New(os.Stdin, os.Stdout, os.Stderr, env.Get)
	os.Exit(int(cli.Main(os.Args[1:], t, env)))
}
