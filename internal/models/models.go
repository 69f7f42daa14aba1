// Package models is the directory of the models that a session can use: the names and aliases
// that users give them, the providers that serve them, and their default configuration.
//
// A [Directory] is an [llm.Generator], the innermost one of a session: it sends a request to
// the provider of the model that the request names. [Open] returns a directory with the
// models of the user's accounts, [ForGenerator] one that sends all requests to one generator,
// and [Unavailable] one whose requests all fail.
package models

import (
	"context"
	"slices"
	"strings"
	"sync/atomic"

	"pollux/internal/auth"
	"pollux/internal/config"
	"pollux/internal/exit"
	"pollux/internal/modelconfig"
	"pollux/llm"
	"pollux/llm/catalog"
	"pollux/llm/provider"
)

// Options configure a directory.
type Options struct {
	// Settings are the user's settings, of which modelConfigs configures models.
	Settings *config.Settings
	// Requested is the name of the session's model, as the user gave it, or a default.
	// IsExplicit reports whether the user gave it.
	Requested  string
	IsExplicit bool
	// IsSetting means that Requested is from the user's settings, so that the variable for the
	// default model of its provider, such as OPENAI_MODEL, takes precedence over it.
	IsSetting bool
	// Offline forbids to ask a provider, also on this machine, for its models. If only they tell the model, the
	// error of [Open] has an [UnchosenError] with the error [ErrOffline].
	Offline bool
	// Warn is called with each problem in the settings, one line each.
	Warn func(string)
}

// Current is the current model of a session.
type Current struct {
	Requested  string       // the name that the user gave, such as "auto", or a default
	IsExplicit bool         // whether the user gave the name
	Model      string       // the name in requests
	Account    auth.Account // the account that pays for it; zero if there is no provider
}

// Directory holds the models of one session. Its methods may be called concurrently, except
// that Choose and StartSession must not run at the same time as each other or themselves.
type Directory struct {
	*modelconfig.Resolver
	current atomic.Pointer[Current]
	effort  atomic.Pointer[effort]

	// One of these answers all requests.
	accountModels *accountModels // the models of the user's accounts
	fixed         llm.Generator
	unavailable   error // see [Unavailable]
}

// Open returns a directory with the models of the user's accounts, and selects the current
// model. If the user has set up no provider, it uses a model server on this machine, with a
// warning. Cancelling ctx ends queries about models, but no requests. The errors carry an
// exit code.
func Open(ctx context.Context, accounts *auth.Accounts, network provider.Network, o Options) (*Directory, error) {
	if !o.Offline {
		if err := adoptLocalServer(ctx, accounts, o.Requested, o.Warn); err != nil {
			return nil, err
		}
	}
	d := open(o)
	d.accountModels = newAccountModels(ctx, accounts, network)
	d.accountModels.isOffline = o.Offline
	if o.IsSetting {
		account, _, err := accounts.Resolve(o.Requested)
		if err == nil && account.ModelVar != "" {
			o.Requested = d.accountModels.requestName(account, account.Model)
		}
	}
	return d, d.selectInitial(o)
}

// ForGenerator returns a directory in which g answers all requests, for any model.
func ForGenerator(g llm.Generator, o Options) (*Directory, error) {
	d := open(o)
	d.fixed = g
	return d, d.selectInitial(o)
}

// Unavailable returns a directory in which all requests fail with the error why.
func Unavailable(why error, o Options) *Directory {
	d := open(o)
	d.unavailable = why
	d.current.Store(&Current{Requested: o.Requested, IsExplicit: o.IsExplicit, Model: o.Requested})
	return d
}

func open(o Options) *Directory {
	d := &Directory{}
	d.current.Store(&Current{Requested: o.Requested, IsExplicit: o.IsExplicit})
	d.Resolver = modelconfig.New(o.Settings, modelconfig.Options{
		Resolve: d.Resolve, StandIn: d.StandIn, RunsHostedTools: d.CanSearchWeb, Defaults: d.defaults, Warn: o.Warn,
	})
	return d
}

func (d *Directory) selectInitial(o Options) error {
	selected, err := d.find(o.Requested)
	if err != nil {
		return err
	}
	selected.IsExplicit = o.IsExplicit
	d.current.Store(&selected)
	return nil
}

// find returns the model that becomes the current one when the user chooses name.
func (d *Directory) find(name string) (Current, error) {
	model, err := d.SelectModel(name)
	if err != nil {
		return Current{}, err
	}
	selected := Current{Requested: name, IsExplicit: true, Model: model}
	if d.accountModels == nil {
		return selected, nil
	}
	known, err := d.accountModels.find(model)
	if err != nil {
		return Current{}, err
	}
	selected.Account = known.account
	return selected, nil
}

// Current returns the current model.
func (d *Directory) Current() Current { return *d.current.Load() }

// Choose changes the current model to name, which may be any name that --model accepts. The
// errors carry an exit code; after an error the current model is unchanged.
func (d *Directory) Choose(name string) (Current, error) {
	name = strings.TrimSpace(name)
	if name == "" {
		return Current{}, exit.Errorf(exit.Input, "Enter the name of a model.")
	}
	if d.unavailable != nil {
		return Current{}, d.unavailable
	}
	if err := d.checkProvider(name); err != nil {
		return Current{}, err
	}
	d.ClearCache() // a server may have loaded another model
	selected, err := d.find(name)
	if err != nil {
		return Current{}, err
	}
	d.current.Store(&selected)
	return selected, nil
}

// checkProvider returns an error if name starts with "provider/" and the user has set up no
// such provider.
func (d *Directory) checkProvider(name string) error {
	head, _, slash := strings.Cut(name, "/")
	if d.accountModels == nil || !slash || d.accountModels.accounts().HasProviderPrefix(name) || slices.Contains([]string{"models", "tunedModels", "publishers", "projects"}, head) {
		return nil
	}
	def, err := d.accountModels.accounts().Default()
	if err != nil || def.Router || def.HasCustomAddress() || def.Gateway {
		return err // these providers have models with a slash in their names
	}
	var ids []string
	for _, account := range d.accountModels.accounts().Reachable() {
		ids = append(ids, account.ConfiguredID)
	}
	return exit.Errorf(exit.Input, "Unknown provider %q. You have set up: %s.", head, strings.Join(ids, ", "))
}

// Resolve returns the name in requests for a model name or alias of the user or of a setting.
func (d *Directory) Resolve(name string) (string, error) {
	if d.accountModels == nil {
		return catalog.Resolve(name, catalog.KeyAccess()), nil
	}
	requestName, _, err := d.accountModels.resolve(name)
	return requestName, err
}

// StandIn returns the model to use for name in Pollux's own requests, which name a Gemini model. If the current model is not served by Google, its
// provider's small model stands in for a flash model. Without one, the current model itself does, so that no other provider gets the conversation; it
// also does for a name that stands for any model of its provider, which so need not list its models. Else it is name.
func (d *Directory) StandIn(name string) string {
	selected := d.Current()
	if d.accountModels == nil || selected.Model == "" || isGoogle(selected.Account) {
		return name
	}
	isFlash := strings.Contains(name, "flash")
	if small := selected.Account.SmallModel; isFlash && small != "" {
		return selected.Account.ConfiguredID + "/" + small
	}
	m, err := d.accountModels.find(selected.Model)
	if err != nil || !isFlash && !d.accountModels.isAnyOf(selected.Account, name) {
		return name
	}
	return selected.Account.ConfiguredID + "/" + m.name
}

// defaults returns the default configuration of a model. Models that are not Gemini models and
// not on Google's servers keep the sampling parameters of their server.
func (d *Directory) defaults(name string) llm.Config {
	c := catalog.ChatConfig(name)
	if d.accountModels == nil || catalog.IsGemini(name) {
		return c
	}
	if m, err := d.accountModels.find(name); err == nil && !isGoogle(m.account) {
		c.Temperature, c.TopP, c.TopK = nil, nil, nil
	}
	return c
}

// CanSearchWeb reports whether the model's provider can search the web during a request.
func (d *Directory) CanSearchWeb(name string) bool {
	if d.accountModels == nil {
		return catalog.IsGemini(name)
	}
	m, err := d.accountModels.find(name)
	return err == nil && isGoogle(m.account) && catalog.IsGemini(name)
}

// Describe returns the description of a model, by its name in requests.
func (d *Directory) Describe(name string) catalog.Model {
	if d.accountModels == nil {
		return catalog.Lookup(name)
	}
	return d.accountModels.describe(name)
}

// Price returns the list price of a model by its name in a session file, nil if it is unknown. It sends no
// requests.
func (d *Directory) Price(name string) *catalog.Price {
	if d.accountModels == nil {
		return nil
	}
	return d.accountModels.accounts().Price(name)
}

// RequestPrice returns the price of a model, by its name in requests, nil if it is not known.
func (d *Directory) RequestPrice(name string) *catalog.Price {
	if d.accountModels == nil {
		return nil
	}
	return d.accountModels.describe(name).Price
}

// HasProvider reports whether the models are those of the user's accounts. It is false for a
// directory of ForGenerator or Unavailable.
func (d *Directory) HasProvider() bool { return d.accountModels != nil }

// Unreachable returns the error of a directory of [Unavailable], else nil.
func (d *Directory) Unreachable() error { return d.unavailable }

// IsGoogle reports whether Google serves the current model.
func (d *Directory) IsGoogle() bool { return d.accountModels != nil && isGoogle(d.Current().Account) }

func isGoogle(a auth.Account) bool {
	return a.Protocol == provider.Gemini || a.Protocol == provider.Vertex
}

// Provider returns the account that pays for a model, and the provider's own name of the model.
// It returns false if no account serves the model.
func (d *Directory) Provider(model string) (account auth.Account, name string, ok bool) {
	if d.accountModels == nil {
		return auth.Account{}, "", false
	}
	m, err := d.accountModels.find(model)
	if err != nil {
		return auth.Account{}, "", false
	}
	return m.account, m.name, true
}

// ReturnsCalls reports whether a model is known to return calls as its protocol has them: its
// provider does, and is at its own address.
func (d *Directory) ReturnsCalls(model string) bool {
	account, _, ok := d.Provider(model)
	return ok && account.Profile != nil && account.Profile.ReturnsCalls && !account.HasCustomAddress()
}

// ResolveFallbacks returns the names in requests of the models in the user's setting
// pollux.fallback. It leaves out a model that no account serves, and warns. The directory must
// be one of [Open].
func (d *Directory) ResolveFallbacks(names []string, warn func(string)) []string {
	var chain []string
	for _, name := range names {
		requestName, _, err := d.accountModels.resolve(name)
		if err != nil {
			why, _, _ := strings.Cut(err.Error(), "\n")
			warn("Warning: pollux.fallback: " + name + " is ignored: " + why)
			continue
		}
		d.NoteReplaced(name, requestName)
		chain = append(chain, requestName)
	}
	return chain
}

// KnownModels returns the catalog's models of the user's providers, with the names that
// [Directory.Choose] accepts, without those that others have replaced. It sends no requests.
func (d *Directory) KnownModels() []catalog.Model {
	if d.accountModels == nil {
		return nil
	}
	var known []catalog.Model
	own := d.Current().Account.ConfiguredID
	for _, account := range d.accountModels.accounts().Reachable() {
		for _, m := range vendorModels(account) {
			if account.ConfiguredID != own {
				m.Name = account.ConfiguredID + "/" + m.Name
			}
			known = append(known, m)
		}
	}
	return known
}

// vendorModels returns the models of an account's provider that the catalog has.
func vendorModels(account auth.Account) []catalog.Model {
	var known []catalog.Model
	for m := range catalog.Models(account.ID) {
		if !isGoogle(account) || catalog.Resolve(m.Name, account.Gemini()) == m.Name { // else another model replaces it
			known = append(known, m)
		}
	}
	return known
}

// ProviderModels returns the models of the current model's provider, with the names that [Directory.Choose] accepts: those that
// its server lists if the catalog has none, or if the server may have others; else those of the catalog. After an error, they are
// the ones that are known without the server.
func (d *Directory) ProviderModels(ctx context.Context) ([]catalog.Model, error) {
	own, err := d.ServerModels(ctx)
	account := d.Current().Account
	if own != nil || d.accountModels == nil || account.Profile == nil {
		return own, err
	}
	known := vendorModels(account)
	if len(known) == 0 && err == nil {
		known, err = d.listed(ctx, account)
	}
	for i := range known {
		known[i].Name = d.accountModels.requestName(account, known[i].Name)
	}
	return known, err
}

// Network returns the network settings for providers; zero if there are none.
func (d *Directory) Network() provider.Network {
	if d.accountModels == nil {
		return provider.Network{}
	}
	return d.accountModels.network
}

// Secrets returns the user's credentials. No log or file may contain them.
func (d *Directory) Secrets() []string {
	texts := provider.Secrets(d.Current().Account.Access, d.Network())
	if d.accountModels != nil {
		for p := range d.accountModels.accounts().Table().All() {
			texts = append(texts, p.Secrets()...)
		}
	}
	return texts
}

// ReplaceAccounts makes other accounts of the same providers pay for the next requests. It must
// not run at the same time as Choose or StartSession.
func (d *Directory) ReplaceAccounts(accounts *auth.Accounts) {
	if d.accountModels == nil {
		return
	}
	d.accountModels.replaceAccounts(accounts)
	selected := d.Current()
	if known, err := d.accountModels.find(selected.Model); err == nil {
		selected.Account = known.account
		d.current.Store(&selected)
	}
}

// StartSession sends the next requests with another session ID.
func (d *Directory) StartSession(session string) {
	if d.accountModels != nil {
		d.accountModels.startSession(session)
	}
}
