package openai

import (
	"bytes"
	"cmp"
	"encoding/json"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"pollux/llm"
	"pollux/llm/httpwire"
)

// apiError is an error as services report it, in any of the known formats.
type apiError struct {
	Message         string
	Type            string
	Code            string
	Param           string
	Status          int // 0 if the body has none
	ProviderMessage string
	RetryAfter      time.Duration // the delay that the service asked for
}

// parseError parses {"error": {...}}, {"error": "..."}, {"message": ...},
// {"detail": ...}, and an array of one such object. The forms without "error" are
// errors only if isErrorBody is set. The result is false if body is no error.
func parseError(body []byte, isErrorBody bool) (apiError, bool) {
	body = bytes.TrimSpace(body)
	var list []json.RawMessage
	if len(body) > 0 && body[0] == '[' && json.Unmarshal(body, &list) == nil && len(list) > 0 {
		body = bytes.TrimSpace(list[0])
	}
	var outer map[string]json.RawMessage
	if json.Unmarshal(body, &outer) != nil {
		return apiError{}, false
	}
	inner := outer["error"]
	var members map[string]json.RawMessage
	switch {
	case len(inner) > 0 && string(inner) != "null":
		if json.Unmarshal(inner, &members) != nil {
			return apiError{Message: jsonText(inner), Code: jsonText(outer["code"]), Status: firstStatus(outer["status"], outer["code"])}, true
		}
	case isErrorBody && (outer["message"] != nil || outer["detail"] != nil):
		members = outer
	case jsonText(outer["object"]) == "error": // Mistral, vLLM
		members = outer
	default:
		return apiError{}, false
	}
	e := apiError{
		Message: jsonText(members["message"]), Type: jsonText(members["type"]), Code: jsonText(members["code"]), Param: jsonText(members["param"]),
		Status: firstStatus(members["status"], members["code"]),
	}
	detail := members["detail"]
	var message struct{ Detail json.RawMessage } // Mistral
	if json.Unmarshal(members["message"], &message) == nil && message.Detail != nil {
		e.Message, detail = "", message.Detail
	}
	if e.Message == "" {
		if e.Message, e.Param = httpwire.ValidationErrors(detail); e.Message == "" {
			e.Message = jsonText(detail)
		}
	}
	e.addRouterMetadata(members["metadata"])
	return e, true
}

// addRouterMetadata adds OpenRouter's metadata: the message of the upstream
// provider, and the headers of an error that arrives inside a stream.
func (e *apiError) addRouterMetadata(metadata json.RawMessage) {
	var m map[string]json.RawMessage
	if len(metadata) == 0 || json.Unmarshal(metadata, &m) != nil {
		return
	}
	e.ProviderMessage = jsonText(m["raw"])
	if inner, ok := parseError([]byte(e.ProviderMessage), true); ok {
		e.ProviderMessage = inner.Message
	}
	e.ProviderMessage = httpwire.Sentence(e.ProviderMessage)
	var fields map[string]string
	if json.Unmarshal(m["headers"], &fields) == nil {
		header := http.Header{}
		for name, value := range fields {
			header.Set(name, value)
		}
		e.RetryAfter = retryAfter(header, time.Now())
	}
}

// jsonText returns the value of a JSON string, or the source text of any other
// value.
func jsonText(raw json.RawMessage) string {
	var s string
	if len(raw) == 0 || string(raw) == "null" || json.Unmarshal(raw, &s) == nil {
		return s
	}
	return string(raw)
}

// firstStatus returns the first value that is an HTTP error status, or 0.
func firstStatus(values ...json.RawMessage) int {
	for _, v := range values {
		if n, err := strconv.Atoi(jsonText(v)); err == nil && n >= 400 && n < 600 {
			return n
		}
	}
	return 0
}

// statusError returns the error for a response whose status is not 200.
func statusError(host string, status int, header http.Header, body []byte) *llm.Error {
	api, _ := parseError(body, true)
	api.Status = status
	api.RetryAfter = max(api.RetryAfter, retryAfter(header, time.Now()))
	e := classify(api)
	e.Message = httpwire.ErrorMessage(e.Message, host, status, header, body)
	httpwire.SetBody(e, body)
	return e
}

// errorInBody returns the error that a frame or body with status 200 reports,
// or nil.
func errorInBody(data []byte) error {
	if !bytes.Contains(data, []byte(`"error"`)) {
		return nil // fast path for almost every frame
	}
	return errorIn(data, false)
}

// errorInChunk returns the error that data, a frame of a Chat Completions stream,
// reports, or nil. Some gateways send it without the member "error".
func errorInChunk(data []byte) error {
	if bytes.Contains(data, []byte(`"choices"`)) || !bytes.Contains(data, []byte(`"message"`)) || !bytes.Contains(data, []byte(`"code"`)) {
		return errorInBody(data)
	}
	return errorIn(data, true)
}

// errorIn returns the error that data contains, or nil. isErrorBody is as for
// [parseError].
func errorIn(data []byte, isErrorBody bool) error {
	api, ok := parseError(data, isErrorBody)
	if !ok {
		return nil
	}
	e := classify(api)
	e.Message = cmp.Or(httpwire.Sentence(e.Message), httpwire.NoReason)
	httpwire.SetBody(e, data)
	return e
}

// classify returns api as an [llm.Error] with the kind that decides whether the
// caller retries, falls back or stops.
func classify(api apiError) *llm.Error {
	e := &llm.Error{Status: api.Status, Code: api.Code, Message: api.Message}
	if _, err := strconv.Atoi(e.Code); err == nil || e.Code == "" { // a numeric code describes nothing
		e.Code = api.Type
	}
	if api.ProviderMessage != "" && !strings.Contains(e.Message, api.ProviderMessage) {
		e.Message = strings.TrimPrefix(e.Message+": "+httpwire.Clip([]byte(api.ProviderMessage), 2000), ": ")
	}
	e.RetryAfter = max(api.RetryAfter, delayInMessage(e.Message))
	e.Kind = errorKind(api, e.Message, e.RetryAfter)
	if e.Kind == llm.KindRateLimit && e.RetryAfter > httpwire.MaxRetryAfter {
		e.Kind = llm.KindQuota
	}
	return e
}

// errorKind returns the kind of an error. wait is the delay that the service
// asked for, or 0.
func errorKind(api apiError, message string, wait time.Duration) llm.ErrorKind {
	status := api.Status
	is := func(words ...string) bool {
		return slices.Contains(words, api.Code) || slices.Contains(words, api.Type)
	}
	maybeTooLong := status == 0 || status == http.StatusBadRequest || status == http.StatusRequestEntityTooLarge || status == http.StatusUnprocessableEntity || status >= 500
	switch {
	case is("context_length_exceeded", "exceed_context_size_error"), is("string_above_max_length") && !strings.HasPrefix(api.Param, "tools"), maybeTooLong && httpwire.IsTooLong(message),
		status == http.StatusRequestEntityTooLarge, status == http.StatusTooManyRequests && exceedsRateAlone(message):
		return llm.KindContextWindow
	case is("insufficient_quota", "billing_hard_limit_reached", "billing_not_active", "exceeded_current_quota_error", "Arrearage"),
		status == http.StatusPaymentRequired, isQuotaExhausted(status, strings.ToLower(message), wait):
		return llm.KindQuota
	case is("model_not_found"), status == http.StatusNotFound:
		return llm.KindModelNotFound
	case is("invalid_api_key", "authentication_error"), status == http.StatusUnauthorized:
		return llm.KindUnauthorized
	case status == http.StatusForbidden, is("permission_error"):
		return llm.KindForbidden
	case status == http.StatusTooManyRequests, is("rate_limit_exceeded", "rate_limit_error"):
		return llm.KindRateLimit
	case status == 529, is("overloaded_error"):
		return llm.KindCapacity
	case status == http.StatusRequestTimeout, status == http.StatusConflict, status >= 499:
		return llm.KindServer
	case status == 0 && is("tool_use_failed"): // another attempt may succeed
		return llm.KindIncomplete
	case status == http.StatusBadRequest, status == http.StatusUnprocessableEntity, status == 0 && is("invalid_request_error"):
		return llm.KindBadRequest
	case status == 0: // the service failed in mid-stream
		return llm.KindServer
	}
	return llm.KindOther
}

// exceedsRateAlone reports whether a request has more tokens than the rate limit
// of a minute, so that waiting does not help.
func exceedsRateAlone(message string) bool {
	return strings.Contains(strings.ToLower(message), "request too large") && httpwire.ParseSize(message).Exceeds()
}

// isQuotaExhausted reports whether an error means that no money or quota is
// left, so that waiting does not help. Ambiguous messages count only if the
// service gives no delay.
func isQuotaExhausted(status int, lower string, wait time.Duration) bool {
	switch status {
	case 0, http.StatusBadRequest, http.StatusForbidden, http.StatusTooManyRequests:
	default:
		return false
	}
	return httpwire.ContainsAny(lower, "insufficient_quota", "credit balance is too low", "insufficient balance", "insufficient credits",
		"insufficient funds", "used all available credits") ||
		wait == 0 && httpwire.ContainsAny(lower, "exceeded your current quota", "billing")
}

// delayInMessage returns the delay in a message like "try again in 1m12.5s" (or
// "20ms", or "3 seconds"), or 0.
func delayInMessage(message string) time.Duration {
	for _, words := range []string{"try again in ", "retry in ", "retry after "} {
		_, rest, ok := strings.Cut(strings.ToLower(message), words)
		if !ok {
			continue
		}
		end := strings.IndexFunc(rest, func(r rune) bool { return r != '.' && r != 'h' && r != 'm' && r != 's' && (r < '0' || r > '9') })
		if end < 0 {
			end = len(rest)
		}
		if d, err := time.ParseDuration(strings.TrimRight(rest[:end], ".")); err == nil && d > 0 {
			return d
		}
		number, unit, _ := strings.Cut(rest, " ")
		if strings.HasPrefix(unit, "milli") {
			unit = "ms"
		}
		for _, short := range []string{"ms", "s", "m", "h"} { // "3 seconds"
			if d, err := time.ParseDuration(number + short); err == nil && d > 0 && strings.HasPrefix(unit, short) {
				return d
			}
		}
	}
	return 0
}

// retryAfter returns how long the headers ask to wait: the Retry-After value,
// or the time until an exhausted rate limit resets. It returns 0 if they do not
// ask.
func retryAfter(header http.Header, now time.Time) time.Duration {
	if d := httpwire.RetryAfter(header, now); d > 0 {
		return d
	}
	var wait time.Duration
	for _, limit := range []string{"", "-Requests", "-Tokens"} {
		reset := header.Get("X-Ratelimit-Reset" + limit)
		if left := header.Get("X-Ratelimit-Remaining" + limit); reset == "" || left != "" && left != "0" {
			continue
		}
		wait = max(wait, untilReset(reset, now))
	}
	return wait
}

// untilReset parses the time at which a rate limit resets ("6m0s", "20ms", a
// number of seconds, or a Unix time in seconds or milliseconds) and returns how
// far away it is.
func untilReset(s string, now time.Time) time.Duration {
	s = strings.TrimSpace(s)
	d, err := time.ParseDuration(s)
	if err != nil {
		const year = 365 * 24 * 3600
		n, err := strconv.ParseFloat(s, 64)
		switch {
		case err != nil || !(n > 0):
			return 0
		case n > 1e11: // milliseconds
			d = time.UnixMilli(int64(min(n, 1e14))).Sub(now)
		case n > year:
			d = time.Unix(int64(n), 0).Sub(now)
		default:
			d = time.Duration(n * float64(time.Second))
		}
	}
	return min(max(d, 0), 365*24*time.Hour)
}
