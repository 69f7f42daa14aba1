// Package extensions manages extensions: it lists, installs, updates, switches, configures, removes and makes them.
package extensions

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"pollux/internal/exit"
	"pollux/internal/extension"
	"pollux/internal/extension/install"
	"pollux/internal/extension/template"
	"pollux/internal/manage"
	"pollux/internal/outcome"
	"pollux/internal/project"
	"pollux/internal/terminal"
	"pollux/internal/wording"
)

// Command returns the commands about extensions.
func Command() *manage.Command {
	consent := func(usage string) manage.Flag { return manage.Flag{Name: "consent", Default: false, Usage: usage} }
	const names, scoped = "<name>...|--all", "<name> [--scope=user|workspace]"
	return &manage.Command{
		Name: "extensions", Aliases: []string{"extension"}, Summary: "Install, update and configure extensions",
		Session: &manage.InSession{Run: managed(table)}, RunsWhileBusy: true,
		Subs: []*manage.Command{
			{
				Name: "list", Summary: "List installed extensions", Run: managed(list),
				Flags:   []manage.Flag{{Name: "output-format", Short: "o", Default: "", Usage: "`format` Format of the list", Choices: []string{"text", "json"}}},
				Session: &manage.InSession{Run: managed(table)}, RunsWhileBusy: true,
			},
			{
				Name: "update", Args: "[<name>]", Summary: "Update an extension, or all with --all", Names: installedNames, Run: managed(update),
				Flags:   []manage.Flag{{Name: "all", Default: false, Usage: "Update all extensions"}},
				Session: &manage.InSession{Args: names, Summary: "Update extensions", Run: managed(updateLive)},
			},
			{
				Name: "enable", Args: "<name>", Summary: "Enable an extension", Names: installedNames, Run: setEnabled(true),
				Flags:   []manage.Flag{{Name: "scope", Default: "", Usage: "`scope` Where: user or workspace"}},
				Session: &manage.InSession{Args: scoped, Run: setEnabledLive("enable", true)},
			},
			{
				Name: "disable", Args: "<name>", Summary: "Disable an extension", Names: installedNames, Run: setEnabled(false),
				Flags:   []manage.Flag{{Name: "scope", Default: "User", Usage: "`scope` Where: user or workspace"}},
				Session: &manage.InSession{Args: scoped, Run: setEnabledLive("disable", false)},
			},
			{Name: "explore", Summary: "Show where to find extensions", IsSessionOnly: true, RunsWhileBusy: true, Run: explore},
			{
				Name: "reload", Aliases: []string{"restart"}, Args: "[<name>...|--all]", Summary: "Show how to use changed extensions",
				IsSessionOnly: true, RunsWhileBusy: true, Run: reload,
			},
			{
				Name: "install", Args: "<source>", Summary: "Install an extension from a Git repository, a GitHub release, a directory or an archive", Run: managed(add), Values: manage.DirectoryNames,
				Example: "  pollux extensions install https://github.com/owner/repository --auto-update\n" +
					"  pollux extensions install ./my-extension",
				Flags: []manage.Flag{
					{Name: "ref", Default: "", Usage: "`name` Branch, tag or commit to install"},
					{Name: "plugin", Default: "", Usage: "`name` Plugin to install from a marketplace of Claude Code"},
					{Name: "auto-update", Default: false, Usage: "Update the extension when a session starts"},
					{Name: "pre-release", Default: false, Usage: "Install releases that are marked as early ones, too"},
					consent("Install without a question: you accept the risk"),
					{Name: "skip-settings", Default: false, Usage: "Do not ask for the settings of the extension"},
				},
				Session: &manage.InSession{Args: "<source> [--ref=R] [--plugin=NAME] [--auto-update] [--pre-release]", Summary: "Install an extension"}, NeedsPerson: true, Instead: "In a terminal, run: pollux extensions install SOURCE",
			},
			{
				Name: "link", Args: "<path>", Summary: "Use an extension in a directory, without a copy", Run: managed(link), Values: manage.DirectoryNames,
				Flags:   []manage.Flag{consent("Link without a question: you accept the risk")},
				Session: &manage.InSession{}, NeedsPerson: true, Instead: "In a terminal, run: pollux extensions link PATH",
			},
			{
				Name: "uninstall", Args: "[names...]", Summary: "Remove extensions, by name or source", Names: installedNames, Run: managed(uninstall),
				Flags:   []manage.Flag{{Name: "all", Default: false, Usage: "Remove all extensions"}},
				Session: &manage.InSession{Aliases: []string{"delete"}, Args: names, Summary: "Remove extensions"},
			},
			{Name: "new", Args: "<path> [template]", Summary: "Create an extension", Details: "Templates: " + templateNames(), Run: create, Values: pathAndTemplate},
			{Name: "validate", Args: "<path>", Summary: "Check an extension for mistakes", Run: validate, Values: manage.DirectoryNames},
			{
				Name: "config", Args: "[name] [setting]", Summary: "Set the settings of extensions", Names: installedNames, Run: managed(configure),
				Flags:   []manage.Flag{{Name: "scope", Default: "", Usage: "`scope` Where the values count", Choices: []string{"user", "workspace"}}},
				Session: &manage.InSession{Args: "[name] [setting] [--scope=user|workspace]"}, NeedsPerson: true, Instead: "In a terminal, run: pollux extensions config NAME",
			},
		},
	}
}

func installedNames(ctx context.Context, p *project.Project) (names []string) {
	installed, _ := extension.Load(ctx, extension.Options{Dir: p.ExtensionsDir(), Workspace: p.Paths.Dir(), NoSettings: true})
	for _, e := range installed {
		names = append(names, e.Name)
	}
	return names
}

// manager is a manager of extensions for one call.
type manager struct {
	*install.Manager
	*manage.Call
	project *project.Project
}

// managed returns a command that uses a manager. In a session, the outcome begins with the notes of the manager.
func managed(run func(ctx context.Context, m *manager) (outcome.Outcome, error)) manage.Run {
	return func(ctx context.Context, c *manage.Call) (outcome.Outcome, error) {
		p, err := c.Open(ctx)
		if err != nil {
			return outcome.Outcome{}, err
		}
		var notes []outcome.Part
		user, note := c.User, c.Whole
		if c.Live != nil {
			user = liveUser{c}
			note = func(text string) { notes = append(notes, outcome.Text(text)) }
		}
		o, err := run(ctx, &manager{p.ExtensionManager(user, note), c, p})
		if err == nil {
			o.Parts = append(notes, o.Parts...)
			return o, nil
		}
		for _, part := range notes {
			c.Whole(string(part.(outcome.Text)))
		}
		return o, sentence(c, err, ctx.Err() != nil)
	}
}

// sentence returns the error of a command as a sentence, with exit code 1 unless it has one.
func sentence(c *manage.Call, err error, isCancelled bool) error {
	var coded *exit.Error
	var misuse *manage.UsageError
	switch {
	case c.Live != nil && (isCancelled || exit.CodeOf(err) == exit.Input):
		return err
	case c.Live != nil:
		return exit.Errorf(exit.General, "%w", err)
	case errors.As(err, &coded) || errors.As(err, &misuse) || errors.Is(err, context.Canceled):
		return err
	}
	return &exit.Error{Code: exit.General, Message: wording.Sentence(err), Err: err}
}

// afterRestart ends the messages about changes of extensions: a session reads them when it starts.
const afterRestart = " Takes effect the next time you start Pollux."

// done returns the outcome of a change, which a session uses after a restart.
func (m *manager) done(format string, args ...any) (outcome.Outcome, error) {
	text := fmt.Sprintf(format, args...)
	if m.Live != nil {
		text += afterRestart
	}
	return m.say(text), nil
}

// say returns a text in a session, and a note in a shell: standard output is for the data that scripts read.
func (m *manager) say(text string) outcome.Outcome {
	if m.Live != nil {
		return outcome.New(outcome.Text(text))
	}
	return outcome.Outcome{Notes: []string{text}}
}

// ListPlainly lists the names of the extensions with the text of Gemini CLI.
func ListPlainly(ctx context.Context, _ *manage.Call, p *project.Project) (outcome.Outcome, error) {
	text := "Installed extensions:"
	for _, e := range p.InstalledExtensions(ctx) {
		text += "\n- " + e.Name
	}
	return outcome.New(outcome.Lines(text)), nil
}

// list describes the installed extensions for scripts.
func list(ctx context.Context, m *manager) (outcome.Outcome, error) {
	installed, err := m.List(ctx)
	if err != nil {
		return outcome.Outcome{}, err
	}
	texts, all := []string{}, []install.JSON{}
	for _, e := range installed {
		text, err := m.Describe(e)
		if err != nil && m.Value("output-format") != "json" {
			return outcome.Outcome{}, err
		}
		texts, all = append(texts, text), append(all, m.DescribeJSON(e))
	}
	if len(installed) == 0 {
		return outcome.Textf("No extensions installed.").WithValue(all), nil
	}
	return outcome.New(outcome.Lines(strings.Join(texts, "\n\n"))).WithValue(all), nil
}

// table lists the installed extensions in a session.
func table(ctx context.Context, m *manager) (outcome.Outcome, error) {
	installed, err := m.List(ctx)
	if err != nil {
		return outcome.Outcome{}, err
	}
	if len(installed) == 0 {
		return outcome.Textf("No extensions installed. To find some, type /extensions explore."), nil
	}
	return outcome.New(outcome.NewTable([]string{"EXTENSION", "VERSION", "STATE", "SOURCE"}, installed, func(e *extension.Extension) []string {
		state, from := "disabled", ""
		if e.IsActive {
			state = "active"
		}
		if m.isUsed(e.Name) != e.IsActive {
			state += " from the next start"
		}
		if e.Install != nil {
			from = terminal.Line(e.Install.Source)
		}
		return []string{e.Name, terminal.Cut(terminal.Line(e.Version), 40), state, terminal.Cut(from, 80)}
	})), nil
}

func (m *manager) isUsed(name string) bool {
	return install.FindName(m.project.Extensions(), name) != nil
}

func explore(context.Context, *manage.Call) (outcome.Outcome, error) {
	const gallery = "https://geminicli.com/extensions/"
	return outcome.Textf("Extensions of others: %s\nTo install one, type /extensions install ADDRESS. Look at its source first: Pollux does not check extensions.", gallery), nil
}

// reload explains that extensions are read at the start.
func reload(_ context.Context, c *manage.Call) (outcome.Outcome, error) {
	return outcome.Textf("Pollux reads extensions when it starts. To use changed ones in this conversation, exit and run: pollux --resume %s", c.Live.ID()), nil
}

func templateNames() string { return strings.Join(template.Names(), ", ") }

// pathAndTemplate completes a directory, then a template.
func pathAndTemplate(words []string, _ string) ([]string, manage.Offer) {
	switch len(words) {
	case 0:
		return nil, manage.Directories
	case 1:
		return template.Names(), manage.Nothing
	}
	return nil, manage.Nothing
}

func create(_ context.Context, c *manage.Call) (o outcome.Outcome, err error) {
	from := ""
	if len(c.Words) > 1 {
		if from = c.Words[1]; !slices.Contains(template.Names(), from) {
			return o, exit.Errorf(exit.General, "There is no template %q. Use one of %s.", terminal.Cut(from, 40), templateNames())
		}
	}
	paths, err := c.Paths()
	if err != nil {
		return o, err
	}
	path := c.Words[0] // which a shell has expanded
	if !filepath.IsAbs(path) {
		path = filepath.Join(paths.Dir(), path)
	}
	if err := template.Write(path, from); err != nil {
		return o, sentence(c, err, false)
	}
	if from != "" {
		from = fmt.Sprintf(" from template %q", from)
	}
	o.Notes = []string{fmt.Sprintf("Successfully created new extension%s at %s.\nYou can install this using \"pollux extensions link %[2]s\" to test it out.", from, c.Words[0])}
	return o, nil
}

func validate(_ context.Context, c *manage.Call) (o outcome.Outcome, err error) {
	path, err := filepath.Abs(c.Words[0])
	if err != nil {
		return o, err
	}
	report, err := install.Validate(path)
	if err != nil {
		return o, sentence(c, err, false)
	}
	if report.Conversion != "" {
		o.Notes = append(o.Notes, strings.TrimRight(report.Conversion, "\n"))
	}
	for _, part := range []struct {
		title string
		lines []string
	}{{"Validation warnings:", report.Warnings}, {"Validation failed with the following errors:", report.Errors}} {
		if len(part.lines) > 0 {
			o.Notes = append(o.Notes, part.title+"\n  - "+strings.Join(part.lines, "\n  - "))
		}
	}
	if len(report.Errors) > 0 {
		return o, exit.Errorf(exit.General, "Extension validation failed.")
	}
	o.Notes = append(o.Notes, fmt.Sprintf("Extension %s has been successfully validated.", c.Words[0]))
	return o, nil
}
