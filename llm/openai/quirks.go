package openai

import (
	"encoding/json"
	"path"
	"strings"
)

// Quirks is what a service, or one model of it, does otherwise than OpenAI
// itself does (spec/providers.md §2). The zero value is OpenAI's own way. A
// provider's profile fills it in as data; what a service refuses in spite of it
// the client finds out by itself.
type Quirks struct {
	// SystemRole is the role of the system instruction: "system" if empty,
	// "developer", or "user" where a model knows neither: the instruction then
	// stands at the head of the first message.
	SystemRole string
	// MaxTokens names the limit on the answer; if empty it is
	// max_completion_tokens for OpenAI's reasoning models, else max_tokens.
	MaxTokens string
	// Drop lists members of the body that are never sent ("temperature",
	// "stream_options", "tool_choice", "seed", ...).
	Drop []string
	// Extra holds members that are always sent, as JSON.
	Extra map[string]json.RawMessage
	// TopK says that top_k is known.
	TopK bool
	// Sampling says that a reasoning model takes temperature and top_p, too.
	Sampling bool
	// NoTools says that the model cannot be given tools: they are left out.
	NoTools bool
	// Schema is how a JSON answer is asked for.
	Schema SchemaStyle

	// Thinking is how reasoning is asked for, and EffortOff the word for none of
	// it where it is asked for by a word; by the model's name if empty.
	Thinking  ThinkingStyle
	EffortOff string
	// ReasoningOut names the member in which the model wants its thoughts back
	// ("reasoning_content", "reasoning", "reasoning_details"); none if empty.
	// Without ReasoningKeep that holds for the running tool loop only.
	ReasoningOut  string
	ReasoningKeep bool
	// Untagged says that <think> in an answer is text like any other; Opened
	// that an answer begins inside one (see [think.Splitter]).
	Untagged bool
	Opened   bool

	// ShortIDs says that a call's id has to be nine letters and digits.
	ShortIDs bool
	// EmptyContent says that the content of a message may not be null.
	EmptyContent bool
	// AnswerAfterTool says that no message of the user may follow a tool's.
	AnswerAfterTool bool

	// What the model cannot be shown: a line of text stands for it instead.
	NoImages, NoPDF, NoAudio bool
}

// SchemaStyle is how an answer in JSON is asked for; each is the fallback of the
// one before it.
type SchemaStyle int

// The styles.
const (
	SchemaJSON   SchemaStyle = iota // response_format json_schema
	SchemaObject                    // response_format json_object, the schema in words
	SchemaWords                     // words alone
)

// ThinkingStyle is how reasoning is asked for.
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
