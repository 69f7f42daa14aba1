package httpwire

import (
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"pollux/llm"
)

// MaxWait is the longest wait that is worth it: a vendor that asks for more has
// a quota that is used up (spec/agent.md §10.2).
const MaxWait = 300 * time.Second

// webPage is the error of a page where an answer was due: no later try, but
// another address helps.
func (r *Response) webPage(page []byte) error {
	return &llm.Error{
		Kind: llm.KindOther, Body: Clip(page, MaxErrorBody),
		Message: fmt.Sprintf("%s answered with a web page instead of a model's answer: %q. Is the base URL right?", r.Host, Clip(page, 80)),
	}
}

// notAnAnswer is the error of a body of text that means nothing here.
func (r *Response) notAnAnswer() error {
	kind := r.Header.Get("Content-Type")
	if kind == "" {
		kind = "something of no content type"
	}
	return &llm.Error{
		Kind:    llm.KindOther,
		Message: fmt.Sprintf("%s answered with %s instead of a model's answer. Is the base URL right?", r.Host, kind),
	}
}

func isEventStream(h http.Header) bool {
	return strings.HasPrefix(h.Get("Content-Type"), "text/event-stream")
}

// incomplete is the error of a stream that ended inside a frame. The words are
// a contract (spec/agent.md §3).
func incomplete(rest []byte) error {
	return &llm.Error{
		Kind: llm.KindIncomplete, Message: "Incomplete JSON segment at the end of the stream", Body: Clip(rest, MaxErrorBody),
	}
}

func tooLarge() error {
	return &llm.Error{Kind: llm.KindServer, Message: fmt.Sprintf("the model's server sent more than %d MB in one piece", MaxFrame>>20)}
}

// Malformed is the error of an answer that is not what the protocol says; what
// names the part of it ("chunk").
func Malformed(what string, err error, data []byte) error {
	return &llm.Error{
		Kind: llm.KindServer, Code: "MALFORMED_RESPONSE", Body: Clip(data, MaxErrorBody),
		Message: fmt.Sprintf("the model's server sent a malformed %s: %v", what, err), Err: err,
	}
}

// PlainMessage describes an error that is not in the vendor's form: some proxy
// on the way, or a base URL that leads elsewhere.
func PlainMessage(status int, header http.Header, body []byte) string {
	m := fmt.Sprintf("got status: %d %s", status, http.StatusText(status))
	if to := header.Get("Location"); to != "" {
		return m + ", a redirect to " + Clip([]byte(to), 200) + ". Set that as the base URL if it is right."
	}
	if text := strings.Join(strings.Fields(Clip(body, 200)), " "); text != "" {
		m += ": " + text
	}
	return m
}

// TooLong knows how vendors, and gateways to them, say that a request is larger
// than the model's window (spec/providers.md §3).
func TooLong(message string) bool {
	return ContainsAny(strings.ToLower(message), "input token count", "context_length_exceeded", "prompt is too long",
		"maximum context length", "exceeds the context window", "too many tokens", "exceed context limit",
		"n_ctx", "context size", "exceeds the maximum number of tokens", "exceeds context window", "context window exceeds", "range of input length",
		"maximum prompt length", "prompt exceeds max length", "exceeded model token limit", "input is too long", "reduce the length of the messages",
		"maximum model length", "model's context length", "greater than the context length")
}

// ContainsAny reports whether s contains one of parts.
func ContainsAny(s string, parts ...string) bool {
	for _, p := range parts {
		if strings.Contains(s, p) {
			return true
		}
	}
	return false
}

// RetryAfter reads from an answer's header how long the vendor asks to wait, 0
// where it does not say.
func RetryAfter(header http.Header, now time.Time) time.Duration {
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

// FirstLine returns the beginning of the first line of a message, for a log.
func FirstLine(message string) string {
	line, _, _ := strings.Cut(message, "\n")
	return Clip([]byte(line), 200)
}

// Clip returns at most n bytes of data, whole characters only.
func Clip(data []byte, n int) string {
	if len(data) > n {
		data = data[:n]
	}
	return strings.ToValidUTF8(string(data), "")
}
