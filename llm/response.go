package llm

import (
	"encoding/json"
	"slices"
)

// Response is an answer, or one chunk of a streamed answer. Pollux uses only the first
// candidate.
type Response struct {
	Candidates     []Candidate
	Usage          *Usage
	PromptFeedback *PromptFeedback
	ModelVersion   string
	ResponseID     string
}

// Candidate is one of a model's alternative answers.
type Candidate struct {
	Content       *Content
	FinishReason  FinishReason
	FinishMessage string
	Index         int
	Citations     []Citation

	// These are the vendor's JSON, unchanged.
	SafetyRatings      json.RawMessage
	GroundingMetadata  json.RawMessage
	URLContextMetadata json.RawMessage
}

// Citation is a source that an answer quotes.
type Citation struct {
	URI   string
	Title string
}

// PromptFeedback is the reason why the vendor did not answer a prompt.
type PromptFeedback struct {
	BlockReason        string
	BlockReasonMessage string
	SafetyRatings      json.RawMessage
}

// Usage counts tokens. In a stream each count covers the whole answer so far: use the
// last one, and do not add them up.
type Usage struct {
	Prompt        int // the whole prompt, cached tokens included
	Candidates    int
	Thoughts      int
	CachedContent int // of the prompt: read from the vendor's cache
	CacheWrite    int // of the prompt: written to it, where that costs extra
	ToolUsePrompt int
	Total         int
}

// Parts returns the parts of the first candidate.
func (r *Response) Parts() []Part {
	if r == nil || len(r.Candidates) == 0 || r.Candidates[0].Content == nil {
		return nil
	}
	return r.Candidates[0].Content.Parts
}

// WithParts returns a copy of r with other parts in the first candidate, which must have a message.
func (r *Response) WithParts(parts []Part) *Response {
	out := *r
	out.Candidates = slices.Clone(r.Candidates)
	out.Candidates[0].Content = &Content{Role: r.Candidates[0].Content.Role, Parts: parts}
	return &out
}

// Text returns the visible text of the first candidate.
func (r *Response) Text() string { return PartsText(r.Parts()) }

// FinishReason is the reason why a model stopped.
func (r *Response) FinishReason() FinishReason {
	if r == nil || len(r.Candidates) == 0 {
		return ""
	}
	return r.Candidates[0].FinishReason
}

// FinishReason is why a model stopped.
type FinishReason string

// The reasons why a model stops.
const (
	FinishUnspecified            FinishReason = "FINISH_REASON_UNSPECIFIED"
	FinishStop                   FinishReason = "STOP"
	FinishMaxTokens              FinishReason = "MAX_TOKENS"
	FinishSafety                 FinishReason = "SAFETY"
	FinishRecitation             FinishReason = "RECITATION"
	FinishLanguage               FinishReason = "LANGUAGE"
	FinishOther                  FinishReason = "OTHER"
	FinishBlocklist              FinishReason = "BLOCKLIST"
	FinishProhibitedContent      FinishReason = "PROHIBITED_CONTENT"
	FinishSPII                   FinishReason = "SPII"
	FinishMalformedFunctionCall  FinishReason = "MALFORMED_FUNCTION_CALL"
	FinishUnexpectedToolCall     FinishReason = "UNEXPECTED_TOOL_CALL"
	FinishImageSafety            FinishReason = "IMAGE_SAFETY"
	FinishImageProhibitedContent FinishReason = "IMAGE_PROHIBITED_CONTENT"
	FinishNoImage                FinishReason = "NO_IMAGE"
)

// Note returns a sentence for people about an answer that ended for this
// reason; "" if none is needed.
func (r FinishReason) Note() string {
	switch r {
	case FinishMaxTokens:
		return "Response truncated due to token limits."
	case FinishSafety:
		return "Response stopped due to safety reasons."
	case FinishRecitation:
		return "Response stopped due to recitation policy."
	case FinishLanguage:
		return "Response stopped due to unsupported language."
	case FinishBlocklist:
		return "Response stopped due to forbidden terms."
	case FinishProhibitedContent:
		return "Response stopped due to prohibited content."
	case FinishSPII:
		return "Response stopped due to sensitive personally identifiable information."
	case FinishOther:
		return "Response stopped for other reasons."
	case FinishMalformedFunctionCall:
		return "Response stopped due to malformed function call."
	case FinishUnexpectedToolCall:
		return "Response stopped due to unexpected tool call."
	case FinishImageSafety:
		return "Response stopped due to image safety violations."
	case FinishImageProhibitedContent:
		return "Response stopped due to prohibited image content."
	case FinishNoImage:
		return "Response stopped because no image was generated."
	}
	return ""
}

// IsRefusal reports whether the vendor has stopped a response because of its content.
func (r FinishReason) IsRefusal() bool {
	switch r {
	case FinishSafety, FinishRecitation, FinishBlocklist, FinishProhibitedContent, FinishSPII, FinishImageSafety, FinishImageProhibitedContent:
		return true
	}
	return false
}
