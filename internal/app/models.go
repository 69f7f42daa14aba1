package app

import (
	"cmp"
	"context"
	"fmt"
	"iter"
	"strings"
	"sync"
	"time"

	"pollux/internal/auth"
	"pollux/internal/config"
	"pollux/internal/exit"
	"pollux/llm"
	"pollux/llm/catalog"
	"pollux/llm/provider"
)

// models is all the models that the user can reach, as one generator: a request
// goes to the provider that its model's name means. Clients are made when the
// first request for one of their models comes.
type models struct {
	// ctx is the session's: with it ends what is asked on the side, about models.
	ctx      context.Context
	accounts *auth.Accounts
	// network is how providers are reached, but for what concerns only one.
	network provider.Network

	mu      sync.Mutex
	names   map[string]*model
	clients map[string]*provider.Client // by the id under which a provider is set up
}

// model is one that was asked for.
type model struct {
	account auth.Account
	client  *provider.Client
	name    string // as its provider knows it
	llm.Generator
}

func newModels(ctx context.Context, accounts *auth.Accounts, n provider.Network) *models {
	return &models{ctx: ctx, accounts: accounts, network: n, names: map[string]*model{}, clients: map[string]*provider.Client{}}
}

// main settles which model the user means, and returns the name that requests
// for it carry. Where that is for the provider to say, it is asked.
func (m *models) main(name string) (string, *model, error) {
	account, there, err := m.accounts.Resolve(name)
	if err != nil {
		return "", nil, err
	}
	client, err := m.client(account)
	if err != nil {
		return "", nil, err
	}
	if there == "" {
		if there, err = m.only(client, account); err != nil {
			return "", nil, err
		}
	}
	outward := there
	if def, err := m.accounts.Default(); err == nil && def.As != account.As {
		outward = account.As + "/" + there
	}
	made, err := m.add(outward, account, there)
	return outward, made, err
}

// only returns the model of a provider that has one, or of a local server the
// first, which is one that is loaded.
func (m *models) only(client *provider.Client, account auth.Account) (string, error) {
	ctx, cancel := context.WithTimeout(m.ctx, 3*time.Second)
	defer cancel()
	list, err := client.Models(ctx)
	at := cmp.Or(account.Name, account.ID)
	if account.BaseURL != "" {
		at += " (" + provider.Shown(account.BaseURL) + ")"
	}
	switch {
	case m.ctx.Err() != nil:
		return "", context.Cause(m.ctx)
	case len(list) == 1, len(list) > 1 && account.Local != nil:
		return list[0].Name, nil
	case err != nil:
		return "", exit.Errorf(exit.Input, "No model is named for %s, and it does not say which it has: %w. Name one with --model.", at, err)
	case len(list) == 0:
		return "", exit.Errorf(exit.Input, "No model is named for %s, and it has none. Name one with --model.", at)
	}
	var names []string
	for _, one := range list[:min(len(list), 5)] {
		names = append(names, one.Name)
	}
	return "", exit.Errorf(exit.Input, "No model is named for %s. Name one with --model: %s.", at, strings.Join(names, ", "))
}

// find returns the model that the name in a request stands for.
func (m *models) find(name string) (*model, error) {
	m.mu.Lock()
	known := m.names[name]
	m.mu.Unlock()
	if known != nil {
		return known, nil
	}
	account, there, err := m.accounts.Resolve(name)
	if err != nil {
		return nil, err
	}
	return m.add(name, account, there)
}

func (m *models) add(name string, account auth.Account, there string) (*model, error) {
	client, err := m.client(account)
	if err != nil {
		return nil, err
	}
	g, err := client.For(there)
	if err != nil {
		return nil, exit.Errorf(exit.Auth, "%w", err)
	}
	made := &model{account, client, there, g}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.names[name] = made
	return made, nil
}

func (m *models) client(account auth.Account) (*provider.Client, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if c := m.clients[account.As]; c != nil {
		return c, nil
	}
	c, err := provider.Open(account.Access, m.accounts.NetworkOf(account, m.network))
	if err != nil {
		return nil, exit.Errorf(exit.Auth, "%w", err)
	}
	m.clients[account.As] = c
	return c, nil
}

// describe returns what is known of a model, by the name in requests.
func (m *models) describe(name string) catalog.Model {
	known, err := m.find(name)
	if err != nil {
		return catalog.Lookup(name)
	}
	return known.client.Describe(m.ctx, known.name)
}

// ask returns the model that a request is for, and the request that it gets.
func (m *models) ask(req *llm.Request) (*model, *llm.Request, error) {
	known, err := m.find(req.Model)
	if err != nil {
		return nil, nil, &llm.Error{Kind: llm.KindModelNotFound, Message: err.Error(), Err: err}
	}
	switch known.name {
	case req.Model:
		return known, req, nil
	case "":
		message := fmt.Sprintf("%q means the model that %s has, and it has not been asked which that is", req.Model, cmp.Or(known.account.Name, known.account.ID))
		return nil, nil, &llm.Error{Kind: llm.KindModelNotFound, Message: message}
	}
	own := *req
	own.Model = known.name
	return known, &own, nil
}

var _ llm.Generator = (*models)(nil)

// Stream implements [llm.Generator].
func (m *models) Stream(ctx context.Context, req *llm.Request) iter.Seq2[*llm.Response, error] {
	known, req, err := m.ask(req)
	if err != nil {
		return func(yield func(*llm.Response, error) bool) { yield(nil, err) }
	}
	return known.Stream(ctx, req)
}

// Generate implements [llm.Generator].
func (m *models) Generate(ctx context.Context, req *llm.Request) (*llm.Response, error) {
	known, req, err := m.ask(req)
	if err != nil {
		return nil, err
	}
	return known.Generate(ctx, req)
}

// CountTokens implements [llm.Generator].
func (m *models) CountTokens(ctx context.Context, req *llm.Request) (int, error) {
	known, req, err := m.ask(req)
	if err != nil {
		return 0, err
	}
	return known.CountTokens(ctx, req)
}

// Embed implements [llm.Generator].
func (m *models) Embed(ctx context.Context, name string, texts []string) ([][]float32, error) {
	known, req, err := m.ask(&llm.Request{Model: name})
	if err != nil {
		return nil, err
	}
	return known.Embed(ctx, req.Model, texts)
}

// discover makes a server on this machine the default account, where the user
// has set up none and names none.
func discover(ctx context.Context, accounts *auth.Accounts, name string, warn func(string)) error {
	_, _, err := accounts.Resolve(name)
	if err == nil || accounts.Chosen != "" || accounts.Names(name) {
		return nil // Resolve will say it again
	}
	found := accounts.Discover(ctx)
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if len(found) == 0 {
		return err
	}
	accounts.Adopt(found[0])
	warn(fmt.Sprintf("No provider is set up: using %s, which answers at %s.", found[0].Name, found[0].BaseURL))
	return nil
}

// listed returns the models that the user has named for it where one cannot
// answer. A name that means no model that can be reached is left out.
func (m *models) listed(s *config.Settings, left func(string)) []string {
	var chain []string
	for _, name := range config.Fallback.In(s) {
		outward, _, err := m.main(name)
		if err != nil {
			why, _, _ := strings.Cut(err.Error(), "\n")
			left("pollux.fallback: " + name + " is left out: " + why)
			continue
		}
		chain = append(chain, outward)
	}
	return chain
}
