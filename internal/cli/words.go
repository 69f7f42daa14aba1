package cli

import (
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"pollux/tool/spelling"
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
	near := spelling.Closest(word, func(yield func(string) bool) {
		for _, sub := range cmd.Commands() {
			if !sub.Hidden && !yield(sub.Name()) {
				return
			}
		}
	})
	if near == "" {
		return ""
	}
	return fmt.Sprintf("Did you mean %q?", cmd.CommandPath()+" "+near)
}
