package keys

import (
	"context"
	"fmt"
	"strings"

	"pollux/internal/auth"
	"pollux/internal/manage"
	"pollux/internal/outcome"
	"pollux/internal/person"
	"pollux/internal/project"
	"pollux/internal/session"
	"pollux/internal/terminal"
	"pollux/llm/provider"
	"pollux/tool"
)

// AccountRows returns the sign-in method, provider and address of the current account. It
// returns nil if the session has no provider profile, for example with scripted responses.
func AccountRows(s *session.Session) [][]string {
	a := s.Models.Current().Account
	if a.Profile == nil {
		return nil
	}
	rows := [][]string{{"Auth Method", string(a.Type)}}
	if a.Name != "" {
		rows = append(rows, []string{"Provider", a.Name})
	}
	if a.BaseURL != "" {
		rows = append(rows, []string{"Address", provider.RedactAddress(a.BaseURL)})
	}
	if a.Project != "" {
		rows = append(rows, []string{"GCP Project", a.Project})
	}
	return rows
}

// signInLive asks for a provider and its API key, and stores the key.
func signInLive(ctx context.Context, c *manage.Call) (o outcome.Outcome, err error) {
	if c.Live.Project.Options.Asker == nil {
		return o, person.ErrNoPerson
	}
	done, err := command(c.Live.Project).SignIn(ctx, c.Live.Project.Options.Asker.Ask, terminal.Cut(c.Text, 100))
	if err != nil || done.Type == "" {
		return outcome.New(outcome.Text(done.Text)), err
	}
	text, err := c.Live.SignedIn(ctx, done)
	if err != nil {
		return o, fmt.Errorf("%s\n%w", done.Text, err)
	}
	return outcome.New(outcome.Text(strings.TrimSpace(done.Text + "\n" + text))), nil
}

// signOutLive deletes the stored API key of a provider.
func signOutLive(ctx context.Context, c *manage.Call) (o outcome.Outcome, err error) {
	var ask tool.Ask
	switch {
	case c.Live.Project.Options.Asker != nil:
		ask = c.Live.Project.Options.Asker.Ask
	case c.Text == "":
		return o, person.ErrNoPerson
	}
	id, text, err := command(c.Live.Project).SignOut(ctx, ask, terminal.Cut(c.Text, 100))
	if id == "" {
		return outcome.New(outcome.Text(text)), err
	}
	hadTyped, now := c.Live.SignedOut(ctx, id)
	if hadTyped && err != nil {
		text, err = "This session no longer uses the key that you typed.", nil
	}
	return outcome.New(outcome.Text(strings.TrimSpace(text + "\n" + now))), err
}

// listLive lists the stored API keys.
func listLive(ctx context.Context, c *manage.Call) (outcome.Outcome, error) {
	text, err := command(c.Live.Project).List(ctx)
	return outcome.New(outcome.Text(text)), err
}

// command returns the sign-in of a session.
func command(p *project.Project) auth.Command {
	return auth.Command{Inputs: auth.Inputs{Settings: p.Settings(), Env: p.Env(), Launcher: p.Launcher}, Paths: p.Paths, Notify: p.Warn}
}

// statusLive shows the provider account of this session and the source of its API key.
func statusLive(_ context.Context, c *manage.Call) (o outcome.Outcome, err error) {
	if err := c.Live.Models.Unreachable(); err != nil {
		return o, err
	}
	rows := AccountRows(c.Live)
	if len(rows) == 0 {
		return outcome.Textf("Not signed in: responses are replayed or come from a custom provider."), nil
	}
	if from := c.Live.Models.Current().Account.KeySource(); from != "" {
		rows = append(rows, []string{"Key", from})
	}
	return outcome.New(&outcome.Table{Rows: rows}), nil
}
