package ollama

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"pollux/llm"
	"pollux/llm/httpwire"
)

// apiError is an error as the server reports it: {"error": "..."}, from
// ollama.com with more members, and from what stands before a server with an
// object for it.
type apiError struct {
	Error      json.RawMessage `json:"error"`
	Message    string          `json:"message"`
	SigninURL  string          `json:"signin_url"`
	StatusCode int             `json:"status_code"` // of one in a stream
}

// text is the server's sentence, "" where there is none.
func (e *apiError) text() string {
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

// statusError is the error of an answer with another status than 200.
func statusError(status int, header http.Header, body []byte, model string) error {
	var api apiError
	known := json.Unmarshal(body, &api) == nil
	message := api.text()
	e := &llm.Error{Status: status, Message: message, Link: api.SigninURL, Body: httpwire.Clip(body, httpwire.MaxErrorBody)}
	if !known || message == "" {
		e.Message = httpwire.PlainMessage(status, header, body)
	}
	if e.Kind = kindOf(status, e.Message); !known && e.Kind == llm.KindModelNotFound {
		e.Kind = llm.KindOther // nobody has looked for a model
		e.Message += ". Is that an Ollama server, and not too old a one?"
	}
	e.RetryAfter = httpwire.RetryAfter(header, time.Now())
	if e.Kind == llm.KindRateLimit && e.RetryAfter > httpwire.MaxWait {
		e.Kind = llm.KindQuota
	}
	advise(e, model)
	return e
}

// lineError is the error that a line of a stream, or an answer under status 200,
// reports.
func lineError(data []byte, model string) error {
	var api apiError
	if err := json.Unmarshal(data, &api); err != nil {
		return httpwire.Malformed("chunk", err, data)
	}
	e := &llm.Error{Status: api.StatusCode, Message: api.text(), Link: api.SigninURL, Body: httpwire.Clip(data, httpwire.MaxErrorBody)}
	if e.Message == "" {
		e.Message = "the model's server reports an error and does not say which"
	}
	e.Kind = kindOf(e.Status, e.Message)
	advise(e, model)
	return e
}

// kindOf decides what can be done about an error (spec/agent.md §10). A status of
// 0 is that of an error in the middle of a stream.
func kindOf(status int, message string) llm.ErrorKind {
	lower := strings.ToLower(message)
	switch {
	case refusesTools(lower):
		return llm.KindNoTools
	case status != http.StatusTooManyRequests && (httpwire.TooLong(lower) || strings.Contains(lower, "context length")),
		status == http.StatusRequestEntityTooLarge:
		return llm.KindContextWindow
	case lacksMemory(lower):
		return llm.KindOther // as long as nobody frees some
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

// refusesTools knows how a server says that a model cannot be given tools.
func refusesTools(lower string) bool {
	return httpwire.ContainsAny(lower, "does not support tools", "does not support function calling")
}

// lacksMemory knows how a server says that a model, or the window that it was to
// have, is too large for the machine.
func lacksMemory(lower string) bool {
	return httpwire.ContainsAny(lower, "requires more system memory", "out of memory", "unable to allocate",
		"failed to allocate", "cudamalloc failed", "insufficient memory", "not enough memory")
}

// advise adds to a message what the user can do.
func advise(e *llm.Error, model string) {
	switch {
	case e.Kind == llm.KindModelNotFound:
		e.Message = fmt.Sprintf("%s. To get the model: ollama pull %s", strings.TrimRight(strings.TrimSuffix(e.Message, ", try pulling it first"), "."), model)
	case e.Kind == llm.KindOther && lacksMemory(strings.ToLower(e.Message)):
		e.Message = strings.TrimRight(e.Message, ".") + ". A smaller model, or a smaller window for this one, may fit."
	case e.Kind == llm.KindQuota && !strings.Contains(strings.ToLower(e.Message), "quota"):
		e.Message = strings.TrimRight(e.Message, ".") + ". The account's quota is used up."
	case e.Kind == llm.KindUnauthorized && e.Link != "":
		e.Message = strings.TrimRight(e.Message, ".") + ". Sign in with: ollama signin"
	}
}

// tooLarge is the error of a prompt that is not sent because it does not fit.
func tooLarge(m *model, load int) error {
	return &llm.Error{
		Kind: llm.KindContextWindow,
		Message: fmt.Sprintf("the prompt has at least %d tokens and exceeds the context window of %s, which is %d tokens here (num_ctx): "+
			"Ollama would cut off its beginning", load, m.name, m.window),
	}
}

// absent says of a server that does not listen how to start it.
func absent(err error, host string) error {
	var e *llm.Error
	if errors.As(err, &e) && e.Code == "ECONNREFUSED" {
		e.Message = fmt.Sprintf("fetch failed: no Ollama server listens at %s. Start it with: ollama serve", host)
	}
	return err
}

// isJSONTrouble reports whether a message is about the form that an answer was
// to have.
func isJSONTrouble(lower string) bool {
	return httpwire.ContainsAny(lower, "format", "grammar", "schema")
}
