package schema

import "encoding/json"

// InitializeRequest are the parameters of [Initialize].
type InitializeRequest struct {
	ProtocolVersion *int               `json:"protocolVersion"`
	Capabilities    ClientCapabilities `json:"clientCapabilities"`
	Info            *Implementation    `json:"clientInfo"`
}

// ClientCapabilities are the abilities of the client. It lacks those that are missing.
type ClientCapabilities struct {
	FS struct {
		Read  bool `json:"readTextFile"`
		Write bool `json:"writeTextFile"`
	} `json:"fs"`
	Terminal bool `json:"terminal"`
	Auth     struct {
		Terminal bool `json:"terminal"`
	} `json:"auth"`
	Elicitation struct {
		Form json.RawMessage `json:"form"`
		URL  json.RawMessage `json:"url"`
	} `json:"elicitation"`
	Meta map[string]json.RawMessage `json:"_meta"`
}

// IsSet reports whether a capability of any form is there.
func IsSet(capability json.RawMessage) bool {
	return len(capability) > 0 && string(capability) != "null" && string(capability) != "false"
}

// Implementation names a program.
type Implementation struct {
	Name    string `json:"name"`
	Title   string `json:"title,omitempty"`
	Version string `json:"version"`
}

// InitializeResponse is the result of [Initialize].
type InitializeResponse struct {
	ProtocolVersion int               `json:"protocolVersion"`
	Capabilities    AgentCapabilities `json:"agentCapabilities"`
	Info            Implementation    `json:"agentInfo"`
	AuthMethods     []AuthMethod      `json:"authMethods"`
}

// AgentCapabilities are the abilities of the agent.
type AgentCapabilities struct {
	LoadSession bool                `json:"loadSession"`
	Prompt      PromptCapabilities  `json:"promptCapabilities"`
	MCP         MCPCapabilities     `json:"mcpCapabilities"`
	Session     SessionCapabilities `json:"sessionCapabilities"`
	Auth        AuthCapabilities    `json:"auth"`
}

// PromptCapabilities are the kinds of blocks in prompts, beside texts and links.
type PromptCapabilities struct {
	Image           bool `json:"image"`
	Audio           bool `json:"audio"`
	EmbeddedContext bool `json:"embeddedContext"`
}

// MCPCapabilities are the kinds of MCP servers, beside programs.
type MCPCapabilities struct {
	HTTP bool `json:"http"`
	SSE  bool `json:"sse"`
}

// SessionCapabilities are the methods and parameters for sessions that are optional.
type SessionCapabilities struct {
	List                  *Empty `json:"list,omitempty"`
	Resume                *Empty `json:"resume,omitempty"`
	Close                 *Empty `json:"close,omitempty"`
	Delete                *Empty `json:"delete,omitempty"`
	AdditionalDirectories *Empty `json:"additionalDirectories,omitempty"`
}

// AuthCapabilities are the methods for signing in that are optional.
type AuthCapabilities struct {
	Logout *Empty `json:"logout,omitempty"`
}

// AuthMethod is a way to sign in. Type is "" for [Authenticate], and "terminal" for the program in a terminal, with these
// arguments.
type AuthMethod struct {
	ID          string   `json:"id"`
	Name        string   `json:"name"`
	Description string   `json:"description,omitempty"`
	Type        string   `json:"type,omitempty"`
	Args        []string `json:"args,omitempty"`
	Meta        Meta     `json:"_meta,omitempty"`
}

// AuthenticateRequest are the parameters of [Authenticate].
type AuthenticateRequest struct {
	MethodID string `json:"methodId"`
	Meta     struct {
		Key     *string  `json:"api-key"`
		Gateway *Gateway `json:"gateway"`
	} `json:"_meta"`
}

// Gateway is a server between the agent and a model.
type Gateway struct {
	BaseURL string            `json:"baseUrl"`
	Headers map[string]string `json:"headers"`
}
