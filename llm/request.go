package llm

import (
	"encoding/json"
	"time"
)

// Request is one question to a model: the conversation so far and how to answer it.
type Request struct {
	Model    string
	Contents []*Content
	Config   Config

	// Use says what the request is for; PromptID ties it to the user's prompt.
	// Neither is sent; they are for accounting and logs.
	Use      Use
	PromptID string

	// OnRetry, where set, is told of each failed attempt before the wait that
	// precedes the next one. It is called on the goroutine that waits for the
	// answer, while it waits.
	OnRetry func(Retry)
	// OnSwitch, where set, is told that another model is asked from here on, in
	// the same way.
	OnSwitch func(Switch)

	// MaxAttempts, where above 0, bounds how often it is tried at this model,
	// below what who tries again (llm/retry) would do by itself.
	MaxAttempts int
	// Standby says that another model will answer in this one's place if it has
	// no room, so that it is not worth waiting for.
	Standby bool
}

// Use is the purpose of a request (spec/agent.md §1, "role").
type Use string

// The purposes that requests are made for.
const (
	UseMain          Use = "main"
	UseSubagent      Use = "subagent"
	UseTool          Use = "utility_tool"
	UseCompressor    Use = "utility_compressor"
	UseSummarizer    Use = "utility_summarizer"
	UseRouter        Use = "utility_router"
	UseLoopDetector  Use = "utility_loop_detector"
	UseNextSpeaker   Use = "utility_next_speaker"
	UseEditCorrector Use = "utility_edit_corrector"
)

// Aside reports whether a request is a question of Pollux's own, without whose
// answer the work goes on: nobody should have to wait for it.
func (u Use) Aside() bool {
	switch u {
	case UseCompressor, UseSummarizer, UseRouter, UseLoopDetector, UseNextSpeaker, UseEditCorrector:
		return true
	}
	return false
}

// Config is how a model is to answer. A nil or zero member is not sent and
// leaves the choice to the vendor.
type Config struct {
	SystemInstruction  *Content
	Tools              []*ToolSet
	ToolConfig         *ToolConfig
	Temperature        *float64
	TopP               *float64
	TopK               *float64
	CandidateCount     int
	MaxOutputTokens    int
	StopSequences      []string
	PresencePenalty    *float64
	FrequencyPenalty   *float64
	Seed               *int
	ResponseMIMEType   string
	ResponseJSONSchema json.RawMessage
	Thinking           *Thinking
	SafetySettings     json.RawMessage
	CachedContent      string
	Labels             map[string]string
}

// Tokens guesses how many tokens a request is beside its messages.
func (c *Config) Tokens() int {
	n := 0
	if c.SystemInstruction != nil {
		n += c.SystemInstruction.Tokens()
	}
	for _, set := range c.Tools {
		for i := range set.Functions {
			f := &set.Functions[i]
			n += (len(f.Name) + len(f.Description) + len(f.Parameters)) / 4
		}
	}
	return n
}

// Thinking asks for reasoning before the answer.
type Thinking struct {
	IncludeThoughts bool
	Budget          *int   // tokens; 0 turns thinking off, -1 leaves it to the model
	Level           string // "LOW", "HIGH", ...: newer models' form of Budget
}

// ToolSet is what the model may call. Like a [Content] it must not change once
// it is part of a request.
type ToolSet struct {
	Functions []FunctionDeclaration
	// GoogleSearch and URLContext are tools that run at the vendor.
	GoogleSearch bool
	URLContext   bool

	kept encodings
}

// Encoded is to a ToolSet what [Content.Encoded] is to a Content.
func (t *ToolSet) Encoded(key string, encode func([]byte, *ToolSet) []byte) []byte {
	return t.kept.get(key, func() []byte { return encode(nil, t) })
}

// FunctionDeclaration is a tool as the model sees it.
type FunctionDeclaration struct {
	Name        string
	Description string
	// Parameters is the JSON schema of the arguments, sent as it is.
	Parameters json.RawMessage
}

// ToolConfig limits which functions may be called.
type ToolConfig struct {
	Mode    string // "AUTO", "ANY" or "NONE"
	Allowed []string
}

// Retry tells of a request that failed and will be tried again.
type Retry struct {
	Attempt     int // the one that failed, from 1
	MaxAttempts int
	Delay       time.Duration // until the next
	Err         error
	Model       string
}

// Switch tells that a model could not answer and another one is asked instead.
type Switch struct {
	From, To string
	Err      error // of the last attempt at From
}
