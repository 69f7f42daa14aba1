// Package anthropic implements [llm.Generator] for Anthropic's Messages protocol.
//
// The client works with Anthropic's own service, with Claude on Google's Vertex AI
// and on Amazon Bedrock, and with services of other vendors that speak the protocol.
// [Quirks] describes how those differ from Anthropic.
//
// The client sends each message in its cached encoding (see [llm.Content.Encoded]),
// so that a request starts with the bytes of the previous one and the vendor's prompt
// cache hits. It decodes the events of a response directly into [llm.Response].
package anthropic

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"log/slog"
	"net/http"
	"strings"
	"sync/atomic"
	"time"

	"pollux/llm"
	"pollux/llm/adc"
	"pollux/llm/httpwire"
	"pollux/llm/lessons"
)

// Options configures a [Client]. One of APIKey, AuthToken, Vertex, Bedrock, or the
// BaseURL of a service without authentication is required.
type Options struct {
	// APIKey is sent in the header x-api-key, AuthToken as a bearer token in
	// Authorization.
	APIKey    string
	AuthToken string

	// Vertex selects Google's Vertex AI. Credentials returns an OAuth token for each
	// request to it. If Credentials is nil and AuthToken is "", the client loads the
	// machine's application default credentials from ADC at the first request.
	Vertex      *Vertex
	Credentials func(ctx context.Context) (token string, err error)
	ADC         adc.Source
	// Bedrock selects Amazon Bedrock. AuthToken is then a Bedrock API key.
	Bedrock *Bedrock

	// BaseURL replaces the default address of the service, which is
	// https://api.anthropic.com unless Vertex or Bedrock is set. It may end in "/v1",
	// "/", or neither.
	BaseURL string
	// HTTP configures the requests. The values of anthropic-beta in its header are added
	// to the client's.
	HTTP httpwire.Options

	// Quirks describes how the service differs from Anthropic. ForModel, if not nil,
	// adds the quirks of a model to q.
	Quirks   Quirks
	ForModel func(model string, q *Quirks)

	// Log records, at debug level, the settings that the service has refused and that
	// the client omits from then on. Nil discards them.
	Log *slog.Logger
}

// Client is an [llm.Generator] for the Messages protocol. It keeps connections open
// between requests and remembers the parameters that each model refuses. Before the first request it
// reads no files and opens no connections.
type Client struct {
	options  Options
	service  service
	bodyForm bodyForm
	header   http.Header
	betas    []string
	http     *httpwire.Client

	models lessons.Memory[dialect]
	// lastRejected is the last message whose thoughts the service has rejected.
	lastRejected atomic.Pointer[llm.Content]
}

var _ llm.Generator = (*Client)(nil)

// New returns a client. It returns an error if o is incomplete or invalid; for an
// invalid BaseURL the error is "Invalid custom base URL: X".
func New(o Options) (*Client, error) {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	o.HTTP.Secure = !strings.HasPrefix(strings.TrimSpace(o.BaseURL), "http:")
	c := &Client{options: o, http: httpwire.NewClient(o.HTTP)}
	if err := c.setHeader(o); err != nil {
		return nil, err
	}
	if err := c.setService(o); err != nil {
		return nil, err
	}
	c.bodyForm = c.service.bodyForm()
	if c.bodyForm.version != "" {
		c.header.Del("Anthropic-Version")
	}
	return c, nil
}

func (c *Client) setHeader(o Options) error {
	c.header = http.Header{"Content-Type": {"application/json"}}
	c.header.Set("Anthropic-Version", "2023-06-01")
	service := cmp.Or(o.BaseURL, "Anthropic")
	key, err := httpwire.CleanKey(o.APIKey, service)
	if err != nil {
		return err
	}
	token, err := httpwire.CleanKey(o.AuthToken, service)
	if err != nil {
		return err
	}
	switch {
	case o.Vertex != nil:
		key = "" // Vertex AI has no API keys for Claude
	case o.Bedrock != nil:
		key, token = "", cmp.Or(token, key)
	}
	if key != "" {
		c.header.Set("X-Api-Key", key)
	}
	if token != "" {
		c.header.Set("Authorization", "Bearer "+token)
	}
	o.HTTP.AddHeader(c.header)
	c.betas = splitLists(c.header.Values(betaHeader))
	c.header.Del(betaHeader)
	return nil
}

// setService selects the service and how requests authenticate to it.
func (c *Client) setService(o Options) (err error) {
	isAuthorized := c.header["Authorization"] != nil
	switch {
	case o.Vertex != nil:
		var tokens adc.Tokens
		switch {
		case isAuthorized:
		case o.Credentials != nil:
			tokens = adc.TokenFunc(o.Credentials)
		default:
			tokens = o.ADC.Tokens(c.http.HTTP)
		}
		c.service, err = newVertex(o, tokens)
	case o.Bedrock != nil:
		c.service, err = newBedrock(o, isAuthorized)
	case o.BaseURL == "" && !isAuthorized && c.header["X-Api-Key"] == nil:
		err = errors.New("anthropic needs an API key")
	default:
		c.service, err = newDirect(o.BaseURL)
	}
	return err
}

const (
	betaHeader = "Anthropic-Beta"
	// interleavedBeta lets a model think between the tool calls of a turn.
	interleavedBeta = "interleaved-thinking-2025-05-14"
)

// Stream implements [llm.Generator]. If the service pauses the response, Stream
// requests the rest, so that the caller sees one response.
func (c *Client) Stream(ctx context.Context, req *llm.Request) iter.Seq2[*llm.Response, error] {
	return func(yield func(*llm.Response, error) bool) {
		q := c.newQuery(req, true)
		r := &reply{q: q}
		for range maxPauses {
			if !c.streamOnce(ctx, q, r, yield) {
				return
			}
			q.partial = r.resume()
		}
		yield(nil, errPauses())
	}
}

// streamOnce sends q and yields the new chunks of r. It reports whether another
// request is needed for the rest of the response.
func (c *Client) streamOnce(ctx context.Context, q *query, r *reply, yield func(*llm.Response, error) bool) (more bool) {
	res, err := c.send(ctx, q)
	if err != nil {
		yield(nil, err)
		return false
	}
	defer res.Close()
	e := newEventDecoder()
	defer e.release()
	for event, err := range c.service.events(ctx, res) {
		switch {
		case err == nil:
			err = handleEvent(res, r, e, event)
		case r.stop != "" && httpwire.IsBreak(err): // only the mark of the end is missing
			r.end()
			err = nil
		}
		if err != nil {
			yield(nil, err)
			return false
		}
		if chunk := r.takeChunk(); chunk != nil && !yield(chunk, nil) {
			return false
		}
		if r.ended {
			res.Drain()
			return r.isPaused()
		}
	}
	if r.stop == "" {
		yield(nil, &llm.Error{Kind: llm.KindIncomplete, Message: "The response ended before it was complete"})
		return false
	}
	r.end()
	if chunk := r.takeChunk(); chunk != nil && !yield(chunk, nil) {
		return false
	}
	return r.isPaused()
}

// maxPauses is the maximum number of pauses in one response.
const maxPauses = 16

func errPauses() error {
	return &llm.Error{Kind: llm.KindServer, Message: "The provider paused the response too often"}
}

// Generate implements [llm.Generator].
func (c *Client) Generate(ctx context.Context, req *llm.Request) (*llm.Response, error) {
	q := c.newQuery(req, false)
	r := &reply{q: q}
	for range maxPauses {
		if err := c.generateOnce(ctx, q, r); err != nil {
			return nil, err
		}
		if !r.isPaused() {
			return r.takeChunk(), nil
		}
		q.partial = r.resume()
	}
	return nil, errPauses()
}

// generateOnce sends q and adds the response to r.
func (c *Client) generateOnce(ctx context.Context, q *query, r *reply) error {
	res, err := c.send(ctx, q)
	if err != nil {
		return err
	}
	defer res.Close()
	data, err := res.ReadAll()
	if err != nil {
		return err
	}
	return handleWhole(res, r, data)
}

// CountTokens implements [llm.Generator]. If the service cannot count tokens, as
// Bedrock and most services of other vendors, it returns an error that wraps
// [errors.ErrUnsupported].
func (c *Client) CountTokens(ctx context.Context, req *llm.Request) (int, error) {
	q := c.newQuery(req, false)
	body := q.countBody()
	if len(q.runs) == 0 {
		return 0, nil // the service refuses requests without messages
	}
	res, err := c.post(ctx, q, methodCount, body)
	if err != nil {
		return 0, markUnsupported(err)
	}
	defer res.Close()
	data, err := res.ReadJSON()
	if err != nil {
		return 0, err
	}
	var count struct {
		InputTokens *int `json:"input_tokens"`
	}
	if err := json.Unmarshal(data, &count); err != nil || count.InputTokens == nil {
		return 0, httpwire.Malformed("token count", cmp.Or(err, errors.New("no input_tokens")), data)
	}
	return *count.InputTokens, nil
}

// Embed implements [llm.Generator]. It always returns an error, because the protocol
// has no embeddings.
func (c *Client) Embed(ctx context.Context, model string, _ []string) ([][]float32, error) {
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	return nil, &llm.Error{Kind: llm.KindBadRequest, Message: fmt.Sprintf("%s makes no embeddings: the Messages protocol has none", model)}
}

// newQuery returns the query for req, in the dialect of its model.
func (c *Client) newQuery(req *llm.Request, stream bool) *query {
	return &query{
		Request: req, dialect: *c.dialect(req.Model), bodyForm: c.bodyForm, betas: c.betas, stream: stream, lastRejected: c.lastRejected.Load(),
		noCacheMarks: !isConversation(req.Use),
	}
}

func (c *Client) dialect(model string) *dialect {
	return c.models.GetOrCreate(model, func() *dialect {
		m := &dialect{Quirks: c.options.Quirks}
		if c.options.ForModel != nil {
			c.options.ForModel(model, &m.Quirks)
		}
		// Only Claude needs signatures.
		m.Unsigned = m.Unsigned || !isClaude(model) && c.bodyForm.version == ""
		return m
	})
}

// isConversation reports whether a later request will start with this one, or an earlier one may have been the start of
// it. Only then is it worth the cost of the prompt cache.
func isConversation(use llm.Use) bool {
	return use == "" || use == llm.UseMain || use == llm.UseSubagent || use == llm.UseAside
}

// maxRefusals is the maximum number of retries of a request without a refused
// setting.
const maxRefusals = 5

// send sends q. If the service refuses a setting that can be omitted, send retries
// without it and remembers the refusal for the model.
func (c *Client) send(ctx context.Context, q *query) (*httpwire.Response, error) {
	m := methodGenerate
	if q.stream {
		m = methodStream
	}
	for refused := 1; ; refused++ {
		res, err := c.post(ctx, q, m, q.body())
		var refusal *llm.Error
		if err == nil || refused > maxRefusals || !errors.As(err, &refusal) || !q.adapt(refusal) {
			q.nameTool(refusal)
			return res, err
		}
		c.options.Log.DebugContext(ctx, "the service refused a request; asking again without what it names",
			"model", q.Model, "refusal", refusal.Message)
		learned := q.dialect
		c.models.Update(q.Model, func(dialect) *dialect { return &learned })
		c.lastRejected.Store(q.lastRejected)
	}
}

// post sends a request and returns when the header of the response has arrived. A
// status other than 200 is an error.
func (c *Client) post(ctx context.Context, q *query, m method, body *httpwire.Body) (*httpwire.Response, error) {
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	r := httpwire.Request{Header: c.headers(q.Model, q.Bearer), Body: body, HeaderTimeout: httpwire.HeaderTimeout}
	if m == methodStream {
		r.HeaderTimeout = httpwire.StreamHeaderTimeout
	}
	if betas := q.allBetas(); len(betas) > 0 && !q.bodyForm.streamInURL {
		r.Header.Set(betaHeader, strings.Join(betas, ","))
	}
	if err := c.service.prepareRequest(ctx, &r, m, q.Model); err != nil {
		return nil, err
	}
	res, err := c.http.Post(ctx, r)
	return checkStatus(res, err)
}

func (c *Client) headers(model string, bearer bool) http.Header {
	header := c.options.HTTP.HeaderFor(c.header, model)
	if key := header.Get("X-Api-Key"); bearer && key != "" {
		header.Del("X-Api-Key")
		if header["Authorization"] == nil {
			header.Set("Authorization", "Bearer "+key)
		}
	}
	return header
}

// checkStatus returns res if its status is 200, otherwise the error that its body
// reports.
func checkStatus(res *httpwire.Response, err error) (*httpwire.Response, error) {
	return httpwire.CheckStatus(res, err, func(host string, status int, header http.Header, body []byte) *llm.Error {
		return statusError(host, status, header, body, time.Now())
	})
}
