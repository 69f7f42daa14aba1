package auth

import (
	"cmp"
	"net/url"
	"strings"

	"pollux/internal/exit"
	"pollux/llm/provider"
)

// gateway is an address that an environment variable sets in the place of a provider's own. A key
// for it is not the provider's: Pollux never stores one, because it would send the stored key to
// the provider as soon as the variable is unset.
type gateway struct {
	provider  string // the provider's name
	address   string // safe to show
	variable  string // that sets the address
	isProject bool   // the variable is from a .env file of the project
	keyVar    string // the variable for the key
}

// gatewayOf returns the gateway at which the environment reaches a provider whose keys can be
// stored, nil if it reaches the provider itself. A provider that has no address of its own, such
// as Azure OpenAI, has no gateway.
func (a *Accounts) gatewayOf(p *provider.Profile) *gateway {
	access, _ := p.Access(a.in.Env.Get)
	if !isGateway(p, &access) {
		return nil
	}
	return &gateway{
		provider: cmp.Or(p.Name, p.ID), address: provider.RedactAddress(access.BaseURL),
		variable: access.AddressVar, isProject: a.in.Env.IsSetByProject(access.AddressVar), keyVar: p.KeyVars[0],
	}
}

// isGateway reports whether the access to a provider leads to another host than the provider's
// own, because of a variable.
func isGateway(p *provider.Profile, access *provider.Access) bool {
	if access.AddressVar == "" || !isStorable(p) || p.BaseURL == "" && !isGoogle(p) {
		return false
	}
	normal := func(host string) string { return strings.TrimSuffix(strings.ToLower(host), ":443") }
	there, own := normal(hostOf(access)), normal(hostOf(&provider.Access{Profile: p, BaseURL: p.BaseURL}))
	return there != own && (p.ID != "vertexai" || !strings.HasSuffix(there, "-"+own)) // regions have hosts of their own
}

// refusal returns the error of a request to store a key for the provider.
func (g *gateway) refusal() error {
	where := g.variable
	if g.isProject {
		where += " in this project's .env file"
	}
	return exit.Errorf(exit.General, "Cannot store a key for %s: %s sends requests to %s. Set %s to the key for that address, or unset %s.",
		g.provider, where, g.address, g.keyVar, g.variable)
}

// CheckStorable returns an error if a key for this provider cannot be stored, because it would be
// for another address than the provider's own.
func (a *Accounts) CheckStorable(p *provider.Profile) error {
	if g := a.gatewayOf(p); g != nil {
		return g.refusal()
	}
	return nil
}

// hostOf returns the host that requests with this access go to.
func hostOf(access *provider.Access) string {
	address := access.BaseURL
	switch {
	case address != "":
	case access.Protocol == provider.Gemini:
		address = "https://generativelanguage.googleapis.com"
	case access.Protocol == provider.Vertex:
		address = "https://aiplatform.googleapis.com"
	}
	if u, err := url.Parse(address); err == nil && u.Host != "" {
		return u.Host
	}
	return cmp.Or(access.Name, access.ID)
}
