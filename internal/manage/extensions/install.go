package extensions

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"pollux/internal/exit"
	"pollux/internal/extension"
	"pollux/internal/extension/install"
	"pollux/internal/manage"
	"pollux/internal/outcome"
	"pollux/internal/person"
	"pollux/internal/terminal"
	"pollux/internal/wording"
	"pollux/tool"
)

func add(ctx context.Context, m *manager) (outcome.Outcome, error) {
	if err := m.parse("ref", "auto-update", "pre-release"); err != nil {
		return outcome.Outcome{}, err
	}
	if len(m.Words) == 0 {
		return outcome.Outcome{}, manage.Usage("/extensions install <source> [--ref=<name>] [--auto-update] [--pre-release]")
	}
	name, err := m.Install(ctx, strings.Join(m.Words, " "), install.Options{ // a path may have spaces
		Ref: m.Value("ref"), AutoUpdate: m.Is("auto-update"), PreRelease: m.Is("pre-release"), HasConsent: m.Is("consent"), SkipSettings: m.Is("skip-settings"),
	})
	if err != nil {
		return outcome.Outcome{}, err
	}
	return m.done("Extension %q installed successfully and enabled.", name)
}

func link(ctx context.Context, m *manager) (outcome.Outcome, error) {
	if m.Name() == "" && m.Live != nil {
		return outcome.Outcome{}, manage.Usage("/extensions link <path>")
	}
	name, err := m.Link(ctx, m.Name(), install.Options{HasConsent: m.Is("consent")})
	if err != nil {
		return outcome.Outcome{}, err
	}
	return m.done("Extension %q linked successfully and enabled.", name)
}

// uninstall removes extensions by name, or all.
func uninstall(ctx context.Context, m *manager) (o outcome.Outcome, err error) {
	if err := m.parse("all"); err != nil {
		return o, err
	}
	all := m.Is("all")
	switch {
	case m.Live != nil && all == (len(m.Words) > 0):
		return o, manage.Usage("/extensions uninstall <name>...|--all")
	case !all && len(m.Words) == 0:
		return o, &manage.UsageError{Message: "Please include at least one extension name to uninstall as a positional argument, or use the --all flag."}
	}
	installed, err := m.Installed(ctx)
	if err != nil {
		return o, err
	}
	names := m.Words
	if all {
		names = nil
		for _, e := range installed {
			names = append(names, e.Name)
		}
	}
	if len(names) == 0 {
		return m.say("No extensions currently installed."), nil
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
		done := m.say(fmt.Sprintf("Extension %q successfully uninstalled.", name) + map[bool]string{true: afterRestart}[m.Live != nil])
		if err != nil {
			failure := fmt.Sprintf("Failed to uninstall %q: %v", terminal.Cut(name, 200), err)
			failures, done = append(failures, failure), outcome.New(outcome.Text(failure))
		}
		o.Parts = append(o.Parts, done.Parts...)
		o.Notes = append(o.Notes, done.Notes...)
	}
	if o.Failed = len(failures) > 0; o.Failed && m.Live == nil {
		o.Parts = nil
		return o, exit.Errorf(exit.General, "%s", strings.Join(failures, "\n"))
	}
	return o, nil
}

// say returns an outcome that is a text in a session, and a note in a shell.
func (m *manager) say(text string) outcome.Outcome {
	if m.Live != nil {
		return outcome.New(outcome.Text(text))
	}
	return outcome.Outcome{Notes: []string{text}}
}

// update updates an extension, or all.
func update(ctx context.Context, m *manager) (o outcome.Outcome, err error) {
	switch all := m.Is("all"); {
	case all && len(m.Words) > 0:
		return o, &manage.UsageError{Message: "Arguments name and all are mutually exclusive"}
	case all:
		lines, failures, err := m.UpdateAll(ctx)
		if err == nil && len(failures) > 0 {
			err = exit.Errorf(exit.General, "%s", strings.Join(failures, "\n"))
		}
		return outcome.Outcome{Notes: lines}, err
	case len(m.Words) == 0:
		return o, &manage.UsageError{Message: "Either an extension name or --all must be provided"}
	}
	text, err := m.UpdateNamed(ctx, m.Name())
	if err == nil || errors.Is(err, install.ErrNotInstalled) { // as in Gemini CLI
		return m.say(text), nil
	}
	return o, err
}

// updateLive updates extensions by name, or all, in a session.
func updateLive(ctx context.Context, m *manager) (o outcome.Outcome, err error) {
	if err := m.parse("all"); err != nil {
		return o, err
	}
	all := m.Is("all")
	if all == (len(m.Words) > 0) {
		return o, manage.Usage("/extensions update <name>...|--all")
	}
	var results, failures []string
	if all {
		if results, failures, err = m.UpdateAll(ctx); err != nil {
			return o, err
		}
	}
	for _, name := range m.Words {
		text, err := m.UpdateNamed(ctx, name)
		switch {
		case ctx.Err() != nil:
			return o, context.Cause(ctx)
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
	o = outcome.New(outcome.Text(text))
	o.Failed = len(failures) > 0
	return o, nil
}

// configure asks for the values of settings.
func configure(ctx context.Context, m *manager) (o outcome.Outcome, err error) {
	if err := m.parse("scope"); err != nil {
		return o, err
	}
	scope := extension.Scope(cmp.Or(m.Value("scope"), string(extension.User)))
	if m.Live != nil {
		if scope, err = scopeLive(m.Value("scope")); err != nil {
			return o, err
		}
	}
	if len(m.Words) > 2 {
		return o, manage.Usage("/extensions config [name] [setting] [--scope=user|workspace]")
	}
	words := append(slices.Clone(m.Words), "", "")
	if err := m.Configure(ctx, words[0], words[1], scope); err != nil || m.Live == nil {
		return o, err
	}
	return m.done("Done.")
}

// liveUser asks the questions of a manager in a session. It implements [install.User].
type liveUser struct{ *manage.Call }

// Confirm asks for consent. It offers answers of its own instead of those in the question.
func (u liveUser) Confirm(ctx context.Context, text, question string, _ bool) (bool, error) {
	if text == "" {
		text, _, _ = strings.Cut(question, " [")
	}
	yes, err := u.Call.Confirm(ctx, "Extension", text)
	if errors.Is(err, person.ErrNoPerson) {
		return false, nil
	}
	return yes, err
}

// Value asks for the value of a setting.
func (u liveUser) Value(ctx context.Context, s extension.Setting) (string, bool, error) {
	if !u.HasPerson() {
		return "", false, nil
	}
	kind := tool.TextQuestion
	if s.IsSensitive {
		kind = tool.SecretQuestion
	}
	answer, err := u.Live.Project.Options.Asker.Ask(ctx, &tool.QuestionConfirmation{Title: "Extension", Questions: []tool.Question{{
		Text: terminal.Line(s.Name + ": " + s.Description), Header: terminal.Cut(terminal.Line(s.Name), 40), Kind: kind,
	}}})
	if err != nil || answer.Outcome == tool.Cancel || answer.Reply == nil {
		return "", false, err
	}
	return strings.TrimSpace(answer.Reply.Answers["0"]), true, nil
}
