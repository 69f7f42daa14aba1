package provider

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"time"

	"pollux/llm"
	"pollux/llm/catalog"
	"pollux/llm/httpwire"
)

// responseTimeout is how long [Table.Discover] waits for the response of a server that has
// accepted a connection. A server that is loading a model may need that long.
const responseTimeout = time.Second

// Discover looks for model servers on their usual ports of this machine, all at the same
// time. A server must accept a connection within connectTimeout; it then has as long again,
// or responseTimeout if that is longer, to respond. Discover returns the servers that
// responded, in the order of the table. It connects only to the loopback interface, without
// a proxy.
func (t *Table) Discover(ctx context.Context, connectTimeout time.Duration) []Access {
	ctx, cancel := context.WithTimeout(ctx, connectTimeout+max(connectTimeout, responseTimeout))
	defer cancel()
	dialer := &net.Dialer{Timeout: connectTimeout}
	var locals []*Profile
	for p := range t.All() {
		if p.Local != nil {
			locals = append(locals, p)
		}
	}
	found := make([]bool, len(locals))
	var all sync.WaitGroup
	for i, p := range locals {
		all.Go(func() {
			answers := func(path, marker string) bool {
				at := url.URL{Scheme: "http", Host: net.JoinHostPort("127.0.0.1", strconv.Itoa(p.Local.Port)), Path: path}
				data, err := probe(ctx, dialer, at.String())
				return err == nil && hasMember(data, marker)
			}
			found[i] = answers(p.Local.Probe, p.Local.Marker) ||
				p.Protocol == Chat && p.Local.List != "" && answers("/v1/models", "data") // another server with OpenAI's protocol
		})
	}
	all.Wait()
	var there []Access
	ports := map[int]bool{}
	for i, p := range locals {
		if found[i] && !ports[p.Local.Port] {
			ports[p.Local.Port] = true
			a, _ := p.Access(func(string) string { return "" })
			if u, err := url.Parse(a.BaseURL); err == nil { // it was checked
				u.Scheme, u.Host = "http", net.JoinHostPort("127.0.0.1", strconv.Itoa(p.Local.Port))
				a.BaseURL = u.String()
			}
			a.From = a.BaseURL
			there = append(there, a)
		}
	}
	return there
}

func hasMember(data []byte, member string) bool {
	var object map[string]json.RawMessage
	return json.Unmarshal(data, &object) == nil && object[member] != nil
}

// maxProbe and maxList are the sizes of the longest responses that are read, in bytes:
// from an unknown server, and from one that the user has chosen.
const (
	maxProbe = 1 << 20
	maxList  = 8 << 20
)

// probe returns the response from an address on this machine, with a connection of dialer.
func probe(ctx context.Context, dialer *net.Dialer, address string) ([]byte, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return nil, err
	}
	// No proxy: the server is here. No redirect: it may lead elsewhere.
	transport := &http.Transport{DialContext: dialer.DialContext, DisableKeepAlives: true, DisableCompression: true, MaxResponseHeaderBytes: 64 << 10}
	client := &http.Client{Transport: transport, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	res, err := client.Do(req)
	if err != nil {
		return nil, err
	}
	defer res.Body.Close()
	return readBody(res.StatusCode, res.Body, maxProbe)
}

// readBody returns the body of a response with status 200 and at most limit bytes.
func readBody(status int, from io.Reader, limit int64) ([]byte, error) {
	if status != http.StatusOK {
		return nil, fmt.Errorf("the server returned status %d", status)
	}
	data, err := io.ReadAll(io.LimitReader(from, limit+1))
	if err == nil && int64(len(data)) > limit {
		err = errors.New("the response is too large")
	}
	return data, err
}

// checkPath requests a path on the host of the provider. The error has the status of the
// response.
func (c *Client) checkPath(ctx context.Context, path string) error {
	res, err := c.request(ctx, path)
	if err != nil {
		return err
	}
	defer res.Close()
	switch res.Status {
	case http.StatusOK:
		return nil
	case http.StatusUnauthorized:
		return &llm.Error{Kind: llm.KindUnauthorized, Status: res.Status, Message: "status 401 (unauthorized)"}
	}
	return &llm.Error{Status: res.Status}
}

// get returns the response from a path on the host of the provider.
func (c *Client) get(ctx context.Context, path string) ([]byte, error) {
	res, err := c.request(ctx, path)
	if err != nil {
		return nil, err
	}
	defer res.Close()
	return readBody(res.Status, res.Body, maxList)
}

func (c *Client) request(ctx context.Context, path string) (*httpwire.Response, error) {
	base, err := url.Parse(c.access.BaseURL)
	if err != nil {
		return nil, err
	}
	header := c.header()
	header.Set("User-Agent", strings.ReplaceAll(c.network.UserAgent, "{model}", ""))
	if key := cmp.Or(c.access.APIKey, c.access.AuthToken); key != "" && header.Get("Authorization") == "" {
		header.Set("Authorization", "Bearer "+key)
	}
	at := &url.URL{Scheme: base.Scheme, User: base.User, Host: base.Host, Path: path}
	return c.sideClient().Get(ctx, httpwire.Request{URL: at, Header: header, HeaderTimeout: time.Minute})
}

// listLocal returns the models in a local server's own list, loaded ones first. The
// list of LM Studio has types, states and sizes of context windows.
func (c *Client) listLocal(ctx context.Context, path string) ([]catalog.Model, error) {
	data, err := c.get(ctx, path)
	if err != nil {
		return nil, err
	}
	var list struct {
		Data []struct {
			ID, Type, State string
			Max             int      `json:"max_context_length"`
			Loaded          int      `json:"loaded_context_length"`
			Capabilities    []string `json:"capabilities"`
		}
	}
	if err := json.Unmarshal(data, &list); err != nil {
		return nil, fmt.Errorf("cannot read the models of %s: %w", c.access.Name, err)
	}
	var loaded, rest []catalog.Model
	for _, m := range list.Data {
		if m.ID == "" || strings.Contains(m.Type, "embed") {
			continue
		}
		model := catalog.Model{Name: m.ID, Input: cmp.Or(m.Loaded, m.Max), Images: catalog.FromBool(m.Type == "vlm")}
		for _, can := range m.Capabilities {
			if can == "tool_use" {
				model.Tools = catalog.Yes
			}
		}
		if m.State == "loaded" {
			loaded = append(loaded, model)
		} else {
			rest = append(rest, model)
		}
	}
	return append(loaded, rest...), nil
}

// fetchWindow returns the size of a local server's context window in tokens, 0 if it
// is unknown.
func (c *Client) fetchWindow(ctx context.Context, l *Local) int {
	if l.Window == "" {
		return 0
	}
	data, err := c.get(ctx, l.Window)
	if err != nil {
		return 0
	}
	for name := range strings.SplitSeq(l.WindowAt, ".") {
		var object map[string]json.RawMessage
		if json.Unmarshal(data, &object) != nil {
			return 0
		}
		data = object[name]
	}
	n, err := strconv.Atoi(string(bytes.TrimSpace(data)))
	if err != nil || n < 0 {
		return 0
	}
	return n
}
