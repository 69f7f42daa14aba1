// Package httpwire is what the vendors' protocols have in common: JSON that is
// posted over HTTP, and an answer that is one JSON value or a stream of
// server-sent events. It knows no vendor. The adapters (llm/gemini, llm/openai,
// llm/anthropic) say what goes into a [Body] and what the data of an [Event]
// means; connections, silence, framing and the errors of all three are here.
package httpwire

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"pollux/llm"
)

// Options says how a service is reached.
type Options struct {
	// Proxy is used for every connection but those to this machine and to the
	// hosts that NoProxy lists, as the variable of that name does.
	Proxy   *url.URL
	NoProxy string
	// RootCAs names PEM files of authorities that are trusted besides the
	// system's. They are read at the first request, if that needs TLS.
	RootCAs []string
	// Secure says that the service's address is https.
	Secure bool
	// Idle is how long an answer may pause between two reads; 300 s if 0.
	Idle time.Duration
}

// Client sends requests. It holds idle connections; nothing is read, resolved or
// dialled before the first request. It may be used from several goroutines.
type Client struct {
	http func() (*http.Client, error)
	idle time.Duration
}

// NewClient returns a client.
func NewClient(o Options) *Client {
	c := &Client{idle: o.Idle, http: sync.OnceValues(func() (*http.Client, error) { return newHTTPClient(o) })}
	if c.idle <= 0 {
		c.idle = betweenReads
	}
	return c
}

// HTTP returns the client below, for what asks for credentials by itself.
func (c *Client) HTTP() (*http.Client, error) { return c.http() }

// Key returns an API key without the white space that comes with it from files
// and clipboards. A key that no header can hold is an error that names the host.
func Key(key, host string) (string, error) {
	key = strings.TrimSpace(key)
	if strings.ContainsFunc(key, func(r rune) bool { return r < ' ' || r > '~' }) {
		return "", fmt.Errorf("the API key for %s holds a character that no key has", host)
	}
	return key, nil
}

// Request is a request to be sent.
type Request struct {
	URL    *url.URL
	Header http.Header // complete; it is not copied
	Body   *Body       // what is posted
	// Patience is how long the header of the answer may take.
	Patience time.Duration
}

// How long a service may be silent. Before an answer that is not streamed lies
// all of the model's thinking.
const (
	PatienceStream = 120 * time.Second
	PatienceAnswer = 300 * time.Second
	betweenReads   = 300 * time.Second
)

// Post sends a request and returns once the answer's header is there, whatever
// its status. The error is an [*llm.Error] or the cause of ctx's end. A redirect
// is an answer: it would repeat the key to whoever it names.
func (c *Client) Post(ctx context.Context, r Request) (*Response, error) {
	return c.do(ctx, r, &http.Request{
		Method: http.MethodPost, ContentLength: r.Body.Size(), Body: r.Body.Reader(),
		GetBody: func() (io.ReadCloser, error) { return r.Body.Reader(), nil },
	})
}

// Get is Post for a question that is all in the address: what models there are.
func (c *Client) Get(ctx context.Context, r Request) (*Response, error) {
	return c.do(ctx, r, &http.Request{Method: http.MethodGet})
}

func (c *Client) do(ctx context.Context, r Request, req *http.Request) (*Response, error) {
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	client, err := c.http()
	if err != nil {
		return nil, &llm.Error{Kind: llm.KindOther, Err: err}
	}
	watch := watchContext(ctx, r.Patience, c.idle)
	req.URL, req.Host, req.Header = r.URL, r.Header.Get("Host"), r.Header
	req.Proto, req.ProtoMajor, req.ProtoMinor = "HTTP/1.1", 1, 1
	seen := look(ctx, &r, req)
	answer, err := client.Do(req.WithContext(watch.ctx))
	res := &Response{Host: r.URL.Host, ctx: ctx, watch: watch}
	if err != nil {
		watch.stop()
		seen.failed(err)
		return nil, res.NetworkError("send the request to", err)
	}
	watch.arrived()
	res.Status, res.Header, res.closer = answer.StatusCode, answer.Header, answer.Body
	res.Body = watch.reader(answer.Body)
	seen.answered(answer, res)
	return res, nil
}
