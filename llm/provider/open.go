package provider

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"
	"unicode"

	"pollux/llm"
	"pollux/llm/anthropic"
	"pollux/llm/catalog"
	"pollux/llm/gemini"
	"pollux/llm/httpwire"
	"pollux/llm/ollama"
	"pollux/llm/openai"
)

// Network holds the settings for connections to any provider.
type Network struct {
	// Header is added to each request, and replaces headers of the same name.
	Header http.Header
	// UserAgent is the header User-Agent. "{model}" in it is replaced by the model.
	UserAgent string
	// Session is the id of the session. It replaces "{session}" in the headers and
	// extra body members of a profile, which providers use to find cached prompts.
	Session string
	Proxy   *url.URL
	NoProxy string
	RootCAs []string // PEM files
	// Connections are shared with other clients; nil means connections of its own.
	Connections *httpwire.Connections
	// Timeouts limit how long requests for answers wait for the provider, if its profile
	// does not. By default a server at a private address has 30 minutes until the first
	// byte, and any other one the time that is usual for its protocol.
	Timeouts httpwire.Timeouts
	Log      *slog.Logger
}

// Client sends requests to a provider. It connects at the first request.
type Client struct {
	access  Access
	network Network

	redactor   *redactor
	sideClient func() *httpwire.Client // for paths outside of the protocol

	listOnce   sync.Once // the models of a local server
	mu         sync.Mutex
	generators map[Protocol]llm.Generator
	listed     map[string]catalog.Model // by the provider, by name
	described  map[string]catalog.Model // by Describe, since the last list
	failedAt   time.Time                // when a local server last did not answer
}

// Open returns a client for a provider. It fails if the address or the credentials
// cannot be used.
func Open(a Access, n Network) (*Client, error) {
	if n.Log == nil {
		n.Log = slog.New(slog.DiscardHandler)
	}
	c := &Client{access: a, network: n, redactor: newRedactor(&a, &n), generators: map[Protocol]llm.Generator{}}
	c.network.Log = c.redactor.redactLog(n.Log)
	c.sideClient = sync.OnceValue(func() *httpwire.Client {
		return httpwire.NewClient(httpwire.Options{
			Proxy: n.Proxy, NoProxy: n.NoProxy, RootCAs: n.RootCAs, Connections: n.Connections, Secure: strings.HasPrefix(a.BaseURL, "https:"),
		})
	})
	_, err := c.generator(a.Protocol)
	return c, c.redactor.redactError(err)
}

// For returns the generator for a model. Its errors contain none of the credentials.
func (c *Client) For(model string) (llm.Generator, error) {
	g, err := c.generator(c.access.ProtocolFor(model))
	if err != nil {
		return nil, c.redactor.redactError(err)
	}
	return redactErrors(g, c.redactor), nil
}

// generator returns the generator for a protocol. OpenAI's two protocols share one,
// which chooses by the name of the model.
func (c *Client) generator(p Protocol) (llm.Generator, error) {
	if p == Responses {
		p = Chat
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if g := c.generators[p]; g != nil {
		return g, nil
	}
	g, err := c.newGenerator(p)
	if err != nil {
		return nil, err
	}
	c.generators[p] = g
	return g, nil
}

func (c *Client) newGenerator(p Protocol) (llm.Generator, error) {
	a, n, header := c.access, c.network, c.header()
	wire := httpwire.Options{
		Header: header, UserAgent: n.UserAgent, Proxy: n.Proxy, NoProxy: n.NoProxy, RootCAs: n.RootCAs, Connections: n.Connections,
		Timeouts: a.timeouts(n.Timeouts),
	}
	log := func(message string) { n.Log.Debug(message) }
	if a.LacksAddress() {
		return nil, fmt.Errorf("%s needs an address. Set %s", cmp.Or(a.Name, a.ID), strings.Join(a.BaseURLVars, " or "))
	}
	if a.KeyHeader != "" && a.APIKey != "" && p != Chat {
		header.Set(a.KeyHeader, a.APIKey)
		a.APIKey, a.Gateway = "", true
	}
	if p.family() == Gemini && a.APIKey == "" && a.AuthToken != "" {
		header.Set("Authorization", "Bearer "+a.AuthToken)
		a.Gateway = true
	}
	switch p {
	case Chat:
		return openai.New(openai.Options{
			APIKey: cmp.Or(a.APIKey, a.AuthToken), KeyHeader: keyHeader(&a), BaseURL: a.BaseURL,
			Vendor: a.ID, ForModel: c.openaiQuirks, HTTP: wire, Log: log,
		})
	case Anthropic, AnthropicVertex, Bedrock:
		o := anthropic.Options{
			APIKey: a.APIKey, AuthToken: a.AuthToken, BaseURL: a.BaseURL, ForModel: c.anthropicQuirks, HTTP: wire, Log: n.Log,
		}
		switch p {
		case AnthropicVertex:
			o.Vertex, o.ADC = &anthropic.Vertex{Project: a.Project, Location: a.Location}, a.ADC
		case Bedrock:
			o.Bedrock = a.AWS
		}
		return anthropic.New(o)
	case Ollama:
		return ollama.New(ollama.Options{
			BaseURL: a.BaseURL, APIKey: cmp.Or(a.APIKey, a.AuthToken), Window: c.window, HTTP: wire, Log: log,
		})
	case Gemini, Vertex:
		o := gemini.Options{
			APIKey: a.APIKey, Bearer: a.Bearer, Gateway: a.Gateway, BaseURL: a.BaseURL, APIVersion: a.APIVersion, HTTP: wire, Log: log,
		}
		if p == Vertex {
			o.Vertex, o.ADC = &gemini.Vertex{Project: a.Project, Location: a.Location}, a.ADC
		}
		return gemini.New(o)
	}
	return nil, fmt.Errorf("unknown protocol %q", p)
}

// header returns the headers that are added to each request.
func (c *Client) header() http.Header {
	header := http.Header{}
	for name, value := range c.access.Headers {
		header.Set(name, strings.ReplaceAll(value, "{session}", c.network.Session))
	}
	maps.Copy(header, c.network.Header)
	return header
}

// keyHeader returns the name of the header for the key, "" if a bearer token is sent.
func keyHeader(a *Access) string {
	if a.APIKey == "" {
		return ""
	}
	return a.KeyHeader
}

// openaiQuirks sets the quirks of a model for the client of OpenAI's protocols.
func (c *Client) openaiQuirks(model string, q *openai.Quirks) {
	p := c.access.Profile
	own, err := decodeQuirks[openai.Quirks](p, p.rules(model))
	if err != nil {
		return // it was checked when the profile was read
	}
	*q = own
	if p.ProtocolFor(model) == Responses {
		q.Protocol = openai.Responses
	}
	for name, value := range q.Extra {
		q.Extra[name] = bytes.ReplaceAll(value, []byte("{session}"), []byte(c.network.Session))
	}
	if byEffort := q.Thinking == openai.ThinkingEffort || q.Thinking == openai.ThinkingObject; byEffort && q.Efforts == nil {
		q.Efforts = p.Describe(model, catalog.Model{}).Efforts
	}
}

// anthropicQuirks sets the quirks of a model for the client of Anthropic's protocol.
func (c *Client) anthropicQuirks(model string, q *anthropic.Quirks) {
	p := c.access.Profile
	if p.ProtocolFor(model) != p.Protocol {
		p = &Profile{} // its quirks are those of another protocol
	}
	own, err := decodeQuirks[anthropic.Quirks](p, c.access.rules(model))
	if err != nil {
		return // it was checked when the profile was read
	}
	*q = own
	if q.Vendor == "" && !slices.Contains([]string{"anthropic", "vertexai", "bedrock"}, c.access.ID) {
		q.Vendor = c.access.ID
	}
	if q.MaxTokens == 0 {
		q.MaxTokens = c.access.Describe(model, catalog.Model{}).Output
	}
}

// window returns the context window in tokens that the user has set for a model of a
// local server, 0 if there is none.
func (c *Client) window(model string) int {
	n := 0
	for _, r := range c.access.rules(model) {
		n = cmp.Or(r.Window, n)
	}
	return n
}

// lister is a generator that can list its models.
type lister interface {
	Models(ctx context.Context) ([]catalog.Model, error)
}

// Models returns the models of the provider, with all that is known about each. If the
// provider has no list, or the request for it fails, which the error reports, the
// models are those of the built-in table, unless the user has set the address, and of the user's
// rules.
func (c *Client) Models(ctx context.Context) ([]catalog.Model, error) {
	models, err := c.list(ctx)
	if len(models) == 0 {
		if !c.access.HasCustomAddress() {
			models = slices.Collect(catalog.Models(c.access.ID))
		}
		for i := range c.access.Profile.Models {
			for _, name := range c.access.Profile.Models[i].Match {
				if !strings.ContainsAny(name, "*?[") {
					models = append(models, catalog.Model{Name: name})
				}
			}
		}
	}
	for i, m := range models {
		models[i] = c.access.Profile.Describe(m.Name, m)
		if !catalog.HasWindow(c.access.ID, m.Name) {
			models[i].Input = c.access.Profile.describeListed(m.Name, m).Input
		}
	}
	return models, c.redactor.redactError(err)
}

// List returns the names of the models that the provider lists. It returns none if the provider
// has no list, or one that does not have the names that requests use.
func (c *Client) List(ctx context.Context) ([]string, error) {
	if c.access.ID == "azure" { // requests name deployments
		return nil, nil
	}
	models, err := c.list(ctx)
	names := make([]string, len(models))
	for i, m := range models {
		names[i] = m.Name
	}
	return names, c.redactor.redactError(err)
}

// CheckKey sends a request that needs the credentials and costs nothing. The error is
// [errors.ErrUnsupported] if the provider has no such request.
func (c *Client) CheckKey(ctx context.Context) error {
	return c.redactor.redactError(c.checkKey(ctx))
}

func (c *Client) checkKey(ctx context.Context) error {
	if path := c.access.KeyCheck; path != "" && !c.access.HasCustomAddress() {
		return c.checkPath(ctx, path)
	}
	g, err := c.generator(c.access.Protocol)
	if err != nil {
		return err
	}
	one, ok := g.(lister)
	if !ok {
		return errors.ErrUnsupported
	}
	_, err = one.Models(ctx)
	return err
}

// list requests the models of the provider and remembers them.
func (c *Client) list(ctx context.Context) ([]catalog.Model, error) {
	var models []catalog.Model
	var err error
	l := c.access.Local
	if l != nil && l.List != "" {
		models, err = c.listLocal(ctx, l.List)
	}
	if len(models) == 0 {
		g, made := c.generator(c.access.Protocol)
		if made != nil {
			return nil, made
		}
		one, ok := g.(lister)
		if !ok {
			return nil, nil
		}
		models, err = one.Models(ctx)
		if errors.Is(err, errors.ErrUnsupported) {
			return nil, nil
		}
		if err != nil {
			return nil, err
		}
	}
	models = slices.DeleteFunc(models, func(m catalog.Model) bool { return !isValidName(m.Name) })
	if l != nil {
		if n := c.fetchWindow(ctx, l); n > 0 {
			for i := range models {
				models[i].Input = n
			}
		}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.described = nil
	c.listed = make(map[string]catalog.Model, len(models))
	for _, m := range models {
		c.listed[m.Name] = m
	}
	return models, err
}

// isValidName reports whether a user can read and type the name of a model. Lists from
// servers are not trusted.
func isValidName(name string) bool {
	return name != "" && len(name) <= 256 && !strings.ContainsFunc(name, func(r rune) bool { return r == ' ' || !unicode.IsPrint(r) })
}

// modelDescriber is a generator whose server describes single models. A later
// description may have more details.
type modelDescriber interface {
	Model(ctx context.Context, name string) (catalog.Model, error)
}

// askServer returns the server's description of a model. It is empty if the server did
// not answer, now or in the last 10 seconds.
func (c *Client) askServer(ctx context.Context, server modelDescriber, model string) catalog.Model {
	c.mu.Lock()
	silent := time.Since(c.failedAt) < 10*time.Second
	c.mu.Unlock()
	if silent {
		return catalog.Model{}
	}
	said, err := server.Model(ctx, model)
	if err != nil {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.failedAt = time.Now()
	}
	return said
}

// Describe returns the data of a model. It asks a server on this machine for
// its list of models once, for at most half a second. Other providers are asked only by
// [Client.Models].
func (c *Client) Describe(ctx context.Context, model string) catalog.Model {
	if c.access.Local != nil {
		ctx, cancel := context.WithTimeout(ctx, 500*time.Millisecond)
		defer cancel()
		if g, err := c.generator(c.access.ProtocolFor(model)); err == nil {
			if describer, ok := g.(modelDescriber); ok {
				return c.access.Profile.Describe(model, c.askServer(ctx, describer, model))
			}
		}
		c.listOnce.Do(func() { _, _ = c.list(ctx) }) // the table completes the server's data
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	m, known := c.described[model]
	if !known {
		m = c.access.Profile.Describe(model, c.listed[model])
		if c.described == nil {
			c.described = map[string]catalog.Model{}
		}
		c.described[model] = m
	}
	return m
}
