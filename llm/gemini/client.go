// Package gemini implements [llm.Generator] for Google's Gemini protocol, as served
// by the Gemini API, Vertex AI and gateways in front of them.
//
// The client sends each message in its cached encoding (see [llm.Content.Encoded])
// and decodes each streamed frame directly into an [llm.Response], so that a turn
// costs time only for the messages that it adds.
package gemini

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"net/http"
	"time"

	"pollux/llm"
	"pollux/llm/adc"
	"pollux/llm/httpwire"
	"pollux/llm/lessons"
)

// Options configures a [Client]. One of APIKey, Vertex with a project, or Gateway is
// required; all other fields are optional.
type Options struct {
	// APIKey is sent in the header x-goog-api-key and, if Bearer is set, also in
	// Authorization.
	APIKey string
	Bearer bool
	// Gateway allows an empty APIKey, for gateways that authenticate users by other
	// means.
	Gateway bool
	// Vertex selects Vertex AI; nil selects the Gemini API.
	Vertex *Vertex
	// Credentials returns an OAuth token for Vertex AI. If it is nil, the client
	// loads the machine's application default credentials from ADC at the first
	// request.
	Credentials func(ctx context.Context) (token string, err error)
	ADC         adc.Source

	// BaseURL replaces the default address of the service.
	BaseURL string
	// APIVersion is the version in the path of requests. The default is "v1beta", and
	// "v1beta1" for Vertex AI.
	APIVersion string
	// HTTP configures the requests.
	HTTP httpwire.Options
	// Log, if not nil, is called with a message when the client omits a setting that
	// the service has refused.
	Log func(message string)
}

// Vertex is a location on Vertex AI. With a Project, requests carry an OAuth token.
// Without one they use express mode, which needs an API key.
type Vertex struct {
	Project  string
	Location string // "us-central1", "us", "eu", "global"
}

// Client is an [llm.Generator] for Gemini models. It keeps connections open between
// requests. Before the first request it reads no files and opens no connections.
type Client struct {
	options  Options
	endpoint endpoint
	header   http.Header
	tokens   adc.Tokens // nil if requests carry an API key
	http     *httpwire.Client
	models   lessons.Memory[refusals]
}

var _ llm.Generator = (*Client)(nil)

// New returns a client. It returns an error if o is incomplete or invalid; for an
// invalid BaseURL the error is "Invalid custom base URL: X".
func New(o Options) (*Client, error) {
	at, err := newEndpoint(o)
	if err != nil {
		return nil, err
	}
	key, err := httpwire.CleanKey(o.APIKey, at.base.Host)
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
	o.HTTP.Secure = at.base.Scheme == "https"
	c := &Client{options: o, endpoint: at, http: httpwire.NewClient(o.HTTP)}
	header := http.Header{"Content-Type": {"application/json"}}
	if o.Vertex != nil && !express {
		c.tokens = o.ADC.Tokens(c.http.HTTP)
		if o.Credentials != nil {
			c.tokens = adc.TokenFunc(o.Credentials)
		}
	} else {
		header.Set("X-Goog-Api-Key", key)
		if o.Bearer && key != "" {
			header.Set("Authorization", "Bearer "+key)
		}
	}
	c.header = o.HTTP.AddHeader(header)
	return c, nil
}

// Stream implements [llm.Generator].
func (c *Client) Stream(ctx context.Context, req *llm.Request) iter.Seq2[*llm.Response, error] {
	return func(yield func(*llm.Response, error) bool) {
		res, err := c.generate(ctx, req, "streamGenerateContent", httpwire.StreamHeaderTimeout)
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
	res, err := c.generate(ctx, req, "generateContent", httpwire.HeaderTimeout)
	if err != nil {
		return nil, err
	}
	data, err := readJSON(res)
	if err != nil {
		return nil, err
	}
	return decodeResponse(data)
}

// CountTokens implements [llm.Generator].
func (c *Client) CountTokens(ctx context.Context, req *llm.Request) (int, error) {
	data, err := c.requestJSON(ctx, req.Model, "countTokens", contentsBody(req.Contents))
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

// Embed implements [llm.Generator]. On Vertex AI it sends one request for each text,
// because embedding models there accept only one.
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
	data, err := c.requestJSON(ctx, model, "batchEmbedContents", embedBody(model, texts))
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

// predict returns the embedding of text by Vertex AI.
func (c *Client) predict(ctx context.Context, model, text string) ([]float32, error) {
	data, err := c.requestJSON(ctx, model, "predict", predictBody(text))
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

// requestJSON sends a request and returns the body of the response, which is one JSON
// value.
func (c *Client) requestJSON(ctx context.Context, model, method string, b *httpwire.Body) ([]byte, error) {
	res, err := c.post(ctx, model, method, b, httpwire.HeaderTimeout)
	if err != nil {
		return nil, err
	}
	return readJSON(res)
}

// readJSON reads the body of res, which should be one JSON value, and closes it. It
// returns an error if the body reports one.
func readJSON(res *httpwire.Response) ([]byte, error) {
	defer res.Close()
	data, err := res.ReadAll()
	if err != nil {
		return nil, err
	}
	return data, bodyError(res, data)
}

// bodyError returns the error in a body that was sent with status 200, nil if there
// is none. The error is one of the service or an HTML page, as proxies send.
func bodyError(res *httpwire.Response, data []byte) error {
	if err := reportedError(data, true); err != nil {
		return err
	}
	if page := bytes.TrimSpace(data); len(page) > 0 && page[0] == '<' {
		return res.CheckJSON(page)
	}
	return nil
}

// post sends a request and returns when the header of the response has arrived. A
// status other than 200 is an error.
func (c *Client) post(ctx context.Context, model, method string, b *httpwire.Body, patience time.Duration) (*httpwire.Response, error) {
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	at, err := c.endpoint.methodURL(model, method)
	if err != nil {
		return nil, err
	}
	header, err := c.headers(ctx, model)
	if err != nil {
		return nil, err
	}
	res, err := c.http.Post(ctx, httpwire.Request{URL: at, Header: header, Body: b, HeaderTimeout: patience})
	return httpwire.CheckStatus(res, err, statusError)
}

// headers returns the header of a request, with a valid token if requests carry one.
func (c *Client) headers(ctx context.Context, model string) (http.Header, error) {
	header := c.options.HTTP.HeaderFor(c.header, model)
	if c.tokens != nil {
		if err := c.tokens.Authorize(ctx, header); err != nil {
			return nil, err
		}
	}
	return header, nil
}
