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
	"pollux/internal/extension/template"
	"pollux/internal/manage/sessions"
	"pollux/llm/catalog"
	"pollux/llm/provider"
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
// because the user is typing: they send no requests, and only names of what is installed are read from files.
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
		return cobra.FixedCompletions([]string{sessions.Latest}, cobra.ShellCompDirectiveNoFileComp)
	case slices.Contains([]string{"prompt", "prompt-interactive", "session-file", "policy", "admin-policy"}, f.Name):
		return nil // complete file names, which prompts can contain too
	}
	return cobra.NoFileCompletions
}

// argumentCompletion returns the function that completes the arguments of a command, nil for
// file names.
func argumentCompletion(cmd *cobra.Command) cobra.CompletionFunc {
	switch strings.TrimPrefix(cmd.CommandPath(), "pollux ") {
	case "pollux":
		return nil // a prompt can contain file names
	case "policy check", "policy test", "policy explain":
		return nil // file names, which commands contain, too
	case "sessions import":
		return nil
	case "sessions show", "sessions export", "sessions delete", "sessions fork", "sessions rewind":
		return completeSession
	case "completion":
		return completeFirst(shells)
	case "models":
		return providers
	case "config get", "config unset", "config explain":
		return settingsKeys
	case "config set":
		return settingsValues
	case "extensions install", "extensions link", "extensions validate":
		return cobra.FixedCompletions(nil, cobra.ShellCompDirectiveFilterDirs)
	case "extensions new":
		return newExtension
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

// newExtension completes the arguments of "extensions new": a directory, then a template.
func newExtension(_ *cobra.Command, words []string, _ string) ([]string, cobra.ShellCompDirective) {
	switch len(words) {
	case 0:
		return nil, cobra.ShellCompDirectiveFilterDirs
	case 1:
		return template.Names(), cobra.ShellCompDirectiveNoFileComp
	}
	return nil, cobra.ShellCompDirectiveNoFileComp
}

// completeSession completes the first argument of a command with "latest", and a second one with file
// names.
func completeSession(cmd *cobra.Command, words []string, _ string) ([]string, cobra.ShellCompDirective) {
	if len(words) > 0 && cmd.Name() == "export" {
		return nil, cobra.ShellCompDirectiveDefault
	}
	return completeFirst([]string{sessions.Latest})(cmd, words, "")
}

// completeFirst returns a function that completes the first argument of a command with values,
// and no further arguments.
func completeFirst(values []string) cobra.CompletionFunc {
	return func(_ *cobra.Command, words []string, _ string) ([]string, cobra.ShellCompDirective) {
		if len(words) > 0 {
			values = nil
		}
		return values, cobra.ShellCompDirectiveNoFileComp
	}
}

// settingsKeys completes the first argument of a command with the keys of settings.
func settingsKeys(_ *cobra.Command, words []string, typed string) ([]string, cobra.ShellCompDirective) {
	var keys []string
	for _, key := range config.Keys() {
		if len(words) == 0 && strings.HasPrefix(key.Path, typed) {
			keys = append(keys, key.Path+"\t"+key.Doc)
		}
	}
	return keys, cobra.ShellCompDirectiveNoFileComp
}

// settingsValues completes the two arguments of "config set": a key, then a value of its type.
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
		return modelNames(cmd, nil, typed)
	}
	if values, ok := strings.CutPrefix(key.Type, "enum "); ok {
		return strings.Fields(values), cobra.ShellCompDirectiveNoFileComp
	}
	return nil, cobra.ShellCompDirectiveDefault // the value can be a file name
}

// providers completes the ids of the built-in providers.
func providers(_ *cobra.Command, _ []string, typed string) ([]string, cobra.ShellCompDirective) {
	var ids []string
	for p := range provider.Builtin().All() {
		if strings.HasPrefix(p.ID, typed) {
			ids = append(ids, p.ID+"\t"+p.Name)
		}
	}
	return ids, cobra.ShellCompDirectiveNoFileComp
}

// modelNames completes the names of models. Before a slash is typed, it returns Google's models,
// their aliases, and the prefixes of providers such as "openai/". After it, it returns the
// models of that provider.
func modelNames(_ *cobra.Command, _ []string, typed string) ([]string, cobra.ShellCompDirective) {
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
		return names, none | cobra.ShellCompDirectiveNoSpace // only provider prefixes match: the name of a model follows
	}
	return names, none
}
