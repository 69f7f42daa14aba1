package provider

import (
	"cmp"
	"net/url"
	"strings"

	"pollux/llm/adc"
	"pollux/llm/anthropic"
)

// Access is what it takes to reach a provider: its profile, and what the user's
// environment adds.
type Access struct {
	*Profile
	// BaseURL is where requests go, "" for the protocol's own address.
	BaseURL string
	// APIKey or AuthToken, a bearer token, prove who asks. From says where they
	// come from: a variable's name, or where in the settings.
	APIKey, AuthToken string
	From              string
	// Model is asked where the user names none, "" if there is none to name.
	Model string

	// Google's: the key goes into an Authorization header, there is a gateway
	// with keys of its own, the version in the path, and for Vertex AI without a
	// key the project and its location.
	Bearer, Gateway   bool
	APIVersion        string
	Project, Location string
	ADC               adc.Source // whose tokens then prove who asks

	// Amazon's, for Bedrock.
	AWS *anthropic.Bedrock
}

// Access returns how a profile is reached with what the environment holds, and
// whether that is enough, and anything in it speaks for the provider. Values are
// trimmed: keys are often pasted with a line end.
func (p *Profile) Access(env func(name string) string) (a Access, found bool) {
	first := func(names Words) (value, name string) {
		for _, name := range names {
			if value := strings.TrimSpace(env(name)); value != "" {
				return value, name
			}
		}
		return "", ""
	}
	a = Access{Profile: p, BaseURL: p.BaseURL, APIKey: strings.TrimSpace(p.APIKey)}
	base, baseFrom := first(p.BaseURLVars)
	if base != "" {
		a.BaseURL = base
		if p.Imitated && host(base) != host(p.BaseURL) { // something else may be there
			here := *p
			here.Model, here.SmallModel, here.Models, here.Quirks = "", "", nil, nil
			a.Profile = &here
		}
	}
	a.BaseURL = withPath(a.BaseURL, p.BasePath)
	if a.APIKey != "" {
		a.From = "modelProviders." + p.ID + ".apiKey"
	} else {
		a.APIKey, a.From = first(p.KeyVars)
	}
	if a.APIKey == "" {
		a.AuthToken, a.From = first(p.TokenVars)
	}
	a.From = cmp.Or(a.From, baseFrom)
	a.Gateway = p.Keyless && p.Protocol == Gemini
	if p.Own && p.Keyless && a.From == "" {
		a.From = "modelProviders." + p.ID
	}
	a.Model, _ = first(p.ModelVars)
	a.Model = cmp.Or(a.Model, a.Profile.Model)
	switch p.Protocol {
	case Bedrock:
		a.AWS = anthropic.BedrockFrom(env)
	case Vertex, AnthropicVertex:
		a.Project, _ = first(Words{"GOOGLE_CLOUD_PROJECT", "GOOGLE_CLOUD_PROJECT_ID"})
		a.Location, _ = first(Words{"GOOGLE_CLOUD_LOCATION"})
		a.ADC = adc.From(env)
	}
	return a, a.From != "" && !a.Nowhere()
}

// Nowhere reports whether it is not known where requests go, because nothing has
// said it yet.
func (a *Access) Nowhere() bool { return a.BaseURL == "" && a.needsAddress() }

// withPath adds a path to an address that has none.
func withPath(address, path string) string {
	u, err := url.Parse(address)
	if path == "" || err != nil || u.Host == "" || strings.Trim(u.Path, "/") != "" {
		return address
	}
	u.Path = path
	return u.String()
}

// Elsewhere reports whether requests go to an address that the user has named:
// any model may be served there.
func (a *Access) Elsewhere() bool {
	return a.Profile != nil && (a.Own || host(a.BaseURL) != host(a.Profile.BaseURL))
}
