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

// parseError returns the error in body. Services of other vendors send a string or an
// object with other members, and Google sometimes a list of errors.
func parseError(body []byte) (apiError, bool) {
	var several []json.RawMessage
	if json.Unmarshal(body, &several) == nil && len(several) > 0 {
		body = several[0]
	}
	var outer struct {
		Error, Detail json.RawMessage
		Message       string
	}
	if json.Unmarshal(body, &outer) != nil {
		return apiError{}, false
	}
	if len(outer.Error) == 0 || string(outer.Error) == "null" {
		message, _ := httpwire.ValidationErrors(outer.Detail)
		return apiError{Message: message}, message != ""
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
	return e, true
}

// statusError returns the error for a response whose status is not 200.
func statusError(host string, status int, header http.Header, body []byte, now time.Time) *llm.Error {
	api, ok := parseError(body)
	if !ok {
		api = parseException(header.Get("X-Amzn-Errortype"), body)
	}
	e := classify(status, api)
	e.Message = httpwire.ErrorMessage(api.Message, host, status, header, body)
	httpwire.SetBody(e, body)
	e.RetryAfter = httpwire.RetryAfter(header, now)
	if e.RetryAfter == 0 && e.Kind == llm.KindRateLimit {
		e.RetryAfter = resetDelay(header, now)
	}
	switch soon := e.RetryAfter <= httpwire.MaxRetryAfter; {
	case e.Kind == llm.KindRateLimit && !soon:
		e.Kind = llm.KindQuota
	case e.Kind == llm.KindQuota && status == http.StatusTooManyRequests && soon && e.RetryAfter > 0:
		e.Kind = llm.KindRateLimit
	}
	return e
}

// streamedError returns the error in an event or in a body under status 200.
func streamedError(data []byte) *llm.Error {
	api, ok := parseError(data)
	if !ok {
		api.Message = httpwire.NoReason
	}
	return namedError(api, data)
}

// namedError returns the error for api without an HTTP status, with the status of its
// type.
func namedError(api apiError, body []byte) *llm.Error {
	status := cmp.Or(statusOfType(api.Type), statusOfException(strings.ToLower(api.Type)), http.StatusInternalServerError)
	e := classify(status, api)
	e.Message = cmp.Or(httpwire.Sentence(api.Message), api.Type, httpwire.NoReason)
	httpwire.SetBody(e, body)
	return e
}

// parseException returns the error of an AWS service: {"message":"..."}. Its type is
// in the header of a response or frame.
func parseException(name string, body []byte) apiError {
	var e struct {
		Message string
		Type    string `json:"__type"`
	}
	_ = json.Unmarshal(body, &e) // the name is enough
	name, _, _ = strings.Cut(cmp.Or(name, e.Type), ":")
	return apiError{Type: name[strings.LastIndexByte(name, '#')+1:], Message: e.Message}
}

// markUnsupported wraps [errors.ErrUnsupported] in an error whose status means that
// the service does not have an optional endpoint of the protocol.
func markUnsupported(err error) error {
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

// statusOverloaded is the status of the service when it is overloaded.
const statusOverloaded = 529

// statusOfType returns the HTTP status for an error type of the protocol, 0 for an unknown one.
func statusOfType(name string) int {
	switch name {
	case "invalid_request_error":
		return 400
	case "authentication_error":
		return 401
	case "billing_error":
		return 402
	case "permission_error":
		return 403
	case "not_found_error":
		return 404
	case "request_too_large":
		return 413
	case "rate_limit_error":
		return 429
	case "api_error":
		return 500
	case "timeout_error":
		return 504
	case "overloaded_error":
		return statusOverloaded
	}
	return 0
}

// statusOfException returns the HTTP status for an AWS exception, in lower case, 0 for an unknown one.
func statusOfException(name string) int {
	switch name {
	case "validationexception", "servicequotaexceededexception":
		return 400
	case "accessdeniedexception":
		return 403
	case "resourcenotfoundexception":
		return 404
	case "modeltimeoutexception":
		return 408
	case "modelerrorexception", "modelstreamerrorexception":
		return 424
	case "throttlingexception", "modelnotreadyexception":
		return 429
	case "internalserverexception":
		return 500
	case "serviceunavailableexception":
		return 503
	}
	return 0
}

// classify returns an [llm.Error] with the kind of an error, which decides about
// retries.
func classify(status int, api apiError) *llm.Error {
	e := &llm.Error{Status: status, Code: api.Type, Message: api.Message}
	text := strings.ToLower(api.Type + " " + api.Message)
	request := status >= 400 && status < 500 || status == http.StatusInternalServerError
	switch {
	case status == http.StatusRequestEntityTooLarge, request && status != http.StatusTooManyRequests && isTooLong(api.Message):
		e.Kind = llm.KindContextWindow
	case request && strings.Contains(text, "organization has been disabled"):
		e.Kind = llm.KindSuspended
	case status == http.StatusPaymentRequired, request && status != http.StatusUnauthorized && isQuotaMessage(text):
		e.Kind = llm.KindQuota
	case request && status != http.StatusTooManyRequests && isNoToolsMessage(text):
		e.Kind = llm.KindNoTools
	case status == http.StatusUnauthorized, status == http.StatusForbidden && isBadKeyMessage(text):
		e.Kind = llm.KindUnauthorized
	case status == http.StatusForbidden:
		e.Kind = llm.KindForbidden
	case status == http.StatusNotFound, strings.Contains(text, "model identifier is invalid"):
		e.Kind = llm.KindModelNotFound
	case status == http.StatusTooManyRequests:
		e.Kind = llm.KindRateLimit
	case status == 499, status == http.StatusRequestTimeout, status == http.StatusFailedDependency, status >= 500:
		e.Kind = llm.KindServer
	case status == http.StatusBadRequest, status == http.StatusUnprocessableEntity:
		e.Kind = llm.KindBadRequest
	}
	return e
}

// isTooLong reports whether a message means that the request exceeds the model's
// context window.
func isTooLong(message string) bool {
	return httpwire.IsTooLong(message) || httpwire.ContainsAny(strings.ToLower(message),
		"input is too long", "exceeded model token limit", "context window exceeds limit", "request_too_large")
}

// isQuotaMessage reports whether a message means that credit or a quota is exhausted.
func isQuotaMessage(text string) bool {
	return httpwire.ContainsAny(text, "credit balance", "insufficient_quota", "insufficient balance", "billing",
		"exceeded your current quota", "exceeded_current_quota", "api usage limits", "servicequotaexceeded", "per day")
}

// isNoToolsMessage reports whether a message means that the model does not support
// tools.
func isNoToolsMessage(text string) bool {
	return httpwire.ContainsAny(text, "does not support tools", "tools is not supported", "does not support function calling",
		"does not support tool use", "tool choice requires", "--enable-auto-tool-choice", "requires --jinja")
}

// isBadKeyMessage reports whether a message means that AWS credentials are invalid.
// AWS sends status 403 for these.
func isBadKeyMessage(text string) bool {
	return httpwire.ContainsAny(text, "expiredtoken", "unrecognizedclient", "invalidsignature", "incompletesignature",
		"missingauthenticationtoken", "invalidclienttokenid", "security token", "bearer token", "api key has expired")
}

// resetDelay returns how long it takes until all exhausted rate limits are reset,
// from the header of a response.
func resetDelay(header http.Header, now time.Time) time.Duration {
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
