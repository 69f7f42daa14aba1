package acceptance

import (
	"os"

	"pollux/internal/cli"
	"pollux/internal/config"
	"pollux/internal/terminal"
)

// pollux runs the program under test, like cmd/pollux.
func pollux() {
	env := config.Environ()
	t := terminal.New(os.Stdin, os.Stdout, os.Stderr, env.Get)
	os.Exit(int(cli.Main(os.Args[1:], t, env)))
}
