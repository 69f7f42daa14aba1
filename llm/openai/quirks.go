package openai

import (
	"encoding/json"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"
)

// Quirks is what a service, or one model of it, does otherwise than OpenAI
// itself does (spec/providers.md §2). The zero value is OpenAI's own way. A
// provider's profile fills it in as data; what a service refuses in spite of it
// the client finds out by itself.
type Quirks struct {
	// Protocol is what is spoken with the model. A service that has only one of
	// the two for it is found out.
	Protocol Protocol `json:"protocol,omitempty"`
	// SystemRole is the role of the system instruction: "system" if empty,
	// "developer", or "user" where a model knows neither: the instruction then
	// stands at the head of the first message.
	SystemRole string `json:"systemRole,omitempty"`
	// MaxTokens names the limit on the answer; if empty it is
	// max_completion_tokens for OpenAI's reasoning models, else max_tokens.
	MaxTokens string `json:"maxTokens,omitempty"`
	// Drop lists members of the body that are never sent ("temperature",
	// "stream_options", "tool_choice", "seed", ...).
	Drop []string `json:"drop,omitempty"`
	// Extra holds members that are always sent, as JSON.
	Extra map[string]json.RawMessage `json:"extra,omitempty"`
	// TopK says that top_k is known.
	TopK bool `json:"topK,omitempty"`
	// Sampling says that a reasoning model of OpenAI's takes temperature, top_p,
	// penalties and stop, too.
	Sampling bool `json:"sampling,omitempty"`
	// NoTools says that the model cannot be given tools: they are left out.
	NoTools bool `json:"noTools,omitempty"`
	// StrictSchema says that the tools' schemas may not spell out that an object
	// has members besides those named (additionalProperties: true).
	StrictSchema bool `json:"strictSchema,omitempty"`
	// Schema is how a JSON answer is asked for.
	Schema SchemaStyle `json:"schema,omitempty"`
	// StreamOnly says that the model answers in a stream or not at all.
	StreamOnly bool `json:"streamOnly,omitempty"`

	// Thinking is how reasoning is asked for, and EffortOff the word for none of
	// it where it is asked for by a word; by the model's name if empty.
	Thinking  ThinkingStyle `json:"thinking,omitempty"`
	EffortOff string        `json:"effortOff,omitempty"`
	// NoThink is what the system instruction ends in where the model is not to
	// think and knows no parameter for that ("/no_think" for Qwen's).
	NoThink string `json:"noThink,omitempty"`
	// Efforts are the words for how much to think that the model knows, if not
	// all; of others it gets the nearest. With [ThinkingType], which has none of
	// its own, they say that reasoning_effort is known besides.
	Efforts []string `json:"efforts,omitempty"`
	// ReasoningOut names the member in which the model wants its thoughts back
	// ("reasoning_content", "reasoning", "reasoning_details"), or is "content"
	// where they belong into the text, between <think> and </think>; none if
	// empty. Without ReasoningKeep that holds for the running tool loop only.
	// ReasoningFill says that a message with calls must have the member, even if
	// no thought led to them.
	ReasoningOut  string `json:"reasoningOut,omitempty"`
	ReasoningKeep bool   `json:"reasoningKeep,omitempty"`
	ReasoningFill bool   `json:"reasoningFill,omitempty"`
	// Untagged says that <think> in an answer is text like any other; Opened
	// that an answer begins inside one (see [think.Splitter]).
	Untagged bool `json:"untagged,omitempty"`
	Opened   bool `json:"opened,omitempty"`
	// PairsOnly says that nothing but <think>, and </think> behind it, marks a
	// thought in the text (the seeds' rule for Qwen's models).
	PairsOnly bool `json:"pairsOnly,omitempty"`

	// NameIDs says that a call's id is the name of its tool, numbered where the
	// conversation has it already. It is for servers that tell results apart by
	// that alone.
	NameIDs bool `json:"nameIds,omitempty"`
	// ShortIDs says that a call's id has to be nine letters and digits.
	ShortIDs bool `json:"shortIds,omitempty"`
	// EmptyContent says that the content of a message may not be null.
	EmptyContent bool `json:"emptyContent,omitempty"`
	// AnswerAfterTool says that no message of the user may follow a tool's.
	AnswerAfterTool bool `json:"answerAfterTool,omitempty"`

	// What the model cannot be shown: a line of text stands for it instead.
	NoImages bool `json:"noImages,omitempty"`
	NoPDF    bool `json:"noPDF,omitempty"`
	NoAudio  bool `json:"noAudio,omitempty"`
}

// clone returns q with lists of its own.
func (q Quirks) clone() Quirks {
	q.Drop, q.Extra, q.Efforts = slices.Clone(q.Drop), maps.Clone(q.Extra), slices.Clone(q.Efforts)
	return q
}

// Protocol is which of OpenAI's two a model is spoken to with. As text it is
// "chat" or "responses".
type Protocol int

// The protocols.
const (
	Chat Protocol = iota
	Responses
)

var protocolWords = []string{"chat", "responses"}

// SchemaStyle is how an answer in JSON is asked for; each is the fallback of the
// one before it. As text it is "json", "object" or "words".
type SchemaStyle int

// The styles.
const (
	SchemaJSON   SchemaStyle = iota // response_format json_schema
	SchemaObject                    // response_format json_object, the schema in words
	SchemaWords                     // words alone
)

var schemaWords = []string{"json", "object", "words"}

// ThinkingStyle is how reasoning is asked for. As text it is "effort", "enable",
// "type", "object", "template" or "none".
type ThinkingStyle int

// The styles.
const (
	ThinkingEffort   ThinkingStyle = iota // reasoning_effort: "low"
	ThinkingEnable                        // enable_thinking: true, thinking_budget: 1024
	ThinkingType                          // thinking: {"type": "enabled"}
	ThinkingObject                        // reasoning: {"effort": "low"} or {"max_tokens": 1024}
	ThinkingTemplate                      // chat_template_kwargs: {"enable_thinking": true}
	ThinkingNone                          // it cannot be asked for
)

var thinkingWords = []string{"effort", "enable", "type", "object", "template", "none"}

// MarshalText implements [encoding.TextMarshaler].
func (p Protocol) MarshalText() ([]byte, error) { return toWord("protocol", protocolWords, int(p)) }

// UnmarshalText implements [encoding.TextUnmarshaler]; the error lists the words.
func (p *Protocol) UnmarshalText(text []byte) error {
	return fromWord("protocol", protocolWords, text, (*int)(p))
}

// MarshalText implements [encoding.TextMarshaler].
func (s SchemaStyle) MarshalText() ([]byte, error) { return toWord("schema", schemaWords, int(s)) }

// UnmarshalText implements [encoding.TextUnmarshaler]; the error lists the words.
func (s *SchemaStyle) UnmarshalText(text []byte) error {
	return fromWord("schema", schemaWords, text, (*int)(s))
}

// MarshalText implements [encoding.TextMarshaler].
func (s ThinkingStyle) MarshalText() ([]byte, error) {
	return toWord("thinking", thinkingWords, int(s))
}

// UnmarshalText implements [encoding.TextUnmarshaler]; the error lists the words.
func (s *ThinkingStyle) UnmarshalText(text []byte) error {
	return fromWord("thinking", thinkingWords, text, (*int)(s))
}

func toWord(what string, words []string, n int) ([]byte, error) {
	if n < 0 || n >= len(words) {
		return nil, fmt.Errorf("no %s has the number %d", what, n)
	}
	return []byte(words[n]), nil
}

func fromWord(what string, words []string, text []byte, to *int) error {
	n := slices.Index(words, string(text))
	if n < 0 {
		return fmt.Errorf("%s cannot be %q: it is one of %s", what, text, strings.Join(words, ", "))
	}
	*to = n
	return nil
}

// isReasoner reports whether a model is one of OpenAI's that think: they take
// no temperature and name the limit on the answer otherwise.
func isReasoner(model string) bool {
	name := strings.ToLower(path.Base(model))
	if strings.HasPrefix(name, "gpt-5") || strings.HasPrefix(name, "codex-") {
		return !strings.Contains(name, "-chat")
	}
	return len(name) > 1 && name[0] == 'o' && '0' <= name[1] && name[1] <= '9'
}

// effortOff is the least effort that a model of this name knows a word for.
func effortOff(model string) string {
	name := strings.ToLower(path.Base(model))
	switch {
	case strings.HasPrefix(name, "gpt-5."):
		return "none"
	case strings.HasPrefix(name, "gpt-5"):
		return "minimal"
	case isReasoner(model):
		return "low"
	}
	return "none"
}
