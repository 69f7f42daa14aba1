package a2a

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"

	"pollux/internal/terminal"
)

// card is an agent's description of itself, in version 0.3 or 1.0 of the protocol. Members that the package
// does not use are left out.
type card struct {
	Description          string  `json:"description"`
	URL                  string  `json:"url"`
	PreferredTransport   string  `json:"preferredTransport"`
	ProtocolVersion      string  `json:"protocolVersion"`
	AdditionalInterfaces []iface `json:"additionalInterfaces"`
	SupportedInterfaces  []iface `json:"supportedInterfaces"` // its name in 1.0
	Capabilities         struct {
		Streaming bool `json:"streaming"`
	} `json:"capabilities"`
	Skills []struct {
		Name        string `json:"name"`
		Description string `json:"description"`
	} `json:"skills"`
	SecuritySchemes map[string]*scheme `json:"securitySchemes"`
}

// iface is one way to call an agent.
type iface struct {
	URL             string `json:"url"`
	Transport       string `json:"transport"`
	ProtocolBinding string `json:"protocolBinding"` // its name in 1.0
	ProtocolVersion string `json:"protocolVersion"`
	Tenant          string `json:"tenant"`
}

// parseCard reads a card. Its errors contain nothing of the text.
func parseCard(text []byte) (*card, error) {
	var c *card
	if err := json.Unmarshal(text, &c); err != nil || c == nil {
		return nil, decodeError("the agent card", err)
	}
	if c.AdditionalInterfaces == nil {
		c.AdditionalInterfaces = c.SupportedInterfaces
	}
	for i := range c.AdditionalInterfaces {
		one := &c.AdditionalInterfaces[i]
		one.Transport = cmp.Or(one.Transport, one.ProtocolBinding)
	}
	return c, nil
}

// The transports of the protocol that the package speaks.
const (
	jsonRPC = "JSONRPC"
	rest    = "HTTP+JSON"
)

// choose returns the first way to call the agent that the package speaks: the preferred one, then the others
// in their order.
func (c *card) choose() (*iface, error) {
	var all []iface
	if c.URL != "" {
		preferred := cmp.Or(c.PreferredTransport, jsonRPC)
		all = append(all, iface{URL: c.URL, Transport: preferred, ProtocolVersion: c.ProtocolVersion})
	}
	all = append(all, c.AdditionalInterfaces...)
	var others []string
	for _, one := range all {
		one.Transport = strings.ToUpper(one.Transport)
		switch {
		case one.URL == "":
		case one.Transport == jsonRPC, one.Transport == rest:
			return &one, nil
		case !slices.Contains(others, clean(one.Transport)):
			others = append(others, clean(one.Transport))
		}
	}
	switch {
	case len(others) == 0:
		return nil, errors.New("the agent card names no address to call")
	case slices.Equal(others, []string{"GRPC"}):
		return nil, errors.New("the agent offers only gRPC, which Pollux does not speak. Ask its provider for JSON-RPC or HTTP+JSON")
	}
	return nil, fmt.Errorf("the agent offers only %s. Pollux speaks JSONRPC and HTTP+JSON", clean(strings.Join(others, ", ")))
}

// Limits of a card's texts in the description for the model, in bytes.
const (
	maxSkills      = 50
	maxSkillText   = 300
	maxDescription = 4 << 10
)

// describe returns the description for the model: the user's, then the card's.
func (c *card) describe(byUser string) string {
	var lines []string
	if text := strings.TrimSpace(byUser); text != "" {
		lines = append(lines, "User Description: "+text)
	}
	if text := strings.TrimSpace(terminal.Clean(c.Description)); text != "" {
		lines = append(lines, "Agent Description: "+terminal.Cut(text, maxDescription/2))
	}
	if len(c.Skills) > 0 {
		lines = append(lines, "Skills:")
	}
	for i, skill := range c.Skills {
		if i == maxSkills {
			lines = append(lines, fmt.Sprintf("and %d more", len(c.Skills)-i))
			break
		}
		text := cmp.Or(terminal.Line(skill.Description), "No description provided")
		lines = append(lines, terminal.Cut(terminal.Line(skill.Name), maxSkillText)+": "+terminal.Cut(text, maxSkillText))
	}
	return terminal.Cut(strings.Join(lines, "\n"), max(maxDescription, len(byUser)+maxDescription/2))
}

// scheme is one way to authenticate: in 0.3 with a type, in 1.0 and the JSON of protobuf within a member that
// is named like it.
type scheme struct {
	Type   string `json:"type"`
	Name   string `json:"name"`   // of an API key
	Scheme string `json:"scheme"` // of HTTP
	Flows  struct {
		AuthorizationCode *oauthFlow `json:"authorizationCode"`
	} `json:"flows"`

	APIKey *scheme `json:"apiKeySecurityScheme"`
	HTTP   *scheme `json:"httpAuthSecurityScheme"`
	OAuth  *scheme `json:"oauth2SecurityScheme"`
	OpenID *scheme `json:"openIdConnectSecurityScheme"`
	TLS    *scheme `json:"mtlsSecurityScheme"`
}

// oauthFlow is how a person signs in.
type oauthFlow struct {
	AuthorizationURL string            `json:"authorizationUrl"`
	TokenURL         string            `json:"tokenUrl"`
	Scopes           map[string]string `json:"scopes"`
}

// plain returns the scheme in the form of 0.3.
func (s *scheme) plain() *scheme {
	for kind, inner := range map[string]*scheme{"apiKey": s.APIKey, "http": s.HTTP, "oauth2": s.OAuth, "openIdConnect": s.OpenID, "mutualTLS": s.TLS} {
		if inner != nil && s.Type == "" {
			one := *inner
			one.Type = kind
			return &one
		}
	}
	return s
}

// schemes returns the ways to authenticate, sorted by their names.
func (c *card) schemes() []*scheme {
	var list []*scheme
	for _, name := range slices.Sorted(maps.Keys(c.SecuritySchemes)) {
		if s := c.SecuritySchemes[name]; s != nil {
			list = append(list, s.plain())
		}
	}
	return list
}

// signInFlow returns the flow with a person's sign-in, nil if the card has none.
func (c *card) signInFlow() *oauthFlow {
	for _, s := range c.schemes() {
		if flow := s.Flows.AuthorizationCode; s.Type == "oauth2" && flow != nil {
			return flow
		}
	}
	return nil
}

// missingAuth returns the authentication that the card requires and the definition lacks, or "".
func (c *card) missingAuth(a *Auth) string {
	var all []string
	for _, s := range c.schemes() {
		if a.satisfies(s) {
			return ""
		}
		text := s.Type
		switch s.Type {
		case "apiKey":
			text = "an API key in " + s.Name
		case "http":
			text = "HTTP " + s.Scheme
		case "oauth2":
			text = "OAuth"
		}
		all = append(all, text)
	}
	return clean(strings.Join(all, " or "))
}

// address returns where an interface is, which the card at from names; nil from is the user's own definition.
func (i *iface) address(from *url.URL) (*url.URL, error) {
	u, err := parseAddress(i.URL)
	switch {
	case err != nil:
		return nil, fmt.Errorf("the agent card is not valid: %w", err)
	case u.User != nil:
		return nil, errors.New("the agent card is not valid: its address contains a password")
	case from != nil:
		if err := checkStep(from, u); err != nil {
			return nil, err
		}
	}
	return u, nil
}
