// Package anthropic speaks Anthropic's Messages protocol, as the vendor serves it
// and others who took it over (spec/agent.md §5).
//
// Messages go out as the bytes that are kept with them (see [llm.Content.Encoded]),
// those of one request being the beginning of the next one's, so that the
// vendor's prompt cache holds; events of an answer are decoded straight into
// [llm.Response]. The vendor's SDK is not used but in tests, where it judges both.
//
// Claude on Vertex AI and on Bedrock, which wrap the same messages in other
// addresses, signatures and framings, is not served here.
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
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"pollux/llm"
	"pollux/llm/httpwire"
)

// Options says which service to use and how to reach it. APIKey or AuthToken is
// needed, unless BaseURL leads to a service that asks for neither.
type Options struct {
	// APIKey is sent as x-api-key, AuthToken as a bearer token.
	APIKey    string
	AuthToken string

	// BaseURL replaces https://api.anthropic.com; with "/v1" behind it or
	// without, with a slash at the end or without.
	BaseURL string
	// Version is what goes into anthropic-version, by default 2023-06-01.
	Version string
	// Header is added to each request, and wins over what would be there;
	// what it holds of anthropic-beta is added to what a request needs.
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

	// NoCache leaves out the marks up to which the service keeps a prompt. Only
	// conversations have any: see [llm.Use].
	NoCache bool
	// Log is told, at debug level, what of a request the service refused and
	// will not be sent again. Nil is nobody.
	Log *slog.Logger
}

// Client is an [llm.Generator] that asks models behind the Messages protocol. It
// holds idle connections, and what it has learned of models; nothing is read,
// resolved or dialled before the first request.
type Client struct {
	base      *url.URL
	header    http.Header
	betas     []string
	userAgent string
	http      *httpwire.Client
	noCache   bool
	log       *slog.Logger

	mu      sync.Mutex
	learned map[string]quirks // by model
	// foreign is the last message whose thoughts were refused.
	foreign *llm.Content
}

var _ llm.Generator = (*Client)(nil)

// New returns a client. The error says which option is wrong; an address that
// is none is reported as "Invalid custom base URL: X".
func New(o Options) (*Client, error) {
	key, token := strings.TrimSpace(o.APIKey), strings.TrimSpace(o.AuthToken)
	if key == "" && token == "" && o.BaseURL == "" {
		return nil, errors.New("anthropic needs an API key")
	}
	base, err := baseURL(o.BaseURL)
	if err != nil {
		return nil, err
	}
	c := &Client{
		base: base, userAgent: cmp.Or(o.UserAgent, "Pollux"), noCache: o.NoCache, log: o.Log,
		learned: map[string]quirks{},
		http: httpwire.NewClient(httpwire.Options{
			Proxy: o.Proxy, NoProxy: o.NoProxy, RootCAs: o.RootCAs, Secure: base.Scheme == "https",
		}),
	}
	if c.log == nil {
		c.log = slog.New(slog.DiscardHandler)
	}
	c.header = http.Header{"Content-Type": {"application/json"}}
	c.header.Set("Anthropic-Version", cmp.Or(o.Version, "2023-06-01"))
	if key != "" {
		c.header.Set("X-Api-Key", key)
	}
	if token != "" {
		c.header.Set("Authorization", "Bearer "+token)
	}
	for k, v := range o.Header {
		c.header[http.CanonicalHeaderKey(k)] = v
	}
	c.betas = list(c.header.Values(betaHeader))
	return c, nil
}

const (
	betaHeader = "Anthropic-Beta"
	// interlaced lets a model think between the calls of a turn.
	interlaced = "interleaved-thinking-2025-05-14"
)

// Stream implements [llm.Generator]. Where the service pauses an answer it is
// asked to go on; the caller sees one answer.
func (c *Client) Stream(ctx context.Context, req *llm.Request) iter.Seq2[*llm.Response, error] {
	return func(yield func(*llm.Response, error) bool) {
		q := c.ask(req, true)
		r := &reply{q: q}
		for range maxPauses {
			if !c.streamOnce(ctx, q, r, yield) {
				return
			}
			q.soFar = r.resume()
		}
		yield(nil, errPauses())
	}
}

// streamOnce sends q and yields what of r the answer brings. It reports whether
// the answer goes on with another request.
func (c *Client) streamOnce(ctx context.Context, q *question, r *reply, yield func(*llm.Response, error) bool) (more bool) {
	res, err := c.send(ctx, q)
	if err != nil {
		yield(nil, err)
		return false
	}
	defer res.Close()
	e := newEventDecoder()
	defer e.release()
	for event, err := range res.Events() {
		if err == nil {
			err = takeEvent(res, r, e, event)
		}
		if err != nil {
			yield(nil, err)
			return false
		}
		if chunk := r.chunk(); chunk != nil && !yield(chunk, nil) {
			return false
		}
		if r.ended {
			return r.isPaused()
		}
	}
	yield(nil, &llm.Error{Kind: llm.KindIncomplete, Message: "the model's answer ended before it was complete"})
	return false
}

// maxPauses bounds how often one answer may be paused.
const maxPauses = 16

func errPauses() error {
	return &llm.Error{Kind: llm.KindServer, Message: "the model's server paused the answer again and again"}
}

// Generate implements [llm.Generator].
func (c *Client) Generate(ctx context.Context, req *llm.Request) (*llm.Response, error) {
	q := c.ask(req, false)
	r := &reply{q: q}
	for range maxPauses {
		if err := c.generateOnce(ctx, q, r); err != nil {
			return nil, err
		}
		if !r.isPaused() {
			return r.chunk(), nil
		}
		q.soFar = r.resume()
	}
	return nil, errPauses()
}

func (c *Client) generateOnce(ctx context.Context, q *question, r *reply) error {
	res, err := c.send(ctx, q)
	if err != nil {
		return err
	}
	defer res.Close()
	data, err := res.ReadAll()
	if err != nil {
		return err
	}
	return takeWhole(res, r, data)
}

// CountTokens implements [llm.Generator].
func (c *Client) CountTokens(ctx context.Context, req *llm.Request) (int, error) {
	q := c.ask(req, false)
	body := q.countBody()
	if len(q.runs) == 0 {
		return 0, nil // the service refuses to count nothing
	}
	res, err := c.post(ctx, q, "/messages/count_tokens", body)
	if err != nil {
		return 0, err
	}
	defer res.Close()
	data, err := res.ReadAll()
	if err != nil {
		return 0, err
	}
	if err := res.CheckJSON(data); err != nil {
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

// Embed implements [llm.Generator]: this vendor has no embeddings.
func (c *Client) Embed(ctx context.Context, model string, _ []string) ([][]float32, error) {
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	return nil, &llm.Error{Kind: llm.KindBadRequest, Message: fmt.Sprintf("%s makes no embeddings: the Messages protocol has none", model)}
}

// ask returns req with what is known of its model.
func (c *Client) ask(req *llm.Request, stream bool) *question {
	c.mu.Lock()
	defer c.mu.Unlock()
	return &question{
		Request: req, quirks: c.learned[req.Model], stream: stream, foreign: c.foreign,
		noCache: c.noCache || !isConversation(req.Use),
	}
}

// isConversation reports whether a request will be the beginning of another one:
// only then is it worth what keeping it costs.
func isConversation(use llm.Use) bool {
	return use == "" || use == llm.UseMain || use == llm.UseSubagent
}

// maxRefusals bounds how often one request is changed.
const maxRefusals = 5

// send asks q, and again without what the service refuses for a reason that can
// be mended. What holds for the model is remembered.
func (c *Client) send(ctx context.Context, q *question) (*httpwire.Response, error) {
	for refused := 1; ; refused++ {
		res, err := c.post(ctx, q, "/messages", q.body())
		var refusal *llm.Error
		if err == nil || refused > maxRefusals || !errors.As(err, &refusal) || !q.learn(refusal) {
			return res, err
		}
		c.log.DebugContext(ctx, "the service refused a request; asking again without what it names",
			"model", q.Model, "refusal", refusal.Message)
		c.mu.Lock()
		c.learned[q.Model], c.foreign = q.quirks, q.foreign
		c.mu.Unlock()
	}
}

// post sends a request and returns once the answer's header is there. Any other
// status than 200 is an error.
func (c *Client) post(ctx context.Context, q *question, path string, body *httpwire.Body) (*httpwire.Response, error) {
	at := *c.base
	at.Path += path
	header := c.header.Clone()
	if header["User-Agent"] == nil {
		header.Set("User-Agent", strings.ReplaceAll(c.userAgent, "{model}", q.Model))
	}
	betas := c.betas
	if q.interlace && !slices.Contains(betas, interlaced) {
		betas = append(slices.Clip(betas), interlaced)
	}
	if len(betas) > 0 {
		header.Set(betaHeader, strings.Join(betas, ","))
	}
	patience := httpwire.PatienceAnswer
	if q.stream {
		patience = httpwire.PatienceStream
	}
	res, err := c.http.Post(ctx, httpwire.Request{URL: &at, Header: header, Body: body, Patience: patience})
	if err != nil || res.Status == http.StatusOK {
		return res, err
	}
	defer res.Close()
	data, err := res.ReadError()
	if err != nil {
		return nil, err
	}
	return nil, statusError(res.Status, res.Header, data, time.Now())
}
