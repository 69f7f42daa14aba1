// Package openai speaks the protocols of OpenAI's interface: Chat Completions,
// as OpenAI and nearly everybody else serves it, and Responses
// (spec/agent.md §4, spec/providers.md §2).
//
// What services do otherwise than OpenAI is data, see [Quirks]. What a service
// refuses of a request, and can do without, is left out from then on.
//
// Messages go out as the bytes that are kept with them (see [llm.Content.Encoded]),
// and each frame of an answer is decoded straight into an [llm.Response]. The
// vendor's SDK is not used but in tests, where it judges what is sent.
package openai

import (
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"net/http"
	"net/url"
	"strings"
	"time"

	"pollux/llm"
	"pollux/llm/httpwire"
	"pollux/llm/lessons"
)

// Options says which service to use and how to reach it. Everything may be left
// zero but for what the service asks for.
type Options struct {
	// APIKey is sent as a bearer token, or in the header that KeyHeader names
	// ("api-key" for Azure). Local servers need none.
	APIKey    string
	KeyHeader string
	// Credentials returns a bearer token for each request instead, if set.
	Credentials func(ctx context.Context) (token string, err error)

	// BaseURL is the service's address, by default https://api.openai.com/v1:
	// with or without a slash at its end, with or without /v1, or the address of
	// chat/completions itself. A query in it goes with every request, and
	// "{model}" in its path becomes the request's model.
	BaseURL string
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

	// Vendor is the name under which thoughts are kept, so that they go back to
	// who thought them and to nobody else (see [llm.Signed]); "openai" if empty.
	Vendor string
	// Quirks is what the service does its own way, and ForModel, if set, changes
	// it, once, into what one of its models does: its protocol, for instance.
	Quirks   Quirks
	ForModel func(model string, q *Quirks)

	// Log, if set, is told what was left out of a request, or done otherwise,
	// because the service would not have it.
	Log func(message string)
}

// Client is an [llm.Generator] that asks an OpenAI-compatible service. It holds
// idle connections; nothing is read, resolved or dialled before the first request.
type Client struct {
	options  Options
	endpoint endpoint
	header   http.Header
	http     *httpwire.Client
	models   lessons.Memory[traits]
}

var _ llm.Generator = (*Client)(nil)

// New returns a client. The error says which option is wrong; an address that
// is none is reported as "Invalid custom base URL: X".
func New(o Options) (*Client, error) {
	at, err := newEndpoint(o.BaseURL)
	if err != nil {
		return nil, err
	}
	if o.UserAgent == "" {
		o.UserAgent = "Pollux"
	}
	if o.Vendor == "" {
		o.Vendor = "openai"
	}
	c := &Client{options: o, endpoint: at, header: http.Header{"Content-Type": {"application/json"}}}
	c.http = httpwire.NewClient(httpwire.Options{
		Proxy: o.Proxy, NoProxy: o.NoProxy, RootCAs: o.RootCAs, Secure: at.base.Scheme == "https", Idle: o.Idle,
	})
	key, err := httpwire.Key(o.APIKey, at.base.Host)
	if err != nil {
		return nil, err
	}
	switch {
	case key == "":
	case o.KeyHeader != "":
		c.header.Set(o.KeyHeader, key)
	default:
		c.header.Set("Authorization", "Bearer "+key)
	}
	for k, v := range o.Header {
		c.header[http.CanonicalHeaderKey(k)] = v
	}
	return c, nil
}

// traits returns how model is spoken to.
func (c *Client) traits(model string) *traits {
	return c.models.Of(model, func() *traits {
		t := &traits{Quirks: c.options.Quirks.clone(), vendor: c.options.Vendor, model: model}
		if c.options.ForModel != nil {
			c.options.ForModel(model, &t.Quirks)
		}
		return t.settle()
	})
}

// Stream implements [llm.Generator].
func (c *Client) Stream(ctx context.Context, req *llm.Request) iter.Seq2[*llm.Response, error] {
	return func(yield func(*llm.Response, error) bool) {
		res, t, err := c.ask(ctx, req, true)
		if err != nil {
			yield(nil, err)
			return
		}
		defer res.Close()
		a := newAnswer(t, req)
		for chunk, err := range a.stream(res) {
			if !yield(chunk, err) {
				return
			}
		}
		if err := c.reconsider(a, t); err != nil {
			yield(nil, err)
		}
	}
}

// Generate implements [llm.Generator].
func (c *Client) Generate(ctx context.Context, req *llm.Request) (*llm.Response, error) {
	res, t, err := c.ask(ctx, req, false)
	if err != nil {
		return nil, err
	}
	defer res.Close()
	a := newAnswer(t, req)
	if t.StreamOnly {
		r, err := together(a.stream(res))
		if err == nil {
			err = c.reconsider(a, t)
		}
		return r, err
	}
	data, err := readJSON(res)
	if err != nil {
		return nil, err
	}
	return a.whole(data)
}

// CountTokens implements [llm.Generator]. Neither protocol can count, so that it
// is an estimate.
func (c *Client) CountTokens(ctx context.Context, req *llm.Request) (int, error) {
	if ctx.Err() != nil {
		return 0, context.Cause(ctx)
	}
	n := 0
	for _, content := range req.Contents {
		n += content.Tokens()
	}
	return n, nil
}

// Embed implements [llm.Generator].
func (c *Client) Embed(ctx context.Context, model string, texts []string) ([][]float32, error) {
	if len(texts) == 0 {
		return nil, nil
	}
	o := httpwire.Object{}
	o.String("model", model)
	o.Strings("input", texts)
	o.String("encoding_format", "float")
	b := httpwire.NewBody(1)
	b.Add(o.End())
	res, err := c.post(ctx, model, "embeddings", b, httpwire.PatienceAnswer)
	if err != nil {
		return nil, err
	}
	defer res.Close()
	if res.Status != http.StatusOK {
		return nil, failed(res)
	}
	data, err := readJSON(res)
	if err != nil {
		return nil, err
	}
	var answer struct {
		Data []struct {
			Index     int
			Embedding []float32
		}
	}
	if err := json.Unmarshal(data, &answer); err != nil {
		return nil, httpwire.Malformed("list of embeddings", err, data)
	}
	if len(answer.Data) != len(texts) {
		return nil, httpwire.Malformed("list of embeddings", fmt.Errorf("%d vectors for %d texts", len(answer.Data), len(texts)), data)
	}
	vectors := make([][]float32, len(texts))
	for _, e := range answer.Data {
		if e.Index < 0 || e.Index >= len(texts) || vectors[e.Index] != nil {
			return nil, httpwire.Malformed("list of embeddings", fmt.Errorf("vector %d of %d", e.Index, len(texts)), data)
		}
		vectors[e.Index] = e.Embedding
	}
	return vectors, nil
}

// maxLessons bounds how often one request is changed for what is refused of it.
const maxLessons = 4

// ask sends a request and returns an answer of status 200. A request that was
// refused for something that it can do without is sent again without it.
func (c *Client) ask(ctx context.Context, req *llm.Request, stream bool) (*httpwire.Response, *traits, error) {
	for lessons, again := 0, false; ; lessons++ {
		t := c.traits(req.Model)
		stream, patience := stream || t.StreamOnly, httpwire.PatienceAnswer
		if stream {
			patience = httpwire.PatienceStream
		}
		b, sent := t.body(req, stream)
		res, err := c.post(ctx, req.Model, t.method(), b, patience)
		if err != nil {
			return nil, nil, err
		}
		if res.Status == http.StatusOK {
			return res, t, nil
		}
		err = failed(res)
		res.Close()
		e, ok := err.(*llm.Error) // else the request was cancelled
		switch {
		case !ok || lessons >= maxLessons:
			return nil, nil, err
		case c.learn(t, e, sent):
		case e.Code == "tool_use_failed" && !again: // the model fumbled a call
			again = true
			c.log(req.Model, "the model made a call that its server could not read: asking again")
		default:
			return nil, nil, err
		}
	}
}

func (c *Client) log(model, message string) {
	if c.options.Log != nil {
		c.options.Log(c.endpoint.base.Host + ": " + model + ": " + message)
	}
}

// headers returns the header of a request about a model.
func (c *Client) headers(ctx context.Context, model string) (http.Header, error) {
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	header := c.header.Clone()
	if header["User-Agent"] == nil {
		header.Set("User-Agent", strings.TrimSpace(strings.ReplaceAll(c.options.UserAgent, "{model}", model)))
	}
	if c.options.Credentials != nil && header["Authorization"] == nil {
		token, err := c.options.Credentials(ctx)
		switch {
		case ctx.Err() != nil:
			return nil, context.Cause(ctx)
		case err != nil:
			return nil, &llm.Error{Kind: llm.KindUnauthorized, Message: "get a token for " + c.endpoint.base.Host + ": " + err.Error(), Err: err}
		}
		header.Set("Authorization", "Bearer "+token)
	}
	return header, nil
}

// post sends a request and returns once the answer's header is there.
func (c *Client) post(ctx context.Context, model, method string, b *httpwire.Body, patience time.Duration) (*httpwire.Response, error) {
	header, err := c.headers(ctx, model)
	if err != nil {
		return nil, err
	}
	return c.http.Post(ctx, httpwire.Request{URL: c.endpoint.url(model, method), Header: header, Body: b, Patience: patience})
}

// readJSON reads an answer that is one JSON value and no error.
func readJSON(res *httpwire.Response) ([]byte, error) {
	data, err := res.ReadAll()
	if err == nil {
		err = errorIn(data)
	}
	if err == nil {
		err = res.CheckJSON(data)
	}
	return data, err
}

// failed is the error of an answer with another status than 200.
func failed(res *httpwire.Response) error {
	data, err := res.ReadError()
	if err != nil {
		return err
	}
	return statusError(res.Status, res.Header, data)
}
