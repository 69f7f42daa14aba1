package gemini

import (
	"bytes"
	"net/http"
	"strings"
	"time"

	"pollux/llm"
	"pollux/llm/httpwire"
)

// statusError returns the error for a response whose status is not 200.
func statusError(host string, status int, header http.Header, body []byte) *llm.Error {
	api, _ := parseError(body)
	api.Message = httpwire.ErrorMessage(api.Message, host, status, header, body)
	api.Code = status
	e := classify(api)
	httpwire.SetBody(e, body)
	if e.RetryAfter == 0 {
		e.RetryAfter = httpwire.RetryAfter(header, time.Now())
		if e.Kind == llm.KindRateLimit && e.RetryAfter > httpwire.MaxRetryAfter {
			e.Kind = llm.KindQuota
		}
	}
	return e
}

// reportedError returns the error that a body or a frame reports under status 200, or
// nil. If isWholeBody is set, the message starts with "got status: X. ", which
// scripts may match.
func reportedError(data []byte, isWholeBody bool) error {
	if !bytes.Contains(data, []byte(`"error"`)) {
		return nil // true for nearly all frames
	}
	api, ok := parseError(data)
	if !ok {
		return nil
	}
	e := classify(api)
	httpwire.SetBody(e, data)
	if isWholeBody {
		e.Message = "got status: " + api.Status + ". " + e.Message
	}
	return e
}

// classify sets the kind of an error, which decides about retries. The order of the
// cases matters.
func classify(api apiError) *llm.Error {
	e := &llm.Error{Status: api.Code, Code: api.Status, Message: api.Message}
	if d := api.info(); d.Reason != "" && e.Code == "" {
		e.Code = d.Reason
	}
	switch {
	case api.Code == http.StatusNotFound:
		e.Kind = llm.KindModelNotFound
	case api.Code == http.StatusTooManyRequests, api.Code == 499, api.Code == http.StatusServiceUnavailable:
		classifyBusy(e, api)
	default:
		if d, ok := delayInMessage(api.Message); ok && len(api.Details) == 0 {
			setRetryAfter(e, d)
			return e
		}
		e.Kind, e.Link = kindOfStatus(api)
	}
	return e
}

// kindOfStatus returns the kind of an error whose status does not mean that the
// service is busy, and the page on which the user can fix it.
func kindOfStatus(api apiError) (kind llm.ErrorKind, link string) {
	info := api.info()
	switch {
	case api.Code == http.StatusForbidden && info.Reason == "VALIDATION_REQUIRED" && isCodeAssist(info.Domain):
		return llm.KindValidation, api.link()
	case api.Code == http.StatusForbidden && (info.Reason == "TOS_VIOLATION" || strings.Contains(api.Message, "TOS_VIOLATION")):
		return llm.KindSuspended, api.link()
	case api.Code == http.StatusForbidden:
		return llm.KindForbidden, api.link()
	case api.Code == http.StatusUnauthorized, info.Reason == "API_KEY_INVALID":
		return llm.KindUnauthorized, api.link()
	case api.Code == http.StatusRequestEntityTooLarge, api.Code == http.StatusBadRequest && httpwire.IsTooLong(api.Message):
		return llm.KindContextWindow, ""
	case api.Code == http.StatusBadRequest && strings.Contains(api.Message, "Function calling is not enabled"):
		return llm.KindNoTools, ""
	case api.Code == http.StatusBadRequest:
		return llm.KindBadRequest, ""
	case api.Code >= 500:
		return llm.KindServer, ""
	}
	return llm.KindOther, ""
}

// classifyBusy sets the kind of an error with status 429, 499 or 503: a rate limit or
// an overload, which a retry may resolve, or an exhausted quota or capacity.
func classifyBusy(e *llm.Error, api apiError) {
	info := api.info()
	quota := api.quotas()
	switch d, found := delayInMessage(api.Message); {
	case strings.Contains(api.Message, "limit: 0"): // the account has no quota for this model
		e.Kind = llm.KindQuota
	case len(api.Details) == 0 && found:
		setRetryAfter(e, d)
	case len(api.Details) == 0 && isOutOfCapacity(api.Message):
		e.Kind = llm.KindCapacity
	case len(api.Details) == 0:
		setRetryAfter(e, 0)
	case strings.Contains(quota, "PerDay") || strings.Contains(quota, "Daily"):
		e.Kind, e.Message = llm.KindQuota, "You have exhausted your daily quota on this model."
	case info.Reason == "MODEL_CAPACITY_EXHAUSTED", info.Reason == "MODEL_CAPACITY_EXCEEDED":
		e.Kind = llm.KindCapacity
	case info.Reason == "INSUFFICIENT_G1_CREDITS_BALANCE",
		isCodeAssist(info.Domain) && info.Reason == "QUOTA_EXHAUSTED":
		e.Kind = llm.KindQuota
	case api.retryDelay() != "":
		if d, ok := parseDelay(api.retryDelay()); ok {
			setRetryAfter(e, d)
			e.Message += "\nSuggested retry after " + api.retryDelay() + "."
			return
		}
		setRetryAfter(e, 0)
	case strings.Contains(quota, "PerMinute") || strings.Contains(info.metadata("quota_limit"), "PerMinute"):
		setRetryAfter(e, time.Minute)
		e.Message += "\nSuggested retry after 60s."
	case isOutOfCapacity(api.Message):
		e.Kind = llm.KindCapacity
	default:
		setRetryAfter(e, 0)
	}
}

// setRetryAfter sets when to retry after e, 0 if the service does not specify it, and
// the kind of e: a delay longer than httpwire.MaxWait means an exhausted quota.
func setRetryAfter(e *llm.Error, d time.Duration) {
	e.RetryAfter = d
	switch {
	case d > httpwire.MaxRetryAfter:
		e.Kind = llm.KindQuota
	case e.Status == 499 || e.Status >= 500:
		e.Kind = llm.KindServer
	default:
		e.Kind = llm.KindRateLimit
	}
}

// isCodeAssist reports whether an error comes from Code Assist, the service for users
// who sign in with Google, which gives error reasons a meaning of its own.
func isCodeAssist(domain string) bool { return strings.Contains(domain, "cloudcode-pa") }

// isOutOfCapacity reports whether a message means that the model is out of capacity.
func isOutOfCapacity(message string) bool {
	return httpwire.ContainsAny(message, "exhausted your capacity", "capacity exceeded", "MODEL_CAPACITY_EXHAUSTED")
}

// delayInMessage returns the delay in a message such as "Please retry in 12.3s" or
// "Please retry in 500ms".
func delayInMessage(message string) (time.Duration, bool) {
	_, rest, ok := strings.Cut(message, "Please retry in ")
	if !ok {
		return 0, false
	}
	end := strings.IndexFunc(rest, func(r rune) bool { return r != '.' && (r < '0' || r > '9') })
	if end < 0 {
		return 0, false
	}
	switch unit := rest[end:]; {
	case strings.HasPrefix(unit, "ms"):
		return parseDelay(rest[:end] + "ms")
	case strings.HasPrefix(unit, "s"):
		return parseDelay(rest[:end] + "s")
	}
	return 0, false
}

// parseDelay parses a delay in Google's form: "34.07s", "500ms".
func parseDelay(s string) (time.Duration, bool) {
	d, err := time.ParseDuration(strings.TrimSpace(s))
	return d, err == nil && d >= 0
}
