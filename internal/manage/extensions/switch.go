package extensions

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"pollux/internal/exit"
	"pollux/internal/extension"
	"pollux/internal/extension/install"
	"pollux/internal/manage"
	"pollux/internal/outcome"
	"pollux/internal/project"
	"pollux/internal/terminal"
)

// setEnabled returns the command that enables or disables an extension.
func setEnabled(enabled bool) manage.Run {
	return managed(func(ctx context.Context, m *manager) (o outcome.Outcome, err error) {
		name, scopeName := m.Name(), m.Value("scope")
		scope, ok := parseScope(scopeName)
		if !ok {
			return o, exit.Errorf(exit.General, "Invalid scope: %s. Please use one of user, workspace.", terminal.Cut(scopeName, 40))
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

// setEnabledLive returns the command that enables or disables an extension in a session.
func setEnabledLive(verb string, enabled bool) manage.Run {
	return managed(func(ctx context.Context, m *manager) (o outcome.Outcome, err error) {
		if err := m.parse("scope"); err != nil {
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

// enableServers enables the MCP servers of an extension that the user has disabled, and returns a sentence about
// each.
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
