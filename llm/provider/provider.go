// Package provider knows who serves models: at which address, over which
// protocol, with which key, and what each does its own way (spec/providers.md §2,
// §4, §5).
//
// All of that is data. The providers that Pollux knows by itself are in
// providers.json; a user's own, and changes to those, are read from the same
// form by [Table.Add]. [Open] makes the client of one.
package provider

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"pollux/llm/catalog"
)

// Profile is a provider. The members' names in JSON are those of the setting
// modelProviders.
type Profile struct {
	// ID is the name before the slash of "provider/model"; the other names that
	// it goes by are Aliases.
	ID      string `json:"-"`
	Aliases Words  `json:"aliases,omitempty"`
	// Name is for people.
	Name string `json:"name,omitempty"`

	// Protocol is what the provider speaks, BaseURL where. The first of
	// BaseURLVars that is set in the environment wins over BaseURL.
	Protocol    Protocol `json:"protocol,omitempty"`
	BaseURL     string   `json:"baseUrl,omitempty"`
	BaseURLVars Words    `json:"baseUrlVars,omitempty"`
	// BasePath is added to an address that has no path of its own.
	BasePath string `json:"basePath,omitempty"`

	// APIKey is the key itself; else it is in the first of KeyVars that is set.
	// It goes into the header KeyHeader, or where the protocol has it. What is in
	// TokenVars is a bearer token instead.
	APIKey    string `json:"apiKey,omitempty"`
	KeyVars   Words  `json:"keyVars,omitempty"`
	TokenVars Words  `json:"tokenVars,omitempty"`
	KeyHeader string `json:"keyHeader,omitempty"`
	// Keyless says that the provider asks for no key.
	Keyless bool `json:"keyless,omitempty"`
	// OnlyNamed says that a key does not speak for the provider: other programs
	// use the same variable. It must be named.
	OnlyNamed bool `json:"onlyNamed,omitempty"`
	// Headers are added to each request.
	Headers map[string]string `json:"headers,omitempty"`

	// Model is asked where the user names none, SmallModel for small questions
	// of Pollux's own. The first of ModelVars that is set wins over Model.
	Model      string `json:"model,omitempty"`
	SmallModel string `json:"smallModel,omitempty"`
	ModelVars  Words  `json:"modelVars,omitempty"`
	// Router says that the names of its models hold slashes, so that another
	// provider's name at the head of one is no provider's.
	Router bool `json:"router,omitempty"`

	// Imitated says that others serve what it does at addresses of their own: at
	// another than its own nothing of it is known to hold but the protocol.
	Imitated bool `json:"imitated,omitempty"`

	// Quirks is what the provider does its own way: an openai.Quirks, or what the
	// protocol has in place of it.
	Quirks json.RawMessage `json:"quirks,omitempty"`
	// Models are rules about single models. All that match hold, the later over
	// the earlier.
	Models []Rule `json:"models,omitempty"`

	// Local says that it is a server on this machine, which can be looked for.
	Local *Local `json:"local,omitempty"`
	// Own says that the user has set where it is, so that any model may be there.
	Own bool `json:"-"`
}

// Protocol is a wire protocol.
type Protocol string

// The protocols.
const (
	Chat            Protocol = "openai"           // OpenAI's Chat Completions, as nearly everybody serves it
	Responses       Protocol = "openai-responses" // OpenAI's Responses
	Anthropic       Protocol = "anthropic"
	AnthropicVertex Protocol = "anthropic-vertex"
	Bedrock         Protocol = "bedrock"
	Gemini          Protocol = "google"
	Vertex          Protocol = "google-vertex"
	Ollama          Protocol = "ollama"
)

var protocols = []Protocol{Chat, Responses, Anthropic, AnthropicVertex, Bedrock, Gemini, Vertex, Ollama}

// UnmarshalText implements [encoding.TextUnmarshaler]; the error names the
// protocols that there are.
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
		return fmt.Errorf("no protocol is named %q; there are %s", text, strings.Join(texts(protocols), ", "))
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

// Rule is what holds for the models that one of its patterns matches.
type Rule struct {
	// Match are patterns for a model's name, in which * is any text.
	Match Words `json:"match"`
	// Protocol, if set, is spoken with them, and Quirks, if set, come on top of
	// the profile's.
	Protocol Protocol        `json:"protocol,omitempty"`
	Quirks   json.RawMessage `json:"quirks,omitempty"`

	// What is known of them: tokens, abilities and what they cost.
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

// Local is how a server on this machine is found and what it says of its models.
type Local struct {
	// Port is where it listens; Probe is a path whose answer of status 200 holds
	// the text Says, by which it is told from others.
	Port  int    `json:"port"`
	Probe string `json:"probe"`
	Says  string `json:"says"`
	// Window is a path whose answer says how much its models take, in the
	// member that WindowAt names (dots lead inwards), if the list does not.
	Window   string `json:"window,omitempty"`
	WindowAt string `json:"windowAt,omitempty"`
	// List is a path whose list of models says more than that of the protocol.
	List string `json:"list,omitempty"`
}

// Words is a list of texts; in JSON one may stand for itself. Empty ones are left
// out.
type Words []string

// UnmarshalJSON implements [json.Unmarshaler].
func (w *Words) UnmarshalJSON(data []byte) error {
	var one string
	if json.Unmarshal(data, &one) == nil { // null, too
		*w = Words{one}
	} else {
		var many []string // not what w holds, which may be another profile's
		if err := json.Unmarshal(data, &many); err != nil {
			return err
		}
		*w = many
	}
	*w = slices.DeleteFunc(*w, func(s string) bool { return s == "" })
	return nil
}
