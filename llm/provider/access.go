package provider

import (
	"cmp"
	"net/url"
	"strings"

	"pollux/llm/adc"
	"pollux/llm/anthropic"
)

// Access is a profile with the credentials and settings from the user's environment:
// all that is needed to send requests to the provider.
type Access struct {
	*Profile
	// BaseURL is the address of the service, "" for the default of the protocol.
	// AddressVar is the variable that set it, "" if it is that of the profile.
	BaseURL, AddressVar string
	// APIKey and AuthToken, a bearer token, are the credentials. From is their source:
	// the name of a variable or of a setting.
	APIKey, AuthToken string
	From              string
	// Model is the default model, "" if there is none. ModelVar is the variable that sets it to
	// envModel, "" if it is that of the profile.
	Model, ModelVar string
	envModel        string

	// For Google only: Bearer sends the key in the Authorization header, Gateway means
	// that a gateway adds the key. APIVersion is part of the path. Project and
	// Location are those of Vertex AI without a key.
	Bearer, Gateway   bool
	APIVersion        string
	Project, Location string
	ADC               adc.Source // of the tokens for Vertex AI without a key

	// AWS holds the region and the credentials for Bedrock, nil for other providers.
	AWS *anthropic.Bedrock
}

// Access returns the access to p with the credentials in env. It reports false if they
// are incomplete, or if nothing in env is meant for this provider. White space around
// values is removed, as keys are often pasted with a line end.
func (p *Profile) Access(env func(name string) string) (a Access, found bool) {
	first := func(names StringList) (value, name string) {
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
		a.BaseURL, a.AddressVar = base, baseFrom
		if p.Imitated && !p.CustomAddress && host(base) != host(p.BaseURL) { // something else may be there
			a.Profile = p.elsewhere()
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
	if p.CustomAddress && p.Keyless && a.From == "" {
		a.From = "modelProviders." + p.ID
	}
	a.envModel, a.ModelVar = first(p.ModelVars)
	a.Model = cmp.Or(a.envModel, a.Profile.Model)
	switch p.Protocol {
	case Bedrock:
		a.AWS = anthropic.BedrockFromEnv(env)
	case Vertex, AnthropicVertex:
		a.Project, _ = first(StringList{"GOOGLE_CLOUD_PROJECT", "GOOGLE_CLOUD_PROJECT_ID"})
		a.Location, _ = first(StringList{"GOOGLE_CLOUD_LOCATION"})
		a.ADC = adc.FromEnv(env)
	}
	return a, a.From != "" && !a.LacksAddress()
}

// ServedBy returns the access with another profile, whose provider serves the address:
// there, changed by the user's entries for the profile of a. The credentials stay.
func (a Access) ServedBy(there *Profile) Access {
	a.Profile = there.with(a.own)
	a.Model = cmp.Or(a.envModel, a.Profile.Model)
	return a
}

// LacksAddress reports whether a has no address and its protocol has no default one.
func (a *Access) LacksAddress() bool { return a.BaseURL == "" && a.needsAddress() }

// withPath appends path to an address that has no path.
func withPath(address, path string) string {
	u, err := url.Parse(address)
	if path == "" || err != nil || u.Host == "" || strings.Trim(u.Path, "/") != "" {
		return address
	}
	u.Path = path
	return u.String()
}

// HasCustomAddress reports whether the user has set the address of the provider. Such
// a service may have any models.
func (a *Access) HasCustomAddress() bool {
	return a.Profile != nil && (a.CustomAddress || host(a.BaseURL) != host(a.Profile.BaseURL))
}
