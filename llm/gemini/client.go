// Package gemini speaks the wire protocol of Google's Gemini interface, as the
// Gemini API, Vertex AI and gateways in front of either serve it
// (spec/agent.md §2, §3).
//
// Messages go out as the bytes that are kept with them (see [llm.Content.Encoded]),
// and each frame of an answer is decoded straight into an [llm.Response]: what a
// turn costs here is what that turn adds. The vendor's SDK is not used but in
// tests, where it judges what is sent.
package gemini

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"net/http"
	"net/url"
	"strings"
	"time"

	"pollux/llm"
	"pollux/llm/adc"
	"pollux/llm/httpwire"
	"pollux/llm/lessons"
)

// Options says which service to use and how to reach it. One of APIKey, Vertex
// with a project, or Gateway is needed; everything else may be left zero.
type Options struct {
	// APIKey is sent as x-goog-api-key; with Bearer also as Authorization.
	APIKey string
	Bearer bool
	// Gateway allows an empty key: the gateway knows its users by other means.
	Gateway bool
	// Vertex, where set, makes it Vertex AI instead of the Gemini API.
	Vertex *Vertex
	// Credentials returns a token for Vertex. Nil means the machine's
	// application default credentials, looked for at the first request where ADC
	// says.
	Credentials func(ctx context.Context) (token string, err error)
	ADC         adc.Source

	// BaseURL replaces the service's own address.
	BaseURL string
	// APIVersion is by default v1beta, or v1beta1 for Vertex.
	APIVersion string
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
	// Log, if set, is told what was left out of a request because the service
	// would not have it.
	Log func(message string)
}

// Vertex says where on Vertex AI a model runs. With Project the requests carry
// an OAuth token; without it and with an API key they are in express mode.
type Vertex struct {
	Project  string
	Location string // "us-central1", "us", "eu", "global"
}

// Client is an [llm.Generator] that asks Gemini. It holds idle connections;
// nothing is read, resolved or dialled before the first request.
type Client struct {
	endpoint  endpoint
	header    http.Header
	userAgent string
	tokens    adc.Tokens // nil where it takes a key
	http      *httpwire.Client
	log       func(string)
	models    lessons.Memory[refusals]
}

var _ llm.Generator = (*Client)(nil)

// New returns a client. The error says which option is wrong; an address that
// is none is reported as "Invalid custom base URL: X".
func New(o Options) (*Client, error) {
	at, err := newEndpoint(o)
	if err != nil {
		return nil, err
	}
	key, err := httpwire.Key(o.APIKey, at.base.Host)
	if err != nil {
		return nil, err
	}
	express := o.Vertex != nil && o.Vertex.Project == ""
	switch {
	case express && key == "":
		return nil, errors.New("vertex AI needs a project and a location, or an API key")
	case o.Vertex == nil && key == "" && !o.Gateway:
		return nil, errors.New("gemini needs an API key")
	}
	c := &Client{endpoint: at, userAgent: cmp.Or(o.UserAgent, "Pollux"), log: o.Log, http: httpwire.NewClient(httpwire.Options{
		Proxy: o.Proxy, NoProxy: o.NoProxy, RootCAs: o.RootCAs, Secure: at.base.Scheme == "https",
	})}
	c.header = http.Header{"Content-Type": {"application/json"}}
	if o.Vertex != nil && !express {
		c.tokens = o.ADC.Tokens(c.http.HTTP)
		if o.Credentials != nil {
			c.tokens = adc.Given(o.Credentials)
		}
	} else {
		c.header.Set("X-Goog-Api-Key", key)
		if o.Bearer && key != "" {
			c.header.Set("Authorization", "Bearer "+key)
		}
	}
	for k, v := range o.Header {
		c.header[http.CanonicalHeaderKey(k)] = v
	}
	return c, nil
}

// Stream implements [llm.Generator].
func (c *Client) Stream(ctx context.Context, req *llm.Request) iter.Seq2[*llm.Response, error] {
	return func(yield func(*llm.Response, error) bool) {
		res, err := c.generate(ctx, req, "streamGenerateContent", httpwire.PatienceStream)
		if err != nil {
			yield(nil, err)
			return
		}
		defer res.Close()
		for chunk, err := range chunks(res) {
			if !yield(chunk, err) {
				return
			}
		}
	}
}

// Generate implements [llm.Generator].
func (c *Client) Generate(ctx context.Context, req *llm.Request) (*llm.Response, error) {
	res, err := c.generate(ctx, req, "generateContent", httpwire.PatienceAnswer)
	if err != nil {
		return nil, err
	}
	data, err := readJSON(res)
	if err != nil {
		return nil, err
	}
	return oneResponse(data)
}

// CountTokens implements [llm.Generator].
func (c *Client) CountTokens(ctx context.Context, req *llm.Request) (int, error) {
	data, err := c.ask(ctx, req.Model, "countTokens", contentsBody(req.Contents))
	if err != nil {
		return 0, err
	}
	var count struct {
		TotalTokens int `json:"totalTokens"`
	}
	if err := json.Unmarshal(data, &count); err != nil {
		return 0, httpwire.Malformed("token count", err, data)
	}
	return count.TotalTokens, nil
}

// Embed implements [llm.Generator]. On Vertex it takes a request for each text,
// which is all that its embedding models accept.
func (c *Client) Embed(ctx context.Context, model string, texts []string) ([][]float32, error) {
	if c.endpoint.vertex {
		vectors := make([][]float32, 0, len(texts))
		for _, text := range texts {
			v, err := c.predict(ctx, model, text)
			if err != nil {
				return nil, err
			}
			vectors = append(vectors, v)
		}
		return vectors, nil
	}
	if len(texts) == 0 {
		return nil, nil
	}
	data, err := c.ask(ctx, model, "batchEmbedContents", embedBody(model, texts))
	if err != nil {
		return nil, err
	}
	var answer struct {
		Embeddings []struct{ Values []float32 }
	}
	if err := json.Unmarshal(data, &answer); err != nil {
		return nil, httpwire.Malformed("embeddings", err, data)
	}
	if len(answer.Embeddings) != len(texts) {
		return nil, httpwire.Malformed("embeddings", fmt.Errorf("%d vectors for %d texts", len(answer.Embeddings), len(texts)), data)
	}
	vectors := make([][]float32, len(texts))
	for i, e := range answer.Embeddings {
		vectors[i] = e.Values
	}
	return vectors, nil
}

func (c *Client) predict(ctx context.Context, model, text string) ([]float32, error) {
	data, err := c.ask(ctx, model, "predict", predictBody(text))
	if err != nil {
		return nil, err
	}
	var answer struct {
		Predictions []struct {
			Embeddings struct{ Values []float32 }
		}
	}
	if err := json.Unmarshal(data, &answer); err != nil {
		return nil, httpwire.Malformed("embeddings", err, data)
	}
	if len(answer.Predictions) != 1 {
		return nil, httpwire.Malformed("embeddings", fmt.Errorf("%d vectors for a text", len(answer.Predictions)), data)
	}
	return answer.Predictions[0].Embeddings.Values, nil
}

// ask sends a request whose answer is one JSON value, and returns that.
func (c *Client) ask(ctx context.Context, model, method string, b *httpwire.Body) ([]byte, error) {
	res, err := c.post(ctx, model, method, b, httpwire.PatienceAnswer)
	if err != nil {
		return nil, err
	}
	return readJSON(res)
}

// readJSON reads an answer that is one JSON value and no error, and lets it go.
func readJSON(res *httpwire.Response) ([]byte, error) {
	defer res.Close()
	data, err := res.ReadAll()
	if err != nil {
		return nil, err
	}
	return data, refused(res, data)
}

// refused returns the error that a body under status 200 is: one of the service's,
// or a page that some proxy put there.
func refused(res *httpwire.Response, data []byte) error {
	if err := errorIn(data, true); err != nil {
		return err
	}
	if page := bytes.TrimSpace(data); len(page) > 0 && page[0] == '<' {
		return res.CheckJSON(page)
	}
	return nil
}

// checked returns an answer of status 200; any other is an error.
func checked(res *httpwire.Response, err error) (*httpwire.Response, error) {
	if err != nil || res.Status == http.StatusOK {
		return res, err
	}
	defer res.Close()
	data, err := res.ReadError()
	if err != nil {
		return nil, err
	}
	return nil, statusError(res.Status, res.Header, data)
}

// post sends a request and returns once the answer's header is there. Any other
// status than 200 is an error.
func (c *Client) post(ctx context.Context, model, method string, b *httpwire.Body, patience time.Duration) (*httpwire.Response, error) {
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	at, err := c.endpoint.url(model, method)
	if err != nil {
		return nil, err
	}
	header, err := c.headers(ctx, model)
	if err != nil {
		return nil, err
	}
	return checked(c.http.Post(ctx, httpwire.Request{URL: at, Header: header, Body: b, Patience: patience}))
}

// headers returns the header of a request, with a fresh token where it takes one.
func (c *Client) headers(ctx context.Context, model string) (http.Header, error) {
	header := c.header.Clone()
	if header["User-Agent"] == nil {
		header.Set("User-Agent", strings.ReplaceAll(c.userAgent, "{model}", model))
	}
	if c.tokens != nil {
		if err := c.tokens.Authorize(ctx, header); err != nil {
			return nil, err
		}
	}
	return header, nil
}
