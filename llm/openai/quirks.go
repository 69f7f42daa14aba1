package openai

import (
	"encoding/json"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"
)

// Quirks describes how a service, or one of its models, differs from OpenAI's
// API. The zero value is OpenAI's own behavior. Provider profiles set these
// fields from JSON; the client detects further differences when a service
// rejects a request.
type Quirks struct {
	// Protocol is the protocol to use with the model. The client switches to
	// the other one if the service does not support it.
	Protocol Protocol `json:"protocol,omitempty"`
	// SystemRole is the role of the system instruction: "system" (the default),
	// "developer", or "user" for models without either role. With "user" the
	// instruction is the beginning of the first message.
	SystemRole string `json:"systemRole,omitempty"`
	// MaxTokens is the name of the member that limits the output tokens. The
	// default is max_completion_tokens for OpenAI's reasoning models and
	// max_tokens for others.
	MaxTokens string `json:"maxTokens,omitempty"`
	// Drop lists members that are never sent, for example "temperature",
	// "stream_options", "tool_choice" or "seed".
	Drop []string `json:"drop,omitempty"`
	// Extra holds members that are added to every request, as JSON values.
	Extra map[string]json.RawMessage `json:"extra,omitempty"`
	// TopK reports whether the service supports top_k.
	TopK bool `json:"topK,omitempty"`
	// Sampling reports whether an OpenAI reasoning model accepts temperature,
	// top_p, penalties and stop.
	Sampling bool `json:"sampling,omitempty"`
	// NoTools reports whether the model does not support tools. They are
	// omitted then.
	NoTools bool `json:"noTools,omitempty"`
	// StrictSchema reports whether tool schemas must not contain
	// "additionalProperties": true.
	StrictSchema bool `json:"strictSchema,omitempty"`
	// Schema is how to request JSON output.
	Schema SchemaStyle `json:"schema,omitempty"`
	// StreamOnly reports whether the model supports only streaming requests.
	StreamOnly bool `json:"streamOnly,omitempty"`

	// Thinking is how to set the amount of reasoning. EffortOff is the
	// reasoning_effort that turns reasoning off; the default depends on the
	// model's name.
	Thinking  ThinkingStyle `json:"thinking,omitempty"`
	EffortOff string        `json:"effortOff,omitempty"`
	// NoThink is text to append to the system instruction to turn thinking off,
	// for models that have no parameter for it ("/no_think" for Qwen).
	NoThink string `json:"noThink,omitempty"`
	// Efforts lists the reasoning efforts that the model supports; nil means
	// all. Other efforts are replaced by the nearest one. With [ThinkingType],
	// a non-empty list also enables reasoning_effort.
	Efforts []string `json:"efforts,omitempty"`
	// ReasoningOut is the member in which thoughts are sent back to the model:
	// "reasoning_content", "reasoning", "reasoning_details", or "content" for
	// thoughts inside the text, between <think> and </think>. If it is empty,
	// thoughts are not sent.
	//
	// ReasoningKeep sends the thoughts of the whole conversation instead of
	// only those of the current tool loop. ReasoningFill adds the member to
	// messages with tool calls but no thoughts.
	ReasoningOut  string `json:"reasoningOut,omitempty"`
	ReasoningKeep bool   `json:"reasoningKeep,omitempty"`
	ReasoningFill bool   `json:"reasoningFill,omitempty"`
	// Untagged reports whether <think> in a response is ordinary text. Opened
	// reports whether responses begin inside a thought, without <think> (see
	// [think.Splitter]).
	Untagged bool `json:"untagged,omitempty"`
	Opened   bool `json:"opened,omitempty"`
	// PairsOnly reports whether only <think> followed by </think> marks a
	// thought in the text.
	PairsOnly bool `json:"pairsOnly,omitempty"`

	// NameIDs uses the name of the tool as the id of a call, with a number if
	// that id is used already. Servers that match results to calls by the
	// tool's name need it.
	NameIDs bool `json:"nameIds,omitempty"`
	// ShortIDs reports whether call ids must consist of nine letters and
	// digits.
	ShortIDs bool `json:"shortIds,omitempty"`
	// EmptyContent reports whether the content of a message must not be null.
	EmptyContent bool `json:"emptyContent,omitempty"`
	// AnswerAfterTool reports whether a user message must not directly follow a
	// tool message.
	AnswerAfterTool bool `json:"answerAfterTool,omitempty"`

	// NoImages, NoPDF and NoAudio report which media the model does not
	// support. A line of text is sent instead.
	NoImages bool `json:"noImages,omitempty"`
	NoPDF    bool `json:"noPDF,omitempty"`
	NoAudio  bool `json:"noAudio,omitempty"`
}

// clone returns a copy of q with its own slices and map.
func (q Quirks) clone() Quirks {
	q.Drop, q.Extra, q.Efforts = slices.Clone(q.Drop), maps.Clone(q.Extra), slices.Clone(q.Efforts)
	return q
}

// Protocol is an OpenAI protocol. Its text form is "chat" or "responses".
type Protocol int

// The protocols of OpenAI's API.
const (
	Chat Protocol = iota
	Responses
)

var protocolWords = []string{"chat", "responses"}

// SchemaStyle is how JSON output is requested. If a service rejects one style,
// the client uses the next. Its text form is "json", "object" or "words".
type SchemaStyle int

// The ways to request JSON output.
const (
	SchemaJSON   SchemaStyle = iota // response_format json_schema
	SchemaObject                    // response_format json_object, with the schema in the system instruction
	SchemaWords                     // system instruction only
)

var schemaWords = []string{"json", "object", "words"}

// ThinkingStyle is the parameter that sets the amount of reasoning. Its text
// form is "effort", "enable", "type", "object", "template" or "none".
type ThinkingStyle int

// The parameters that set the amount of reasoning.
const (
	ThinkingEffort   ThinkingStyle = iota // reasoning_effort: "low"
	ThinkingEnable                        // enable_thinking: true, thinking_budget: 1024
	ThinkingType                          // thinking: {"type": "enabled"}
	ThinkingObject                        // reasoning: {"effort": "low"} or {"max_tokens": 1024}
	ThinkingTemplate                      // chat_template_kwargs: {"enable_thinking": true}
	ThinkingNone                          // no parameter
)

var thinkingWords = []string{"effort", "enable", "type", "object", "template", "none"}

// MarshalText implements [encoding.TextMarshaler].
func (p Protocol) MarshalText() ([]byte, error) {
	return marshalWord("protocol", protocolWords, int(p))
}

// UnmarshalText implements [encoding.TextUnmarshaler]. Its error lists the
// valid values.
func (p *Protocol) UnmarshalText(text []byte) error {
	return unmarshalWord("protocol", protocolWords, text, (*int)(p))
}

// MarshalText implements [encoding.TextMarshaler].
func (s SchemaStyle) MarshalText() ([]byte, error) { return marshalWord("schema", schemaWords, int(s)) }

// UnmarshalText implements [encoding.TextUnmarshaler]. Its error lists the
// valid values.
func (s *SchemaStyle) UnmarshalText(text []byte) error {
	return unmarshalWord("schema", schemaWords, text, (*int)(s))
}

// MarshalText implements [encoding.TextMarshaler].
func (s ThinkingStyle) MarshalText() ([]byte, error) {
	return marshalWord("thinking", thinkingWords, int(s))
}

// UnmarshalText implements [encoding.TextUnmarshaler]. Its error lists the
// valid values.
func (s *ThinkingStyle) UnmarshalText(text []byte) error {
	return unmarshalWord("thinking", thinkingWords, text, (*int)(s))
}

func marshalWord(what string, words []string, n int) ([]byte, error) {
	if n < 0 || n >= len(words) {
		return nil, fmt.Errorf("no %s has the number %d", what, n)
	}
	return []byte(words[n]), nil
}

func unmarshalWord(what string, words []string, text []byte, to *int) error {
	n := slices.Index(words, string(text))
	if n < 0 {
		return fmt.Errorf("%s cannot be %q: it is one of %s", what, text, strings.Join(words, ", "))
	}
	*to = n
	return nil
}

// isReasoningModel reports whether model is a reasoning model of OpenAI. These
// accept no temperature and have another name for the output limit.
func isReasoningModel(model string) bool {
	name := strings.ToLower(path.Base(model))
	if strings.HasPrefix(name, "gpt-5") || strings.HasPrefix(name, "codex-") {
		return !strings.Contains(name, "-chat")
	}
	return len(name) > 1 && name[0] == 'o' && '0' <= name[1] && name[1] <= '9'
}

// lowestEffort returns the lowest reasoning effort that model supports, judged
// by its name.
func lowestEffort(model string) string {
	name := strings.ToLower(path.Base(model))
	switch {
	case strings.HasPrefix(name, "gpt-5."):
		return "none"
	case strings.HasPrefix(name, "gpt-5"):
		return "minimal"
	case isReasoningModel(model):
		return "low"
	}
	return "none"
}
