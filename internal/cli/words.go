package cli

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

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

// hint returns a suggestion for the first unknown flag that has one: the replacement of a
// removed flag, or a flag in sets with a similar name. It returns "" if there is none. The
// hint is separate from the error message, because scripts match the message.
func hint(unknown []string, sets ...*pflag.FlagSet) string {
	for _, name := range unknown {
		if instead := replacement(name); instead != "" {
			return dashed(name) + " was removed: " + instead + "."
		}
		if near := nearest(kebab(name), sets); near != "" {
			return "Did you mean --" + near + "?"
		}
	}
	return ""
}

// dashed returns a flag's name or letter with its leading dashes.
func dashed(name string) string {
	if len(name) == 1 {
		return "-" + name
	}
	return "--" + name
}

// replacement explains what to use instead of a flag that older versions of Gemini CLI
// had. It returns "" for other flags.
func replacement(flag string) string {
	switch flag = kebab(flag); {
	case flag == "checkpointing", flag == "c":
		return "set general.checkpointing.enabled in your settings"
	case flag == "all-files", flag == "a":
		return "put @ before the path of a file or directory in the prompt"
	case flag == "show-memory-usage":
		return "set ui.showMemoryUsage in your settings"
	case flag == "telemetry", strings.HasPrefix(flag, "telemetry-"):
		return "use the telemetry settings or the GEMINI_TELEMETRY_ variables"
	case flag == "proxy":
		return "set HTTPS_PROXY in the environment"
	case flag == "sandbox-image":
		return "set GEMINI_SANDBOX_IMAGE in the environment"
	case flag == "session-summary":
		return "use -o json for the statistics of a run"
	case flag == "ide-mode", flag == "ide-mode-feature":
		return "set ide.enabled in your settings"
	}
	return ""
}

// nearest returns the name of the visible flag most similar to name, or "" if no flag is
// similar enough.
func nearest(name string, sets []*pflag.FlagSet) string {
	return spelling.Closest(name, func(yield func(string) bool) {
		for _, set := range sets {
			more := true
			set.VisitAll(func(f *pflag.Flag) { more = more && (f.Hidden || yield(f.Name)) })
			if !more {
				return
			}
		}
	})
}
