package telemetry

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"os"
	"strings"
	"sync"
	"time"

	"pollux/internal/records"
	"pollux/internal/secret"
	"pollux/llm"
	"pollux/llm/httpwire"
	"pollux/llm/observe"
)

// Activity appends the program's log, the warnings of a session and its requests to models to the
// file in GEMINI_CLI_ACTIVITY_LOG_TARGET, as JSON objects, one per line:
//
//	{"type":"console","payload":{"type":"debug","content":"..."},"sessionId":"...","timestamp":1}
//	{"type":"network","payload":{"id":"1","method":"POST","url":"...", ...},"sessionId":"...","timestamp":1}
//
// The file is created, readable only by the user, when there is something to write.
// Credentials are redacted. A nil *Activity writes nothing. It is safe for concurrent use.
type Activity struct {
	o ActivityOptions

	mu    sync.Mutex
	file  *os.File
	tried bool
	count int
}

// ActivityOptions configure an [Activity]. All fields must be set, except an empty Path.
type ActivityOptions struct {
	Path    string                   // absolute; "" disables the log
	Session func() string            // the session's id
	Clean   func(text string) string // returns a text without secrets
	Warn    func(string)
}

// NewActivity returns an activity log, nil if there is no path.
func NewActivity(o ActivityOptions) *Activity {
	if o.Path == "" {
		return nil
	}
	return &Activity{o: o}
}

// Close closes the file.
func (a *Activity) Close() {
	if a == nil {
		return
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.file != nil {
		_ = a.file.Close() // every line has been written
	}
	a.file, a.tried = nil, true
}

// Handler returns a log handler that writes console entries.
func (a *Activity) Handler() slog.Handler {
	return &lines{write: a.console}
}

var _ records.Sink = (*Activity)(nil)

// Record writes a console entry for each warning.
func (a *Activity) Record(r records.Record) {
	if w, ok := r.(records.Warned); ok && a != nil {
		a.console(time.Now(), levelOf(slog.LevelWarn), oneLine(w.Text))
	}
}

func (a *Activity) console(at time.Time, level, text string) {
	a.write(at, "console", struct {
		Type    string `json:"type"`
		Content string `json:"content"`
	}{strings.ToLower(level), a.o.Clean(text)})
}

// Context returns a context whose HTTP exchanges are recorded, and implements
// [observe.ContextObserver].
func (a *Activity) Context(ctx context.Context) context.Context {
	if a == nil {
		return ctx
	}
	return httpwire.Watch(ctx, a.exchange)
}

// Begin implements [observe.Observer]: exchanges are recorded, not requests.
func (a *Activity) Begin(*llm.Request) observe.Call { return nil }

// network is the payload of a network entry.
type network struct {
	ID        string            `json:"id"`
	Timestamp int64             `json:"timestamp"`
	Method    string            `json:"method"`
	URL       string            `json:"url"`
	Headers   map[string]string `json:"headers"`
	Body      string            `json:"body,omitempty"`
	Pending   bool              `json:"pending"`
	Response  *answer           `json:"response,omitempty"`
	Error     string            `json:"error,omitempty"`
}

type answer struct {
	Status     int               `json:"status"`
	Headers    map[string]string `json:"headers"`
	Body       string            `json:"body"`
	DurationMS int64             `json:"durationMs"`
}

func (a *Activity) exchange(x *httpwire.Exchange) {
	clean := a.o.Clean
	a.mu.Lock()
	a.count++
	n := network{ID: fmt.Sprint(a.count)}
	a.mu.Unlock()
	n.Timestamp, n.Method, n.URL = x.Start.UnixMilli(), x.Method, clean(bareURL(x.URL))
	n.Headers, n.Body = bareHeader(x.Header, clean), clean(string(x.Body))
	if x.Err != nil {
		n.Error = clean(withoutAddress(x.Err).Error())
	} else {
		n.Response = &answer{x.Status, bareHeader(x.ResponseHeader, clean), clean(string(x.ResponseBody)), x.Duration.Milliseconds()}
	}
	a.write(time.Now(), "network", n)
}

// bareURL returns a URL without credentials.
func bareURL(text string) string {
	u, err := url.Parse(text)
	if err != nil {
		return secret.Redacted
	}
	if u.User != nil {
		u.User = url.User(secret.Redacted)
	}
	query := u.Query()
	for name := range query {
		if secret.InName(name) {
			query.Set(name, secret.Redacted)
		}
	}
	if len(query) > 0 {
		u.RawQuery = query.Encode()
	}
	return u.String()
}

// withoutAddress returns the error of a request without its URL.
func withoutAddress(err error) error {
	if outer, ok := errors.AsType[*url.Error](err); ok {
		return outer.Err
	}
	return err
}

// bareHeader returns a header without credentials, as a map with lower-case names.
func bareHeader(h http.Header, clean func(string) string) map[string]string {
	bare := make(map[string]string, len(h))
	for name, values := range h {
		value := clean(strings.Join(values, ", "))
		if secret.InName(name) {
			value = secret.Redacted
		}
		bare[strings.ToLower(name)] = value
	}
	return bare
}

// write appends a line. If the file cannot be written, it warns once.
func (a *Activity) write(at time.Time, kind string, payload any) {
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(struct { // always encodable
		Type      string `json:"type"`
		Payload   any    `json:"payload"`
		SessionID string `json:"sessionId"`
		Timestamp int64  `json:"timestamp"`
	}{kind, payload, a.o.Session(), at.UnixMilli()})

	if err := a.append(b.String()); err != nil {
		a.o.Warn("Cannot write the activity log: " + err.Error()) // which may come back to Record
	}
}

// append appends a line to the file. After an error it does nothing.
func (a *Activity) append(line string) (err error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if !a.tried {
		a.tried = true
		a.file, err = openFile(a.o.Path)
	}
	if a.file == nil {
		return err
	}
	if _, err = a.file.WriteString(line); err != nil {
		_ = a.file.Close()
		a.file = nil
	}
	return err
}
