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
	"pollux/internal/person"
	"pollux/internal/project"
	"pollux/internal/session"
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
	in := p.AuthInputs(ctx)
	in.Warn, in.Interactive = p.Warn, c.Terminal.InTTY && c.Terminal.ErrTTY
	s.accounts, s.openErr = auth.Open(in)
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
		done, err := auth.Command{Inputs: c.project.AuthInputs(ctx), Paths: c.project.Paths, Notify: show, StoresOnly: true}.SignIn(ctx, ask, name)
		if err != nil || done.Type == "" {
			return done.Text, err
		}
		return done.Text + done.Advice, nil
	})
}

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

func signInLive(ctx context.Context, c *manage.Call) (o outcome.Outcome, err error) {
	if c.Live.Project.Options.Asker == nil {
		return o, person.ErrNoPerson
	}
	in := command(ctx, c.Live.Project)
	in.OffersSignOut = true
	done, err := in.SignIn(ctx, c.Live.Project.Options.Asker.Ask, terminal.Cut(c.Text, 100))
	if done.WantsSignOut {
		return signOutLive(ctx, c)
	}
	if err != nil || done.Type == "" {
		return outcome.New(outcome.Text(done.Text)), err
	}
	text, err := c.Live.SignedIn(ctx, done)
	if err != nil {
		return o, fmt.Errorf("%s\n%w", done.Text, err)
	}
	return outcome.New(outcome.Text(strings.TrimSpace(done.Text + "\n" + text))), nil
}

func signOutLive(ctx context.Context, c *manage.Call) (o outcome.Outcome, err error) {
	var ask tool.Ask
	switch {
	case c.Live.Project.Options.Asker != nil:
		ask = c.Live.Project.Options.Asker.Ask
	case c.Text == "":
		return o, person.ErrNoPerson
	}
	id, text, err := command(ctx, c.Live.Project).SignOut(ctx, ask, terminal.Cut(c.Text, 100))
	if id == "" {
		return outcome.New(outcome.Text(text)), err
	}
	hadTyped, now := c.Live.SignedOut(ctx, id)
	if hadTyped && err != nil {
		text, err = "This session no longer uses the key that you typed.", nil
	}
	return outcome.New(outcome.Text(strings.TrimSpace(text + "\n" + now))), err
}

func listLive(ctx context.Context, c *manage.Call) (outcome.Outcome, error) {
	text, err := command(ctx, c.Live.Project).List(ctx)
	return outcome.New(outcome.Text(text)), err
}

// command returns the sign-in of a session.
func command(ctx context.Context, p *project.Project) auth.Command {
	return auth.Command{Inputs: p.AuthInputs(ctx), Paths: p.Paths, Notify: p.Options.Notify}
}

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
