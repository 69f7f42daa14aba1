package slash

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"pollux/internal/exit"
	"pollux/internal/extension"
	"pollux/internal/extension/install"
	"pollux/internal/person"
	"pollux/internal/terminal"
	"pollux/internal/wording"
	"pollux/tool"
)

// afterRestart ends the messages about changes of extensions: a session reads them when it starts.
const afterRestart = " Takes effect the next time you start Pollux."

// gallery is the page with the extensions of others.
const gallery = "https://geminicli.com/extensions/"

// extensionUser asks the questions of a manager in a session.
type extensionUser struct{ *Runner }

// Confirm implements install.User. It offers the answers of its own, so the question is not shown.
func (u extensionUser) Confirm(ctx context.Context, text, question string, _ bool) (bool, error) {
	if text == "" {
		text, _, _ = strings.Cut(question, " [")
	}
	yes, err := u.confirm(ctx, "Extension", text)
	if errors.Is(err, person.ErrNoPerson) {
		return false, nil
	}
	return yes, err
}

// Value implements install.User.
func (u extensionUser) Value(ctx context.Context, s extension.Setting) (string, bool, error) {
	if u.Session.Project.Options.Asker == nil {
		return "", false, nil
	}
	kind := tool.TextQuestion
	if s.IsSensitive {
		kind = tool.SecretQuestion
	}
	answer, err := u.Session.Project.Options.Asker.Ask(ctx, &tool.QuestionConfirmation{Title: "Extension", Questions: []tool.Question{{
		Text: terminal.Line(s.Name + ": " + s.Description), Header: terminal.Cut(terminal.Line(s.Name), 40), Kind: kind,
	}}})
	if err != nil || answer.Outcome == tool.Cancel || answer.Reply == nil {
		return "", false, err
	}
	return strings.TrimSpace(answer.Reply.Answers["0"]), true, nil
}

// managed returns the function of a command that uses a manager of extensions. The result begins with the
// notes of the manager.
func managed(run func(ctx context.Context, s *Runner, m *install.Manager, args string) (Result, error)) func(context.Context, *Runner, string) (Result, error) {
	return func(ctx context.Context, s *Runner, args string) (Result, error) {
		var notes []string
		m := s.Session.Project.ExtensionManager(extensionUser{s}, func(text string) { notes = append(notes, text) })
		r, err := run(ctx, s, m, args)
		if err != nil {
			for _, note := range notes {
				s.Session.Project.Warn(terminal.Text(note))
			}
			return r, err
		}
		r.Text = strings.Join(append(notes, r.Text), "\n")
		return r, nil
	}
}

// extensionError returns the error of a manager as that of a command.
func extensionError(ctx context.Context, err error) (Result, error) {
	if ctx.Err() != nil {
		return Result{}, err
	}
	return Result{}, exit.Errorf(exit.General, "%w", err)
}

// parseOptions splits the arguments of a command into words and the values of --options; those without
// a value are "".
func parseOptions(args string, known ...string) (words []string, options map[string]string, err error) {
	options = map[string]string{}
	for _, word := range strings.Fields(args) {
		name, ok := strings.CutPrefix(word, "--")
		if !ok {
			words = append(words, word)
			continue
		}
		name, value, _ := strings.Cut(name, "=")
		if !slices.Contains(known, name) {
			return nil, nil, exit.Errorf(exit.Input, "There is no option --%s.", terminal.Cut(terminal.Line(name), 40))
		}
		options[name] = value
	}
	return words, options, nil
}

// extensionsList lists the installed extensions.
func extensionsList(ctx context.Context, s *Runner, m *install.Manager, _ string) (Result, error) {
	installed, err := m.List(ctx)
	if err != nil {
		return extensionError(ctx, err)
	}
	if len(installed) == 0 {
		return textResult("No extensions installed. To find some, type /extensions explore.")
	}
	var rows [][]string
	for _, e := range installed {
		state, from := "disabled", ""
		if e.IsActive {
			state = "active"
		}
		if isUsed := install.FindName(s.Session.Project.Extensions(), e.Name) != nil; isUsed != e.IsActive {
			state += " from the next start"
		}
		if e.Install != nil {
			from = terminal.Line(e.Install.Source)
		}
		rows = append(rows, []string{e.Name, terminal.Cut(terminal.Line(e.Version), 40), state, terminal.Cut(from, 80)})
	}
	return Result{Text: s.formatTable([]string{"EXTENSION", "VERSION", "STATE", "SOURCE"}, rows...)}, nil
}

// extensionsUpdate updates extensions by name, or all.
func extensionsUpdate(ctx context.Context, _ *Runner, m *install.Manager, args string) (Result, error) {
	names, options, err := parseOptions(args, "all")
	if err != nil {
		return Result{}, err
	}
	_, all := options["all"]
	if all == (len(names) > 0) {
		return usageError("Usage: /extensions update <name>...|--all")
	}
	var results, failures []string
	if all {
		if results, failures, err = m.UpdateAll(ctx); err != nil {
			return extensionError(ctx, err)
		}
	}
	for _, name := range names {
		text, err := m.UpdateNamed(ctx, name)
		switch {
		case ctx.Err() != nil:
			return Result{}, context.Cause(ctx)
		case errors.Is(err, install.ErrNotInstalled):
			err = exit.Errorf(exit.General, "Extension %q not found. /extensions lists the installed ones.", terminal.Cut(name, 60))
		}
		if err != nil {
			failures = append(failures, wording.Sentence(err))
			continue
		}
		results = append(results, text)
	}
	text := strings.Join(append(results, failures...), "\n")
	if strings.Contains(text, "successfully updated") {
		text += "\n" + strings.TrimSpace(afterRestart)
	}
	return Result{Text: text, Failed: len(failures) > 0}, nil
}

func extensionsEnable(ctx context.Context, s *Runner, m *install.Manager, args string) (Result, error) {
	return s.switchExtension(ctx, m, args, true)
}

func extensionsDisable(ctx context.Context, s *Runner, m *install.Manager, args string) (Result, error) {
	return s.switchExtension(ctx, m, args, false)
}

// switchExtension enables or disables an extension.
func (s *Runner) switchExtension(ctx context.Context, m *install.Manager, args string, enabled bool) (Result, error) {
	verb := map[bool]string{true: "enable", false: "disable"}[enabled]
	names, options, err := parseOptions(args, "scope")
	if err != nil {
		return Result{}, err
	}
	scope, err := scopeOption(options)
	switch {
	case err != nil:
		return Result{}, err
	case len(names) != 1:
		return usageError("Usage: /extensions %s <name> [--scope=user|workspace]", verb)
	}
	e, err := m.Enable(ctx, names[0], scope, enabled)
	switch {
	case errors.Is(err, install.ErrNotInstalled):
		return usageError("There is no extension %q. /extensions lists the installed ones.", terminal.Cut(names[0], 60))
	case err != nil:
		return extensionError(ctx, err)
	}
	text := fmt.Sprintf("Extension %q %sd for scope %q.", e.Name, verb, scope)
	if enabled {
		servers, err := s.Session.Project.EnableServersOf(e)
		if err != nil {
			return extensionError(ctx, err)
		}
		for _, name := range servers {
			text += fmt.Sprintf("\nMCP server '%s' was disabled - now enabled.", terminal.Line(name))
		}
	}
	isUsed := install.FindName(s.Session.Project.Extensions(), e.Name) != nil
	if why := m.WhyUnchanged(e.Name, enabled); why != "" {
		text += " " + why
	} else if isUsed != enabled {
		text += afterRestart
	}
	return Result{Text: text}, nil
}

// scopeOption returns the value of --scope.
func scopeOption(options map[string]string) (extension.Scope, error) {
	switch strings.ToLower(options["scope"]) {
	case "", "user":
		return extension.User, nil
	case "workspace":
		return extension.Workspace, nil
	case "session":
		return "", exit.Errorf(exit.Input, "Extensions do not change during a session. To choose those of a session, start it with pollux -e NAME,NAME or -e none.")
	}
	return "", exit.Errorf(exit.Input, "There is no scope %q. Use user or workspace.", terminal.Cut(terminal.Line(options["scope"]), 40))
}

func extensionsExplore(context.Context, *Runner, string) (Result, error) {
	return textResult("Extensions of others: %s\nTo install one, type /extensions install ADDRESS. Look at its source first: Pollux does not check extensions.", gallery)
}

// extensionsReload explains that extensions are read at the start.
func extensionsReload(_ context.Context, s *Runner, _ string) (Result, error) {
	return textResult("Pollux reads extensions when it starts. To use changed ones in this conversation, exit and run: pollux --resume %s", s.Session.ID())
}

func extensionsInstall(ctx context.Context, _ *Runner, m *install.Manager, args string) (Result, error) {
	words, options, err := parseOptions(args, "ref", "auto-update", "pre-release")
	switch {
	case err != nil:
		return Result{}, err
	case len(words) == 0:
		return usageError("Usage: /extensions install <source> [--ref=<name>] [--auto-update] [--pre-release]")
	}
	_, isAuto := options["auto-update"]
	_, isEarly := options["pre-release"]
	o := install.Options{Ref: options["ref"], AutoUpdate: isAuto, PreRelease: isEarly}
	name, err := m.Install(ctx, strings.Join(words, " "), o) // a path may have spaces
	if err != nil {
		return extensionError(ctx, err)
	}
	return textResult("Extension %q installed successfully and enabled.%s", name, afterRestart)
}

func extensionsLink(ctx context.Context, _ *Runner, m *install.Manager, path string) (Result, error) {
	if path == "" {
		return usageError("Usage: /extensions link <path>")
	}
	name, err := m.Link(ctx, path, install.Options{})
	if err != nil {
		return extensionError(ctx, err)
	}
	return textResult("Extension %q linked successfully and enabled.%s", name, afterRestart)
}

// extensionsUninstall removes extensions by name, or all.
func extensionsUninstall(ctx context.Context, _ *Runner, m *install.Manager, args string) (Result, error) {
	names, options, err := parseOptions(args, "all")
	if err != nil {
		return Result{}, err
	}
	_, all := options["all"]
	if all == (len(names) > 0) {
		return usageError("Usage: /extensions uninstall <name>...|--all")
	}
	installed, err := m.Installed(ctx)
	if err != nil {
		return extensionError(ctx, err)
	}
	if all {
		for _, e := range installed {
			names = append(names, e.Name)
		}
	}
	var lines []string
	failed := false
	for _, name := range names {
		var err error = exit.Errorf(exit.General, "Extension not found.")
		if e := m.FindInstalled(installed, name); e != nil {
			err = m.Uninstall(ctx, e)
		}
		if err != nil {
			failed = true
			lines = append(lines, fmt.Sprintf("Failed to uninstall %q: %v", terminal.Cut(name, 200), err))
			continue
		}
		lines = append(lines, fmt.Sprintf("Extension %q successfully uninstalled.%s", name, afterRestart))
	}
	if len(lines) == 0 {
		return textResult("No extensions currently installed.")
	}
	return Result{Text: strings.Join(lines, "\n"), Failed: failed}, nil
}

// extensionsConfig asks for the values of settings.
func extensionsConfig(ctx context.Context, _ *Runner, m *install.Manager, args string) (Result, error) {
	words, options, err := parseOptions(args, "scope")
	if err != nil {
		return Result{}, err
	}
	scope, err := scopeOption(options)
	switch {
	case err != nil:
		return Result{}, err
	case len(words) > 2:
		return usageError("Usage: /extensions config [name] [setting] [--scope=user|workspace]")
	}
	words = append(words, "", "")
	if err := m.Configure(ctx, words[0], words[1], scope); err != nil {
		return extensionError(ctx, err)
	}
	return textResult("Done.%s", afterRestart)
}
