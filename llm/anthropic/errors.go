package anthropic

import (
	"cmp"
	"encoding/json"
	"errors"
	"net/http"
	"strconv"
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
// this one put a text there, or an object with other members; Google's is in a
// list at times.
func parseError(body []byte) (apiError, bool) {
	var several []json.RawMessage
	if json.Unmarshal(body, &several) == nil && len(several) > 0 {
		body = several[0]
	}
	var outer struct {
		Error   json.RawMessage
		Message string
	}
	if json.Unmarshal(body, &outer) != nil || len(outer.Error) == 0 || string(outer.Error) == "null" {
		return apiError{}, false
	}
	var inner struct{ Type, Status, Message any }
	if json.Unmarshal(outer.Error, &inner) != nil {
		e := apiError{Message: outer.Message}
		if text := ""; json.Unmarshal(outer.Error, &text) == nil && e.Message == "" {
			e.Message = text
		}
		return e, true
	}
	e := apiError{}
	e.Type, _ = inner.Type.(string)
	if e.Type == "" {
		e.Type, _ = inner.Status.(string)
	}
	e.Message, _ = inner.Message.(string)
	if e.Message == "" {
		e.Message = string(outer.Error)
	}
	return e, true
}

// statusError is the error of an answer with another status than 200.
func statusError(status int, header http.Header, body []byte, now time.Time) *llm.Error {
	api, ok := parseError(body)
	if !ok {
		api = parseException(header.Get("X-Amzn-Errortype"), body)
	}
	if api.Message == "" {
		api.Message = httpwire.PlainMessage(status, header, body)
	}
	e := classify(status, api)
	e.Body = httpwire.Clip(body, httpwire.MaxErrorBody)
	e.RetryAfter = httpwire.RetryAfter(header, now)
	if e.RetryAfter == 0 && e.Kind == llm.KindRateLimit {
		e.RetryAfter = untilReset(header, now)
	}
	switch soon := e.RetryAfter <= httpwire.MaxWait; {
	case e.Kind == llm.KindRateLimit && !soon:
		e.Kind = llm.KindQuota
	case e.Kind == llm.KindQuota && status == http.StatusTooManyRequests && soon && e.RetryAfter > 0:
		e.Kind = llm.KindRateLimit
	}
	return e
}

// streamedError is the error that an event reports, whatever the status was.
func streamedError(data []byte) *llm.Error {
	api, ok := parseError(data)
	if !ok {
		api.Message = "the model's server reported an error without saying which"
	}
	return namedError(api, data)
}

// namedError is the error that a name stands for, without a status.
func namedError(api apiError, body []byte) *llm.Error {
	status := cmp.Or(statuses[api.Type], exceptions[strings.ToLower(api.Type)], http.StatusInternalServerError)
	api.Message = cmp.Or(api.Message, api.Type)
	e := classify(status, api)
	e.Body = httpwire.Clip(body, httpwire.MaxErrorBody)
	return e
}

// parseException reads an error of Amazon's: {"message":"..."}, its name in the
// header of an answer or of a frame.
func parseException(name string, body []byte) apiError {
	var e struct {
		Message string
		Type    string `json:"__type"`
	}
	_ = json.Unmarshal(body, &e) // without it there is the name
	name, _, _ = strings.Cut(cmp.Or(name, e.Type), ":")
	return apiError{Type: name[strings.LastIndexByte(name, '#')+1:], Message: e.Message}
}

// unserved marks an error that says that there is no such thing here at all: what
// is asked for is an extra of the protocol.
func unserved(err error) error {
	var e *llm.Error
	if !errors.As(err, &e) || e.Err != nil {
		return err
	}
	switch e.Status {
	case http.StatusNotFound, http.StatusMethodNotAllowed, http.StatusNotImplemented:
		marked := *e
		marked.Err = errors.ErrUnsupported
		return &marked
	}
	return err
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

// exceptions are those of Amazon's, in lower case.
var exceptions = map[string]int{
	"validationexception":           400,
	"servicequotaexceededexception": 400,
	"accessdeniedexception":         403,
	"resourcenotfoundexception":     404,
	"modeltimeoutexception":         408,
	"modelerrorexception":           424,
	"modelstreamerrorexception":     424,
	"throttlingexception":           429,
	"modelnotreadyexception":        429,
	"internalserverexception":       500,
	"serviceunavailableexception":   503,
}

// classify decides what can be done about an error (spec/agent.md §5, §10,
// spec/providers.md §3).
func classify(status int, api apiError) *llm.Error {
	e := &llm.Error{Status: status, Code: api.Type, Message: api.Message}
	said := strings.ToLower(api.Type + " " + api.Message)
	request := status >= 400 && status < 500 || status == http.StatusInternalServerError
	switch {
	case status == http.StatusRequestEntityTooLarge, request && status != http.StatusTooManyRequests && tooLong(api.Message):
		e.Kind = llm.KindContextWindow
	case request && strings.Contains(said, "organization has been disabled"):
		e.Kind = llm.KindSuspended
	case status == http.StatusPaymentRequired, request && status != http.StatusUnauthorized && spent(said):
		e.Kind = llm.KindQuota
	case request && status != http.StatusTooManyRequests && noTools(said):
		e.Kind = llm.KindNoTools
	case status == http.StatusUnauthorized, status == http.StatusForbidden && badKey(said):
		e.Kind = llm.KindUnauthorized
	case status == http.StatusForbidden:
		e.Kind = llm.KindForbidden
	case status == http.StatusNotFound, strings.Contains(said, "model identifier is invalid"):
		e.Kind = llm.KindModelNotFound
	case status == http.StatusTooManyRequests:
		e.Kind = llm.KindRateLimit
	case status == 499, status == http.StatusRequestTimeout, status == http.StatusFailedDependency, status >= 500:
		e.Kind = llm.KindServer
	case status == http.StatusBadRequest:
		e.Kind = llm.KindBadRequest
	}
	return e
}

// tooLong knows how the services of this protocol say that a request is larger
// than the model's window.
func tooLong(message string) bool {
	return httpwire.TooLong(message) || httpwire.ContainsAny(strings.ToLower(message),
		"input is too long", "exceeded model token limit", "context window exceeds limit", "request_too_large")
}

// spent reports whether a message says that there is no more to be had for now.
func spent(said string) bool {
	return httpwire.ContainsAny(said, "credit balance", "insufficient_quota", "insufficient balance", "billing",
		"exceeded your current quota", "exceeded_current_quota", "api usage limits", "servicequotaexceeded", "per day")
}

func noTools(said string) bool {
	return httpwire.ContainsAny(said, "does not support tools", "tools is not supported", "does not support function calling",
		"does not support tool use", "tool choice requires", "--enable-auto-tool-choice", "requires --jinja")
}

// badKey knows Amazon's words for credentials that are wrong, which have the
// status of what is not allowed.
func badKey(said string) bool {
	return httpwire.ContainsAny(said, "expiredtoken", "unrecognizedclient", "invalidsignature", "incompletesignature",
		"missingauthenticationtoken", "invalidclienttokenid", "security token", "bearer token", "api key has expired")
}

// untilReset returns how long it is until the limits that are used up are there
// again, by the headers that go with each answer.
func untilReset(header http.Header, now time.Time) time.Duration {
	var longest time.Duration
	for name, values := range header {
		limit, ok := strings.CutSuffix(name, "-Reset")
		if !ok || len(values) == 0 || !strings.HasPrefix(limit, "Anthropic-Ratelimit-") ||
			header.Get(limit+"-Remaining") != "0" && header.Get(limit+"-Status") != "rejected" {
			continue
		}
		at, err := time.Parse(time.RFC3339, values[0])
		if seconds, e := strconv.ParseInt(values[0], 10, 64); e == nil {
			at, err = time.Unix(seconds, 0), nil
		}
		if err == nil {
			longest = max(longest, at.Sub(now))
		}
	}
	return longest
}
