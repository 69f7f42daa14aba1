package telemetry

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"log/slog"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"pollux/llm"
	"pollux/llm/httpwire"
)

// Activity appends what the program logs, and what it asks models over the
// network, to the file that GEMINI_CLI_ACTIVITY_LOG_TARGET names (spec/cli.md
// §9.4): JSON objects, one a line.
//
//	{"type":"console","payload":{"type":"debug","content":"..."},"sessionId":"...","timestamp":1}
//	{"type":"network","payload":{"id":"1","method":"POST","url":"...", ...},"sessionId":"...","timestamp":1}
//
// The file is made, for the user alone, when there is something to write. What
// proves who asks is left out. A nil *Activity writes nothing. It may be used by
// several goroutines.
type Activity struct {
	o     ActivityOptions
	clean func() func(string) string

	mu    sync.Mutex
	file  *os.File
	tried bool
	count int
}

// ActivityOptions say where an [Activity] writes.
type ActivityOptions struct {
	Path    string        // absolute; "" is nowhere
	Session func() string // the session's id
	Secrets func() []string
	Warn    func(string)
}

// NewActivity returns an activity log; nil where there is no path.
func NewActivity(o ActivityOptions) *Activity {
	if o.Path == "" {
		return nil
	}
	return &Activity{o: o, clean: sync.OnceValue(func() func(string) string { return cleaner(o.Secrets) })}
}

// Close closes the file.
func (a *Activity) Close() {
	if a == nil {
		return
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.file != nil {
		_ = a.file.Close() // every line is written
	}
	a.file, a.tried = nil, true
}

// Handler returns a log whose lines are written as the console's.
func (a *Activity) Handler() slog.Handler {
	return &lines{write: func(at time.Time, level, text string) {
		a.write(at, "console", struct {
			Type    string `json:"type"`
			Content string `json:"content"`
		}{strings.ToLower(level), a.clean()(text)})
	}}
}

// Generator returns a generator whose requests are written as they go over the
// network.
func (a *Activity) Generator(g llm.Generator) llm.Generator {
	if a == nil {
		return g
	}
	return &active{g, a}
}

type active struct {
	llm.Generator
	a *Activity
}

var _ llm.Generator = (*active)(nil)

// Unwrap returns the generator below.
func (g *active) Unwrap() llm.Generator { return g.Generator }

func (g *active) Stream(ctx context.Context, req *llm.Request) iter.Seq2[*llm.Response, error] {
	return g.Generator.Stream(httpwire.Watch(ctx, g.a.exchange), req)
}

func (g *active) Generate(ctx context.Context, req *llm.Request) (*llm.Response, error) {
	return g.Generator.Generate(httpwire.Watch(ctx, g.a.exchange), req)
}

func (g *active) CountTokens(ctx context.Context, req *llm.Request) (int, error) {
	return g.Generator.CountTokens(httpwire.Watch(ctx, g.a.exchange), req)
}

func (g *active) Embed(ctx context.Context, model string, texts []string) ([][]float32, error) {
	return g.Generator.Embed(httpwire.Watch(ctx, g.a.exchange), model, texts)
}

// network is the payload of an exchange.
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
	clean := a.clean()
	a.mu.Lock()
	a.count++
	n := network{ID: fmt.Sprint(a.count)}
	a.mu.Unlock()
	n.Timestamp, n.Method, n.URL = x.Began.UnixMilli(), x.Method, clean(bareURL(x.URL))
	n.Headers, n.Body = bareHeader(x.Header, clean), clean(string(x.Body))
	if x.Err != nil {
		n.Error = clean(withoutAddress(x.Err).Error())
	} else {
		n.Response = &answer{x.Status, bareHeader(x.Answer, clean), clean(string(x.Text)), x.Took.Milliseconds()}
	}
	a.write(time.Now(), "network", n)
}

// bareURL returns an address without what may prove who asks.
func bareURL(text string) string {
	u, err := url.Parse(text)
	if err != nil {
		return redacted
	}
	if u.User != nil {
		u.User = url.User(redacted)
	}
	query := u.Query()
	for name := range query {
		if isSecretName(name) {
			query.Set(name, redacted)
		}
	}
	if len(query) > 0 {
		u.RawQuery = query.Encode()
	}
	return u.String()
}

// withoutAddress returns the error of a request without where it went.
func withoutAddress(err error) error {
	var outer *url.Error
	if errors.As(err, &outer) {
		return outer.Err
	}
	return err
}

// bareHeader does so with a header.
func bareHeader(h http.Header, clean func(string) string) map[string]string {
	bare := make(map[string]string, len(h))
	for name, values := range h {
		value := clean(strings.Join(values, ", "))
		if isSecretName(name) {
			value = redacted
		}
		bare[strings.ToLower(name)] = value
	}
	return bare
}

func isSecretName(name string) bool {
	name = strings.ToLower(name)
	return slices.ContainsFunc([]string{"auth", "key", "token", "secret", "cookie", "password", "signature", "credential"}, func(word string) bool {
		return strings.Contains(name, word)
	})
}

// write appends a line. A file that cannot be written costs one warning.
func (a *Activity) write(at time.Time, kind string, payload any) {
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(struct { // texts and numbers only
		Type      string `json:"type"`
		Payload   any    `json:"payload"`
		SessionID string `json:"sessionId"`
		Timestamp int64  `json:"timestamp"`
	}{kind, payload, a.o.Session(), at.UnixMilli()})

	a.mu.Lock()
	defer a.mu.Unlock()
	var err error
	if !a.tried {
		a.tried = true
		if a.file, err = openFile(a.o.Path); err != nil {
			a.o.Warn("The activity log cannot be written: " + err.Error())
		}
	}
	if a.file != nil {
		_, err = a.file.WriteString(b.String())
		if err != nil {
			_ = a.file.Close()
			a.file = nil
			a.o.Warn("The activity log cannot be written: " + err.Error())
		}
	}
}
