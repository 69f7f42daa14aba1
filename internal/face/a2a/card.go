package a2a

import (
	"net/http"

	"pollux/internal/a2a/protocol"
)

// card is the description of the agent. Its first members are those of version 0.3, with the values of Gemini CLI's server, the
// last ones are those that version 1.0 has in place of them. Clients of either version ignore the others.
type card struct {
	Name               string       `json:"name"`
	Description        string       `json:"description"`
	URL                string       `json:"url,omitempty"`
	Provider           provider     `json:"provider"`
	ProtocolVersion    string       `json:"protocolVersion,omitempty"`
	PreferredTransport string       `json:"preferredTransport,omitempty"`
	Version            string       `json:"version"`
	Capabilities       capabilities `json:"capabilities"`
	SecuritySchemes    any          `json:"securitySchemes,omitempty"`
	Security           any          `json:"security,omitempty"`
	InputModes         []string     `json:"defaultInputModes"`
	OutputModes        []string     `json:"defaultOutputModes"`
	Skills             []skill      `json:"skills"`
	HasExtendedCard    *bool        `json:"supportsAuthenticatedExtendedCard,omitempty"`

	Interfaces   []iface `json:"supportedInterfaces"`
	Requirements any     `json:"securityRequirements,omitempty"`
}

type provider struct {
	Organization string `json:"organization"`
	URL          string `json:"url"`
}

type capabilities struct {
	Streaming   bool  `json:"streaming"`
	Push        bool  `json:"pushNotifications"`
	HasHistory  *bool `json:"stateTransitionHistory,omitempty"`
	HasExtended *bool `json:"extendedAgentCard,omitempty"`
}

type skill struct {
	ID          string   `json:"id"`
	Name        string   `json:"name"`
	Description string   `json:"description"`
	Tags        []string `json:"tags"`
	Examples    []string `json:"examples"`
	InputModes  []string `json:"inputModes"`
	OutputModes []string `json:"outputModes"`
}

type iface struct {
	URL     string `json:"url"`
	Binding string `json:"protocolBinding"`
	Version string `json:"protocolVersion"`
}

// The values of the card of Gemini CLI's server, by which clients know it.
const (
	agentName    = "Gemini SDLC Agent"
	agentVersion = "0.0.2"
	jsonRPC      = "JSONRPC"
)

// schemeName is the name of the way to authenticate.
const schemeName = "bearer"

// card returns the card for a client that has named the server host. A client of version 1.0 that says so gets only the members
// of that version.
func (s *server) card(host string, isNew bool) *card {
	text := []string{"text"}
	url := s.url(host)
	c := &card{
		Name: agentName, Description: "Works on software projects: reads and edits files, runs commands, and answers questions about them.",
		Provider: provider{"Pollux", url}, Version: agentVersion,
		Capabilities: capabilities{Streaming: true}, InputModes: text, OutputModes: text,
		Skills: []skill{{
			ID: "code_generation", Name: "Code Generation", Description: "Writes, changes and explains the code of a project.",
			Tags:     []string{"code", "development", "programming"},
			Examples: []string{"Find out why the tests fail, and fix it.", "Add an option to print the result as JSON."}, InputModes: text, OutputModes: text,
		}},
		Interfaces: []iface{{url, jsonRPC, protocol.New}, {url, jsonRPC, protocol.Old}},
	}
	if isNew {
		c.Capabilities.HasExtended = new(false)
	} else {
		c.URL, c.ProtocolVersion, c.PreferredTransport = url, protocol.Old, jsonRPC
		c.Capabilities.HasHistory, c.HasExtendedCard = new(true), new(false)
	}
	if s.Token == "" {
		return c
	}
	type object = map[string]any
	if isNew {
		c.SecuritySchemes = object{schemeName: object{"httpAuthSecurityScheme": object{"scheme": "Bearer"}}}
		c.Requirements = []object{{"schemes": object{schemeName: object{"list": []string{}}}}}
	} else {
		c.SecuritySchemes = object{schemeName: object{"type": "http", "scheme": "bearer"}}
		c.Security = []object{{schemeName: []string{}}}
	}
	return c
}

func (s *server) serveCard(w http.ResponseWriter, r *http.Request) {
	reply(w, http.StatusOK, s.card(r.Host, protocol.IsNew(r.Header.Get(protocol.VersionHeader))))
}
