// Package provider holds the providers of models: the address, the wire protocol,
// the credentials and the peculiarities of each.
//
// A provider is a [Profile], which is data. [Builtin] returns the profiles that
// Pollux comes with. [Table.Add] adds those of the user's modelProviders setting,
// and applies its changes to built-in ones. [Open] returns a client for one.
package provider

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"pollux/llm/catalog"
)

// Profile describes a provider. Its JSON form is that of an entry of the setting
// modelProviders.
type Profile struct {
	// ID is the name before the slash in "provider/model". Aliases are other names
	// for it.
	ID      string     `json:"-"`
	Aliases StringList `json:"aliases,omitempty"`
	// Name is the name to show.
	Name string `json:"name,omitempty"`

	// Protocol is the wire protocol, BaseURL the address. The first of BaseURLVars
	// that is set in the environment replaces BaseURL, unless an entry of the user has a
	// BaseURL and no BaseURLVars.
	Protocol    Protocol   `json:"protocol,omitempty"`
	BaseURL     string     `json:"baseUrl,omitempty"`
	BaseURLVars StringList `json:"baseUrlVars,omitempty"`
	// BasePath is appended to an address without a path.
	BasePath string `json:"basePath,omitempty"`

	// APIKey is the key. If it is empty, the first of KeyVars that is set in the
	// environment holds the key, or the first of TokenVars a bearer token. The key is
	// sent in the header KeyHeader, or where the protocol has it if that is empty.
	APIKey    string     `json:"apiKey,omitempty"`
	KeyVars   StringList `json:"keyVars,omitempty"`
	TokenVars StringList `json:"tokenVars,omitempty"`
	KeyHeader string     `json:"keyHeader,omitempty"`
	// KeyPage is the page where users create keys, without "https://". KeyCheck is the path of
	// a request that needs a key and costs nothing, "" for the list of models.
	KeyPage  string `json:"-"`
	KeyCheck string `json:"-"`
	// Keyless means that the provider needs no key.
	Keyless bool `json:"keyless,omitempty"`
	// OnlyNamed means that a key alone does not select the provider, because other
	// programs use the same variable. The user must name it.
	OnlyNamed bool `json:"onlyNamed,omitempty"`
	// Headers are added to each request.
	Headers map[string]string `json:"headers,omitempty"`

	// StartTimeout is how many seconds a request waits for the first byte of a response,
	// IdleTimeout how many it waits between two of them. 0 means the setting for all
	// providers, or the default.
	StartTimeout float64 `json:"startTimeout,omitempty"`
	IdleTimeout  float64 `json:"idleTimeout,omitempty"`

	// Model is the default model, SmallModel the one for Pollux's own short questions.
	// The first of ModelVars that is set in the environment replaces Model.
	Model      string     `json:"model,omitempty"`
	SmallModel string     `json:"smallModel,omitempty"`
	ModelVars  StringList `json:"modelVars,omitempty"`
	// Router means that the names of its models have slashes. The part before the first
	// slash is then not the name of a provider.
	Router bool `json:"router,omitempty"`

	// Imitated means that other services offer the same protocol. At an address other
	// than BaseURL, models and quirks of the vendor do not apply; those of the user's
	// entries do.
	Imitated bool `json:"imitated,omitempty"`

	// ReturnsCalls means that the models of the provider, at its own address, make calls as the
	// protocol has them. Their text is never read as calls.
	ReturnsCalls bool `json:"-"`

	// Quirks are the provider's deviations from its protocol: an openai.Quirks or an
	// anthropic.Quirks as JSON, as the protocol requires.
	Quirks json.RawMessage `json:"quirks,omitempty"`
	// Models are rules for single models. All that match apply; later ones override
	// earlier ones.
	Models []Rule `json:"models,omitempty"`

	// Local is set for a server on this machine, which [Table.Discover] looks for.
	Local *Local `json:"local,omitempty"`
	// CustomAddress means that the user has set the address. The service there may have
	// any models.
	CustomAddress bool `json:"-"`

	// own are the user's entries that have changed the profile, in their order. builtin is
	// the profile before the first of them, nil if there is none.
	own     []json.RawMessage
	builtin *Profile
}

// Protocol is a wire protocol.
type Protocol string

// The wire protocols.
const (
	Chat            Protocol = "openai"           // OpenAI's Chat Completions, as most services offer it
	Responses       Protocol = "openai-responses" // OpenAI's Responses
	Anthropic       Protocol = "anthropic"
	AnthropicVertex Protocol = "anthropic-vertex"
	Bedrock         Protocol = "bedrock"
	Gemini          Protocol = "google"
	Vertex          Protocol = "google-vertex"
	Ollama          Protocol = "ollama"
)

var protocols = []Protocol{Chat, Responses, Anthropic, AnthropicVertex, Bedrock, Gemini, Vertex, Ollama}

// UnmarshalText implements [encoding.TextUnmarshaler]. The error lists the valid
// protocols.
func (p *Protocol) UnmarshalText(text []byte) error {
	switch *p = Protocol(text); *p {
	case "chat", "openai-compat":
		*p = Chat
	case "responses":
		*p = Responses
	case "gemini":
		*p = Gemini
	}
	if !slices.Contains(protocols, *p) {
		return fmt.Errorf("unknown protocol %q; the protocols are %s", text, strings.Join(texts(protocols), ", "))
	}
	return nil
}

func texts[T ~string](list []T) []string {
	out := make([]string, len(list))
	for i, s := range list {
		out[i] = string(s)
	}
	return out
}

// Rule describes the models that match one of its patterns.
type Rule struct {
	// Match are patterns for names of models, in which * matches any text.
	Match StringList `json:"match"`
	// Protocol, if set, replaces that of the profile. Quirks are added to those of the
	// profile, and override them.
	Protocol Protocol        `json:"protocol,omitempty"`
	Quirks   json.RawMessage `json:"quirks,omitempty"`

	// Window and MaxOutput are limits in tokens. A nil pointer means unknown.
	Window    int            `json:"window,omitempty"`
	MaxOutput int            `json:"maxOutput,omitempty"`
	Tools     *bool          `json:"tools,omitempty"`
	Thinking  *bool          `json:"thinking,omitempty"`
	Efforts   []string       `json:"efforts,omitempty"`
	Images    *bool          `json:"images,omitempty"`
	PDF       *bool          `json:"pdf,omitempty"`
	Audio     *bool          `json:"audio,omitempty"`
	Video     *bool          `json:"video,omitempty"`
	Price     *catalog.Price `json:"price,omitempty"`
}

// Local describes how to find a model server on this machine and how to learn about
// its models.
type Local struct {
	// Port is the usual port. The JSON object at the path Probe has the member Marker,
	// which identifies the server.
	Port   int    `json:"port"`
	Probe  string `json:"probe"`
	Marker string `json:"says"`
	// Window is a path whose JSON object has the size of the context window in tokens,
	// in the member WindowAt ("a.b" is member b of member a). Set it for servers whose
	// list of models does not have it.
	Window   string `json:"window,omitempty"`
	WindowAt string `json:"windowAt,omitempty"`
	// List is a path with more details of the models than the protocol has.
	List string `json:"list,omitempty"`
}

// StringList is a list of strings. Its JSON form may be one string instead of an array.
// Decoding drops empty strings.
type StringList []string

// UnmarshalJSON implements [json.Unmarshaler].
func (w *StringList) UnmarshalJSON(data []byte) error {
	var one string
	if json.Unmarshal(data, &one) == nil { // null, too
		*w = StringList{one}
	} else {
		var many []string // not into *w, which may be another profile's list
		if err := json.Unmarshal(data, &many); err != nil {
			return err
		}
		*w = many
	}
	*w = slices.DeleteFunc(*w, func(s string) bool { return s == "" })
	return nil
}
