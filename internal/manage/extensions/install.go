package extensions

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"pollux/internal/exit"
	"pollux/internal/extension"
	"pollux/internal/extension/install"
	"pollux/internal/extension/plugin"
	"pollux/internal/manage"
	"pollux/internal/outcome"
	"pollux/internal/person"
	"pollux/internal/project"
	"pollux/internal/terminal"
	"pollux/internal/wording"
	"pollux/tool"
)

func add(ctx context.Context, m *manager) (outcome.Outcome, error) {
	if err := m.ReadFlags([]string{"auto-update", "pre-release"}, []string{"ref", "plugin"}); err != nil {
		return outcome.Outcome{}, err
	}
	if len(m.Words) == 0 {
		return outcome.Outcome{}, manage.Usage("/extensions install <source> [--ref=R] [--plugin=NAME] [--auto-update] [--pre-release]")
	}
	source := strings.Join(m.Words, " ") // a path may have spaces
	name, err := m.Install(ctx, source, install.Options{
		Ref: m.Value("ref"), Plugin: m.Value("plugin"), AutoUpdate: m.Is("auto-update"), PreRelease: m.Is("pre-release"), HasConsent: m.Is("consent"), SkipSettings: m.Is("skip-settings"),
	})
	var market *plugin.MarketError
	if errors.As(err, &market) {
		return outcome.Outcome{}, m.choose(source, market.Offers)
	}
	if err != nil {
		return outcome.Outcome{}, err
	}
	return m.done("Extension %q installed successfully and enabled.", name)
}

// maxOffers is the number of plugins that a message lists.
const maxOffers = 100

// choose returns the error for a marketplace, of whose plugins one must be chosen.
func (m *manager) choose(source string, offers []plugin.Offer) error {
	command := "pollux extensions install "
	if m.Live != nil {
		command = "/extensions install "
	}
	var b strings.Builder
	fmt.Fprintf(&b, "There is a marketplace of %s. To install one, run: %s%s --plugin=NAME\n", wording.Count(len(offers), "plugin"), command, terminal.Line(source))
	for i, o := range offers {
		if i == maxOffers {
			fmt.Fprintf(&b, "\n  and %d more", len(offers)-i)
			break
		}
		text := terminal.Brief(terminal.Line(o.Name))
		if o.Description != "" {
			text += ": " + terminal.Brief(terminal.Line(o.Description))
		}
		switch {
		case o.Source != "":
			text += fmt.Sprintf(" (in another repository: %s%s)", command, o.Source)
		case o.Why != "":
			text += " (" + terminal.Brief(terminal.Line(o.Why)) + ")"
		}
		b.WriteString("\n  " + text)
	}
	return exit.Errorf(exit.General, "%s", b.String())
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

func uninstall(ctx context.Context, m *manager) (o outcome.Outcome, err error) {
	if err := m.ReadFlags([]string{"all"}, nil); err != nil {
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

func updateLive(ctx context.Context, m *manager) (o outcome.Outcome, err error) {
	if err := m.ReadFlags([]string{"all"}, nil); err != nil {
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
	if err := m.ReadFlags(nil, []string{"scope"}); err != nil {
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
	yes, err := u.Call.Consent(ctx, "Extension", text)
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

func setEnabled(enabled bool) manage.Run {
	return managed(func(ctx context.Context, m *manager) (o outcome.Outcome, err error) {
		name, scopeName := m.Name(), m.Value("scope")
		scope, ok := parseScope(scopeName)
		if !ok {
			return o, exit.Errorf(exit.General, "Invalid scope: %s. Please use one of user, workspace.", terminal.Cut(scopeName, 40))
		}
		e, err := m.Enable(ctx, name, scope, enabled)
		switch {
		case errors.Is(err, install.ErrNotInstalled):
			code := exit.General
			if enabled {
				code = exit.Config
			}
			return o, exit.Errorf(code, "Extension with name %s does not exist.", terminal.Cut(name, 200))
		case err != nil:
			return o, err
		}
		text := fmt.Sprintf("Extension %q successfully %s for scope %q.", name, word(enabled), scopeName)
		if enabled {
			if o.Notes, err = enableServers(m.project, e); err != nil {
				return o, err
			}
			if scopeName == "" {
				text = fmt.Sprintf("Extension %q successfully enabled in all scopes.", name)
			}
		}
		o.Notes = append(o.Notes, text)
		if why := m.WhyUnchanged(name, enabled); why != "" {
			o.Notes = append(o.Notes, why)
		}
		return o, nil
	})
}

func setEnabledLive(verb string, enabled bool) manage.Run {
	return managed(func(ctx context.Context, m *manager) (o outcome.Outcome, err error) {
		if err := m.ReadFlags(nil, []string{"scope"}); err != nil {
			return o, err
		}
		scope, err := scopeLive(m.Value("scope"))
		switch {
		case err != nil:
			return o, err
		case len(m.Words) != 1:
			return o, manage.Usage("/extensions " + verb + " <name> [--scope=user|workspace]")
		}
		e, err := m.Enable(ctx, m.Words[0], scope, enabled)
		switch {
		case errors.Is(err, install.ErrNotInstalled):
			return o, exit.Errorf(exit.Input, "There is no extension %q. /extensions lists the installed ones.", terminal.Cut(m.Words[0], 60))
		case err != nil:
			return o, err
		}
		lines := []string{fmt.Sprintf("Extension %q %s for scope %q.", e.Name, word(enabled), scope)}
		if enabled {
			servers, err := enableServers(m.project, e)
			if err != nil {
				return o, err
			}
			lines = append(lines, servers...)
		}
		text := strings.Join(lines, "\n")
		if why := m.WhyUnchanged(e.Name, enabled); why != "" {
			text += " " + why
		} else if m.isUsed(e.Name) != enabled {
			text += afterRestart
		}
		return outcome.New(outcome.Text(text)), nil
	})
}

func word(enabled bool) string { return map[bool]string{true: "enabled", false: "disabled"}[enabled] }

// parseScope returns the scope with a name. The usual one is that of the user.
func parseScope(name string) (extension.Scope, bool) {
	switch strings.ToLower(name) {
	case "", "user":
		return extension.User, true
	case "workspace":
		return extension.Workspace, true
	}
	return "", false
}

// scopeLive returns the scope with a name in a session.
func scopeLive(name string) (extension.Scope, error) {
	scope, ok := parseScope(name)
	switch {
	case ok:
		return scope, nil
	case strings.EqualFold(name, "session"):
		return "", exit.Errorf(exit.Input, "Extensions do not change during a session. To choose those of a session, start it with pollux -e NAME,NAME or -e none.")
	}
	return "", exit.Errorf(exit.Input, "There is no scope %q. Use user or workspace.", terminal.Cut(terminal.Line(name), 40))
}

// enableServers enables the MCP servers of an extension that the user has disabled, and returns a sentence about each.
func enableServers(p *project.Project, e *extension.Extension) (lines []string, err error) {
	switches := p.ServerSwitches()
	disabled, err := switches.Disabled()
	if err != nil {
		return nil, err
	}
	for _, name := range slices.Sorted(maps.Keys(e.MCPServers)) {
		if !slices.Contains(disabled, strings.ToLower(strings.TrimSpace(name))) {
			continue
		}
		if err := switches.Set(name, true); err != nil {
			return lines, err
		}
		lines = append(lines, fmt.Sprintf("MCP server '%s' was disabled - now enabled.", terminal.Line(name)))
	}
	return lines, nil
}
