package auth

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"pollux/llm/provider"
	"pollux/tool"
)

// The first choices of a sign-in, and the answers that are not providers.
const (
	cloudLabel   = "Vertex AI"
	localLabel   = "A server on this machine"
	gatewayLabel = "A gateway"
	moreLabel    = "More providers"
	removeLabel  = "Remove a stored key"
)

var firstChoices = [...]struct{ key, id, label string }{
	{"g", "gemini", "Gemini"},
	{"o", "openai", "OpenAI"},
	{"a", "anthropic", "Anthropic"},
	{"r", "openrouter", "OpenRouter"},
}

// EverydayProviders returns the ids of the providers that most people begin with.
func EverydayProviders() []string {
	var ids []string
	for _, c := range firstChoices {
		ids = append(ids, c.id)
	}
	return ids
}

const signInHelp = "A key identifies your account at a provider, which bills you for requests.\n" +
	"Gemini offers free keys. A server on this machine needs no key."

// pickProvider asks for a provider: first for one of the most used ones, then for one of all
// others. other is cloudLabel, localLabel, gatewayLabel or removeLabel if that is the answer. Both are empty if the person
// cancels the first question.
func (s *signIn) pickProvider(problem string) (p *provider.Profile, other string, err error) {
	preselected, err := Preselected(s.Env)
	if err != nil {
		return nil, "", err
	}
	const text = "Which provider do you want to use?"
	q := tool.Question{Text: problem + text, Header: "Provider", Kind: tool.ChoiceQuestion, Closed: true, Help: signInHelp}
	shown := map[string]string{} // ids by label
	rest := s.accounts.storableProviders()
	add := func(key, label string, p *provider.Profile) {
		shown[label] = p.ID
		rest = slices.DeleteFunc(rest, func(other *provider.Profile) bool { return other.ID == p.ID })
		q.Options = append(q.Options, tool.Option{Key: key, Label: label, Description: s.describe(p)})
	}
	ready := s.readyAccount()
	if ready != nil {
		label := ready.label()
		shown[label] = ready.ConfiguredID
		q.Options = append(q.Options, tool.Option{Label: label, Description: "key in " + ready.From})
	}
	if from, ok := s.hasCloudLogin(); ok {
		q.Options = append(q.Options, tool.Option{Key: "v", Label: cloudLabel, Description: "✓ " + from})
	}
	for _, c := range firstChoices {
		if p := s.accounts.Table().Find(c.id); p != nil && isStorable(p) && (ready == nil || ready.ConfiguredID != p.ID) {
			add(c.key, c.label, p)
		}
	}
	if p := s.accounts.FindProfile(string(preselected)); p != nil && preselected != "" {
		if _, isFirst := shown[cmp.Or(p.Name, p.ID)]; !isFirst && slices.Contains(rest, p) {
			add("", cmp.Or(p.Name, p.ID), p)
		}
	}
	q.Options = append(
		q.Options,
		tool.Option{Key: "l", Label: localLabel, Description: "no key: Ollama, LM Studio, ..."},
		tool.Option{Key: "w", Label: gatewayLabel, Description: "its address and a key"},
		tool.Option{Key: "m", Label: moreLabel, Description: fmt.Sprintf("%d others", len(rest))},
	)
	if s.OffersSignOut && len(s.stored) > 0 {
		q.Options = append(q.Options, tool.Option{Key: "x", Label: removeLabel, Description: "of " + strings.Join(slices.Sorted(maps.Keys(s.stored)), ", ")})
	}
	answer, err := question(s.ctx, s.ask, q)
	switch answer {
	case "":
		return nil, "", err
	case cloudLabel, localLabel, gatewayLabel, removeLabel:
		return nil, answer, nil
	case moreLabel:
		q = tool.Question{Text: text, Header: "Provider", Kind: tool.ChoiceQuestion, Closed: true, Help: signInHelp}
		for _, p := range rest {
			shown[cmp.Or(p.Name, p.ID)] = p.ID
			q.Options = append(q.Options, tool.Option{Label: cmp.Or(p.Name, p.ID)})
		}
		if answer, err = s.next(q); err != nil {
			return nil, "", err
		}
	}
	p, err = s.accounts.StorableFor(cmp.Or(shown[answer], answer))
	return p, "", err
}

// describe returns where the key of a provider is, or the page where the user creates one, or the address of the
// gateway that the key would be for; "" if nothing is known.
func (s *signIn) describe(p *provider.Profile) string {
	g := s.accounts.gatewayOf(p)
	isSet := firstSet(s.Env.Get, Variables(p))
	switch {
	case g != nil:
		return "at " + g.address
	case isSet != "":
		return "✓ key in " + isSet
	case s.stored[p.ID] != "":
		return "✓ key in " + s.accounts.in.display(s.stored[p.ID])
	case p.KeyPage == "" || p.CustomAddress:
		return ""
	}
	return "key from " + p.KeyPage
}
