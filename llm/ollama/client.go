// Package ollama speaks the native protocol of Ollama, /api/chat (spec/providers.md
// §3, §4). Ollama serves OpenAI's as well, but there a conversation gets the
// server's default window, often of 4,096 tokens, and what does not fit is cut
// from its head without a word. Here each request says how large the window has
// to be, and what does not fit is an error ([llm.KindContextWindow]).
//
// What a model can do, its server is asked once, before the first request; what
// the model refuses in spite of it is left out from then on.
//
// Messages go out as the bytes that are kept with them (see [llm.Content.Encoded]),
// and each line of an answer is decoded straight into an [llm.Response].
package ollama

import (
	"context"
	"iter"
	"net/http"
	"net/url"
	"strings"
	"time"

	"pollux/llm"
	"pollux/llm/catalog"
	"pollux/llm/httpwire"
	"pollux/llm/lessons"
)

// DefaultWindow is how many tokens a model's window gets where nothing says
// otherwise and the model takes as many. A window costs memory whether it is used
// or not, some 128 KB a token with a model of 8 billion parameters: this one 4 GB
// beside the model, while 131,072 tokens, which most models would take, are 16.
const DefaultWindow = 32_768

// Options says which server to use and how to reach it. Everything may be zero.
type Options struct {
	// BaseURL is the server's address in any form that OLLAMA_HOST has, by
	// default http://127.0.0.1:11434: a host alone ("0.0.0.0" is this machine), a
	// port alone, both, a URL; with or without a slash, /v1 or /api at its end.
	BaseURL string
	// APIKey is sent as a bearer token. ollama.com wants one, and some proxies.
	APIKey string
	// Header is added to each request, and wins over what would be there.
	Header http.Header
	// UserAgent names the caller; "{model}" in it becomes the request's model.
	UserAgent string
	// Proxy is used for every connection but those to this machine and to the
	// hosts that NoProxy lists, as the variable of that name does.
	Proxy   *url.URL
	NoProxy string
	// RootCAs names PEM files of authorities that are trusted besides the
	// system's. They are read at the first request that needs TLS.
	RootCAs []string
	// Idle is how long an answer may pause; 300 s if 0.
	Idle time.Duration

	// Window, if set, returns the size of a model's window in tokens; 0 leaves it
	// to what the model's author has set (num_ctx), and without that to
	// [DefaultWindow]. It is never larger than what the model was made for.
	Window func(model string) int
	// Log, if set, is told what was done otherwise than asked, because the server
	// would not have it.
	Log func(message string)
}

// How long the header of an answer may take. Before it the server loads the model
// and reads the whole prompt, which without a GPU takes many minutes; that nobody
// is there is known at once.
const (
	patience     = 30 * time.Minute
	patienceShow = 60 * time.Second
)

// Client is an [llm.Generator] that asks an Ollama server. It holds idle
// connections; nothing is read, resolved or dialled before the first request.
type Client struct {
	options Options
	base    *url.URL
	header  http.Header
	http    *httpwire.Client
	models  lessons.Memory[model]
}

var _ llm.Generator = (*Client)(nil)

// New returns a client. The error says which option is wrong; an address that
// is none is reported as "Invalid custom base URL: X".
func New(o Options) (*Client, error) {
	base, err := address(o.BaseURL)
	if err != nil {
		return nil, err
	}
	if o.UserAgent == "" {
		o.UserAgent = "Pollux"
	}
	c := &Client{options: o, base: base, header: http.Header{"Content-Type": {"application/json"}}}
	c.http = httpwire.NewClient(httpwire.Options{
		Proxy: o.Proxy, NoProxy: o.NoProxy, RootCAs: o.RootCAs, Secure: base.Scheme == "https", Idle: o.Idle,
	})
	key, err := httpwire.Key(o.APIKey, base.Host)
	if err != nil {
		return nil, err
	}
	if key != "" {
		c.header.Set("Authorization", "Bearer "+key)
	}
	for k, v := range o.Header {
		c.header[http.CanonicalHeaderKey(k)] = v
	}
	return c, nil
}

// Model returns what is known of a model, its server being asked if it was not
// yet. Input is the window that requests to it get: a prompt and its answer fit
// in it together.
func (c *Client) Model(ctx context.Context, name string) (catalog.Model, error) {
	m, err := c.model(ctx, name)
	if err != nil {
		return catalog.Model{}, err
	}
	return m.known(), nil
}

// Stream implements [llm.Generator].
func (c *Client) Stream(ctx context.Context, req *llm.Request) iter.Seq2[*llm.Response, error] {
	return func(yield func(*llm.Response, error) bool) {
		for lessons := 0; c.try(ctx, req, lessons, yield); lessons++ {
		}
	}
}

// maxLessons bounds how often one request is changed for what is refused of it.
const maxLessons = 4

// try asks once, and reports whether it is worth asking again: nothing was
// yielded, and what was refused of the request will not be in it any more.
func (c *Client) try(ctx context.Context, req *llm.Request, lessons int, yield func(*llm.Response, error) bool) (again bool) {
	m, err := c.model(ctx, req.Model)
	if err != nil {
		yield(nil, err)
		return false
	}
	q := m.question(req, true)
	res, err := c.ask(ctx, m, q)
	if err == nil {
		defer res.Close()
		a := newAnswer(m, q.load)
		for chunk, problem := range a.stream(res) {
			if err = problem; err != nil {
				break
			}
			if !yield(chunk, nil) {
				return false
			}
			lessons = maxLessons // it is too late for one
		}
		if err == nil {
			err = c.reconsider(a, m)
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
		q := m.question(req, false)
		r, err := c.answer(ctx, m, q)
		if err == nil || lessons >= maxLessons || !c.learn(m, err, q) {
			return r, err
		}
	}
}

// answer asks once for an answer that is not streamed.
func (c *Client) answer(ctx context.Context, m *model, q question) (*llm.Response, error) {
	res, err := c.ask(ctx, m, q)
	if err != nil {
		return nil, err
	}
	defer res.Close()
	data, err := res.ReadJSON()
	if err != nil {
		return nil, err
	}
	return newAnswer(m, q.load).whole(data)
}

// CountTokens implements [llm.Generator]: Ollama cannot, so that it always fails
// and callers go by their own estimate.
func (c *Client) CountTokens(ctx context.Context, req *llm.Request) (int, error) {
	if ctx.Err() != nil {
		return 0, context.Cause(ctx)
	}
	return 0, &llm.Error{Kind: llm.KindOther, Message: "the server of " + req.Model + " cannot count tokens"}
}

// ask sends a question and returns an answer of status 200. What cannot be
// answered is not asked.
func (c *Client) ask(ctx context.Context, m *model, q question) (*httpwire.Response, error) {
	switch {
	case q.tools && m.tools == catalog.No:
		return nil, &llm.Error{Kind: llm.KindNoTools, Message: m.name + " does not support tools"}
	case q.load > m.window:
		return nil, tooLarge(m, q.load)
	}
	return c.post(ctx, m.name, "chat", q.body, patience)
}

// post sends a request and returns an answer of status 200.
func (c *Client) post(ctx context.Context, model, method string, b *httpwire.Body, patience time.Duration) (*httpwire.Response, error) {
	res, err := c.http.Post(ctx, httpwire.Request{URL: c.url(method), Header: c.headers(model), Body: b, Patience: patience})
	return c.answered(model, res, err)
}

// answered returns an answer about a model if it is of status 200.
func (c *Client) answered(model string, res *httpwire.Response, err error) (*httpwire.Response, error) {
	if err != nil {
		return nil, absent(err, c.base.Host)
	}
	if res.Status == http.StatusOK {
		return res, nil
	}
	defer res.Close()
	data, err := res.ReadError()
	if err != nil {
		return nil, err
	}
	return nil, statusError(res.Status, res.Header, data, model)
}

// read sends a question and returns the JSON that answers it.
func (c *Client) read(ctx context.Context, model, method string, question []byte, patience time.Duration) ([]byte, error) {
	b := httpwire.NewBody(1)
	b.Add(question)
	res, err := c.post(ctx, model, method, b, patience)
	if err != nil {
		return nil, err
	}
	defer res.Close()
	return res.ReadJSON()
}

func (c *Client) headers(model string) http.Header {
	header := c.header.Clone()
	if header["User-Agent"] == nil {
		header.Set("User-Agent", strings.ReplaceAll(c.options.UserAgent, "{model}", model))
	}
	return header
}

func (c *Client) log(model, message string) {
	if c.options.Log != nil {
		c.options.Log(c.base.Host + ": " + model + ": " + message)
	}
}
