package cli

import (
	"slices"

	"github.com/spf13/cobra"

	"pollux/internal/exit"
)

// laterCommands are the names and aliases of subcommands that are not available yet.
var laterCommands = [...][]string{
	{"gemma"},
}

// laterCommand returns a hidden subcommand that fails with a "not available yet" error.
// names are its name and aliases.
func laterCommand(names []string) *cobra.Command {
	return &cobra.Command{
		Use: names[0], Aliases: names[1:], Short: "Not available yet", Hidden: true,
		DisableFlagParsing: true,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return exit.Errorf(exit.General, "pollux %s is not available yet in this version of Pollux.", cmd.CalledAs())
		},
	}
}

// isLaterCommand reports whether a subcommand is not available yet.
func isLaterCommand(cmd *cobra.Command) bool {
	return slices.ContainsFunc(laterCommands[:], func(names []string) bool { return names[0] == cmd.Name() })
}
