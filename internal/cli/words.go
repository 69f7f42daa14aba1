package cli

import (
	"fmt"
	"slices"

	"github.com/agnivade/levenshtein"
	"github.com/spf13/cobra"
)

// checkWords makes the commands below root report too many or too few arguments in the same
// way as wrong flags: with a message in the format of yargs and a hint.
func checkWords(root *cobra.Command) {
	for _, cmd := range root.Commands() {
		if accept := cmd.Args; accept != nil || cmd.HasSubCommands() {
			if accept == nil {
				accept = cobra.NoArgs
			}
			cmd.Args = func(cmd *cobra.Command, words []string) error {
				if accept(cmd, words) == nil {
					return nil
				}
				return wrongWords(cmd, words, accept)
			}
		}
		checkWords(cmd)
	}
}

// wrongWords returns the error for arguments that accept rejects: too many, too few, or
// the error of accept itself.
func wrongWords(cmd *cobra.Command, words []string, accept cobra.PositionalArgs) error {
	for n := len(words) - 1; n >= 0; n-- {
		if accept(cmd, words[:n]) == nil {
			return &usageError{unknownArguments(words[n:]), cmd, nearCommand(cmd, words[n])}
		}
	}
	const maxWords = 9
	for n := len(words) + 1; n <= maxWords; n++ {
		if accept(cmd, append(slices.Clone(words), make([]string, n-len(words))...)) == nil {
			return &usageError{message: fmt.Sprintf("Not enough non-option arguments: got %d, need at least %d", len(words), n), cmd: cmd}
		}
	}
	return &usageError{message: accept(cmd, words).Error(), cmd: cmd}
}

// nearCommand returns a hint with the visible subcommand of cmd whose name is most similar
// to word, or "" if none is similar enough.
func nearCommand(cmd *cobra.Command, word string) string {
	best, least := "", 1+min(2, (len(word)+1)/2)
	for _, sub := range cmd.Commands() {
		if len(word) > 64 || sub.Hidden {
			continue
		}
		if d := levenshtein.ComputeDistance(word, sub.Name()); d < least {
			best, least = sub.CommandPath(), d
		}
	}
	if best == "" {
		return ""
	}
	return `Did you mean "` + best + `"?`
}
