// Package httpwire contains the common code of the protocols of model
// providers: posting JSON over HTTP, and responses that are one JSON value, a
// stream of server-sent events, or lines of JSON. It handles connections,
// timeouts, framing and network errors. The packages of the protocols (for example
// llm/gemini, llm/openai and llm/anthropic) fill the [Body] and decode the data
// of each [Event].
package httpwire

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"pollux/llm"
)

// Options configures the requests of a protocol's client. The zero value is valid.
type Options struct {
	// Header is added to each request and overrides the headers of the protocol.
	Header http.Header
	// UserAgent is the User-Agent of requests, by default "Pollux". "{model}" in it is
	// replaced by the model of the request.
	UserAgent string
	// Proxy is used for all connections except those to this machine and to the
	// hosts listed in NoProxy, which has the format of the NO_PROXY variable.
	Proxy   *url.URL
	NoProxy string
	// RootCAs lists PEM files of certificate authorities to trust in addition
	// to the system's. The client reads them at the first request if it needs
	// TLS.
	RootCAs []string
	// Connections are shared with other clients; nil means connections of its own.
	Connections *Connections
	// Timeouts limit how long requests wait for the service.
	Timeouts Timeouts
	// Secure reports whether the address of the service begins with https. The
	// protocol's client sets it.
	Secure bool
}

// AddHeader adds o.Header to the headers of a protocol, and returns them.
func (o *Options) AddHeader(header http.Header) http.Header {
	for k, v := range o.Header {
		header[http.CanonicalHeaderKey(k)] = v
	}
	return header
}

// HeaderFor returns a copy of header with the User-Agent of a request to model.
func (o *Options) HeaderFor(header http.Header, model string) http.Header {
	header = header.Clone()
	if header["User-Agent"] == nil {
		agent := strings.ReplaceAll(cmp.Or(o.UserAgent, "Pollux"), "{model}", model)
		header.Set("User-Agent", strings.TrimSpace(agent))
	}
	return header
}

// Timeouts limit how long a client waits for a service. A request that exceeds one
// fails with a network error of code ETIMEDOUT, which is worth another attempt.
type Timeouts struct {
	// Start is how long to wait for the headers of a response to [Client.Post], and
	// after them for the first byte of its body, because some servers send the headers at
	// once and read the prompt then. 0 means the HeaderTimeout of the request for the
	// headers, and the longer of that and Idle for the first byte.
	Start time.Duration
	// Idle is the longest pause between two later reads of a response; 0 means 300 s.
	Idle time.Duration
}

// Client sends requests. It keeps idle connections open. It opens no connection
// and resolves no name before the first request. A Client is safe for
// concurrent use.
type Client struct {
	http      func() (*http.Client, error)
	timeouts  Timeouts
	proxy     string      // host of the proxy
	hasWorked atomic.Bool // the service has sent a stream in the right format
}

// NewClient returns a client. Errors in o, such as a missing certificate file,
// are reported by the first request.
func NewClient(o Options) *Client {
	c := &Client{timeouts: o.Timeouts, http: sync.OnceValues(func() (*http.Client, error) { return newHTTPClient(o) })}
	if o.Proxy != nil {
		c.proxy = o.Proxy.Host
	}
	if c.timeouts.Idle <= 0 {
		c.timeouts.Idle = defaultIdle
	}
	return c
}

// HTTP returns the underlying client, for example to fetch credentials with it.
// The error is about reading the certificate files.
func (c *Client) HTTP() (*http.Client, error) { return c.http() }

// CleanKey returns an API key without surrounding white space. It returns an error
// that names host if the key contains a character that is not allowed in a
// header.
func CleanKey(key, host string) (string, error) {
	key = strings.TrimSpace(key)
	if strings.ContainsFunc(key, func(r rune) bool { return r < ' ' || r > '~' }) {
		return "", fmt.Errorf("the API key for %s contains a space, a line break or a non-ASCII character", host)
	}
	return key, nil
}

// Request is an HTTP request to a service.
type Request struct {
	URL    *url.URL
	Header http.Header // complete; not copied
	Body   *Body       // for Post only
	// HeaderTimeout is how long to wait for the response headers.
	HeaderTimeout time.Duration
}

const (
	// StreamHeaderTimeout is how long to wait for the headers of a stream.
	StreamHeaderTimeout = 120 * time.Second
	// HeaderTimeout is how long to wait for the headers of a response without
	// streaming. They arrive after the model has finished thinking.
	HeaderTimeout = 300 * time.Second

	defaultIdle = 300 * time.Second // see Timeouts.Idle
)

// Post sends a POST request and returns when the response headers have arrived,
// with any status. The error is an [*llm.Error], or the cause if ctx has ended.
// Post returns redirects instead of following them, because a redirect would
// send the API key to another address.
func (c *Client) Post(ctx context.Context, r Request) (*Response, error) {
	r.HeaderTimeout = cmp.Or(c.timeouts.Start, r.HeaderTimeout)
	return c.do(ctx, r, &http.Request{
		Method: http.MethodPost, ContentLength: r.Body.Size(), Body: r.Body.Reader(),
		GetBody: func() (io.ReadCloser, error) { return r.Body.Reader(), nil },
	})
}

// Get sends a GET request, for example for a list of models. It returns as
// [Client.Post] does.
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
	timeouts := c.timeouts
	if req.Method != http.MethodPost {
		timeouts.Start = 0 // no model is asked
	}
	watchdog := newWatchdog(ctx, r.HeaderTimeout, timeouts)
	req.URL, req.Host, req.Header = r.URL, r.Header.Get("Host"), r.Header
	req.Proto, req.ProtoMajor, req.ProtoMinor = "HTTP/1.1", 1, 1
	exchange := startExchange(ctx, &r, req)
	watchdog.silence = startSilence(ctx, r.URL.Host)
	var raw *http.Response
	watchdog.silence.during(func() { raw, err = client.Do(req.WithContext(watchdog.ctx)) })
	res := &Response{Host: r.URL.Host, proxy: c.proxy, ctx: ctx, watchdog: watchdog, hasWorked: &c.hasWorked}
	if err != nil {
		watchdog.stop()
		exchange.fail(err)
		return nil, res.sendError(err)
	}
	watchdog.pause()
	res.Status, res.Header, res.closer = raw.StatusCode, raw.Header, raw.Body
	res.Body = &inflater{body: watchdog.watch(raw.Body)}
	exchange.attach(raw, res)
	return res, nil
}
