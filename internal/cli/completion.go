package cli

import (
	_ "embed"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"pollux/internal/config"
	"pollux/internal/exit"
	"pollux/llm/catalog"
	"pollux/llm/provider"
)

// The scripts ask the program through cobra's hidden command __complete. They are
// ours: those that cobra writes evaluate the line as it is typed, so that a command
// which stands in a prompt would run at the press of a key.
var (
	//go:embed completion/bash
	bashCompletion string
	//go:embed completion/zsh
	zshCompletion string
	//go:embed completion/fish
	fishCompletion string
)

var shells = []string{"bash", "zsh", "fish"}

// completionCommand is the subcommand that prints what makes a shell complete
// the command line.
func (p *program) completionCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "completion <" + strings.Join(shells, "|") + ">",
		Short: "Print what makes your shell complete command lines of Pollux",
		RunE: func(cmd *cobra.Command, words []string) error {
			if len(words) != 1 || !slices.Contains(shells, words[0]) {
				return &usageError{message: "Name your shell: " + strings.Join(shells, ", ") + ".", cmd: cmd}
			}
			script := map[string]string{"bash": bashCompletion, "zsh": zshCompletion, "fish": fishCompletion}[words[0]]
			if _, err := fmt.Fprint(p.term.Out, script); err != nil {
				return exit.Errorf(exit.General, "Cannot print the script: %w", err)
			}
			return nil
		},
	}
}

// completes reports whether a shell asks what fits a command line.
func completes(args []string) bool {
	return len(args) > 0 && (args[0] == cobra.ShellCompRequestCmd || args[0] == cobra.ShellCompNoDescRequestCmd)
}

// completable tells the commands what fits where. Nothing of it is read from the
// disk or asked of a server: it is wanted while somebody types.
func completable(root *cobra.Command) {
	// Cobra offers its help command even if it is hidden; ours has no name that
	// could be typed, so one that can be stands in for it.
	root.SetHelpCommand(root.Commands()[0])
	each(root, func(cmd *cobra.Command) {
		cmd.DisableFlagParsing = false // ours would not be asked for flags
		if cmd.ValidArgsFunction == nil {
			cmd.ValidArgsFunction = wordsOf(cmd)
		}
		cmd.LocalFlags().VisitAll(func(f *pflag.Flag) {
			_, f.Usage = described(f)
			if values := valuesOf(f); values != nil {
				_ = cmd.RegisterFlagCompletionFunc(f.Name, values) // it is there, and this is the first
			}
		})
	})
}

func each(cmd *cobra.Command, do func(*cobra.Command)) {
	do(cmd)
	for _, sub := range cmd.Commands() {
		each(sub, do)
	}
}

// valuesOf returns what fits after a flag, nil for names of files.
func valuesOf(f *pflag.Flag) cobra.CompletionFunc {
	switch {
	case f.Annotations[choices] != nil:
		return cobra.FixedCompletions(f.Annotations[choices], cobra.ShellCompDirectiveNoFileComp)
	case f.Name == "model":
		return models
	case f.Name == "scope":
		return cobra.FixedCompletions([]string{"user", "workspace", "system"}, cobra.ShellCompDirectiveNoFileComp)
	case f.Name == "include-directories":
		return cobra.FixedCompletions(nil, cobra.ShellCompDirectiveFilterDirs)
	case f.Name == "resume":
		return cobra.FixedCompletions([]string{"latest"}, cobra.ShellCompDirectiveNoFileComp)
	case slices.Contains([]string{"prompt", "prompt-interactive", "session-file", "policy", "admin-policy"}, f.Name):
		return nil // files, also in a prompt
	}
	return cobra.NoFileCompletions
}

// wordsOf returns what fits after a command.
func wordsOf(cmd *cobra.Command) cobra.CompletionFunc {
	switch strings.TrimPrefix(cmd.CommandPath(), "pollux ") {
	case "pollux":
		return nil // a prompt may name files
	case "completion":
		return first(shells)
	case "models":
		return providers
	case "config get", "config unset", "config explain":
		return settingsKeys
	case "config set":
		return settingsValues
	case "auth set", "auth remove":
		return func(cmd *cobra.Command, words []string, typed string) ([]string, cobra.ShellCompDirective) {
			if len(words) > 0 {
				return cobra.NoFileCompletions(cmd, words, typed)
			}
			return providers(cmd, words, typed)
		}
	}
	return cobra.NoFileCompletions
}

// first completes the first word, and no other.
func first(values []string) cobra.CompletionFunc {
	return func(_ *cobra.Command, words []string, _ string) ([]string, cobra.ShellCompDirective) {
		if len(words) > 0 {
			values = nil
		}
		return values, cobra.ShellCompDirectiveNoFileComp
	}
}

func settingsKeys(_ *cobra.Command, words []string, typed string) ([]string, cobra.ShellCompDirective) {
	var keys []string
	for _, key := range config.Keys() {
		if len(words) == 0 && strings.HasPrefix(key.Path, typed) {
			keys = append(keys, key.Path+"\t"+key.Doc)
		}
	}
	return keys, cobra.ShellCompDirectiveNoFileComp
}

// settingsValues completes a key, and then a value of its type.
func settingsValues(cmd *cobra.Command, words []string, typed string) ([]string, cobra.ShellCompDirective) {
	if len(words) != 1 {
		return settingsKeys(cmd, words, typed)
	}
	key, ok := config.KeyOf(words[0])
	switch {
	case !ok:
		return nil, cobra.ShellCompDirectiveNoFileComp
	case key.Type == "bool":
		return []string{"true", "false"}, cobra.ShellCompDirectiveNoFileComp
	case key.Path == string(config.ModelName):
		return models(cmd, nil, typed)
	}
	if values, ok := strings.CutPrefix(key.Type, "enum "); ok {
		return strings.Fields(values), cobra.ShellCompDirectiveNoFileComp
	}
	return nil, cobra.ShellCompDirectiveDefault // it may be the name of a file
}

func providers(_ *cobra.Command, _ []string, typed string) ([]string, cobra.ShellCompDirective) {
	var ids []string
	for p := range provider.Builtin().All() {
		if strings.HasPrefix(p.ID, typed) {
			ids = append(ids, p.ID+"\t"+p.Name)
		}
	}
	return ids, cobra.ShellCompDirectiveNoFileComp
}

// models completes the names of Google's models, and of a provider before those
// of its own.
func models(_ *cobra.Command, _ []string, typed string) ([]string, cobra.ShellCompDirective) {
	const none = cobra.ShellCompDirectiveNoFileComp
	var names []string
	add := func(name string) {
		if strings.HasPrefix(name, typed) {
			names = append(names, name)
		}
	}
	if id, _, ok := strings.Cut(typed, "/"); ok {
		for m := range catalog.Models(id) {
			add(id + "/" + m.Name)
		}
		return names, none
	}
	for _, alias := range [...]string{"auto", "pro", "flash", "flash-lite"} {
		add(alias)
	}
	for m := range catalog.Models("gemini") {
		add(m.Name)
	}
	google := len(names)
	for p := range provider.Builtin().All() {
		add(p.ID + "/")
	}
	if google == 0 {
		return names, none | cobra.ShellCompDirectiveNoSpace // a model is to follow
	}
	return names, none
}
