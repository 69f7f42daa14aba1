package cli

import (
	"slices"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

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

// refusal describes the error for a flag whose feature is not available yet.
type refusal struct {
	flag string
	code exit.Code
	what string // the beginning of the message
}

// refusals are the unavailable flags that Pollux cannot ignore, because the run would not
// have the effect that the user expects.
var refusals = [...]refusal{
	{"acp", exit.General, "The Agent Client Protocol is"},
	{"experimental-acp", exit.General, "The Agent Client Protocol is"},
}

// isLater reports whether the feature of a flag is not available yet.
func isLater(flag string) bool {
	return slices.ContainsFunc(refusals[:], func(r refusal) bool { return r.flag == flag })
}

// later returns an error for flags in [refusals].
func later(f *pflag.FlagSet) error {
	for _, refused := range refusals {
		flag := f.Lookup(refused.flag)
		if !flag.Changed || isBool(flag) && flag.Value.String() == "false" {
			continue
		}
		return exit.Errorf(refused.code, "%s not available yet in this version of Pollux. Run it without --%s.", refused.what, refused.flag)
	}
	return nil
}
