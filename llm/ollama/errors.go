package ollama

import (
	"cmp"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"time"

	"pollux/llm"
	"pollux/llm/httpwire"
)

// apiError is an error body: {"error": "..."}, with more members from
// ollama.com, or with an object as the error from some proxies.
type apiError struct {
	Error      json.RawMessage `json:"error"`
	Message    string          `json:"message"`
	SigninURL  string          `json:"signin_url"`
	StatusCode int             `json:"status_code"` // in an error inside a stream
}

// message returns the server's error message, or "" if there is none.
func (e *apiError) message() string {
	var s string
	if json.Unmarshal(e.Error, &s) == nil && s != "" {
		return s
	}
	var inner struct{ Message string }
	if json.Unmarshal(e.Error, &inner) == nil && inner.Message != "" {
		return inner.Message
	}
	return e.Message
}

// statusError returns the error for a response whose status is not 200.
func statusError(host string, status int, header http.Header, body []byte, model string) *llm.Error {
	var api apiError
	isJSON := json.Unmarshal(body, &api) == nil
	message := api.message()
	e := &llm.Error{Status: status, Link: api.SigninURL}
	e.Message = httpwire.ErrorMessage(message, host, status, header, body)
	if e.Kind = errorKind(status, e.Message); !isJSON && e.Kind == llm.KindModelNotFound {
		e.Kind = llm.KindOther // the server has not looked for a model
		e.Message = strings.TrimSuffix(e.Message, ".") + ". Check that an Ollama server listens there, and that it is up to date"
	}
	e.RetryAfter = httpwire.RetryAfter(header, time.Now())
	if e.Kind == llm.KindRateLimit && e.RetryAfter > httpwire.MaxRetryAfter {
		e.Kind = llm.KindQuota
	}
	addAdvice(e, model)
	httpwire.SetBody(e, body)
	return e
}

// lineError returns the error that a line of a stream, or a body with status
// 200, reports.
func lineError(data []byte, model string) error {
	var api apiError
	if err := json.Unmarshal(data, &api); err != nil {
		return httpwire.Malformed("chunk", err, data)
	}
	e := &llm.Error{Status: api.StatusCode, Message: cmp.Or(httpwire.Sentence(api.message()), httpwire.NoReason), Link: api.SigninURL}
	e.Kind = errorKind(e.Status, e.Message)
	addAdvice(e, model)
	httpwire.SetBody(e, data)
	return e
}

// errorKind returns the kind of an error, which decides whether the caller
// retries, falls back or stops. status is 0 for an error inside a stream.
func errorKind(status int, message string) llm.ErrorKind {
	lower := strings.ToLower(message)
	switch {
	case isToolRefusal(lower):
		return llm.KindNoTools
	case status != http.StatusTooManyRequests && (httpwire.IsTooLong(lower) || strings.Contains(lower, "context length")),
		status == http.StatusRequestEntityTooLarge:
		return llm.KindContextWindow
	case isMemoryError(lower):
		return llm.KindOther // waiting does not free memory
	case status == http.StatusNotFound, status == 0 && strings.Contains(lower, "not found, try pulling"):
		return llm.KindModelNotFound
	case status == http.StatusUnauthorized:
		return llm.KindUnauthorized
	case status == http.StatusForbidden:
		return llm.KindForbidden
	case status == http.StatusPaymentRequired, status == http.StatusTooManyRequests && strings.Contains(lower, "usage limit"):
		return llm.KindQuota
	case status == http.StatusTooManyRequests:
		return llm.KindRateLimit
	case status == 0, status == http.StatusRequestTimeout, status >= 499:
		return llm.KindServer
	case status == http.StatusBadRequest:
		return llm.KindBadRequest
	}
	return llm.KindOther
}

// isToolRefusal reports whether a message means that the model does not support
// tools. lower is in lower case.
func isToolRefusal(lower string) bool {
	return httpwire.ContainsAny(lower, "does not support tools", "does not support function calling")
}

// isMemoryError reports whether a message means that the model or its window
// does not fit in memory. lower is in lower case.
func isMemoryError(lower string) bool {
	return httpwire.ContainsAny(lower, "requires more system memory", "out of memory", "unable to allocate",
		"failed to allocate", "cudamalloc failed", "insufficient memory", "not enough memory")
}

// addAdvice adds the next step for the user to the message of e.
func addAdvice(e *llm.Error, model string) {
	switch {
	case e.Kind == llm.KindModelNotFound:
		e.Message = fmt.Sprintf("%s. Download the model with: ollama pull %s", strings.TrimRight(strings.TrimSuffix(e.Message, ", try pulling it first"), "."), model)
	case e.Kind == llm.KindOther && isMemoryError(strings.ToLower(e.Message)):
		e.Message = strings.TrimRight(e.Message, ".") + ". Use a smaller model or a smaller context window"
	case e.Kind == llm.KindQuota && !strings.Contains(strings.ToLower(e.Message), "quota"):
		e.Message = strings.TrimRight(e.Message, ".") + ". Your quota is used up"
	case e.Kind == llm.KindUnauthorized && e.Link != "":
		e.Message = strings.TrimRight(e.Message, ".") + ". Sign in with: ollama signin"
	}
}

// tooLargeError returns the error for a prompt that is not sent because it
// exceeds the window.
func tooLargeError(m *model, load int) error {
	return &llm.Error{
		Kind:    llm.KindContextWindow,
		Size:    llm.RequestSize{Prompt: load, Window: m.window},
		Message: fmt.Sprintf("The prompt has at least %d tokens and does not fit into the context window of %s (num_ctx %d)", load, m.name, m.window),
	}
}

// isFormatError reports whether a message is about the requested output format.
// lower is in lower case.
func isFormatError(lower string) bool {
	return httpwire.ContainsAny(lower, "format", "grammar", "schema")
}
