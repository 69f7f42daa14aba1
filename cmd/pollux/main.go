// Command pollux is an AI agent for the terminal. Run "pollux --help" for its flags and
// subcommands.
package main

import "pollux/cmd/pollux/program"

func main() { program.Main() }
