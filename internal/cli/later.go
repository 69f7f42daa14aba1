package cli

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"pollux/internal/config"
	"pollux/internal/exit"
	"pollux/internal/session"
)

// laterCommands are the names and aliases of subcommands that are not available yet.
var laterCommands = [...][]string{
	{"extensions", "extension"}, {"gemma"},
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

// refusal describes the error for a flag whose feature is not available yet.
type refusal struct {
	flag string
	code exit.Code
	what string // the beginning of the message
}

// refusals are the unavailable flags that Pollux cannot ignore, because the run would not
// do what the user expects.
var refusals = [...]refusal{
	{"sandbox", exit.Sandbox, "The sandbox is"},
	{"acp", exit.General, "The Agent Client Protocol is"},
	{"experimental-acp", exit.General, "The Agent Client Protocol is"},
	{"list-extensions", exit.General, "Extensions are"},
}

// isLater reports whether the feature of a flag is not available yet.
func isLater(flag string) bool {
	return flag == "extensions" || slices.ContainsFunc(refusals[:], func(r refusal) bool { return r.flag == flag })
}

// later checks for flags whose feature is not available yet. It returns an error for flags
// in [refusals] and for a sandbox set in the environment, and warnings for flags that
// Pollux can ignore because the run is still useful.
func later(f *pflag.FlagSet, r *rawFlags, env *config.Env) (warnings []string, err error) {
	for _, refused := range refusals {
		flag := f.Lookup(refused.flag)
		if !flag.Changed || isBool(flag) && flag.Value.String() == "false" {
			continue
		}
		return nil, exit.Errorf(refused.code, "%s not available yet in this version of Pollux. Run it without --%s.", refused.what, refused.flag)
	}
	if err := session.RefuseSandboxIn(env); err != nil {
		return nil, err
	}
	none := len(r.extensions) == 1 && (r.extensions[0] == "" || strings.EqualFold(r.extensions[0], "none"))
	if f.Changed("extensions") && !none {
		warnings = append(warnings, fmt.Sprintf("Warning: Extensions are not available yet in this version of Pollux. Ignored: %s.",
			strings.Join(r.extensions, ", ")))
	}
	return warnings, nil
}
