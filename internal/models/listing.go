package models

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"
	"time"

	"pollux/internal/auth"
	"pollux/internal/wording"
	"pollux/llm"
	"pollux/llm/catalog"
	"pollux/llm/provider"
	"pollux/tool/spelling"
)

// Listing is the entry for one name in a provider's list of models.
type Listing struct {
	Provider string // the provider's name
	// IsListed reports whether the provider has the model. If it has not, Close are the names
	// that resemble it, at most five.
	IsListed bool
	Close    []string
}

// listTimeout is how long a provider has to list its models.
const listTimeout = 5 * time.Second

// CheckName asks the provider of a model whether it has the model. It sends no request for
// models of the catalog, unless the address may be that of another vendor. The error means that the
// provider did not list its models.
func (d *Directory) CheckName(ctx context.Context, name string) (Listing, error) {
	if d.accountModels == nil {
		return Listing{IsListed: true}, nil
	}
	_, known, err := d.accountModels.resolve(name)
	if err != nil {
		return Listing{IsListed: true}, nil //nolint:nilerr // Choose returns the error
	}
	l := Listing{Provider: known.account.ProviderName()}
	if known.account.GatewayKeyVar != "" {
		l.Provider = "The gateway at " + provider.RedactAddress(known.account.BaseURL)
	}
	isVendor := !known.account.Imitated || !known.account.HasCustomAddress()
	for m := range catalog.Models(known.account.ID) {
		if isVendor && m.Name == known.name {
			l.IsListed = true
			return l, nil
		}
	}
	ctx, cancel := context.WithTimeout(ctx, listTimeout)
	defer cancel()
	names, err := known.client.List(ctx)
	if err != nil || len(names) == 0 {
		return l, err
	}
	l.IsListed = isListed(names, known.name)
	if !l.IsListed {
		l.Close = closest(names, known.name)
		if prefix, _, ok := strings.Cut(name, "/"); ok && prefix+"/"+known.name == name {
			for i := range l.Close {
				l.Close[i] = prefix + "/" + l.Close[i]
			}
		}
	}
	return l, nil
}

// Stream implements [llm.Generator].
func (m *model) Stream(ctx context.Context, req *llm.Request) iter.Seq2[*llm.Response, error] {
	return func(yield func(*llm.Response, error) bool) {
		for response, err := range m.Generator.Stream(ctx, req) {
			if !yield(response, m.explain(ctx, err)) {
				return
			}
		}
	}
}

// Generate implements [llm.Generator].
func (m *model) Generate(ctx context.Context, req *llm.Request) (*llm.Response, error) {
	response, err := m.Generator.Generate(ctx, req)
	return response, m.explain(ctx, err)
}

// explain returns the error of a response in the words of this model's server, if the server is on
// this machine or at an address of the user's: it may have other models than the vendor, or another
// protocol. It returns other errors, and nil, unchanged.
func (m *model) explain(ctx context.Context, err error) error {
	if err == nil {
		m.exchange.hasAnswered.Store(true)
		return nil
	}
	api, ok := errors.AsType[*llm.Error](err)
	if !ok || m.account.Profile == nil || isGoogle(m.account) || m.account.Local == nil && !m.account.HasCustomAddress() {
		return err
	}
	switch {
	case api.Kind == llm.KindModelNotFound:
		return m.explainMissing(ctx, api)
	case api.Code == "MALFORMED_RESPONSE" && !m.exchange.hasAnswered.Load() && m.exchange.malformed.Add(1) > 1:
		// Of no kind that is worth another attempt.
		return &llm.Error{
			Code: api.Code, Body: api.Body, Err: err,
			Message: fmt.Sprintf("The server at %s does not speak the protocol %q: %s", provider.RedactAddress(m.account.BaseURL), m.account.Protocol, strings.Replace(api.Message, "The provider sent", "it sent", 1)),
		}
	}
	return err
}

// explainMissing adds the server's models to the error of a request for a model that the server
// does not have.
func (m *model) explainMissing(ctx context.Context, api *llm.Error) error {
	ctx, cancel := context.WithTimeout(ctx, listTimeout)
	defer cancel()
	names, failed := m.client.List(ctx)
	if failed != nil || len(names) == 0 || isListed(names, m.name) {
		return api
	}
	has := "It has: " + shortList(names)
	if near := closest(names, m.name); len(near) > 0 {
		has = "Did you mean " + strings.Join(near, " or ") + "?"
	} else if m.account.Protocol == provider.Ollama {
		return api // the message explains how to download the model
	}
	explained := *api
	explained.Message = fmt.Sprintf("The server at %s does not have the model %q. %s", provider.RedactAddress(m.account.BaseURL), m.name, has)
	explained.Err = api
	return &explained
}

// isListed reports whether a list of models has one with this name. Part of a name may select
// a variant: "qwen3" is "qwen3:latest", and "a/b:free" is "a/b".
func isListed(names []string, name string) bool {
	base, variant, _ := strings.Cut(name, ":")
	if stem, ok := strings.CutSuffix(base, "-latest"); ok {
		return slices.ContainsFunc(names, func(n string) bool { return strings.HasPrefix(n, stem) })
	}
	return slices.ContainsFunc(names, func(n string) bool {
		return n == name || variant == "" && n == name+":latest" || n == base && strings.Contains(base, "/")
	})
}

// closest returns the names that resemble a mistyped one, the closest first.
func closest(names []string, name string) []string {
	const most = 5
	distance := func(n string) int {
		d := spelling.Distance(strings.ToLower(n), strings.ToLower(name))
		if strings.Contains(n, name) || strings.Contains(name, n) {
			d /= 4
		}
		return d
	}
	near := slices.DeleteFunc(slices.Clone(names), func(n string) bool { return distance(n) > max(2, len(name)/3) })
	slices.SortStableFunc(near, func(a, b string) int { return distance(a) - distance(b) })
	return near[:min(len(near), most)]
}

// ServerModels asks the server of the current model for all its models, with the names that
// [Directory.Choose] accepts, if it is on this machine or at an address of the user's: it may then
// have any models. It returns nil for other providers, and if a server that only proxies a vendor
// lists none. After an error, the models are those of the user's settings.
func (d *Directory) ServerModels(ctx context.Context) ([]catalog.Model, error) {
	account := d.Current().Account
	if d.accountModels == nil || account.Profile == nil || account.Local == nil && !account.HasCustomAddress() {
		return nil, nil
	}
	list, err := d.listed(ctx, account)
	if len(list) == 0 && !account.Imitated {
		return nil, err // the address has the vendor's models
	}
	own := make([]catalog.Model, len(list))
	for i, m := range list {
		own[i] = m
		own[i].Name = d.accountModels.requestName(account, m.Name)
	}
	return own, err
}

// listed asks the provider of an account for its models, with its own names.
func (d *Directory) listed(ctx context.Context, account auth.Account) ([]catalog.Model, error) {
	client, err := d.accountModels.client(account)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, listTimeout)
	defer cancel()
	return client.Models(ctx)
}

// Facts returns the input limit and the price of a model for people, as far as they are known.
func Facts(m catalog.Model) string {
	var words []string
	if m.Input > 0 {
		words = append(words, wording.Number(m.Input)+" tokens")
	}
	if p := m.Price; p != nil {
		words = append(words, fmt.Sprintf("$%g in, $%g out per million", p.Input, p.Output))
	}
	return strings.Join(words, ", ")
}
