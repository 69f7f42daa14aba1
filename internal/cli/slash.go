package cli

import (
	"context"
	"maps"

	"pollux/agent"
	"pollux/internal/app"
	"pollux/internal/auth"
	"pollux/internal/config"
	"pollux/internal/slash"
	"pollux/internal/terminal"
)

// assemble puts an agent together. For a / command it does so even where no model
// can be reached, for most of them need none.
func assemble(ctx context.Context, o app.Options, query string) (*app.App, error) {
	a, err := app.New(ctx, o)
	if _, command := slash.Lookup(query); err == nil || !command || ctx.Err() != nil {
		return a, err
	}
	o.Unreachable, o.Warn = err, func(string) {} // it has been warned of
	if a, again := app.New(ctx, o); again == nil {
		return a, nil
	}
	return nil, err
}

// command runs a prompt that is a / command (spec/cli.md §6.8). What it has to say is
// the answer; where it makes a prompt, that is asked. Any other prompt is returned as
// it is.
func (h *session) command(ctx context.Context, a *app.App, text string) (prompt, said string, err error) {
	r, known, err := h.commands(a, nil).Run(ctx, text)
	switch {
	case ctx.Err() != nil:
		return "", "", context.Cause(ctx)
	case err != nil:
		return "", "", err
	case !known:
		return text, "", a.Reachable()
	case r.Failed:
		return "", "", r.Err
	case r.Prompt == "" && r.Text == "":
		return "", "Done.", nil
	case r.Prompt == "":
		return "", r.Text, nil
	}
	if r.Text != "" {
		h.warn(r.Text)
	}
	return r.Prompt, "", a.Reachable()
}

// commands returns the / commands of a session; ask is nil where there is nobody to
// be asked.
func (h *session) commands(a *app.App, ask agent.Ask) *slash.Session {
	return &slash.Session{
		App: a, Settings: h.settings, Env: h.env, Paths: h.paths, Version: version(h.req.Env),
		Ask: ask, Trust: h.trust(h.settings),
		Reload: h.reload,
		Doctor: func(ctx context.Context) (string, error) {
			return diagnose(ctx, h.req.Terminal, h.req.Env, h.req.Flags.Model)
		},
		Auth: auth.Command{Inputs: auth.Inputs{Settings: h.settings, Env: h.env}, Paths: h.paths}.Run,
	}
}

// reload reads the settings anew, quietly: what is wrong with them was said before.
func (h *session) reload() (*config.Settings, error) {
	again := h.req
	again.Terminal, _, _ = terminal.Test("")
	now, _, err := load(again, nil)
	if err != nil {
		return nil, err
	}
	return now.settings, nil
}

// renew reads anew what may have changed while somebody was asked for a key: settings and
// the .env file. Selected, if not "", is who answers in this session, whatever they say.
func (h *session) renew(selected auth.Type) error {
	if selected != "" {
		h.req.Flags.Settings = maps.Clone(h.req.Flags.Settings)
		if h.req.Flags.Settings == nil {
			h.req.Flags.Settings = map[string]any{}
		}
		h.req.Flags.Settings[string(config.AuthSelectedType)] = string(selected)
	}
	settings, err := h.reload()
	if err != nil {
		return err
	}
	h.settings = settings
	h.env, _ = config.WithDotEnv(h.req.Env, settings, h.paths)
	return nil
}
