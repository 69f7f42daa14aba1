package anthropic

import (
	"encoding/json"
	"net/http"
	"strings"
	"time"

	"pollux/llm"
	"pollux/llm/httpwire"
)

// apiError is the error object of the service:
// {"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}.
type apiError struct {
	Type    string
	Message string
}

// parseError finds the error that a body reports. Servers that only speak like
// this one put a text there, or an object with other members.
func parseError(body []byte) (apiError, bool) {
	var outer struct {
		Error   json.RawMessage
		Message string
	}
	if json.Unmarshal(body, &outer) != nil || len(outer.Error) == 0 || string(outer.Error) == "null" {
		return apiError{}, false
	}
	var inner struct{ Type, Code, Message any }
	if json.Unmarshal(outer.Error, &inner) != nil {
		e := apiError{Message: outer.Message}
		if text := ""; json.Unmarshal(outer.Error, &text) == nil && e.Message == "" {
			e.Message = text
		}
		return e, true
	}
	e := apiError{}
	e.Type, _ = inner.Type.(string)
	e.Message, _ = inner.Message.(string)
	if e.Message == "" {
		e.Message = string(outer.Error)
	}
	return e, true
}

// statusError is the error of an answer with another status than 200.
func statusError(status int, header http.Header, body []byte, now time.Time) *llm.Error {
	api, ok := parseError(body)
	if !ok || api.Message == "" {
		api.Message = httpwire.PlainMessage(status, header, body)
	}
	e := classify(status, api)
	e.Body = httpwire.Clip(body, httpwire.MaxErrorBody)
	e.RetryAfter = httpwire.RetryAfter(header, now)
	if e.RetryAfter == 0 && e.Kind == llm.KindRateLimit {
		e.RetryAfter = untilReset(header, now)
	}
	if e.Kind == llm.KindRateLimit && e.RetryAfter > httpwire.MaxWait {
		e.Kind = llm.KindQuota
	}
	return e
}

// streamedError is the error that an event reports, whatever the status was.
func streamedError(data []byte) *llm.Error {
	api, ok := parseError(data)
	if !ok {
		api.Message = "the model's server reported an error without saying which"
	}
	status, known := statuses[api.Type]
	if !known {
		status = http.StatusInternalServerError
	}
	e := classify(status, api)
	e.Body = httpwire.Clip(data, httpwire.MaxErrorBody)
	return e
}

// overloaded is the service's status for having too much to do.
const overloaded = 529

// statuses are those that belong to the service's words for errors.
var statuses = map[string]int{
	"invalid_request_error": 400,
	"authentication_error":  401,
	"billing_error":         402,
	"permission_error":      403,
	"not_found_error":       404,
	"request_too_large":     413,
	"rate_limit_error":      429,
	"api_error":             500,
	"timeout_error":         504,
	"overloaded_error":      overloaded,
}

// classify decides what can be done about an error (spec/agent.md §5, §10).
func classify(status int, api apiError) *llm.Error {
	e := &llm.Error{Status: status, Code: api.Type, Message: api.Message}
	switch {
	case status == http.StatusRequestEntityTooLarge,
		status == http.StatusBadRequest && httpwire.TooLong(api.Message):
		e.Kind = llm.KindContextWindow
	case status == http.StatusPaymentRequired,
		status == http.StatusBadRequest && strings.Contains(strings.ToLower(api.Message), "credit balance"):
		e.Kind = llm.KindQuota
	case status == http.StatusBadRequest:
		e.Kind = llm.KindBadRequest
	case status == http.StatusUnauthorized:
		e.Kind = llm.KindUnauthorized
	case status == http.StatusForbidden:
		e.Kind = llm.KindForbidden
	case status == http.StatusNotFound:
		e.Kind = llm.KindModelNotFound
	case status == http.StatusTooManyRequests:
		e.Kind = llm.KindRateLimit
	case status == 499, status == http.StatusRequestTimeout, status >= 500:
		e.Kind = llm.KindServer
	}
	return e
}

// untilReset returns how long it is until a limit that is used up is there
// again, by the headers that go with each answer.
func untilReset(header http.Header, now time.Time) time.Duration {
	var longest time.Duration
	for _, limit := range []string{"Requests", "Tokens", "Input-Tokens", "Output-Tokens"} {
		name := "Anthropic-Ratelimit-" + limit
		if header.Get(name+"-Remaining") != "0" {
			continue
		}
		if at, err := time.Parse(time.RFC3339, header.Get(name+"-Reset")); err == nil {
			longest = max(longest, at.Sub(now))
		}
	}
	return longest
}
