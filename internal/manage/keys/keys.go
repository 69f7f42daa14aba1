// Package keys manages the API keys of providers, and shows which one is in use.
package keys

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"pollux/internal/auth"
	"pollux/internal/exit"
	"pollux/internal/manage"
	"pollux/internal/manage/models"
	"pollux/internal/outcome"
	"pollux/internal/project"
	"pollux/internal/terminal"
	"pollux/internal/wording"
	"pollux/llm/provider"
	"pollux/tool"
)

// Command returns the commands about keys.
func Command() *manage.Command {
	return &manage.Command{
		Name: "auth", Summary: "Show sign-in status and manage API keys", Flags: []manage.Flag{manage.JSON}, Run: manage.With(open, status),
		Session: &manage.InSession{Summary: "Sign in: store an API key", Run: signInLive}, NeedsPerson: true, Instead: "To store a key, run 'pollux auth set'.",
		Subs: []*manage.Command{
			{
				Name: "set", Aliases: []string{"signin", "login"}, Args: "[provider]", Summary: "Store an API key that you type or pipe in", Run: manage.With(open, set),
				Values:  manage.First(models.Providers),
				Flags:   []manage.Flag{{Name: "no-test", Default: false, Usage: "Store the key without testing it"}},
				Session: &manage.InSession{Name: "signin", Aliases: []string{"login"}, Summary: "Store an API key", Run: signInLive}, NeedsPerson: true,
			},
			{
				Name: "remove", Aliases: []string{"signout", "logout"}, Args: "[provider]", Summary: "Delete a stored API key", Run: manage.With(open, remove),
				Values:  manage.First(models.Providers),
				Session: &manage.InSession{Name: "signout", Aliases: []string{"logout"}, Run: signOutLive},
			},
			{
				Name: "list", Summary: "List stored API keys without showing them", Flags: []manage.Flag{manage.JSON}, Run: manage.With(open, list),
				Session: &manage.InSession{Summary: "List stored API keys", Run: listLive},
			},
			{
				Name: "status", Summary: "Show the provider in use and the source of its key", Flags: []manage.Flag{manage.JSON}, Run: manage.With(open, status),
				Session: &manage.InSession{Run: statusLive}, RunsWhileBusy: true,
			},
		},
	}
}

// store is the person's accounts in a project.
type store struct {
	*manage.Call
	project  *project.Project
	accounts *auth.Accounts
	openErr  error // the error of [auth.Open], which a run would end with
}

// open loads the settings and the .env file, and determines the person's accounts.
func open(ctx context.Context, c *manage.Call) (*store, error) {
	p, err := c.Open(ctx)
	if err != nil {
		return nil, err
	}
	s := &store{Call: c, project: p}
	s.accounts, s.openErr = auth.Open(auth.Inputs{Settings: p.Settings(), Env: p.Env(), Launcher: p.Launcher, Context: ctx, Interactive: c.Terminal.InTTY && c.Terminal.ErrTTY, Warn: p.Warn})
	return s, nil
}

// Status describes how a run authenticates. It contains no keys.
type Status struct {
	Provider string `json:"provider"` // "" if none is chosen
	Type     string `json:"type"`     // the sign-in type, as in security.auth.selectedType
	Why      string `json:"why"`
	Key      string `json:"key"` // the source of the key, "" if there is none
	Address  string `json:"address,omitempty"`
	Problem  string `json:"problem,omitempty"`
}

// status returns how a run would authenticate.
func status(ctx context.Context, _ *manage.Call, c *store) (outcome.Outcome, error) {
	one, err := c.accounts.Default()
	if c.accounts.Chosen == "" && c.openErr == nil {
		if found := c.accounts.Discover(ctx); len(found) > 0 { // as a run does
			c.accounts.Adopt(found[0])
		}
		one, err = c.accounts.Default()
	}
	if ctx.Err() != nil {
		return outcome.Outcome{}, context.Cause(ctx) // the check is incomplete
	}
	if c.openErr != nil {
		err = c.openErr
	}
	s := Status{Provider: one.ConfiguredID, Type: string(c.accounts.Chosen), Why: c.project.Where(c.accounts.Why)}
	if err != nil {
		s.Problem = wording.Summary(err)
	} else {
		s.Key, s.Address = c.project.Where(one.KeySource()), provider.RedactAddress(one.BaseURL)
	}
	o := outcome.New(c.fields(&s, err)...).WithValue(s)
	if err != nil {
		err = &exit.Shown{Err: err}
	}
	return o, err
}

// fields returns the status for people, with short paths.
func (c *store) fields(s *Status, problem error) (parts []outcome.Part) {
	line := func(head, body string) {
		if body != "" {
			body = c.project.Paths.DisplayText(terminal.Visible(body))
			parts = append(parts, outcome.Field{Label: fmt.Sprintf("%-9s ", head), Text: body})
		}
	}
	if s.Type == "" && problem != nil {
		parts = append(parts, outcome.Lines(wording.Error(problem)))
	} else if problem != nil {
		line("Problem", wording.Error(problem))
	}
	if s.Type != "" {
		line("Provider", cmp.Or(s.Provider, s.Type)+", because of "+s.Why)
		line("Key", cmp.Or(s.Key, c.lacking(problem)))
		line("Address", s.Address)
	}
	return parts
}

// lacking describes the key of an account that has none, "" if the account cannot be used.
func (c *store) lacking(problem error) string {
	one, _ := c.accounts.Default()
	switch {
	case problem != nil:
		return ""
	case one.GatewayKeyVar != "":
		return "none; set " + one.GatewayKeyVar + " if the gateway needs one"
	}
	return "none"
}

// list lists the stored keys without showing them.
func list(ctx context.Context, _ *manage.Call, c *store) (o outcome.Outcome, err error) {
	there, err := c.accounts.StoredKeys()
	type stored struct {
		Provider string `json:"provider"`
		Where    string `json:"where"`
	}
	keys := []stored{}
	for _, id := range slices.Sorted(maps.Keys(there)) {
		keys = append(keys, stored{id, there[id]})
	}
	o.Value = map[string]any{"keys": keys}
	if err == nil || len(there) > 0 {
		o.Parts = []outcome.Part{outcome.Text(c.project.Paths.DisplayText(auth.FormatStored(there)))}
	}
	if err != nil {
		err = exit.Errorf(exit.General, "Cannot list all stored keys: %w.", err)
	}
	return o, err
}

// set stores a key, after a test.
func set(ctx context.Context, _ *manage.Call, c *store) (o outcome.Outcome, err error) {
	name := strings.Join(c.Words, "")
	if c.Terminal.InTTY && !c.Is("no-test") {
		return c.signIn(ctx, name)
	}
	p, err := c.accounts.StorableFor(name)
	if err != nil {
		return o, err
	}
	if err := c.accounts.CheckStorable(p); err != nil {
		return o, err
	}
	key, err := c.Secret(ctx, cmp.Or(p.Name, p.ID), name)
	if err != nil {
		return o, err
	}
	var text string
	if c.Is("no-test") {
		text, err = c.accounts.StoreKey(p, key)
	} else {
		text, err = c.accounts.TestAndStoreKey(ctx, p, key)
	}
	if err != nil {
		return o, err
	}
	return outcome.New(outcome.Text(c.project.Paths.DisplayText(text))), nil
}

// signIn asks at the terminal for the provider, unless name is one, and for its key.
func (c *store) signIn(ctx context.Context, name string) (outcome.Outcome, error) {
	return c.Ask(ctx, func(ctx context.Context, ask tool.Ask, show func(string)) (string, error) {
		in := auth.Inputs{Settings: c.project.Settings(), Env: c.project.Env(), Launcher: c.project.Launcher}
		done, err := auth.Command{Inputs: in, Paths: c.project.Paths, Notify: show, StoresOnly: true}.SignIn(ctx, ask, name)
		if err != nil || done.Type == "" {
			return done.Text, err
		}
		return done.Text + done.Advice(in), nil
	})
}

// remove deletes a stored key.
func remove(ctx context.Context, _ *manage.Call, c *store) (o outcome.Outcome, err error) {
	name := strings.Join(c.Words, "")
	if name == "" {
		p, err := c.accounts.StorableFor("")
		if err != nil {
			return o, err
		}
		name = p.ID
	}
	text, err := c.accounts.RemoveKey(name)
	if err != nil {
		return o, err
	}
	return outcome.New(outcome.Text(c.project.Paths.DisplayText(text))), nil
}
