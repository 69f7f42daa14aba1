package anthropic

import (
	"fmt"
	"strings"

	"pollux/llm/catalog"
)

// Quirks describes how a service, or one of its models, differs from Anthropic. The
// zero value describes Anthropic. Provider profiles contain quirks as JSON. The
// client learns further refusals of settings on its own.
type Quirks struct {
	// Vendor is the vendor name on stored thoughts. Thoughts are only sent back to
	// the vendor that produced them, see [llm.Signed]. The default is "anthropic",
	// whose thoughts are valid wherever Claude is served.
	Vendor string `json:"vendor,omitempty"`
	// Bearer sends the key in Authorization instead of x-api-key.
	Bearer bool `json:"bearer,omitempty"`
	// NoBetas omits the values that the client would add to the header
	// anthropic-beta.
	NoBetas bool `json:"noBetas,omitempty"`
	// NoCache omits the marks that make the service cache a prompt. Only requests of
	// conversations have marks, see [llm.Use].
	NoCache bool `json:"noCache,omitempty"`
	// MaxTokens is the maximum length of a response in tokens. The default depends on
	// the model's name.
	MaxTokens int `json:"maxTokens,omitempty"`

	// Thinking is the thinking mode of a model. The default depends on the model's
	// name.
	Thinking Thinking `json:"thinking,omitempty"`
	// Unsigned sends thoughts without a signature back, as models of other vendors
	// expect. It is always on for models other than Claude.
	Unsigned bool `json:"unsigned,omitempty"`
	// NoForce means that the service cannot force a model to call a tool.
	NoForce bool `json:"noForce,omitempty"`

	// NoImages and NoPDF replace media that the model cannot see by a line of text.
	NoImages bool `json:"noImages,omitempty"`
	NoPDF    bool `json:"noPDF,omitempty"`
}

// Thinking is the form in which a request enables thinking.
type Thinking string

// The forms.
const (
	ThinkingNone     Thinking = "none"     // the model does not think, or not on request
	ThinkingEnabled  Thinking = "enabled"  // {"type":"enabled","budget_tokens":n}
	ThinkingAdaptive Thinking = "adaptive" // {"type":"adaptive"} and an effort
)

// UnmarshalText implements [encoding.TextUnmarshaler]. It returns an error for any
// value other than "", "none", "enabled" and "adaptive".
func (t *Thinking) UnmarshalText(text []byte) error {
	switch *t = Thinking(text); *t {
	case "", ThinkingNone, ThinkingEnabled, ThinkingAdaptive:
		return nil
	}
	return fmt.Errorf("no way to think is named %q; there are none, enabled and adaptive", text)
}

// thinkingFor returns the thinking mode of the model with this name. If it is wrong,
// the service refuses the first request, and the client adapts.
func thinkingFor(model string) Thinking {
	name := catalog.Lookup(model).Name
	for _, row := range thinkingModes {
		if strings.HasPrefix(name, row.prefix) {
			return row.mode
		}
	}
	return ThinkingEnabled // models of other vendors
}

// thinkingModes maps prefixes of names to modes. The first matching row counts; new
// models match the last one.
var thinkingModes = []struct {
	prefix string
	mode   Thinking
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

// isClaude reports whether a model is a Claude model, on any service.
func isClaude(model string) bool {
	return strings.HasPrefix(catalog.Lookup(model).Name, "claude-")
}

// canInterleave reports whether a model can think between tool calls if the request
// enables it.
func canInterleave(model string) bool {
	return isClaude(model) && !strings.HasPrefix(catalog.Lookup(model).Name, "claude-3")
}
