package anthropic

import (
	"fmt"
	"strings"

	"pollux/llm/catalog"
)

// Quirks is what a service, or one model of it, does otherwise than Anthropic
// itself does (spec/providers.md §2). The zero value is Anthropic's own way. A
// provider's profile fills it in as data; what a service refuses in spite of it
// the client finds out by itself.
type Quirks struct {
	// Vendor is the name under which thoughts are kept, so that they go back to
	// who thought them and to nobody else (see [llm.Signed]); "anthropic" if
	// empty, whose thoughts are good wherever Claude is served.
	Vendor string `json:"vendor,omitempty"`
	// Bearer says that the key goes into Authorization, not into x-api-key.
	Bearer bool `json:"bearer,omitempty"`
	// NoBetas leaves out the words that a request would have in anthropic-beta.
	NoBetas bool `json:"noBetas,omitempty"`
	// NoCache leaves out the marks up to which the service keeps a prompt. Only
	// conversations have any: see [llm.Use].
	NoCache bool `json:"noCache,omitempty"`
	// MaxTokens is the longest answer that can be asked for; by the model's name
	// if 0.
	MaxTokens int `json:"maxTokens,omitempty"`

	// Thinking is how a model is asked to think; by its name if empty.
	Thinking Thinking `json:"thinking,omitempty"`
	// Unsigned says that thoughts without a signature are wanted back, as models
	// of others give them. Without it that holds for all models but Claude.
	Unsigned bool `json:"unsigned,omitempty"`
	// NoForce says that a model can be offered tools, but not made to call one.
	NoForce bool `json:"noForce,omitempty"`

	// What the model cannot be shown: a line of text stands for it instead.
	NoImages bool `json:"noImages,omitempty"`
	NoPDF    bool `json:"noPDF,omitempty"`
}

// Thinking is how a model is asked to think.
type Thinking string

// The ways.
const (
	ThinkingNone     Thinking = "none"     // it does not, or cannot be told to
	ThinkingEnabled  Thinking = "enabled"  // {"type":"enabled","budget_tokens":n}
	ThinkingAdaptive Thinking = "adaptive" // {"type":"adaptive"} and an effort
)

// UnmarshalText implements [encoding.TextUnmarshaler]; the error names the ways
// that there are.
func (t *Thinking) UnmarshalText(text []byte) error {
	switch *t = Thinking(text); *t {
	case "", ThinkingNone, ThinkingEnabled, ThinkingAdaptive:
		return nil
	}
	return fmt.Errorf("no way to think is named %q; there are none, enabled and adaptive", text)
}

// thinkingOf returns how the model of this name wants to be asked. Where it is
// wrong, the service says so, and the next request is right (see learn).
func thinkingOf(model string) Thinking {
	name := catalog.Lookup(model).Name
	for _, row := range thinkers {
		if strings.HasPrefix(name, row.prefix) {
			return row.how
		}
	}
	return ThinkingEnabled // other vendors' models that speak this protocol
}

// thinkers holds the first prefix that fits. Newer models are of the last row.
var thinkers = []struct {
	prefix string
	how    Thinking
}{
	{"claude-3-7", ThinkingEnabled},
	{"claude-3", ThinkingNone},
	{"claude-2", ThinkingNone},
	{"claude-instant", ThinkingNone},
	{"claude-opus-4-6", ThinkingAdaptive},
	{"claude-opus-4-7", ThinkingAdaptive},
	{"claude-opus-4-8", ThinkingAdaptive},
	{"claude-sonnet-4-6", ThinkingAdaptive},
	{"claude-opus-4", ThinkingEnabled},
	{"claude-sonnet-4", ThinkingEnabled},
	{"claude-haiku-4", ThinkingEnabled},
	{"claude-", ThinkingAdaptive},
}

// isClaude reports whether a model is one of Anthropic's, wherever it is served.
func isClaude(model string) bool {
	return strings.HasPrefix(catalog.Lookup(model).Name, "claude-")
}

// interlaces reports whether a model can be asked to think between calls.
func interlaces(model string) bool {
	return isClaude(model) && !strings.HasPrefix(catalog.Lookup(model).Name, "claude-3")
}
