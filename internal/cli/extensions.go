package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"pollux/internal/config"
	"pollux/internal/exit"
	"pollux/internal/extension"
	"pollux/internal/extension/install"
	"pollux/internal/extension/template"
	"pollux/internal/project"
	"pollux/internal/terminal"
	"pollux/internal/wording"
)

// extensionsCommand returns the subcommand that manages extensions.
func extensionsCommand(t *terminal.Terminal, env *config.Env) *cobra.Command {
	c := &extensionActions{term: t, env: env}
	cmd := &cobra.Command{
		Use: "extensions", Aliases: []string{"extension"}, Short: "Install, update and configure extensions", Args: cobra.NoArgs, RunE: requireSubcommand,
	}
	for _, sub := range []*cobra.Command{
		c.installCommand(), c.uninstallCommand(), c.listCommand(), c.updateCommand(), c.switchCommand(false), c.switchCommand(true),
		c.linkCommand(), c.newCommand(), c.validateCommand(), c.configCommand(),
	} {
		run := sub.RunE
		switch sub.Name() {
		case "uninstall":
			sub.ValidArgsFunction = completeNames(t, env, math.MaxInt, extensionNames)
		case "update", "disable", "enable", "config":
			sub.ValidArgsFunction = completeNames(t, env, 1, extensionNames)
		}
		sub.RunE = func(cmd *cobra.Command, words []string) error {
			if err := checkChoices(cmd.Flags()); err != nil {
				return err
			}
			return commandError(run(cmd, words))
		}
		cmd.AddCommand(sub)
	}
	return cmd
}

// extensionActions holds the flags of the subcommands of extensions.
type extensionActions struct {
	term *terminal.Terminal
	env  *config.Env

	install.Options
	all    bool
	format string

	setup *project.Project
}

// manage calls a function with the manager of extensions for the working directory.
func (c *extensionActions) manage(run func(m *install.Manager) error) (err error) {
	if c.setup, err = look(c.term, c.env); err != nil {
		return err
	}
	user := &terminalUser{term: c.term}
	defer user.close()
	return run(c.setup.ExtensionManager(user, func(text string) { printWhole(c.term, text) }))
}

// note prints a line for people. Standard output is for what scripts read.
func (c *extensionActions) note(text string) { printNote(c.term, text) }

// commandError returns the error of a subcommand as a sentence, with exit code 1 unless it has one.
func commandError(err error) error {
	var coded *exit.Error
	var usage *usageError
	if err == nil || errors.As(err, &coded) || errors.As(err, &usage) || errors.Is(err, context.Canceled) {
		return err
	}
	return &exit.Error{Code: exit.General, Message: wording.Sentence(err), Err: err}
}

func (c *extensionActions) installCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use: "install <source>", Short: "Install an extension from a Git repository, a GitHub release, a directory or an archive", Args: cobra.ExactArgs(1),
		Example: "  pollux extensions install https://github.com/owner/repository --auto-update\n" +
			"  pollux extensions install ./my-extension",
		RunE: func(cmd *cobra.Command, words []string) error {
			return c.manage(func(m *install.Manager) error {
				name, err := m.Install(cmd.Context(), words[0], c.Options)
				if err == nil {
					c.note(fmt.Sprintf("Extension %q installed successfully and enabled.", name))
				}
				return err
			})
		},
	}
	f := cmd.Flags()
	f.StringVar(&c.Ref, "ref", "", "`name` Branch, tag or commit to install")
	f.BoolVar(&c.AutoUpdate, "auto-update", false, "Update the extension when a session starts")
	f.BoolVar(&c.PreRelease, "pre-release", false, "Install releases that are marked as early ones, too")
	f.BoolVar(&c.HasConsent, "consent", false, "Install without a question: you accept the risk")
	f.BoolVar(&c.SkipSettings, "skip-settings", false, "Do not ask for the settings of the extension")
	return cmd
}

func (c *extensionActions) linkCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use: "link <path>", Short: "Use an extension in a directory, without a copy", Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, words []string) error {
			return c.manage(func(m *install.Manager) error {
				name, err := m.Link(cmd.Context(), words[0], install.Options{HasConsent: c.HasConsent})
				if err == nil {
					c.note(fmt.Sprintf("Extension %q linked successfully and enabled.", name))
				}
				return err
			})
		},
	}
	cmd.Flags().BoolVar(&c.HasConsent, "consent", false, "Link without a question: you accept the risk")
	return cmd
}

func (c *extensionActions) uninstallCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use: "uninstall [names...]", Short: "Remove extensions, by name or source", Args: cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, words []string) error {
			if !c.all && len(words) == 0 {
				return &usageError{message: "Please include at least one extension name to uninstall as a positional argument, or use the --all flag.", cmd: cmd}
			}
			return c.manage(func(m *install.Manager) error { return c.uninstall(cmd.Context(), m, words) })
		},
	}
	cmd.Flags().BoolVar(&c.all, "all", false, "Remove all extensions")
	return cmd
}

func (c *extensionActions) uninstall(ctx context.Context, m *install.Manager, names []string) error {
	installed, err := m.Installed(ctx)
	if err != nil {
		return err
	}
	if c.all {
		names = nil
		for _, e := range installed {
			names = append(names, e.Name)
		}
		if len(names) == 0 {
			c.note("No extensions currently installed.")
		}
	}
	var failures []string
	for i, name := range names {
		if slices.Contains(names[:i], name) {
			continue
		}
		var err error = exit.Errorf(exit.General, "Extension not found.")
		if e := m.FindInstalled(installed, name); e != nil {
			err = m.Uninstall(ctx, e)
		}
		if err != nil {
			failures = append(failures, fmt.Sprintf("Failed to uninstall %q: %v", terminal.Cut(name, 200), err))
			continue
		}
		c.note(fmt.Sprintf("Extension %q successfully uninstalled.", name))
	}
	if len(failures) > 0 {
		return exit.Errorf(exit.General, "%s", strings.Join(failures, "\n"))
	}
	return nil
}

func (c *extensionActions) listCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use: "list", Short: "List installed extensions", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return c.manage(func(m *install.Manager) error { return c.list(cmd.Context(), m) })
		},
	}
	choice(cmd.Flags(), &c.format, "output-format", "o", "`format` Format of the list", "text", "json")
	return cmd
}

func (c *extensionActions) list(ctx context.Context, m *install.Manager) error {
	installed, err := m.List(ctx)
	switch {
	case err != nil:
		return err
	case c.format == "json":
		all := []install.JSON{}
		for _, e := range installed {
			all = append(all, m.DescribeJSON(e))
		}
		return printJSON(c.term, all)
	case len(installed) == 0:
		return printText(c.term, "No extensions installed.")
	}
	texts := make([]string, 0, len(installed))
	for _, e := range installed {
		text, err := m.Describe(e)
		if err != nil {
			return err
		}
		texts = append(texts, text)
	}
	_, err = fmt.Fprintln(c.term.Out, terminal.Visible(strings.Join(texts, "\n\n"))) // scripts read the lines
	return err
}

func (c *extensionActions) updateCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use: "update [<name>]", Short: "Update an extension, or all with --all", Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, words []string) error {
			switch {
			case c.all && len(words) > 0:
				return &usageError{message: "Arguments name and all are mutually exclusive", cmd: cmd}
			case !c.all && len(words) == 0:
				return &usageError{message: "Either an extension name or --all must be provided", cmd: cmd}
			}
			return c.manage(func(m *install.Manager) error {
				if c.all {
					return c.updateAll(cmd.Context(), m)
				}
				return c.update(cmd.Context(), m, words[0])
			})
		},
	}
	cmd.Flags().BoolVar(&c.all, "all", false, "Update all extensions")
	return cmd
}

func (c *extensionActions) update(ctx context.Context, m *install.Manager, name string) error {
	text, err := m.UpdateNamed(ctx, name)
	if errors.Is(err, install.ErrNotInstalled) {
		err = nil // as in Gemini CLI
	}
	if err == nil {
		c.note(text)
	}
	return err
}

func (c *extensionActions) updateAll(ctx context.Context, m *install.Manager) error {
	lines, failures, err := m.UpdateAll(ctx)
	if err != nil {
		return err
	}
	for _, line := range lines {
		c.note(line)
	}
	if len(failures) > 0 {
		return exit.Errorf(exit.General, "%s", strings.Join(failures, "\n"))
	}
	return nil
}

// switchCommand returns the subcommand enable or disable.
func (c *extensionActions) switchCommand(enabled bool) *cobra.Command {
	verb, scope := "disable", "User"
	if enabled {
		verb, scope = "enable", ""
	}
	cmd := &cobra.Command{
		Use: verb + " <name>", Short: strings.ToUpper(verb[:1]) + verb[1:] + " an extension", Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, words []string) error {
			return c.manage(func(m *install.Manager) error { return c.setEnabled(cmd.Context(), m, words[0], scope, enabled) })
		},
	}
	cmd.Flags().StringVar(&scope, "scope", scope, "`scope` Where: user or workspace")
	return cmd
}

func (c *extensionActions) setEnabled(ctx context.Context, m *install.Manager, name, scopeName string, enabled bool) error {
	scope, err := parseScope(scopeName)
	if err != nil {
		return err
	}
	var e *extension.Extension
	if enabled && scopeName == "" {
		e, err = m.EnableEverywhere(ctx, name)
	} else {
		e, err = m.Enable(ctx, name, scope, enabled)
	}
	switch {
	case errors.Is(err, install.ErrNotInstalled):
		code := exit.General
		if enabled {
			code = exit.Config
		}
		return exit.Errorf(code, "Extension with name %s does not exist.", terminal.Cut(name, 200))
	case err != nil:
		return err
	case !enabled:
		c.note(fmt.Sprintf("Extension %q successfully disabled for scope %q.", name, scopeName))
		c.noteUnchanged(m, name, enabled)
		return nil
	}
	servers, err := c.setup.EnableServersOf(e)
	if err != nil {
		return err
	}
	for _, server := range servers {
		c.note(fmt.Sprintf("MCP server '%s' was disabled - now enabled.", server))
	}
	if scopeName == "" {
		c.note(fmt.Sprintf("Extension %q successfully enabled in all scopes.", name))
	} else {
		c.note(fmt.Sprintf("Extension %q successfully enabled for scope %q.", name, scopeName))
	}
	c.noteUnchanged(m, name, enabled)
	return nil
}

// noteUnchanged prints why the working directory has not got what the user has asked for.
func (c *extensionActions) noteUnchanged(m *install.Manager, name string, enabled bool) {
	if why := m.WhyUnchanged(name, enabled); why != "" {
		c.note(why)
	}
}

// parseScope returns the scope with a name. The usual one is that of the user.
func parseScope(name string) (extension.Scope, error) {
	switch strings.ToLower(name) {
	case "", "user":
		return extension.User, nil
	case "workspace":
		return extension.Workspace, nil
	}
	return "", exit.Errorf(exit.General, "Invalid scope: %s. Please use one of user, workspace.", terminal.Cut(name, 40))
}

func (c *extensionActions) newCommand() *cobra.Command {
	names := strings.Join(template.Names(), ", ")
	return &cobra.Command{
		Use: "new <path> [template]", Short: "Create an extension", Args: cobra.RangeArgs(1, 2),
		Long: "Templates: " + names,
		RunE: func(_ *cobra.Command, words []string) error {
			from := ""
			if len(words) > 1 {
				if from = words[1]; !slices.Contains(template.Names(), from) {
					return exit.Errorf(exit.General, "There is no template %q. Use one of %s.", terminal.Cut(from, 40), names)
				}
			}
			dir, err := config.WorkingDir()
			if err != nil {
				return err
			}
			path := words[0]
			if !filepath.IsAbs(path) {
				path = filepath.Join(dir, path)
			}
			if err := template.Write(path, from); err != nil {
				return err
			}
			if from != "" {
				from = fmt.Sprintf(" from template %q", from)
			}
			c.note(fmt.Sprintf("Successfully created new extension%s at %s.\nYou can install this using \"pollux extensions link %s\" to test it out.", from, words[0], words[0]))
			return nil
		},
	}
}

func (c *extensionActions) validateCommand() *cobra.Command {
	return &cobra.Command{
		Use: "validate <path>", Short: "Check an extension for mistakes", Args: cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, words []string) error {
			path, err := filepath.Abs(words[0])
			if err != nil {
				return err
			}
			report, err := install.Validate(path)
			if err != nil {
				return err
			}
			for _, part := range []struct {
				title string
				lines []string
			}{{"Validation warnings:", report.Warnings}, {"Validation failed with the following errors:", report.Errors}} {
				if len(part.lines) > 0 {
					c.note(part.title + "\n  - " + strings.Join(part.lines, "\n  - "))
				}
			}
			if len(report.Errors) > 0 {
				return exit.Errorf(exit.General, "Extension validation failed.")
			}
			c.note(fmt.Sprintf("Extension %s has been successfully validated.", words[0]))
			return nil
		},
	}
}

func (c *extensionActions) configCommand() *cobra.Command {
	var scope string
	cmd := &cobra.Command{
		Use: "config [name] [setting]", Short: "Set the settings of extensions", Args: cobra.MaximumNArgs(2),
		RunE: func(cmd *cobra.Command, words []string) error {
			words = append(words, "", "")
			return c.manage(func(m *install.Manager) error {
				return m.Configure(cmd.Context(), words[0], words[1], extension.Scope(cmp.Or(scope, string(extension.User))))
			})
		},
	}
	choice(cmd.Flags(), &scope, "scope", "", "`scope` Where the values count", "user", "workspace")
	return cmd
}
