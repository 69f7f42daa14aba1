package cli

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"

	"github.com/spf13/cobra"

	"pollux/internal/config"
	"pollux/internal/exit"
	"pollux/internal/extension/fetch"
	"pollux/internal/skill/install"
	"pollux/internal/slash"
)

// installCommands returns the subcommands that add and remove skills.
func (c *skillActions) installCommands() []*cobra.Command {
	add := &cobra.Command{
		Use: "install <source>", Short: "Install the skills of a Git repository, a directory or a .skill file", Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, words []string) error { return c.install(cmd.Context(), words[0]) },
	}
	add.Flags().StringVar(&c.sub, "path", "", "`Directory` in the source to install from")
	link := &cobra.Command{
		Use: "link <path>", Short: "Use the skills of a directory from where they are", Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, words []string) error { return c.link(cmd.Context(), words[0]) },
	}
	remove := &cobra.Command{
		Use: "uninstall <name>", Short: "Remove an installed or linked skill", Args: cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, words []string) error { return c.uninstall(words[0]) },
	}
	for _, cmd := range []*cobra.Command{add, link} {
		cmd.Flags().BoolVar(&c.consent, "consent", false, "Agree to the installation without a question")
	}
	list := []*cobra.Command{add, link, remove}
	for _, cmd := range list {
		cmd.Flags().StringVar(&c.place, "scope", "user", "Where the skill belongs: `user` or workspace")
	}
	return list
}

// installer returns the installer for the scope that --scope names.
func (c *skillActions) installer() (*install.Installer, error) {
	setup, err := look(c.term, c.env)
	if err != nil {
		return nil, err
	}
	i, err := slash.SkillInstaller(setup, c.place)
	if err != nil {
		return nil, err
	}
	i.Show = func(text string) { printNote(c.term, text) }
	i.Consent = func(ctx context.Context, text string) (bool, error) {
		if c.consent {
			printWhole(c.term, "You have consented to the following:\n"+text)
			return true, nil
		}
		user := &terminalUser{term: c.term, input: c.term.Input()}
		defer user.input.Close()
		return user.Confirm(ctx, text, "Do you want to continue? [Y/n]: ", true)
	}
	return i, nil
}

// absolute returns the path of a directory or file that the user names.
func absolute(path string) (string, error) {
	dir, err := config.WorkingDir()
	if err != nil || filepath.IsAbs(path) {
		return path, err
	}
	return filepath.Join(dir, path), nil
}

func (c *skillActions) install(ctx context.Context, source string) error {
	i, err := c.installer()
	if err != nil {
		return err
	}
	if !fetch.IsRemote(source) {
		if source, err = absolute(source); err != nil {
			return err
		}
	}
	done, err := i.Install(ctx, source, c.sub)
	return c.report(done, "installed", err)
}

func (c *skillActions) link(ctx context.Context, path string) error {
	i, err := c.installer()
	if err == nil {
		path, err = absolute(path)
	}
	if err != nil {
		return err
	}
	done, err := i.Link(ctx, path)
	return c.report(done, "linked", err)
}

// report prints a line for each skill, and returns err with an exit code.
func (c *skillActions) report(done []install.Skill, verb string, err error) error {
	for _, k := range done {
		err = errors.Join(err, printText(c.term, fmt.Sprintf("Successfully %s skill: %s (scope: %s, location: %s)", verb, k.Name, c.place, k.Path)))
	}
	if err == nil || exit.CodeOf(err) != exit.General {
		return err
	}
	return exit.Errorf(exit.General, "%w", err)
}

func (c *skillActions) uninstall(name string) error {
	i, err := c.installer()
	if err != nil {
		return err
	}
	path, found, err := install.Uninstall(i.Dir, name)
	switch {
	case err != nil:
		return exit.Errorf(exit.General, "%w", err)
	case !found:
		printNote(c.term, fmt.Sprintf("Skill %q is not installed in the %s scope.", name, c.place))
		return nil
	}
	return printText(c.term, fmt.Sprintf("Successfully uninstalled skill: %s (scope: %s, location: %s)", name, c.place, path))
}
