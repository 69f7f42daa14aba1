// Command pollux is an AI agent in the terminal.
package main

import (
	"context"
	"os"

	"pollux/internal/cli"
	"pollux/internal/config"
	"pollux/internal/exit"
	"pollux/internal/terminal"
)

func main() {
	env := config.Environ()
	t := terminal.New(os.Stdin, os.Stdout, os.Stderr, env.Get)
	os.Exit(int(cli.Main(os.Args[1:], t, env, run)))
}

func run(context.Context, cli.Request) error {
	return exit.Errorf(exit.General, "This build of Pollux has no agent.")
}
