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

// Network is how any provider is reached from here.
type Network struct {
	// Header is added to each request, and wins over what would be there.
	Header http.Header
	// UserAgent names the caller; "{model}" in it becomes the request's model.
	UserAgent string
	// Session tells one conversation from others: what a profile has of "{session}"
	// in headers and members of the body becomes it, so that a provider finds the
	// prompts that it keeps.
	Session string
	Proxy   *url.URL
	NoProxy string
	RootCAs []string // PEM files
	Log     *slog.Logger
}

// Client asks a provider's models. Nothing is dialled before the first request.
type Client struct {
	access  Access
	network Network

	secret *secret
	beside func() *httpwire.Client // for what local servers say outside of their protocol

	asking sync.Once // which models a local server has
	mu     sync.Mutex
	made   map[Protocol]llm.Generator
	listed map[string]catalog.Model // what the provider has said of its models
	known  map[string]catalog.Model // what Describe has returned since
	silent time.Time                // when a server on this machine last did not answer
}

// Open returns a provider's client. The error says what is wrong with how it is
// to be reached.
func Open(a Access, n Network) (*Client, error) {
	if n.Log == nil {
		n.Log = slog.New(slog.DiscardHandler)
	}
	c := &Client{access: a, network: n, secret: secretsOf(&a, &n), made: map[Protocol]llm.Generator{}}
	c.network.Log = c.secret.log(n.Log)
	c.beside = sync.OnceValue(func() *httpwire.Client {
		return httpwire.NewClient(httpwire.Options{
			Proxy: n.Proxy, NoProxy: n.NoProxy, RootCAs: n.RootCAs, Secure: strings.HasPrefix(a.BaseURL, "https:"),
		})
	})
	_, err := c.speaking(a.Protocol)
	return c, c.secret.hide(err)
}

// For returns the generator that a model is asked with. What is secret of the
// access is not in its errors.
func (c *Client) For(model string) (llm.Generator, error) {
	g, err := c.speaking(c.access.Speaks(model))
	if err != nil {
		return nil, c.secret.hide(err)
	}
	return discreet(g, c.secret), nil
}

// speaking returns the generator of a protocol. OpenAI's two share one, which
// knows by the model's name which to speak.
func (c *Client) speaking(p Protocol) (llm.Generator, error) {
	if p == Responses {
		p = Chat
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if g := c.made[p]; g != nil {
		return g, nil
	}
	g, err := c.make(p)
	if err != nil {
		return nil, err
	}
	c.made[p] = g
	return g, nil
}

func (c *Client) make(p Protocol) (llm.Generator, error) {
	a, n, header := c.access, c.network, c.header()
	if a.Nowhere() {
		return nil, fmt.Errorf("%s has no address: set %s", cmp.Or(a.Name, a.ID), strings.Join(a.BaseURLVars, " or "))
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
			Vendor: a.ID, ForModel: c.openaiWays,
			Header: header, UserAgent: n.UserAgent, Proxy: n.Proxy, NoProxy: n.NoProxy, RootCAs: n.RootCAs,
			Log: func(message string) { n.Log.Debug(message) },
		})
	case Anthropic, AnthropicVertex, Bedrock:
		o := anthropic.Options{
			APIKey: a.APIKey, AuthToken: a.AuthToken, BaseURL: a.BaseURL,
			ForModel: c.anthropicWays,
			Header:   header, UserAgent: n.UserAgent, Proxy: n.Proxy, NoProxy: n.NoProxy, RootCAs: n.RootCAs, Log: n.Log,
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
			BaseURL: a.BaseURL, APIKey: cmp.Or(a.APIKey, a.AuthToken), Window: c.window,
			Header: header, UserAgent: n.UserAgent, Proxy: n.Proxy, NoProxy: n.NoProxy, RootCAs: n.RootCAs,
			Log: func(message string) { n.Log.Debug(message) },
		})
	case Gemini, Vertex:
		o := gemini.Options{
			APIKey: a.APIKey, Bearer: a.Bearer, Gateway: a.Gateway, BaseURL: a.BaseURL, APIVersion: a.APIVersion,
			Header: header, UserAgent: n.UserAgent, Proxy: n.Proxy, NoProxy: n.NoProxy, RootCAs: n.RootCAs,
			Log: func(message string) { n.Log.Debug(message) },
		}
		if p == Vertex {
			o.Vertex, o.ADC = &gemini.Vertex{Project: a.Project, Location: a.Location}, a.ADC
		}
		return gemini.New(o)
	}
	return nil, fmt.Errorf("no client speaks %q", p)
}

// header returns what each request has in its header, whatever it asks.
func (c *Client) header() http.Header {
	header := http.Header{}
	for name, value := range c.access.Headers {
		header.Set(name, strings.ReplaceAll(value, "{session}", c.network.Session))
	}
	maps.Copy(header, c.network.Header)
	return header
}

// keyHeader is the header that a key goes into, "" for a bearer token.
func keyHeader(a *Access) string {
	if a.APIKey == "" {
		return ""
	}
	return a.KeyHeader
}

// openaiWays tells OpenAI's client how a model is spoken to.
func (c *Client) openaiWays(model string, q *openai.Quirks) {
	p := c.access.Profile
	own, err := ways[openai.Quirks](p, p.rules(model))
	if err != nil {
		return // it was checked when the profile was read
	}
	*q = own
	if p.Speaks(model) == Responses {
		q.Protocol = openai.Responses
	}
	for name, value := range q.Extra {
		q.Extra[name] = bytes.ReplaceAll(value, []byte("{session}"), []byte(c.network.Session))
	}
	if byEffort := q.Thinking == openai.ThinkingEffort || q.Thinking == openai.ThinkingObject; byEffort && q.Efforts == nil {
		q.Efforts = p.Describe(model, catalog.Model{}).Efforts
	}
}

// anthropicWays does so for Anthropic's.
func (c *Client) anthropicWays(model string, q *anthropic.Quirks) {
	p := c.access.Profile
	if p.Speaks(model) != p.Protocol {
		p = &Profile{} // its quirks are those of another protocol
	}
	own, err := ways[anthropic.Quirks](p, c.access.rules(model))
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

// window returns how much the user wants a local server to take with a model, 0
// where the rules do not say.
func (c *Client) window(model string) int {
	n := 0
	for _, r := range c.access.rules(model) {
		n = cmp.Or(r.Window, n)
	}
	return n
}

// lister is a generator whose provider can say which models it has.
type lister interface {
	Models(ctx context.Context) ([]catalog.Model, error)
}

// Models lists what the provider offers, with all that is known of each. Where
// it does not say, or the error tells why it could not, the list is what the
// built-in table and the user's rules have of it.
func (c *Client) Models(ctx context.Context) ([]catalog.Model, error) {
	models, err := c.list(ctx)
	if len(models) == 0 {
		models = slices.Collect(catalog.Models(c.access.ID))
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
	}
	return models, c.secret.hide(err)
}

// list asks the provider for its models, and remembers what it says.
func (c *Client) list(ctx context.Context) ([]catalog.Model, error) {
	var models []catalog.Model
	var err error
	l := c.access.Local
	if l != nil && l.List != "" {
		models, err = c.listLocal(ctx, l.List)
	}
	if len(models) == 0 {
		g, made := c.speaking(c.access.Protocol)
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
	models = slices.DeleteFunc(models, func(m catalog.Model) bool { return !nameable(m.Name) })
	if l != nil {
		if n := c.sizeOf(ctx, l); n > 0 {
			for i := range models {
				models[i].Input = n
			}
		}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.known = nil
	c.listed = make(map[string]catalog.Model, len(models))
	for _, m := range models {
		c.listed[m.Name] = m
	}
	return models, err
}

// nameable reports whether a user could write a model's name, and see it: lists
// come from anybody.
func nameable(name string) bool {
	return name != "" && len(name) <= 256 && !strings.ContainsFunc(name, func(r rune) bool { return r == ' ' || !unicode.IsPrint(r) })
}

// knower is a generator whose server says what a model can do when it is asked
// about that one, and may find out more later.
type knower interface {
	Model(ctx context.Context, name string) (catalog.Model, error)
}

// ask asks a server about a model, if it has not failed to answer a moment ago.
// What it does not say the table does.
func (c *Client) ask(ctx context.Context, server knower, model string) catalog.Model {
	c.mu.Lock()
	silent := time.Since(c.silent) < 10*time.Second
	c.mu.Unlock()
	if silent {
		return catalog.Model{}
	}
	said, err := server.Model(ctx, model)
	if err != nil {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.silent = time.Now()
	}
	return said
}

// Describe returns what is known of a model. A server on this machine is asked
// once what it has, for no more than half a second; others only by Models.
func (c *Client) Describe(ctx context.Context, model string) catalog.Model {
	if c.access.Local != nil {
		ctx, cancel := context.WithTimeout(ctx, 500*time.Millisecond)
		defer cancel()
		if g, err := c.speaking(c.access.Speaks(model)); err == nil {
			if one, ok := g.(knower); ok {
				return c.access.Profile.Describe(model, c.ask(ctx, one, model))
			}
		}
		c.asking.Do(func() { _, _ = c.list(ctx) }) // as above
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	m, known := c.known[model]
	if !known {
		m = c.access.Profile.Describe(model, c.listed[model])
		if c.known == nil {
			c.known = map[string]catalog.Model{}
		}
		c.known[model] = m
	}
	return m
}
