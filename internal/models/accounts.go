package models

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"pollux/internal/auth"
	"pollux/internal/exit"
	"pollux/internal/wording"
	"pollux/llm"
	"pollux/llm/catalog"
	"pollux/llm/httpwire"
	"pollux/llm/provider"
)

// accountModels holds the models of the user's accounts. It creates a provider's client when it
// needs the first of the provider's models.
type accountModels struct {
	// ctx is the session's context. Cancelling it ends queries about models.
	ctx context.Context
	// current are the accounts; see [accountModels.replaceAccounts].
	current atomic.Pointer[auth.Accounts]
	// network has the network settings for all providers.
	network provider.Network
	// isOffline is [Options.Offline].
	isOffline bool

	mu      sync.Mutex
	names   map[string]*model           // by the name in requests
	clients map[string]*provider.Client // by auth.Account.ConfiguredID
}

// model is a model of an account.
type model struct {
	account auth.Account
	client  *provider.Client
	name    string // the provider's own name
	llm.Generator
	exchange *exchange
	lost     error // why there is no account for it anymore, nil if there is one
}

// exchange records the responses to the requests for a model.
type exchange struct {
	hasAnswered atomic.Bool  // a valid response, or a part of one, has come
	malformed   atomic.Int32 // responses that violate the protocol, while none was valid
}

func newAccountModels(ctx context.Context, accounts *auth.Accounts, n provider.Network) *accountModels {
	if n.Connections == nil {
		n.Connections = &httpwire.Connections{} // a new conversation has new clients, and goes on with their connections
	}
	r := &accountModels{ctx: ctx, network: n, names: map[string]*model{}, clients: map[string]*provider.Client{}}
	r.current.Store(accounts)
	return r
}

func (r *accountModels) accounts() *auth.Accounts { return r.current.Load() }

// replaceAccounts makes other accounts pay for the next requests: those of the same
// providers. Requests to a model fail if its provider is not among them.
func (r *accountModels) replaceAccounts(accounts *auth.Accounts) {
	r.current.Store(accounts)
	r.renewClients(func(account auth.Account) (auth.Account, error) { return accounts.Find(account.ConfiguredID) })
}

// resolve returns the model for a model name of the user, and its name in requests. If the name
// contains only a provider, resolve queries the provider for its models.
func (r *accountModels) resolve(name string) (string, *model, error) {
	account, ownName, err := r.accounts().Resolve(name)
	if err != nil {
		return "", nil, err
	}
	client, err := r.client(account)
	if err != nil {
		return "", nil, err
	}
	if ownName == "" {
		if ownName, err = r.onlyModel(client, account); err != nil {
			return "", nil, err
		}
	}
	requestName := r.requestName(account, ownName)
	added, err := r.add(requestName, account, ownName)
	return requestName, added, err
}

// requestName returns the name in requests of an account's model: its own name, after the account's
// ID if another account is the default.
func (r *accountModels) requestName(account auth.Account, ownName string) string {
	if def, err := r.accounts().Default(); err == nil && def.ConfiguredID != account.ConfiguredID {
		return account.ConfiguredID + "/" + ownName
	}
	return ownName
}

// isAnyOf reports whether a name stands for any model of an account.
func (r *accountModels) isAnyOf(account auth.Account, name string) bool {
	named, ownName, err := r.accounts().Resolve(name)
	return err == nil && ownName == "" && named.ConfiguredID == account.ConfiguredID
}

// onlyModel returns the name of the only model of a provider, or of the first model of a local
// server, which lists loaded models first.
func (r *accountModels) onlyModel(client *provider.Client, account auth.Account) (string, error) {
	ctx, cancel := context.WithTimeout(r.ctx, 3*time.Second)
	defer cancel()
	var list []catalog.Model
	err := ErrOffline
	if !r.isOffline {
		list, err = client.Models(ctx)
	}
	at := account.ProviderName()
	start := at
	switch address := provider.RedactAddress(account.BaseURL); {
	case account.GatewayKeyVar != "":
		at, start = "the gateway at "+address, "The gateway at "+address
	case address != "":
		at += " (" + address + ")"
		start = at
	}
	switch {
	case r.ctx.Err() != nil:
		return "", context.Cause(r.ctx)
	case len(list) == 1, len(list) > 1 && account.Local != nil:
		return list[0].Name, nil
	case err != nil:
		code, step := exit.General, ""
		if api, ok := errors.AsType[*llm.Error](err); ok {
			if api.IsBadKey() && account.KeySource() == "" {
				code = exit.Auth // a refused key, however, is a failed request
			}
			step = wording.NextStep(api, Place(account))
		}
		text := fmt.Sprintf("Cannot list the models of %s: %s.", at, strings.TrimSuffix(wording.Reason(err), "."))
		return "", &exit.Error{Code: code, Message: text + cmp.Or(step, " Choose a model with --model."), Err: &UnchosenError{Problem: text, Err: err}}
	case len(list) == 0:
		return "", exit.Errorf(exit.General, "%s has no models.%s", start, pullHint(account))
	}
	text := start + " has several models."
	unchosen := &UnchosenError{Problem: text}
	for _, m := range list {
		unchosen.Names = append(unchosen.Names, r.requestName(account, m.Name))
	}
	return "", &exit.Error{Code: exit.General, Message: text + " Choose one with --model: " + shortList(unchosen.Names) + "." + keepHint(account, unchosen.Names[0]), Err: unchosen}
}

// shortList returns the first of many names as a list.
func shortList(names []string) string {
	const most = 5
	if len(names) > most {
		names = append(slices.Clone(names[:most]), "...")
	}
	return strings.Join(names, ", ")
}

// keepHint returns how the user chooses a model of an account for all sessions.
func keepHint(account auth.Account, name string) string {
	hint := " To keep it: pollux config set model.name " + name
	if vars := account.ModelVars; len(vars) > 0 {
		hint += ", or set " + vars[0]
	}
	return hint + "."
}

// ErrOffline is the error for a question to a provider that [Options.Offline] forbids.
var ErrOffline = errors.New("it is not asked")

// UnchosenError is the cause of an error of [Open]: the user has chosen no model, and the list of
// the provider does not determine one.
type UnchosenError struct {
	// Problem is a sentence for the user without the next step.
	Problem string
	// Names are the provider's models, as [Directory.Choose] accepts them; empty if the list
	// failed with Err.
	Names []string
	Err   error
}

// Error returns the problem.
func (e *UnchosenError) Error() string { return e.Problem }

// Unwrap returns the error of the list.
func (e *UnchosenError) Unwrap() error { return e.Err }

// CanName reports whether a name that the user types would help: the provider answers requests.
func (e *UnchosenError) CanName() bool {
	api, ok := errors.AsType[*llm.Error](e.Err)
	return !ok || api.Status != 0 && !api.IsBadKey()
}

// IsKeyRefused reports whether the provider refuses the user's key.
func (e *UnchosenError) IsKeyRefused() bool {
	api, ok := errors.AsType[*llm.Error](e.Err)
	return ok && api.IsBadKey()
}

// PlaceOf returns the context of advice about a failed request to a model, "" for the current one. It is the zero value if
// no provider has it.
func (d *Directory) PlaceOf(model string) wording.Place {
	now := d.Current()
	account, isOther := now.Account, model != "" && model != now.Model
	if isOther {
		if answered, _, ok := d.Provider(model); ok {
			account = answered
		}
	}
	p := wording.Place{}
	if account.Profile != nil {
		p = Place(account)
	}
	if isOther && !strings.HasPrefix(now.Requested, "auto") { // else Pollux chooses the model
		p.Model = model
	}
	return p
}

// Place returns the context of advice about a failed request to an account's provider, as far
// as the account determines it.
func Place(account auth.Account) wording.Place {
	p := wording.Place{
		Provider: account.ProviderName(), ProviderID: account.ConfiguredID, IsOllama: account.Protocol == provider.Ollama,
		AddressVar: account.AddressVar,
	}
	if account.APIKey != "" || account.AuthToken != "" {
		p.KeyFrom = account.From
	}
	if account.GatewayKeyVar != "" {
		p.Gateway, p.GatewayKeyVar = provider.RedactAddress(account.BaseURL), account.GatewayKeyVar
	}
	if account.CustomAddress && p.AddressVar == "" {
		p.AddressVar = "modelProviders." + account.ConfiguredID + ".baseUrl"
	}
	return p
}

// pullHint returns how to get a model for a server on this machine that has none.
func pullHint(account auth.Account) string {
	if account.Protocol == provider.Ollama {
		return " Download one with: ollama pull qwen3"
	}
	return " Load one there, or choose another model with --model."
}

// find returns the model with this name in requests.
func (r *accountModels) find(name string) (*model, error) {
	r.mu.Lock()
	known := r.names[name]
	r.mu.Unlock()
	if known != nil {
		return known, nil
	}
	account, ownName, err := r.accounts().Resolve(name)
	if err != nil {
		return nil, err
	}
	return r.add(name, account, ownName)
}

// add creates the model with these names and stores it.
func (r *accountModels) add(name string, account auth.Account, ownName string) (*model, error) {
	client, err := r.client(account)
	if err != nil {
		return nil, err
	}
	g, err := client.For(ownName)
	if err != nil {
		return nil, exit.Errorf(exit.Auth, "%w", err)
	}
	added := &model{account: account, client: client, name: ownName, Generator: g, exchange: new(exchange)}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.names[name] = added
	return added, nil
}

// client returns the client of the account's provider.
func (r *accountModels) client(account auth.Account) (*provider.Client, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if c := r.clients[account.ConfiguredID]; c != nil {
		return c, nil
	}
	c, err := provider.Open(account.Access, r.accounts().NetworkOf(account, r.network))
	if err != nil {
		return nil, exit.Errorf(exit.Auth, "%w", err)
	}
	r.clients[account.ConfiguredID] = c
	return c, nil
}

// describe returns the description of a model, by its name in requests.
func (r *accountModels) describe(name string) catalog.Model {
	known, err := r.find(name)
	if err != nil {
		return catalog.Lookup(name)
	}
	return known.client.Describe(r.ctx, known.name)
}

// generator returns the model that a request names, and the request to send to it.
func (r *accountModels) generator(req *llm.Request) (llm.Generator, *llm.Request, error) {
	known, err := r.find(req.Model)
	if err != nil {
		return nil, nil, &llm.Error{Kind: llm.KindModelNotFound, Message: err.Error(), Err: err}
	}
	switch {
	case known.name == "":
		message := fmt.Sprintf("%s has not reported yet which model %q stands for. Choose a model by its name.", known.account.ProviderName(), req.Model)
		return nil, nil, &llm.Error{Kind: llm.KindModelNotFound, Message: message}
	case known.lost != nil:
		return nil, nil, known.lost
	case known.name == req.Model:
		return known, req, nil
	}
	own := *req
	own.Model = known.name
	return known, &own, nil
}

// adoptLocalServer makes a model server on this machine the default account, if the user has
// set up no account and name contains none.
func adoptLocalServer(ctx context.Context, accounts *auth.Accounts, name string, warn func(string)) error {
	_, _, err := accounts.Resolve(name)
	if err == nil || accounts.Chosen != "" || accounts.HasProviderPrefix(name) {
		return nil // Resolve returns the same error later
	}
	found := accounts.Discover(ctx)
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if len(found) == 0 {
		_, _, err = accounts.Resolve(name) // the error lists the ports that were asked
		return err
	}
	accounts.Adopt(found[0])
	warn(fmt.Sprintf("No provider is set up. Using %s at %s.", found[0].Name, found[0].BaseURL))
	return nil
}

// startSession sends the next requests with another session ID. It keeps the provider of each
// model, because the name alone may now resolve to another provider.
func (r *accountModels) startSession(session string) {
	r.mu.Lock()
	r.network.Session = session
	r.mu.Unlock()
	r.renewClients(func(account auth.Account) (auth.Account, error) { return account, nil })
}

// renewClients creates the clients of all known models again. renew returns the account to use
// in the place of another one of the same provider, or why there is none.
func (r *accountModels) renewClients(renew func(auth.Account) (auth.Account, error)) {
	r.mu.Lock()
	old := r.names
	r.names, r.clients = map[string]*model{}, map[string]*provider.Client{}
	r.mu.Unlock()
	for name, known := range old {
		account, err := renew(known.account)
		if err == nil {
			_, err = r.add(name, account, known.name)
		}
		if err != nil {
			lost := *known
			lost.account.APIKey, lost.account.AuthToken = "", ""
			lost.lost = &llm.Error{Kind: llm.KindUnauthorized, Message: account.ProviderName() + " needs an API key", Err: err}
			r.mu.Lock()
			r.names[name] = &lost
			r.mu.Unlock()
		}
	}
}
