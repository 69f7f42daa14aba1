package cli

import (
	_ "embed"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"pollux/internal/exit"
	"pollux/internal/manage"
	"pollux/internal/manage/nouns"
)

// The completion scripts call cobra's hidden command __complete. They replace the scripts
// that cobra generates, which evaluate the typed line: pressing Tab could run a command
// that is part of a prompt.
var (
	//go:embed completion/bash
	bashCompletion string
	//go:embed completion/zsh
	zshCompletion string
	//go:embed completion/fish
	fishCompletion string
)

var shells = []string{"bash", "zsh", "fish"}

// completionCommand returns the subcommand completion, which prints a shell completion script.
func (p *program) completionCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "completion <" + strings.Join(shells, "|") + ">",
		Short: "Print a shell completion script",
		RunE: func(cmd *cobra.Command, words []string) error {
			if len(words) != 1 || !slices.Contains(shells, words[0]) {
				return &usageError{message: "Choose a shell: " + strings.Join(shells, ", ") + ".", cmd: cmd}
			}
			script := map[string]string{"bash": bashCompletion, "zsh": zshCompletion, "fish": fishCompletion}[words[0]]
			if _, err := fmt.Fprint(p.term.Out, script); err != nil {
				return exit.Errorf(exit.General, "Cannot print the script: %w", err)
			}
			return nil
		},
	}
}

// isCompletionRequest reports whether the arguments are a shell's request for completions.
func isCompletionRequest(args []string) bool {
	return len(args) > 0 && (args[0] == cobra.ShellCompRequestCmd || args[0] == cobra.ShellCompNoDescRequestCmd)
}

// addCompletions registers completions for all commands and flags. Completions must be fast,
// because the user is typing: they send no requests, and read from files only the names of things that are installed.
func addCompletions(root *cobra.Command) {
	// Cobra completes the name of the help command even if it is hidden. The name of ours
	// cannot be typed, so use an existing command instead.
	root.SetHelpCommand(root.Commands()[0])
	walkCommands(root, func(cmd *cobra.Command) {
		cmd.DisableFlagParsing = false // cobra completes no flags where it does not parse them
		if cmd.ValidArgsFunction == nil {
			cmd.ValidArgsFunction = argumentCompletion(cmd)
		}
		cmd.LocalFlags().VisitAll(func(f *pflag.Flag) {
			_, f.Usage = described(f)
			if values := flagCompletion(f); values != nil {
				_ = cmd.RegisterFlagCompletionFunc(f.Name, values) // cannot fail: the flag exists and has no completion yet
			}
		})
	})
}

// walkCommands calls visit for cmd and all commands below it.
func walkCommands(cmd *cobra.Command, visit func(*cobra.Command)) {
	visit(cmd)
	for _, sub := range cmd.Commands() {
		walkCommands(sub, visit)
	}
}

// flagCompletion returns the function that completes the value of a flag, nil for file names.
func flagCompletion(f *pflag.Flag) cobra.CompletionFunc {
	switch {
	case f.Annotations[choices] != nil:
		return cobra.FixedCompletions(f.Annotations[choices], cobra.ShellCompDirectiveNoFileComp)
	case f.Name == "model":
		return modelNames
	case f.Name == "scope":
		return cobra.FixedCompletions([]string{"user", "workspace", "system"}, cobra.ShellCompDirectiveNoFileComp)
	case f.Name == "since", f.Name == "until":
		return cobra.FixedCompletions([]string{"today", "yesterday", "7d", "30d"}, cobra.ShellCompDirectiveNoFileComp)
	case f.Name == "include-directories", f.Name == "project":
		return cobra.FixedCompletions(nil, cobra.ShellCompDirectiveFilterDirs)
	case f.Name == "resume", f.Name == "delete-session":
		return cobra.FixedCompletions([]string{latest}, cobra.ShellCompDirectiveNoFileComp)
	case slices.Contains([]string{"prompt", "prompt-interactive", "session-file", "policy", "admin-policy"}, f.Name):
		return nil // complete file names, which prompts can contain too
	}
	return cobra.NoFileCompletions
}

// argumentCompletion returns the function that completes the arguments of a command without a function of its own,
// nil for file names.
func argumentCompletion(cmd *cobra.Command) cobra.CompletionFunc {
	switch strings.TrimPrefix(cmd.CommandPath(), "pollux ") {
	case "pollux":
		return nil // a prompt can contain file names
	case "completion":
		return completeValues(manage.First(func(string) []string { return shells }))
	}
	return cobra.NoFileCompletions
}

// completeValues returns the completion of a row's arguments.
func completeValues(values manage.Values) cobra.CompletionFunc {
	return func(_ *cobra.Command, words []string, typed string) ([]string, cobra.ShellCompDirective) {
		list, offer := values(words, typed)
		return list, map[manage.Offer]cobra.ShellCompDirective{
			manage.Nothing: cobra.ShellCompDirectiveNoFileComp, manage.Files: cobra.ShellCompDirectiveDefault, manage.Directories: cobra.ShellCompDirectiveFilterDirs,
			manage.Text: cobra.ShellCompDirectiveDefault,
		}[offer]
	}
}

// modelNames completes the names of models.
func modelNames(_ *cobra.Command, _ []string, typed string) ([]string, cobra.ShellCompDirective) {
	names, arePrefixes := nouns.ModelNames(typed)
	if arePrefixes {
		return names, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveNoSpace
	}
	return names, cobra.ShellCompDirectiveNoFileComp
}
