package gemini

import (
	"bytes"
	"net/http"
	"strings"
	"time"

	"pollux/llm"
	"pollux/llm/httpwire"
)

// statusError is the error of an answer with another status than 200.
func statusError(status int, header http.Header, body []byte) error {
	api, ok := parseError(body)
	if !ok {
		api = apiError{Message: httpwire.PlainMessage(status, header, body)}
	}
	api.Code = status
	e := classify(api)
	e.Body = httpwire.Clip(body, httpwire.MaxErrorBody)
	if e.RetryAfter == 0 {
		e.RetryAfter = httpwire.RetryAfter(header, time.Now())
		if e.Kind == llm.KindRateLimit && e.RetryAfter > httpwire.MaxWait {
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
	e.Body = httpwire.Clip(data, httpwire.MaxErrorBody)
	if whole {
		e.Message = "got status: " + api.Status + ". " + e.Message
	}
	return e
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
	case (api.Code == http.StatusBadRequest || api.Code == http.StatusRequestEntityTooLarge) && httpwire.TooLong(api.Message):
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
	case d > httpwire.MaxWait:
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
	return httpwire.ContainsAny(message, "exhausted your capacity", "capacity exceeded", "MODEL_CAPACITY_EXHAUSTED")
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
