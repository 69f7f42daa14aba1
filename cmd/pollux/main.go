// Command pollux is an AI agent in the terminal.
package main

import (
	"os"

	"pollux/internal/cli"
	"pollux/internal/config"
	"pollux/internal/terminal"
)

func main() {
	env := config.Environ()
	t := terminal.New(os.Stdin, os.Stdout, os.Stderr, env.Get)
	os.Exit(int(cli.Main(os.Args[1:], t, env, cli.Run, cli.Demo, cli.Config, cli.Models, cli.Memory, cli.Doctor, cli.Auth)))
}
