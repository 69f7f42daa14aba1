package cli

import (
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"pollux/internal/config"
	"pollux/internal/extension"
	"pollux/internal/project"
	"pollux/internal/servers"
	"pollux/internal/terminal"
)

// completeNames returns the completion of up to most arguments of a command, each with one of the names that
// exist in the working directory. Unlike other completions, it reads settings.
func completeNames(t *terminal.Terminal, env *config.Env, most int, names func(*cobra.Command, *project.Project) []string) cobra.CompletionFunc {
	return func(cmd *cobra.Command, words []string, typed string) (found []string, _ cobra.ShellCompDirective) {
		const none = cobra.ShellCompDirectiveNoFileComp
		if len(words) >= most {
			return nil, none
		}
		setup, err := look(&terminal.Terminal{In: t.In, Out: t.Out, Err: terminal.NewWriter(io.Discard)}, env)
		if err != nil {
			return nil, none
		}
		for _, name := range names(cmd, setup) {
			if strings.HasPrefix(name, typed) && !slices.Contains(words, name) && terminal.Line(name) == name {
				found = append(found, name)
			}
		}
		return found, none
	}
}

// extensionNames returns the names of the installed extensions.
func extensionNames(cmd *cobra.Command, setup *project.Project) (names []string) {
	installed, _ := extension.Load(cmd.Context(), extension.Options{Dir: setup.ExtensionsDir(), Workspace: setup.Paths.Dir(), NoSettings: true})
	for _, e := range installed {
		names = append(names, e.Name)
	}
	return names
}

// serverNames returns the names of the MCP servers in the settings and in extensions.
func serverNames(_ *cobra.Command, setup *project.Project) (names []string) {
	for _, s := range servers.Configs(setup, setup.Settings()) {
		names = append(names, s.Name)
	}
	return names
}

// skillNames returns the names of the skills.
func skillNames(_ *cobra.Command, setup *project.Project) (names []string) {
	for _, s := range setup.ReadSkills(setup.Settings(), setup.IsTrusted()).All() {
		names = append(names, s.Name)
	}
	return names
}
