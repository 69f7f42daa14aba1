package auth

import (
	"slices"
	"strings"

	"pollux/internal/exit"
	"pollux/llm/catalog"
	"pollux/llm/provider"
)

// Resolve finds out whose model a name means (spec/providers.md §1), and returns
// the account that it is asked with and its name there, "" where the provider
// has to be asked which models it has.
//
//   - "provider/model" names both, unless the default account is one whose models'
//     names have slashes, and was selected or is all there is.
//   - Gemini's names and aliases, which settings are full of, mean the account's
//     own default with any other vendor.
//   - A name of Anthropic's, OpenAI's or Google's family goes to its maker, if
//     that can be reached and the default account is not somewhere else, where
//     any model may be.
//   - Anything else goes to the default account if it was selected or is the only
//     one; else to the only one whose models it is among.
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
	if a.Selected && def.Elsewhere() || def.Router || def.Type == Gateway {
		return def, name, nil
	}
	maker := maker(name)
	switch {
	case maker == def.ID || maker == "gemini" && isGoogle(def.Profile):
		return def, name, nil
	case maker != "" && !def.Elsewhere():
		if p := a.Table().Find(maker); a.has(p) {
			one, err := a.Find(maker)
			return one, name, err
		}
		return def, name, nil
	case a.Selected || def.Elsewhere() || a.found != nil:
		return def, name, nil
	}
	return a.among(def, name)
}

// named returns what a name means that has a provider's before its first slash.
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
		case def.As == p.ID, def.ID == p.ID && !a.has(p):
			return def, a.aliased(def, model), true, nil
		case def.Router && (a.Selected || !a.has(p)):
			return def, name, true, nil
		}
	}
	one, err = a.Find(p.ID)
	return one, a.aliased(one, model), true, err
}

// Names reports whether a name says whose model it is.
func (a *Accounts) Names(name string) bool {
	head, _, ok := strings.Cut(strings.TrimSpace(name), "/")
	return ok && head != "models" && a.Table().Find(head) != nil
}

// aliased returns the model that a name without its provider stands for.
func (a *Accounts) aliased(one Account, model string) string {
	if one.Profile != nil && isGoogle(one.Profile) {
		return catalog.Resolve(model, one.Gemini())
	}
	return model
}

// has reports whether the user has what it takes to ask a provider.
func (a *Accounts) has(p *provider.Profile) bool {
	_, ok := a.reach(p, a.access)
	return ok
}

// among returns the account of several that a name of no known family means.
func (a *Accounts) among(def Account, name string) (Account, string, error) {
	read := a.plain // no key is looked for that may not be needed
	if a.kept {
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
		have = all
	}
	var candidates []string
	for _, one := range have {
		candidates = append(candidates, one.As+"/"+name)
	}
	return def, "", exit.Errorf(exit.Input, "%q could be a model of several providers that you have set up. Write one of: %s.",
		name, strings.Join(candidates, ", "))
}

// Gemini says which of Google's models an account with Google may use.
func (a Account) Gemini() catalog.Access {
	if a.Type == Gateway || a.Type != GeminiAPIKey && a.Gateway {
		return catalog.GatewayAccess()
	}
	return catalog.KeyAccess()
}

// isAlias reports whether a name is one of Gemini CLI's for a Gemini model.
func isAlias(name string) bool {
	return slices.Contains([]string{"", "auto", "pro", "flash", "flash-lite", "auto-gemini-3", "auto-gemini-2.5", "none"}, name)
}

// maker returns the provider whose family a model's name is of, "" for none.
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
