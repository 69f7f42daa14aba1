package httpwire

import (
	"bytes"
	"cmp"
	"encoding/json"
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
		Message: fmt.Sprintf("%s sent an HTML page instead of JSON (status %d); check the base URL or proxy", r.Host, cmp.Or(r.Status, http.StatusOK)),
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
		kind, why = "data without a content type", llm.KindServer
	}
	return &llm.Error{
		Kind:    why,
		Message: fmt.Sprintf("%s sent %s instead of a model's response; check the base URL", r.Host, kind),
	}
}

var errWebPage = errors.New("it contains an HTML page")

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
	return &llm.Error{Kind: llm.KindServer, Message: fmt.Sprintf("The provider sent more than %d MB in one piece", MaxFrame>>20)}
}

// Malformed returns an error of kind [llm.KindServer] for a response that
// violates the protocol. part names the invalid part, such as "chunk". If it is nested too deeply
// to be decoded, the error has no kind: the response would be the same again.
func Malformed(part string, err error, data []byte) error {
	if llm.IsNested(data, maxNesting) {
		return &llm.Error{
			Code: "MALFORMED_RESPONSE", Body: Clip(data, MaxErrorBody), Err: err,
			Message: fmt.Sprintf("The provider sent a %s that is nested more than %d deep", part, maxNesting),
		}
	}
	return &llm.Error{
		Kind: llm.KindServer, Code: "MALFORMED_RESPONSE", Body: Clip(data, MaxErrorBody),
		Message: fmt.Sprintf("The provider sent a malformed %s: %v", part, err), Err: err,
	}
}

// maxNesting is the nesting that decoders of JSON accept.
const maxNesting = 9999

// PlainMessage returns a message for an error response that is not in the
// provider's format, as sent by proxies and by servers of other protocols.
func PlainMessage(host string, status int, header http.Header, body []byte) string {
	m := strings.TrimSuffix(fmt.Sprintf("%s returned status %d (%s", host, status, http.StatusText(status)), " (")
	if !strings.HasSuffix(m, strconv.Itoa(status)) {
		m += ")"
	}
	text := bytes.TrimSpace(body)
	switch location := header.Get("Location"); {
	case location != "":
		return m + " and redirects to " + Clip([]byte(location), 200) + "; check the base URL"
	case status == http.StatusProxyAuthRequired:
		return "The proxy requires a user name and a password (status 407)"
	case isHTML(text):
		return fmt.Sprintf("%s sent an HTML page instead of JSON (status %d); check the base URL or proxy", host, status)
	case len(text) == 0 || text[0] == '{' || text[0] == '[':
		return m
	}
	return m + ": " + strings.Join(strings.Fields(Clip(text, 200)), " ")
}

// NoReason is the message of an error that a provider reports without a message.
const NoReason = "The provider reported an error without a message"

// ErrorMessage returns the message of an error response for people: message without the
// JSON around it (see [Sentence]), or [PlainMessage] if message contains no sentence.
func ErrorMessage(message, host string, status int, header http.Header, body []byte) string {
	const limit = 4 << 10
	if message = Sentence(message); message == "" {
		message, _ = messageInJSON(string(bytes.TrimSpace(body)))
		message = Sentence(message)
	}
	return cmp.Or(Clip([]byte(message), limit), PlainMessage(host, status, header, body))
}

// Sentence returns the sentence in the message of an error. Gateways put the body of another
// service into their own message, so that it is JSON, or ends with JSON: the result is then
// the innermost message. It is "" if message is JSON without a message, or an HTML page.
func Sentence(message string) string {
	message = strings.TrimSpace(message)
	const maxNested = 10
	for range maxNested {
		inner, found := messageInJSON(message)
		if !found {
			break
		}
		message = strings.TrimSpace(inner)
	}
	if isHTML([]byte(message)) || message != "" && strings.IndexByte("{[", message[0]) >= 0 && json.Valid([]byte(message)) {
		return ""
	}
	return message
}

// messageInJSON returns the message of the JSON value that text is, or that it ends with.
// found is false if there is none.
func messageInJSON(text string) (message string, found bool) {
	at := strings.IndexAny(text, `{["`)
	if at < 0 || at > 0 && text[at] != '{' {
		return "", false
	}
	d := json.NewDecoder(strings.NewReader(text[at:]))
	var value any
	if d.Decode(&value) != nil || strings.Trim(text[at+int(d.InputOffset()):], " \t\r\n.`'\")") != "" {
		return "", false
	}
	members, _ := value.(map[string]any)
	if at > 0 && members["error"] == nil && (members["message"] == nil || members["code"] == nil && members["status"] == nil && members["type"] == nil) {
		return "", false // it may be a part of the request
	}
	message = messageOf(value)
	return message, message != ""
}

// messageOf returns the message in a decoded JSON value, "" if there is none.
func messageOf(value any) string {
	switch value := value.(type) {
	case string:
		return value
	case []any:
		if len(value) > 0 {
			return messageOf(value[0])
		}
	case map[string]any:
		for _, key := range [...]string{"error", "message", "detail", "msg", "error_description", "errors"} {
			if m := messageOf(value[key]); m != "" {
				return m
			}
		}
	}
	return ""
}

// isHTML reports whether data is a web page, or another document that is not JSON and that no
// person reads. A message may begin with "<400>".
func isHTML(data []byte) bool {
	begins := len(data) > 0 && data[0] == '<' && (len(data) == 1 || data[1] < '0' || data[1] > '9')
	return begins || bytes.Contains(bytes.ToLower(data[:min(len(data), 1<<10)]), []byte("<html"))
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
