package auth

import (
	"slices"
	"strings"

	"pollux/internal/exit"
	"pollux/llm/catalog"
	"pollux/llm/provider"
)

// Resolve returns the account for a model's name, and the model's name at its provider; ""
// means that the provider must be asked for its models.
//
//   - "provider/model" names both, unless the default account's provider uses model names
//     with slashes, and the account was selected or is the only one.
//   - Gemini's names and aliases, which are common in settings, mean the account's
//     default model if the default account belongs to another vendor.
//   - Names of the model families of Anthropic, OpenAI and Google belong to their vendor, if the
//     user can reach it and the default account is not at a custom address, which may serve
//     any model.
//   - Other names belong to the default account if it was selected or is the only one,
//     otherwise to the only account that is known to have the model.
func (a *Accounts) Resolve(name string) (Account, string, error) {
	name = strings.TrimSpace(name)
	if one, model, ok, err := a.named(name); ok {
		return one, model, err
	}
	def, err := a.Default()
	if err != nil {
		return def, "", err
	}
	if google := isGoogle(def.Profile); google && (catalog.IsGemini(name) || isAlias(name)) {
		return def, catalog.Resolve(name, def.Gemini()), nil
	} else if !google && (catalog.IsGemini(name) || isAlias(name)) && !strings.Contains(name, "/") {
		return def, def.Model, nil
	}
	if a.Selected && def.HasCustomAddress() || def.Router || def.Type == Gateway {
		return def, name, nil
	}
	maker := maker(name)
	switch {
	case maker == def.ID || maker == "gemini" && isGoogle(def.Profile):
		return def, name, nil
	case maker != "" && !def.HasCustomAddress():
		if p := a.Table().Find(maker); a.has(p) {
			one, err := a.Find(maker)
			return one, name, err
		}
		return def, name, nil
	case a.Selected || def.HasCustomAddress() || a.found != nil:
		return def, name, nil
	}
	return a.among(def, name)
}

// named resolves a name that begins with a provider and a slash. ok is false if it does not.
func (a *Accounts) named(name string) (one Account, model string, ok bool, err error) {
	head, model, ok := strings.Cut(name, "/")
	if !ok || head == "models" || model == "" {
		return one, "", false, nil
	}
	p := a.Table().Find(head)
	if p == nil {
		return one, "", false, nil
	}
	if def, err := a.Default(); err == nil {
		switch {
		case def.ConfiguredID == p.ID, def.ID == p.ID && !a.has(p):
			return def, a.aliased(def, model), true, nil
		case def.Router && (a.Selected || !a.has(p)):
			return def, name, true, nil
		}
	}
	one, err = a.Find(p.ID)
	return one, a.aliased(one, model), true, err
}

// HasProviderPrefix reports whether a model's name includes its provider.
func (a *Accounts) HasProviderPrefix(name string) bool {
	head, _, ok := strings.Cut(strings.TrimSpace(name), "/")
	return ok && head != "models" && a.Table().Find(head) != nil
}

// aliased returns the model for a name without a provider.
func (a *Accounts) aliased(one Account, model string) string {
	if one.Profile != nil && isGoogle(one.Profile) {
		return catalog.Resolve(model, one.Gemini())
	}
	return model
}

func (a *Accounts) has(p *provider.Profile) bool {
	_, ok := a.reach(p, a.access)
	return ok
}

// among returns the account for a name that belongs to no known model family, if there are
// several accounts.
func (a *Accounts) among(def Account, name string) (Account, string, error) {
	read := a.plain // do not read keys that may not be needed
	if a.fromStored {
		read = a.access
	}
	all := a.reachable(read)
	if len(all) == 1 {
		return def, name, nil
	}
	var have []Account
	for _, one := range all {
		for m := range catalog.Models(one.ID) {
			if m.Name == name {
				have = append(have, one)
			}
		}
	}
	if len(have) == 1 {
		return have[0], name, nil
	}
	if len(have) == 0 {
		have = slices.DeleteFunc(slices.Clone(all), func(one Account) bool { return one.lacks(name) })
	}
	switch len(have) {
	case 0:
		have = all
	case 1:
		return have[0], name, nil
	}
	var candidates []string
	for _, one := range have {
		candidates = append(candidates, one.ConfiguredID+"/"+name)
	}
	return def, "", exit.Errorf(exit.General, "Several of your providers may have the model %q. Choose one: %s.",
		name, strings.Join(candidates, ", "))
}

// lacks reports whether the account certainly does not have a model: the names of all models of
// Google and Anthropic begin with those of their families.
func (a Account) lacks(name string) bool {
	hasFamilies := isGoogle(a.Profile) || a.ID == "anthropic"
	return hasFamilies && maker(name) == "" && !strings.Contains(name, "/") && !a.HasCustomAddress() && !a.Gateway
}

// Gemini returns which Google models the account can use.
func (a Account) Gemini() catalog.Access {
	if a.Type == Gateway || a.Type != GeminiAPIKey && a.Gateway {
		return catalog.GatewayAccess()
	}
	return catalog.KeyAccess()
}

// isAlias reports whether a name is one of Gemini CLI's aliases of Gemini models.
func isAlias(name string) bool {
	return slices.Contains([]string{"", "auto", "pro", "flash", "flash-lite", "auto-gemini-3", "auto-gemini-2.5", "none"}, name)
}

// Price returns the list price of a model by its name in a session file, nil if it is unknown. It is that
// of the provider in the name, else of the default account's, else of the maker's. The account itself
// need not be usable any more.
func (a *Accounts) Price(name string) *catalog.Price {
	type offer struct{ provider, model string }
	offers := []offer{{string(a.Chosen), name}, {maker(name), name}}
	if head, model, ok := strings.Cut(name, "/"); ok {
		offers = append([]offer{{head, model}}, offers...)
	}
	for _, o := range offers {
		if p := a.Table().Find(o.provider); p != nil {
			if price := p.Describe(o.model, catalog.Model{}).Price; price != nil {
				return price
			}
		}
	}
	return nil
}

// maker returns the provider of the model family that a name belongs to, "" if unknown.
func maker(name string) string {
	name = strings.ToLower(name)
	for _, family := range makers {
		if strings.HasPrefix(name, family.prefix) {
			return family.id
		}
	}
	if len(name) > 1 && name[0] == 'o' && '0' <= name[1] && name[1] <= '9' {
		return "openai"
	}
	return ""
}

var makers = []struct{ prefix, id string }{
	{"gemini-", "gemini"},
	{"gemma-", "gemini"},
	{"models/", "gemini"},
	{"tunedmodels/", "gemini"},
	{"claude-", "anthropic"},
	{"gpt-", "openai"},
	{"codex-", "openai"},
}
