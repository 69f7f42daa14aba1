// Package openai implements [llm.Generator] for OpenAI and for services with an
// OpenAI-compatible API. It supports two protocols: Chat Completions and
// Responses.
//
// [Quirks] describes how a service or model differs from OpenAI. If a service
// rejects an optional part of a request, the client sends the request again
// without it and omits it from later requests to that model.
//
// Requests are built from the encoded form that is cached with each message
// (see [llm.Content.Encoded]). Responses are decoded directly into
// [llm.Response], frame by frame. Only tests use OpenAI's SDK, to check the
// client's requests.
package openai

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"net/http"
	"time"

	"pollux/llm"
	"pollux/llm/httpwire"
	"pollux/llm/lessons"
)

// Options configures a [Client]. The zero value is valid for services that need
// no API key.
type Options struct {
	// APIKey is sent as a bearer token, or in the header named by KeyHeader
	// ("api-key" for Azure). Local servers need none.
	APIKey    string
	KeyHeader string
	// Credentials, if set, returns the bearer token for each request. It is not
	// called if APIKey or Header already sets Authorization.
	Credentials func(ctx context.Context) (token string, err error)

	// BaseURL is the address of the service, by default
	// https://api.openai.com/v1. It may end with or without a slash, with or
	// without /v1, or with /chat/completions. Its query is added to every
	// request, and "{model}" in its path is replaced by the model of the
	// request.
	BaseURL string
	// HTTP configures the requests.
	HTTP httpwire.Options

	// Vendor is the name under which thought signatures are stored, so that
	// they are sent back only to the service that created them (see
	// [llm.Signed]). The default is "openai".
	Vendor string
	// Quirks describes how the service differs from OpenAI. ForModel, if set,
	// adjusts a copy of it for one model; the client calls it once per model.
	Quirks   Quirks
	ForModel func(model string, q *Quirks)

	// Log, if set, receives a message when the client changes a request because
	// the service rejected it.
	Log func(message string)
}

// Client is an [llm.Generator] for an OpenAI-compatible service. It keeps idle
// connections open. It opens no connection and resolves no name before the
// first request. A Client is safe for concurrent use.
type Client struct {
	options  Options
	endpoint endpoint
	header   http.Header
	http     *httpwire.Client
	models   lessons.Memory[traits]
}

var _ llm.Generator = (*Client)(nil)

// New returns a client. It returns an error that names the invalid option; for
// an invalid address the error is "Invalid custom base URL: X".
func New(o Options) (*Client, error) {
	at, err := newEndpoint(o.BaseURL)
	if err != nil {
		return nil, err
	}
	o.Vendor = cmp.Or(o.Vendor, "openai")
	o.HTTP.Secure = at.base.Scheme == "https"
	c := &Client{options: o, endpoint: at, http: httpwire.NewClient(o.HTTP)}
	key, err := httpwire.CleanKey(o.APIKey, at.base.Host)
	if err != nil {
		return nil, err
	}
	header := http.Header{"Content-Type": {"application/json"}}
	switch {
	case key == "":
	case o.KeyHeader != "":
		header.Set(o.KeyHeader, key)
	default:
		header.Set("Authorization", "Bearer "+key)
	}
	c.header = o.HTTP.AddHeader(header)
	return c, nil
}

func (c *Client) traits(model string) *traits {
	return c.models.GetOrCreate(model, func() *traits {
		t := &traits{Quirks: c.options.Quirks.clone(), vendor: c.options.Vendor, model: model}
		if c.options.ForModel != nil {
			c.options.ForModel(model, &t.Quirks)
		}
		return t.initKeys()
	})
}

// Stream implements [llm.Generator].
func (c *Client) Stream(ctx context.Context, req *llm.Request) iter.Seq2[*llm.Response, error] {
	return func(yield func(*llm.Response, error) bool) {
		res, t, err := c.send(ctx, req, true)
		if err != nil {
			yield(nil, err)
			return
		}
		defer res.Close()
		a := newAssembler(t, req)
		for chunk, err := range a.chunks(res) {
			if !yield(chunk, err) {
				return
			}
		}
		if err := c.checkOpening(a, t); err != nil {
			yield(nil, err)
		}
	}
}

// Generate implements [llm.Generator].
func (c *Client) Generate(ctx context.Context, req *llm.Request) (*llm.Response, error) {
	res, t, err := c.send(ctx, req, false)
	if err != nil {
		return nil, err
	}
	defer res.Close()
	a := newAssembler(t, req)
	if t.StreamOnly {
		r, err := mergeChunks(a.chunks(res))
		if err == nil {
			err = c.checkOpening(a, t)
		}
		return r, err
	}
	data, err := readJSON(res)
	if err != nil {
		return nil, err
	}
	return a.decodeWhole(data)
}

// CountTokens implements [llm.Generator]. It returns an estimate, because
// neither protocol can count tokens.
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

// Embed implements [llm.Generator]. It returns one vector per text, in the
// order of texts.
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
	res, err := c.post(ctx, model, "embeddings", b, httpwire.HeaderTimeout)
	if err != nil {
		return nil, err
	}
	defer res.Close()
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

// maxLessons is how many times one request is changed after a rejection.
const maxLessons = 4

// send sends a request and returns a response with status 200. If the service
// rejects an optional part of the request, send repeats it without that part.
func (c *Client) send(ctx context.Context, req *llm.Request, stream bool) (*httpwire.Response, *traits, error) {
	for lessons, isRetried := 0, false; ; lessons++ {
		t := c.traits(req.Model)
		stream, headerTimeout := stream || t.StreamOnly, httpwire.HeaderTimeout
		if stream {
			headerTimeout = httpwire.StreamHeaderTimeout
		}
		b, sent := t.requestBody(req, stream)
		res, err := c.post(ctx, req.Model, t.methodName(), b, headerTimeout)
		if err == nil {
			return res, t, nil
		}
		e, ok := err.(*llm.Error) // otherwise ctx was cancelled
		switch {
		case !ok || lessons >= maxLessons:
			return nil, nil, err
		case c.learn(t, e, sent):
		case e.Code == "tool_use_failed" && !isRetried: // the model's call was malformed
			isRetried = true
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

func (c *Client) headers(ctx context.Context, model string) (http.Header, error) {
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	header := c.options.HTTP.HeaderFor(c.header, model)
	if c.options.Credentials != nil && header["Authorization"] == nil {
		token, err := c.options.Credentials(ctx)
		switch {
		case ctx.Err() != nil:
			return nil, context.Cause(ctx)
		case err != nil:
			return nil, &llm.Error{Kind: llm.KindUnauthorized, Message: "Cannot get a token for " + c.endpoint.base.Host + ": " + err.Error(), Err: err}
		}
		header.Set("Authorization", "Bearer "+token)
	}
	return header, nil
}

// post sends a request and returns a response with status 200.
func (c *Client) post(ctx context.Context, model, method string, b *httpwire.Body, headerTimeout time.Duration) (*httpwire.Response, error) {
	header, err := c.headers(ctx, model)
	if err != nil {
		return nil, err
	}
	res, err := c.http.Post(ctx, httpwire.Request{URL: c.endpoint.url(model, method), Header: header, Body: b, HeaderTimeout: headerTimeout})
	return httpwire.CheckStatus(res, err, statusError)
}

// readJSON reads a body that must be one JSON value and not an error.
func readJSON(res *httpwire.Response) ([]byte, error) {
	data, err := res.ReadAll()
	if err == nil {
		err = errorInBody(data)
	}
	if err == nil {
		err = res.CheckJSON(data)
	}
	return data, err
}
