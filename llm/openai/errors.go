package openai

import (
	"bytes"
	"encoding/json"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"pollux/llm"
	"pollux/llm/httpwire"
)

// apiError is an error as services report it, in any of the forms they use.
type apiError struct {
	Message string
	Type    string
	Code    string
	Param   string
	Status  int // 0 where the error does not say
	Raw     string
	Wait    time.Duration // that was asked for
}

// parseError reads {"error": {...}}, {"error": "..."}, {"message": ...},
// {"detail": ...}, and a list of one of these. Without an envelope it is an
// error only if whole says that the body is one.
func parseError(body []byte, whole bool) (apiError, bool) {
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
			return apiError{Message: str(inner), Code: str(outer["code"]), Status: statusOf(outer["status"], outer["code"])}, true
		}
	case whole && (outer["message"] != nil || outer["detail"] != nil):
		members = outer
	case str(outer["object"]) == "error": // Mistral, vLLM
		members = outer
	default:
		return apiError{}, false
	}
	e := apiError{
		Message: str(members["message"]), Type: str(members["type"]), Code: str(members["code"]), Param: str(members["param"]),
		Status: statusOf(members["status"], members["code"]),
	}
	if e.Message == "" {
		e.Message, e.Param = complaints(members["detail"])
	}
	e.fromRouter(members["metadata"])
	return e, true
}

// fromRouter reads what OpenRouter says besides: its provider's words, and the
// header that an error in mid-stream cannot have.
func (e *apiError) fromRouter(metadata json.RawMessage) {
	var m map[string]json.RawMessage
	if len(metadata) == 0 || json.Unmarshal(metadata, &m) != nil {
		return
	}
	e.Raw = str(m["raw"])
	if below, ok := parseError([]byte(e.Raw), true); ok {
		e.Raw = below.Message
	}
	var fields map[string]string
	if json.Unmarshal(m["headers"], &fields) == nil {
		header := http.Header{}
		for name, value := range fields {
			header.Set(name, value)
		}
		e.Wait = retryAfter(header, time.Now())
	}
}

// str returns a JSON string's value, and any other value as it is written.
func str(raw json.RawMessage) string {
	var s string
	if len(raw) == 0 || string(raw) == "null" || json.Unmarshal(raw, &s) == nil {
		return s
	}
	return string(raw)
}

// statusOf returns the first of values that is an HTTP status.
func statusOf(values ...json.RawMessage) int {
	for _, v := range values {
		if n, err := strconv.Atoi(str(v)); err == nil && n >= 400 && n < 600 {
			return n
		}
	}
	return 0
}

// complaints reads FastAPI's form: a string, or a list of complaints about members.
func complaints(raw json.RawMessage) (message, param string) {
	var list []struct {
		Loc []any
		Msg string
	}
	if json.Unmarshal(raw, &list) != nil || len(list) == 0 {
		return str(raw), ""
	}
	var lines []string
	for _, d := range list {
		at := ""
		for i, l := range d.Loc {
			if s, ok := l.(string); ok && s != "body" {
				at += "." + s
			} else if n, ok := l.(float64); ok && i > 0 {
				at += "." + strconv.Itoa(int(n))
			}
		}
		at = strings.TrimPrefix(at, ".")
		if param == "" {
			param = at
		}
		lines = append(lines, strings.TrimPrefix(at+": "+d.Msg, ": "))
	}
	return strings.Join(lines, "; "), param
}

// statusError is the error of an answer with another status than 200.
func statusError(status int, header http.Header, body []byte) *llm.Error {
	api, ok := parseError(body, true)
	if !ok || api.Message == "" {
		api.Message = httpwire.PlainMessage(status, header, body)
	}
	api.Status = status
	api.Wait = max(api.Wait, retryAfter(header, time.Now()))
	e := classify(api)
	e.Body = httpwire.Clip(body, httpwire.MaxErrorBody)
	return e
}

// errorIn returns the error that a frame or body under status 200 reports, or nil.
func errorIn(data []byte) error {
	if !bytes.Contains(data, []byte(`"error"`)) {
		return nil // nearly every frame ends here
	}
	api, ok := parseError(data, false)
	if !ok {
		return nil
	}
	e := classify(api)
	e.Body = httpwire.Clip(data, httpwire.MaxErrorBody)
	return e
}

// classify decides what can be done about an error (spec/agent.md §10).
func classify(api apiError) *llm.Error {
	e := &llm.Error{Status: api.Status, Code: api.Code, Message: api.Message}
	if _, err := strconv.Atoi(e.Code); err == nil || e.Code == "" { // a number is no word
		e.Code = api.Type
	}
	if api.Raw != "" && !strings.Contains(e.Message, api.Raw) {
		e.Message = strings.TrimPrefix(e.Message+": "+httpwire.Clip([]byte(api.Raw), 2000), ": ")
	}
	if e.Message == "" {
		e.Message = "the model's server reports an error and does not say which"
	}
	e.RetryAfter = max(api.Wait, promisedDelay(e.Message))
	e.Kind = kindOf(api, e.Message, e.RetryAfter)
	if e.Kind == llm.KindRateLimit && e.RetryAfter > httpwire.MaxWait {
		e.Kind = llm.KindQuota
	}
	return e
}

// kindOf is the kind of an error whose service asked to wait that long before the
// next try, if at all.
func kindOf(api apiError, message string, wait time.Duration) llm.ErrorKind {
	status := api.Status
	is := func(words ...string) bool {
		return slices.Contains(words, api.Code) || slices.Contains(words, api.Type)
	}
	refused := status == 0 || status == http.StatusBadRequest || status == http.StatusRequestEntityTooLarge || status == http.StatusUnprocessableEntity || status >= 500
	switch {
	case is("context_length_exceeded", "exceed_context_size_error", "string_above_max_length"), refused && httpwire.TooLong(message),
		status == http.StatusRequestEntityTooLarge:
		return llm.KindContextWindow
	case is("insufficient_quota", "billing_hard_limit_reached", "billing_not_active", "exceeded_current_quota_error", "Arrearage"),
		status == http.StatusPaymentRequired, usedUp(status, strings.ToLower(message), wait):
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
	case status == 0 && is("tool_use_failed"): // the next try may do better
		return llm.KindIncomplete
	case status == http.StatusBadRequest, status == http.StatusUnprocessableEntity, status == 0 && is("invalid_request_error"):
		return llm.KindBadRequest
	case status == 0: // in mid-stream: the service failed
		return llm.KindServer
	}
	return llm.KindOther
}

// usedUp knows how services say that there is no money or quota left, which no
// wait brings back (spec/providers.md §3). Of the vaguer texts that is believed
// only where the service names no time.
func usedUp(status int, lower string, wait time.Duration) bool {
	switch status {
	case 0, http.StatusBadRequest, http.StatusForbidden, http.StatusTooManyRequests:
	default:
		return false
	}
	return httpwire.ContainsAny(lower, "insufficient_quota", "credit balance is too low", "insufficient balance", "insufficient credits",
		"insufficient funds", "used all available credits") ||
		wait == 0 && httpwire.ContainsAny(lower, "exceeded your current quota", "billing")
}

// promisedDelay finds "try again in 1m12.5s" (or ms, or "3 seconds") in a message.
func promisedDelay(message string) time.Duration {
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

// retryAfter reads from an answer's header how long to wait: what it says, or
// when a limit that is used up will be lifted.
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
		wait = max(wait, resetIn(reset, now))
	}
	return wait
}

// resetIn reads when a limit is lifted: "6m0s", "20ms", seconds, or a date in
// seconds or milliseconds since 1970.
func resetIn(s string, now time.Time) time.Duration {
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
