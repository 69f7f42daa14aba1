package headless

import (
	"encoding/json"
	"errors"
	"strings"
	"time"

	"pollux/internal/exit"
	"pollux/internal/terminal"
	"pollux/llm"
)

// ErrorJSON returns the object that --output-format=json prints for an error. The code is
// the HTTP status if the error is a provider's response, otherwise the exit code.
func ErrorJSON(id string, err error, message string) []byte {
	type detail struct {
		Type    string `json:"type"`
		Message string `json:"message"`
		Code    int    `json:"code"`
		Details string `json:"details,omitempty"` // the provider's response
	}
	details := ""
	code := int(exit.CodeOf(err))
	var api *llm.Error
	if errors.As(err, &api) {
		if api.Status != 0 {
			code = api.Status
		}
		message, details = terminal.Brief(api.Error()), api.Body
	}
	return encodeError(struct {
		SessionID string `json:"session_id"`
		Error     detail `json:"error"`
	}{id, detail{exit.TypeOf(err), message, code, details}}, "  ")
}

// ErrorEvent returns the result event that --output-format=stream-json prints for a run
// that fails before its first request.
func ErrorEvent(err error, message string) []byte {
	type detail struct {
		Type    string `json:"type"`
		Message string `json:"message"`
	}
	type stats struct {
		TotalTokens  int      `json:"total_tokens"`
		InputTokens  int      `json:"input_tokens"`
		OutputTokens int      `json:"output_tokens"`
		Cached       int      `json:"cached"`
		Input        int      `json:"input"`
		DurationMS   int      `json:"duration_ms"`
		ToolCalls    int      `json:"tool_calls"`
		Models       struct{} `json:"models"`
		Cost         int      `json:"cost"`
	}
	return encodeError(struct {
		Type      string `json:"type"`
		Timestamp string `json:"timestamp"`
		Status    string `json:"status"`
		Error     detail `json:"error"`
		Stats     stats  `json:"stats"`
	}{
		"result", time.Now().UTC().Format("2006-01-02T15:04:05.000Z"), "error",
		detail{exit.TypeOf(err), message},
		stats{},
	}, "")
}

// encodeError returns v as JSON without HTML escapes. v must be encodable.
func encodeError(v any, indent string) []byte {
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", indent)
	_ = enc.Encode(v) // strings and numbers only
	return []byte(strings.TrimSuffix(b.String(), "\n"))
}
