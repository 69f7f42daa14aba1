// Package anthropic speaks Anthropic's Messages protocol, as the vendor serves it
// and others who took it over (spec/agent.md §5).
//
// Messages go out as the bytes that are kept with them (see [llm.Content.Encoded]),
// those of one request being the beginning of the next one's, so that the
// vendor's prompt cache holds; events of an answer are decoded straight into
// [llm.Response]. The vendor's SDK is not used but in tests, where it judges both.
//
// The same messages go to Claude on Google's Vertex AI and on Amazon Bedrock,
// which have other addresses, other proofs of who asks, and Bedrock another
// framing of what it streams; and to the services of others who speak this
// protocol, whose ways are data: see [Quirks].
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
	"strings"
	"sync/atomic"
	"time"

	"pollux/llm"
	"pollux/llm/adc"
	"pollux/llm/httpwire"
	"pollux/llm/lessons"
)

// Options says which service to use and how to reach it. APIKey or AuthToken is
// needed, unless BaseURL leads to a service that asks for neither, or it is one of
// Vertex and Bedrock, which have their own ways.
type Options struct {
	// APIKey is sent as x-api-key, AuthToken as a bearer token.
	APIKey    string
	AuthToken string

	// Vertex makes it Claude on Google's Vertex AI. Credentials returns a token
	// for each request there; without it, and without AuthToken, these are of the
	// machine's application default credentials, looked for at the first request
	// where ADC says.
	Vertex      *Vertex
	Credentials func(ctx context.Context) (token string, err error)
	ADC         adc.Source
	// Bedrock makes it Claude on Amazon Bedrock. AuthToken is a bearer key there.
	Bedrock *Bedrock

	// BaseURL replaces the service's own address, which is https://api.anthropic.com
	// but for Vertex and Bedrock; with "/v1" behind it or without, with a slash at
	// the end or without.
	BaseURL string
	// Version is the version of the protocol, by default 2023-06-01, or what
	// Vertex and Bedrock have.
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

	// Quirks is what the service does its own way, and ForModel, if set, what
	// one of its models does beyond that.
	Quirks   Quirks
	ForModel func(model string, q *Quirks)

	// Log is told, at debug level, what of a request the service refused and
	// will not be sent again. Nil is nobody.
	Log *slog.Logger
}

// Client is an [llm.Generator] that asks models behind the Messages protocol. It
// holds idle connections, and what it has learned of models; nothing is read,
// resolved or dialled before the first request.
type Client struct {
	service   service
	form      form
	header    http.Header
	betas     []string
	userAgent string
	http      *httpwire.Client
	quirks    Quirks
	forModel  func(string, *Quirks)
	log       *slog.Logger

	models lessons.Memory[manner]
	// foreign is the last message whose thoughts were refused.
	foreign atomic.Pointer[llm.Content]
}

var _ llm.Generator = (*Client)(nil)

// New returns a client. The error says which option is wrong; an address that
// is none is reported as "Invalid custom base URL: X".
func New(o Options) (*Client, error) {
	c := &Client{
		userAgent: cmp.Or(o.UserAgent, "Pollux"), quirks: o.Quirks, forModel: o.ForModel, log: o.Log,
	}
	if c.log == nil {
		c.log = slog.New(slog.DiscardHandler)
	}
	c.http = httpwire.NewClient(httpwire.Options{
		Proxy: o.Proxy, NoProxy: o.NoProxy, RootCAs: o.RootCAs, Secure: !strings.HasPrefix(strings.TrimSpace(o.BaseURL), "http:"),
	})
	if err := c.setHeader(o); err != nil {
		return nil, err
	}
	if err := c.setService(o); err != nil {
		return nil, err
	}
	c.form = c.service.form()
	if c.form.version != "" {
		c.header.Del("Anthropic-Version")
	}
	return c, nil
}

// setHeader sets what each request has in its header.
func (c *Client) setHeader(o Options) error {
	c.header = http.Header{"Content-Type": {"application/json"}}
	c.header.Set("Anthropic-Version", cmp.Or(o.Version, "2023-06-01"))
	service := cmp.Or(o.BaseURL, "Anthropic")
	key, err := httpwire.Key(o.APIKey, service)
	if err != nil {
		return err
	}
	token, err := httpwire.Key(o.AuthToken, service)
	if err != nil {
		return err
	}
	switch {
	case o.Vertex != nil:
		key = "" // Google has no keys for it
	case o.Bedrock != nil:
		key, token = "", cmp.Or(token, key)
	}
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
	c.header.Del(betaHeader)
	return nil
}

func (c *Client) setService(o Options) (err error) {
	proven := c.header["Authorization"] != nil
	switch {
	case o.Vertex != nil:
		var tokens adc.Tokens
		switch {
		case proven:
		case o.Credentials != nil:
			tokens = adc.Given(o.Credentials)
		default:
			tokens = o.ADC.Tokens(c.http.HTTP)
		}
		c.service, err = newVertex(o, tokens)
	case o.Bedrock != nil:
		c.service, err = newBedrock(o, proven)
	case o.BaseURL == "" && !proven && c.header["X-Api-Key"] == nil:
		err = errors.New("anthropic needs an API key")
	default:
		c.service, err = newDirect(o.BaseURL)
	}
	return err
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
	for event, err := range c.service.events(ctx, res) {
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
			res.Drain()
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

// CountTokens implements [llm.Generator]. Services that do not count (Bedrock,
// and most that only speak this protocol) make it an error for which
// errors.Is(err, errors.ErrUnsupported) holds.
func (c *Client) CountTokens(ctx context.Context, req *llm.Request) (int, error) {
	q := c.ask(req, false)
	body := q.countBody()
	if len(q.runs) == 0 {
		return 0, nil // the service refuses to count nothing
	}
	res, err := c.post(ctx, q, toCount, body)
	if err != nil {
		return 0, unserved(err)
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

// Embed implements [llm.Generator]: this vendor has no embeddings.
func (c *Client) Embed(ctx context.Context, model string, _ []string) ([][]float32, error) {
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	return nil, &llm.Error{Kind: llm.KindBadRequest, Message: fmt.Sprintf("%s makes no embeddings: the Messages protocol has none", model)}
}

// ask returns req with what is known of its model.
func (c *Client) ask(req *llm.Request, stream bool) *question {
	return &question{
		Request: req, manner: *c.manner(req.Model), form: c.form, betas: c.betas, stream: stream, foreign: c.foreign.Load(),
		unmarked: !isConversation(req.Use),
	}
}

// manner returns how requests about a model are written.
func (c *Client) manner(model string) *manner {
	return c.models.Of(model, func() *manner {
		m := &manner{Quirks: c.quirks}
		if c.forModel != nil {
			c.forModel(model, &m.Quirks)
		}
		// Signatures are looked at only where Claude is.
		m.Unsigned = m.Unsigned || !isClaude(model) && c.form.version == ""
		return m
	})
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
	m := toAnswer
	if q.stream {
		m = toStream
	}
	for refused := 1; ; refused++ {
		res, err := c.post(ctx, q, m, q.body())
		var refusal *llm.Error
		if err == nil || refused > maxRefusals || !errors.As(err, &refusal) || !q.learn(refusal) {
			return res, err
		}
		c.log.DebugContext(ctx, "the service refused a request; asking again without what it names",
			"model", q.Model, "refusal", refusal.Message)
		learned := q.manner
		c.models.Learn(q.Model, func(manner) *manner { return &learned })
		c.foreign.Store(q.foreign)
	}
}

// post sends a request and returns once the answer's header is there. Any other
// status than 200 is an error.
func (c *Client) post(ctx context.Context, q *question, m method, body *httpwire.Body) (*httpwire.Response, error) {
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	r := httpwire.Request{Header: c.headers(q.Model, q.Bearer), Body: body, Patience: httpwire.PatienceAnswer}
	if m == toStream {
		r.Patience = httpwire.PatienceStream
	}
	if betas := q.allBetas(); len(betas) > 0 && !q.form.quiet {
		r.Header.Set(betaHeader, strings.Join(betas, ","))
	}
	if err := c.service.aim(ctx, &r, m, q.Model); err != nil {
		return nil, err
	}
	res, err := c.http.Post(ctx, r)
	return checked(res, err)
}

// headers returns what is in the header of every request about a model.
func (c *Client) headers(model string, bearer bool) http.Header {
	header := c.header.Clone()
	if header["User-Agent"] == nil {
		header.Set("User-Agent", strings.ReplaceAll(c.userAgent, "{model}", model))
	}
	if key := header.Get("X-Api-Key"); bearer && key != "" {
		header.Del("X-Api-Key")
		if header["Authorization"] == nil {
			header.Set("Authorization", "Bearer "+key)
		}
	}
	return header
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
	return nil, statusError(res.Status, res.Header, data, time.Now())
}
