package httpwire

import (
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"pollux/llm"
)

// MaxRetryAfter is the longest delay after which a retry makes sense. If a provider
// asks for more, its quota counts as exhausted.
const MaxRetryAfter = 300 * time.Second

// webPageError returns the error for a web page in place of a response.
func (r *Response) webPageError(page []byte) error {
	if isStream(r.Header) {
		return Malformed("stream", errWebPage, page)
	}
	return &llm.Error{
		Kind: r.formatErrorKind(), Body: Clip(page, MaxErrorBody),
		Message: fmt.Sprintf("%s answered with a web page instead of a model's answer: %q. Is the base URL right?", r.Host, Clip(page, 80)),
	}
}

// formatErrorKind returns the kind of the error for a body in another format. If the
// service has sent a proper stream before, something in between has sent this one,
// and a retry may help. Otherwise only a correct base URL does.
func (r *Response) formatErrorKind() llm.ErrorKind {
	if r.hasWorked != nil && r.hasWorked.Load() {
		return llm.KindServer
	}
	return llm.KindOther
}

// contentTypeError returns the error for a body that is not in the expected
// format. If the headers announce a stream, or are damaged so that they contain no
// content type, a retry may help.
func (r *Response) contentTypeError() error {
	if isStream(r.Header) {
		return incompleteError(nil)
	}
	kind, why := r.Header.Get("Content-Type"), r.formatErrorKind()
	if !strings.Contains(kind, "/") {
		kind, why = "something of no content type", llm.KindServer
	}
	return &llm.Error{
		Kind:    why,
		Message: fmt.Sprintf("%s answered with %s instead of a model's answer. Is the base URL right?", r.Host, kind),
	}
}

var errWebPage = errors.New("it contains a web page")

// isStream reports whether the headers of a response announce a stream of events
// or of JSON lines.
func isStream(h http.Header) bool {
	kind := h.Get("Content-Type")
	return strings.HasPrefix(kind, "text/event-stream") || strings.HasPrefix(kind, "application/x-ndjson")
}

// incompleteError returns the error for a stream that ended inside a frame.
// Other programs match its message, so it must not change.
func incompleteError(rest []byte) error {
	return &llm.Error{
		Kind: llm.KindIncomplete, Message: "Incomplete JSON segment at the end of the stream", Body: Clip(rest, MaxErrorBody),
	}
}

func tooLargeError() error {
	return &llm.Error{Kind: llm.KindServer, Message: fmt.Sprintf("the model's server sent more than %d MB in one piece", MaxFrame>>20)}
}

// Malformed returns an error of kind [llm.KindServer] for a response that
// violates the protocol. what is the invalid part, such as "chunk".
func Malformed(what string, err error, data []byte) error {
	return &llm.Error{
		Kind: llm.KindServer, Code: "MALFORMED_RESPONSE", Body: Clip(data, MaxErrorBody),
		Message: fmt.Sprintf("the model's server sent a malformed %s: %v", what, err), Err: err,
	}
}

// PlainMessage returns a message for an error response that is not in the
// provider's format, as sent by proxies and by servers of other protocols.
func PlainMessage(status int, header http.Header, body []byte) string {
	m := fmt.Sprintf("got status: %d %s", status, http.StatusText(status))
	if location := header.Get("Location"); location != "" {
		return m + ", a redirect to " + Clip([]byte(location), 200) + ". Set that as the base URL if it is right."
	}
	if text := strings.Join(strings.Fields(Clip(body, 200)), " "); text != "" {
		m += ": " + text
	}
	return m
}

// ContainsAny reports whether s contains any of parts.
func ContainsAny(s string, parts ...string) bool {
	for _, p := range parts {
		if strings.Contains(s, p) {
			return true
		}
	}
	return false
}

// RetryAfter returns the delay that the headers of a response ask for, or 0 if
// they do not. It is at most one year.
func RetryAfter(header http.Header, now time.Time) time.Duration {
	const maxDelay = 365 * 24 * time.Hour
	if ms, err := strconv.ParseFloat(header.Get("Retry-After-Ms"), 64); err == nil && ms > 0 {
		return time.Duration(min(ms, float64(maxDelay.Milliseconds())) * float64(time.Millisecond))
	}
	value := strings.TrimSpace(header.Get("Retry-After"))
	if s, err := strconv.ParseFloat(value, 64); err == nil && s > 0 {
		return time.Duration(min(s, maxDelay.Seconds()) * float64(time.Second))
	}
	if at, err := http.ParseTime(value); err == nil {
		return min(max(at.Sub(now), 0), maxDelay)
	}
	return 0
}

// FirstLine returns the first line of message, at most 200 bytes of it.
func FirstLine(message string) string {
	line, _, _ := strings.Cut(message, "\n")
	return Clip([]byte(line), 200)
}

// Clip returns the first n bytes of data as valid UTF-8, without an incomplete
// character at the end.
func Clip(data []byte, n int) string {
	if len(data) > n {
		data = data[:n]
	}
	return strings.ToValidUTF8(string(data), "")
}
