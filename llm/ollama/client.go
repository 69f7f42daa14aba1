// Package ollama implements [llm.Generator] for Ollama's native protocol,
// /api/chat. Ollama also supports OpenAI's protocol, but then uses the server's
// default window, often 4,096 tokens, and silently drops the beginning of
// longer conversations. This package sets the size of the window in each
// request, and a prompt that does not fit is an error of kind
// [llm.KindContextWindow].
//
// The client asks the server for the capabilities of a model before the first
// request to it. If the model rejects an optional part of a request, the client
// omits that part from later requests.
//
// Requests are built from the encoded form that is cached with each message
// (see [llm.Content.Encoded]). Responses are decoded directly into
// [llm.Response], line by line.
package ollama

import (
	"context"
	"iter"
	"net/http"
	"net/url"
	"time"

	"pollux/llm"
	"pollux/llm/catalog"
	"pollux/llm/httpwire"
	"pollux/llm/lessons"
)

// DefaultWindow is the size of a model's window, in tokens, if neither the user
// nor the model's author sets one and the model supports as many. A window
// needs memory even if it is not used: about 128 KB per token with a model of 8
// billion parameters, which is 4 GB for this size and 16 GB for the 131,072
// tokens that most models support.
const DefaultWindow = 32_768

// Options configures a [Client]. The zero value is valid.
type Options struct {
	// BaseURL is the address of the server in any form of OLLAMA_HOST, by
	// default http://127.0.0.1:11434: a host ("0.0.0.0" means this machine), a
	// port, both, or a URL, with or without a slash, /v1 or /api at the end.
	BaseURL string
	// APIKey is sent as a bearer token. ollama.com and some proxies require it.
	APIKey string
	// HTTP configures the requests. By default a response may take 30 minutes to start,
	// because the server first loads the model.
	HTTP httpwire.Options

	// Window, if set, returns the size of a model's window in tokens. If it
	// returns 0, the client uses the size set by the model's author (num_ctx),
	// or [DefaultWindow]. The window is never larger than the model supports.
	Window func(model string) int
	// Log, if set, receives a message when the client changes a request because
	// the server rejected it.
	Log func(message string)
}

// How long the client waits for response headers. The server first loads the
// model and processes the whole prompt, which takes many minutes without a GPU.
// A server that is not running is detected immediately.
const (
	answerTimeout = 30 * time.Minute
	showTimeout   = 60 * time.Second
)

// Client is an [llm.Generator] for an Ollama server. It keeps idle connections
// open. It opens no connection and resolves no name before the first request. A
// Client is safe for concurrent use.
type Client struct {
	options Options
	base    *url.URL
	header  http.Header
	http    *httpwire.Client
	models  lessons.Memory[model]
}

var _ llm.Generator = (*Client)(nil)

// New returns a client. It returns an error that names the invalid option; for
// an invalid address the error is "Invalid custom base URL: X".
func New(o Options) (*Client, error) {
	base, err := parseAddress(o.BaseURL)
	if err != nil {
		return nil, err
	}
	o.HTTP.Secure = base.Scheme == "https"
	c := &Client{options: o, base: base, http: httpwire.NewClient(o.HTTP)}
	key, err := httpwire.CleanKey(o.APIKey, base.Host)
	if err != nil {
		return nil, err
	}
	header := http.Header{"Content-Type": {"application/json"}}
	if key != "" {
		header.Set("Authorization", "Bearer "+key)
	}
	c.header = o.HTTP.AddHeader(header)
	return c, nil
}

// Model returns the catalog entry of a model. It asks the server if the client
// has not done so yet. Input is the window of requests to the model, which a
// prompt and its response share.
func (c *Client) Model(ctx context.Context, name string) (catalog.Model, error) {
	m, err := c.model(ctx, name)
	if err != nil {
		return catalog.Model{}, err
	}
	return m.catalogModel(), nil
}

// Stream implements [llm.Generator].
func (c *Client) Stream(ctx context.Context, req *llm.Request) iter.Seq2[*llm.Response, error] {
	return func(yield func(*llm.Response, error) bool) {
		for lessons := 0; c.tryStream(ctx, req, lessons, yield); lessons++ {
		}
	}
}

// maxLessons is how many times one request is changed after a rejection.
const maxLessons = 4

// tryStream sends a request once and yields its chunks. It reports whether to
// send the request again: it has yielded nothing, and has learned which part the
// next request must omit.
func (c *Client) tryStream(ctx context.Context, req *llm.Request, lessons int, yield func(*llm.Response, error) bool) (isRetryable bool) {
	m, err := c.model(ctx, req.Model)
	if err != nil {
		yield(nil, err)
		return false
	}
	q := m.newRequest(req, true)
	res, err := c.send(ctx, m, q)
	if err == nil {
		defer res.Close()
		a := newAssembler(m, q.minPromptTokens)
		for chunk, chunkErr := range a.chunks(res) {
			if err = chunkErr; err != nil {
				break
			}
			if !yield(chunk, nil) {
				return false
			}
			lessons = maxLessons // a retry would repeat chunks
		}
		if err == nil {
			err = c.checkOpening(a, m)
		}
	}
	if err == nil || lessons < maxLessons && c.learn(m, err, q) {
		return err != nil
	}
	yield(nil, err)
	return false
}

// Generate implements [llm.Generator].
func (c *Client) Generate(ctx context.Context, req *llm.Request) (*llm.Response, error) {
	for lessons := 0; ; lessons++ {
		m, err := c.model(ctx, req.Model)
		if err != nil {
			return nil, err
		}
		q := m.newRequest(req, false)
		r, err := c.generateOnce(ctx, m, q)
		if err == nil || lessons >= maxLessons || !c.learn(m, err, q) {
			return r, err
		}
	}
}

func (c *Client) generateOnce(ctx context.Context, m *model, q chatRequest) (*llm.Response, error) {
	res, err := c.send(ctx, m, q)
	if err != nil {
		return nil, err
	}
	defer res.Close()
	data, err := res.ReadJSON()
	if err != nil {
		return nil, err
	}
	return newAssembler(m, q.minPromptTokens).decodeWhole(data)
}

// CountTokens implements [llm.Generator]. It always returns an error, because
// Ollama cannot count tokens; callers use their own estimate.
func (c *Client) CountTokens(ctx context.Context, req *llm.Request) (int, error) {
	if ctx.Err() != nil {
		return 0, context.Cause(ctx)
	}
	return 0, &llm.Error{Kind: llm.KindOther, Message: "Ollama cannot count the tokens of a request"}
}

// send sends a chat request and returns a response with status 200. It returns
// an error without sending if the model lacks tool support or the prompt does
// not fit.
func (c *Client) send(ctx context.Context, m *model, q chatRequest) (*httpwire.Response, error) {
	switch {
	case q.hasTools && m.toolSupport == catalog.No:
		return nil, &llm.Error{Kind: llm.KindNoTools, Message: m.name + " does not support tools"}
	case q.minPromptTokens > m.window:
		return nil, tooLargeError(m, q.minPromptTokens)
	}
	return c.post(ctx, m.name, "chat", q.body, answerTimeout)
}

// post sends a request and returns a response with status 200.
func (c *Client) post(ctx context.Context, model, method string, b *httpwire.Body, headerTimeout time.Duration) (*httpwire.Response, error) {
	res, err := c.http.Post(ctx, httpwire.Request{URL: c.url(method), Header: c.headers(model), Body: b, HeaderTimeout: headerTimeout})
	return c.checkStatus(model, res, err)
}

// checkStatus returns res if its status is 200, or an error about model.
func (c *Client) checkStatus(model string, res *httpwire.Response, err error) (*httpwire.Response, error) {
	return httpwire.CheckStatus(res, err, func(host string, status int, header http.Header, body []byte) *llm.Error {
		return statusError(host, status, header, body, model)
	})
}

func (c *Client) readJSON(ctx context.Context, model, method string, request []byte, headerTimeout time.Duration) ([]byte, error) {
	b := httpwire.NewBody(1)
	b.Add(request)
	res, err := c.post(ctx, model, method, b, headerTimeout)
	if err != nil {
		return nil, err
	}
	defer res.Close()
	return res.ReadJSON()
}

func (c *Client) headers(model string) http.Header { return c.options.HTTP.HeaderFor(c.header, model) }

func (c *Client) log(model, message string) {
	if c.options.Log != nil {
		c.options.Log(c.base.Host + ": " + model + ": " + message)
	}
}
