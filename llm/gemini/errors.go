package gemini

import (
	"bytes"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"pollux/llm"
)

// maxErrorBody is how much of an error's body is read and kept.
const maxErrorBody = 64 << 10

// patience is the longest wait that is worth it: a vendor that asks for more
// has a quota that is used up (spec/agent.md §10.2).
const patience = 300 * time.Second

// statusError is the error of an answer with another status than 200.
func statusError(status int, header http.Header, body []byte) error {
	api, ok := parseError(body)
	if !ok {
		api = apiError{Message: plainMessage(status, header, body)}
	}
	api.Code = status
	e := classify(api)
	e.Body = clip(body, maxErrorBody)
	if e.RetryAfter == 0 {
		e.RetryAfter = retryAfter(header, time.Now())
		if e.Kind == llm.KindRateLimit && e.RetryAfter > patience {
			e.Kind = llm.KindQuota
		}
	}
	return e
}

// errorIn returns the error that a body or frame under status 200 reports, or
// nil. A body that is not framed gets its status before the text, in the words
// that scripts know.
func errorIn(data []byte, whole bool) error {
	if !bytes.Contains(data, []byte(`"error"`)) {
		return nil // nearly every frame ends here
	}
	api, ok := parseError(data)
	if !ok {
		return nil
	}
	e := classify(api)
	e.Body = clip(data, maxErrorBody)
	if whole {
		e.Message = "got status: " + api.Status + ". " + e.Message
	}
	return e
}

// plainMessage describes an answer that is not in the vendor's form: some proxy
// on the way, or a base URL that leads elsewhere.
func plainMessage(status int, header http.Header, body []byte) string {
	m := fmt.Sprintf("got status: %d %s", status, http.StatusText(status))
	if to := header.Get("Location"); to != "" {
		return m + ", a redirect to " + clip([]byte(to), 200) + ". Set that as the base URL if it is right."
	}
	if text := strings.Join(strings.Fields(clip(body, 200)), " "); text != "" {
		m += ": " + text
	}
	return m
}

// classify decides what can be done about an error (spec/agent.md §10.2). The
// order of the rules is part of the contract.
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
		if d, ok := promisedDelay(api.Message); ok && len(api.Details) == 0 {
			wait(e, d)
			return e
		}
		e.Kind, e.Link = kindOfStatus(api)
	}
	return e
}

func kindOfStatus(api apiError) (kind llm.ErrorKind, link string) {
	info := api.info()
	switch {
	case api.Code == http.StatusForbidden && info.Reason == "VALIDATION_REQUIRED" && codeAssist(info.Domain):
		return llm.KindValidation, api.link()
	case api.Code == http.StatusForbidden && (info.Reason == "TOS_VIOLATION" || strings.Contains(api.Message, "TOS_VIOLATION")):
		return llm.KindSuspended, api.link()
	case api.Code == http.StatusForbidden:
		return llm.KindForbidden, api.link()
	case api.Code == http.StatusUnauthorized, info.Reason == "API_KEY_INVALID":
		return llm.KindUnauthorized, api.link()
	case (api.Code == http.StatusBadRequest || api.Code == http.StatusRequestEntityTooLarge) && tooLong(api.Message):
		return llm.KindContextWindow, ""
	case api.Code == http.StatusBadRequest:
		return llm.KindBadRequest, ""
	case api.Code >= 500:
		return llm.KindServer, ""
	}
	return llm.KindOther, ""
}

// classifyBusy tells the answers apart that mean "not now": those that a wait
// mends, and those that it does not.
func classifyBusy(e *llm.Error, api apiError) {
	info := api.info()
	quota := api.quotas()
	switch d, promised := promisedDelay(api.Message); {
	case strings.Contains(api.Message, "limit: 0"): // a quota of nothing
		e.Kind = llm.KindQuota
	case len(api.Details) == 0 && promised:
		wait(e, d)
	case len(api.Details) == 0 && outOfCapacity(api.Message):
		e.Kind = llm.KindCapacity
	case len(api.Details) == 0:
		wait(e, 0)
	case strings.Contains(quota, "PerDay") || strings.Contains(quota, "Daily"):
		e.Kind, e.Message = llm.KindQuota, "You have exhausted your daily quota on this model."
	case info.Reason == "MODEL_CAPACITY_EXHAUSTED", info.Reason == "MODEL_CAPACITY_EXCEEDED":
		e.Kind = llm.KindCapacity
	case info.Reason == "INSUFFICIENT_G1_CREDITS_BALANCE",
		codeAssist(info.Domain) && info.Reason == "QUOTA_EXHAUSTED":
		e.Kind = llm.KindQuota
	case api.retryDelay() != "":
		if d, ok := seconds(api.retryDelay()); ok {
			wait(e, d)
			e.Message += "\nSuggested retry after " + api.retryDelay() + "."
			return
		}
		wait(e, 0)
	case strings.Contains(quota, "PerMinute") || strings.Contains(info.metadata("quota_limit"), "PerMinute"):
		wait(e, time.Minute)
		e.Message += "\nSuggested retry after 60s."
	case outOfCapacity(api.Message):
		e.Kind = llm.KindCapacity
	default:
		wait(e, 0)
	}
}

// wait makes e an error that is over after d, or after a while where d is 0.
func wait(e *llm.Error, d time.Duration) {
	e.RetryAfter = d
	switch {
	case d > patience:
		e.Kind = llm.KindQuota
	case e.Status == 499 || e.Status >= 500:
		e.Kind = llm.KindServer
	default:
		e.Kind = llm.KindRateLimit
	}
}

// codeAssist reports whether an error comes from the service behind Google
// accounts, whose reasons have meanings of their own.
func codeAssist(domain string) bool { return strings.Contains(domain, "cloudcode-pa") }

func outOfCapacity(message string) bool {
	return containsAny(message, "exhausted your capacity", "capacity exceeded", "MODEL_CAPACITY_EXHAUSTED")
}

// tooLong knows how this vendor, and gateways to others, say that a request is
// larger than the model's window (spec/providers.md §3).
func tooLong(message string) bool {
	return containsAny(strings.ToLower(message), "input token count", "context_length_exceeded", "prompt is too long",
		"maximum context length", "exceeds the context window", "too many tokens", "exceed context limit",
		"n_ctx", "context size", "exceeds the maximum number of tokens")
}

func containsAny(s string, parts ...string) bool {
	for _, p := range parts {
		if strings.Contains(s, p) {
			return true
		}
	}
	return false
}

// promisedDelay finds "Please retry in 12.3s" (or ms) in a message.
func promisedDelay(message string) (time.Duration, bool) {
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
		return seconds(rest[:end] + "ms")
	case strings.HasPrefix(unit, "s"):
		return seconds(rest[:end] + "s")
	}
	return 0, false
}

// seconds parses a delay as this vendor writes it: "34.07s", "500ms".
func seconds(s string) (time.Duration, bool) {
	d, err := time.ParseDuration(strings.TrimSpace(s))
	return d, err == nil && d >= 0
}

// retryAfter reads the delay from an answer's header, 0 where it holds none.
func retryAfter(header http.Header, now time.Time) time.Duration {
	const longest = 365 * 24 * time.Hour
	if ms, err := strconv.ParseFloat(header.Get("Retry-After-Ms"), 64); err == nil && ms > 0 {
		return time.Duration(min(ms, float64(longest.Milliseconds())) * float64(time.Millisecond))
	}
	value := strings.TrimSpace(header.Get("Retry-After"))
	if s, err := strconv.ParseFloat(value, 64); err == nil && s > 0 {
		return time.Duration(min(s, longest.Seconds()) * float64(time.Second))
	}
	if at, err := http.ParseTime(value); err == nil {
		return min(max(at.Sub(now), 0), longest)
	}
	return 0
}
