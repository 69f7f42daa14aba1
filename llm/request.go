package llm

import (
	"encoding/json"
	"slices"
	"strings"
	"time"
)

// Request is a request to a model: the conversation so far and how to answer it.
type Request struct {
	Model    string
	Contents []*Content
	Config   Config

	// Use is the purpose of the request, and PromptID the id of the user's prompt that
	// caused it. Only statistics and logs use them; they are not sent.
	Use      Use
	PromptID string

	// OnRetry, if not nil, is called after each failed attempt, before the wait for the
	// next one, on the goroutine that waits for the answer.
	OnRetry func(Retry)
	// OnSwitch, if not nil, is called in the same way before another model is asked
	// instead.
	OnSwitch func(Switch)
	// OnSilence, if not nil, is called in the same way while the server sends nothing of
	// a response: 10 s after the request was sent, and every 60 s from then on until the
	// first byte.
	OnSilence func(Silence)

	// MaxAttempts, if above 0, lowers the maximum number of attempts with this model.
	MaxAttempts int
	// Standby means that another model will answer if this one has no capacity, so that
	// it is not worth waiting for.
	Standby bool
}

// Use is the purpose of a request.
type Use string

// The purposes of requests.
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
	UseSampling      Use = "utility_sampling" // for an MCP server
	UseAside         Use = "utility_aside"    // a side question of a person
)

// IsAuxiliary reports whether a request is a question of Pollux itself whose answer is
// not essential, so that no one should have to wait long for it.
func (u Use) IsAuxiliary() bool {
	switch u {
	case UseCompressor, UseSummarizer, UseRouter, UseLoopDetector, UseNextSpeaker, UseEditCorrector:
		return true
	}
	return false
}

// Config holds the settings for an answer. A nil or zero field is not sent, and the
// vendor's default applies.
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

// Tokens returns an estimate of the tokens in the system instruction and the tools.
func (c *Config) Tokens() int {
	n := 0
	if c.SystemInstruction != nil {
		n += c.SystemInstruction.Tokens()
	}
	for _, set := range c.Tools {
		for i := range set.Functions {
			n += set.Functions[i].Tokens()
		}
	}
	return n
}

// Thinking controls the reasoning before an answer.
type Thinking struct {
	IncludeThoughts bool
	Budget          *int   // tokens; 0 turns thinking off, -1 leaves it to the model
	Level           string // "LOW", "HIGH", ...: replaces Budget for newer models
}

// ToolSet is a set of tools that a model may call. It must not change once it is part
// of a request.
type ToolSet struct {
	Functions []FunctionDeclaration
	// GoogleSearch and URLContext enable tools that run at the vendor.
	GoogleSearch bool
	URLContext   bool

	kept encodings
}

// Encoded returns the form of t that encode appends to its first argument. It calls
// encode once for each key and keeps the result with t; see [Content.Encoded].
func (t *ToolSet) Encoded(key string, encode func([]byte, *ToolSet) []byte) []byte {
	return t.kept.get(key, func() []byte { return encode(nil, t) })
}

// FunctionDeclaration describes a tool to a model.
type FunctionDeclaration struct {
	Name        string
	Description string
	// Parameters is the JSON schema of the arguments, sent as it is.
	Parameters json.RawMessage
	// WholeTexts are the parameters whose value is a whole text, such as a file's content. It
	// ends with a line break as a rule. They are not sent.
	WholeTexts []string
}

// Tokens returns an estimate of the tokens in f.
func (f *FunctionDeclaration) Tokens() int {
	return (len(f.Name) + len(f.Description) + len(f.Parameters)) / 4
}

// ToolConfig limits which functions may be called.
type ToolConfig struct {
	Mode    string   // "AUTO", "ANY" or "NONE", in any case
	Allowed []string // names of functions; empty allows all
}

// CallMode returns how the model may call functions: "AUTO", "ANY" for at least one call,
// "NONE", or "" for the vendor's default.
func (c *Config) CallMode() string {
	if c.ToolConfig == nil {
		return ""
	}
	return strings.ToUpper(c.ToolConfig.Mode)
}

// OfferedTools returns Tools without the functions that ToolConfig does not allow. With the
// mode "NONE" it returns all of them: the service is asked not to call any, and its cache of
// the prompt stays valid.
func (c *Config) OfferedTools() []*ToolSet {
	if c.ToolConfig == nil || len(c.ToolConfig.Allowed) == 0 || c.CallMode() == "NONE" {
		return c.Tools
	}
	sets := make([]*ToolSet, len(c.Tools))
	for i, t := range c.Tools {
		sets[i] = &ToolSet{GoogleSearch: t.GoogleSearch, URLContext: t.URLContext}
		for _, f := range t.Functions {
			if slices.Contains(c.ToolConfig.Allowed, f.Name) {
				sets[i].Functions = append(sets[i].Functions, f)
			}
		}
	}
	return sets
}

// Retry describes a failed attempt that is followed by another.
type Retry struct {
	Attempt     int // number of the failed attempt, from 1
	MaxAttempts int
	Delay       time.Duration // before the next attempt
	Err         error
	Model       string
}

// Silence describes a server that has sent nothing of its response yet.
type Silence struct {
	Model   string
	Host    string        // the server, with its port if the address has one
	Elapsed time.Duration // since the request was sent
}

// Switch describes the change to another model after one failed to answer.
type Switch struct {
	From, To string
	Err      error // of the last attempt at From
}
