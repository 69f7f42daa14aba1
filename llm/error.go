package llm

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// Error is a failed request to a model. The adapter, which knows the cause,
// sets the kind; its callers decide how to react.
type Error struct {
	Kind ErrorKind
	// Status is the HTTP status, 0 where there was none.
	Status int
	// Code is the vendor's own word for it ("RESOURCE_EXHAUSTED",
	// "insufficient_quota", "ECONNRESET").
	Code string
	// Message is the vendor's sentence, or ours where there was none.
	Message string
	// Body is the vendor's error body as it came, at most 64 KiB of it.
	Body string
	// Size is the vendor's count of a request that is too long, with
	// [KindContextWindow].
	Size RequestSize
	// RetryAfter is how long the vendor asked to wait; 0 if it did not.
	RetryAfter time.Duration
	// Waited is how long the server sent nothing of its response, with [KindNetwork], if
	// the request was given up because of that; else 0.
	Waited time.Duration
	// Model is the model that the failed request was for, "" if it is unknown.
	Model string
	// Host is the host, with its port if the address has one, that a request of
	// [KindNetwork] or [KindNoServer] was for; else "". Proxy is the host of the proxy
	// if the connection failed there.
	Host, Proxy string
	// Link is a page where the user can do something about it; often empty.
	Link string
	// Err is the cause below, if any.
	Err error
}

func (e *Error) Error() string {
	if e.Message != "" {
		return e.Message
	}
	if e.Err != nil {
		return e.Err.Error()
	}
	return fmt.Sprintf("The request failed with status %d", e.Status)
}

func (e *Error) Unwrap() error { return e.Err }

// RequestSize is the size of a request that does not fit the model's window, in tokens
// as the vendor counts them. A number that it did not give is 0.
type RequestSize struct {
	Prompt int // of the whole request
	Answer int // reserved for the answer, beside them
	Window int // of the model
}

// Exceeds reports whether the numbers are complete and show that the request does not
// fit.
func (s RequestSize) Exceeds() bool {
	return s.Window > 0 && s.Prompt > 0 && s.Prompt+s.Answer > s.Window
}

// Retryable reports whether the same request may succeed later.
func (e *Error) Retryable() bool {
	return slices.Contains([]ErrorKind{KindRateLimit, KindServer, KindNetwork, KindIncomplete}, e.Kind)
}

// MayBlameRequest reports whether the content of the request may be at fault, so that a longer
// request that begins with it fails, too.
func (e *Error) MayBlameRequest() bool {
	switch e.Kind {
	case KindOther, KindContextWindow:
		return true
	case KindBadRequest:
		return !e.IsBadKey()
	}
	return false
}

// IsBadKey reports whether the provider did not accept the credentials. Google reports that
// as a bad request.
func (e *Error) IsBadKey() bool {
	switch e.Kind {
	case KindUnauthorized, KindForbidden:
		return true
	case KindBadRequest:
		return strings.Contains(e.Body, "API_KEY_INVALID")
	}
	return false
}

// ErrorKind classifies an [Error] by how to react to it.
type ErrorKind int

// The kinds of errors.
const (
	// KindOther: nothing is known to help.
	KindOther ErrorKind = iota
	// KindBadRequest: the request itself is at fault (400).
	KindBadRequest
	// KindUnauthorized: no or wrong credentials (401).
	KindUnauthorized
	// KindForbidden: the account may not do this (403).
	KindForbidden
	// KindSuspended: the account was suspended.
	KindSuspended
	// KindValidation: the account must first be verified, see Link.
	KindValidation
	// KindModelNotFound: there is no such model, or not for this account (404).
	KindModelNotFound
	// KindNoTools: the model does not support tools; llm/texttool can describe them
	// in text.
	KindNoTools
	// KindQuota: a quota is used up for longer than it is worth waiting.
	KindQuota
	// KindCapacity: the model has no room for this account; another may.
	KindCapacity
	// KindRateLimit: too much at once; wait and try again.
	KindRateLimit
	// KindServer: the vendor failed (5xx, 499); try again.
	KindServer
	// KindNetwork: the connection failed; try again.
	KindNetwork
	// KindNoServer: nothing listens at an address of this machine; start the server.
	KindNoServer
	// KindIncomplete: the stream ended in the middle of a frame; try again.
	KindIncomplete
	// KindContextWindow: the request is larger than the model's window.
	KindContextWindow
)

// String returns the kind's label for telemetry and statistics.
func (k ErrorKind) String() string {
	switch k {
	case KindBadRequest:
		return "BAD_REQUEST"
	case KindUnauthorized:
		return "UNAUTHORIZED"
	case KindForbidden:
		return "FORBIDDEN"
	case KindSuspended:
		return "ACCOUNT_SUSPENDED"
	case KindValidation:
		return "VALIDATION_REQUIRED"
	case KindModelNotFound:
		return "MODEL_NOT_FOUND"
	case KindNoTools:
		return "TOOLS_UNSUPPORTED"
	case KindQuota, KindCapacity, KindRateLimit:
		return "QUOTA_EXCEEDED"
	case KindServer:
		return "SERVER_ERROR"
	case KindNetwork, KindNoServer:
		return "FETCH_FAILED"
	case KindIncomplete:
		return "INCOMPLETE_JSON"
	case KindContextWindow:
		return "CONTEXT_WINDOW"
	}
	return "UNKNOWN"
}
