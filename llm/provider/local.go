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

	"pollux/llm/catalog"
	"pollux/llm/httpwire"
)

// Discover asks the usual ports of this machine for servers of models, all at
// once and no longer than patience, and returns those that answered, in the
// table's order. Nothing but the loopback interface is asked, whatever the
// environment says.
func (t *Table) Discover(ctx context.Context, patience time.Duration) []Access {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
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
			at := url.URL{Scheme: "http", Host: net.JoinHostPort("127.0.0.1", strconv.Itoa(p.Local.Port)), Path: p.Local.Probe}
			data, err := probe(ctx, at.String())
			found[i] = err == nil && says(data, p.Local.Says)
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

// says reports whether data is a JSON object with this member.
func says(data []byte, member string) bool {
	var object map[string]json.RawMessage
	return json.Unmarshal(data, &object) == nil && object[member] != nil
}

// maxProbe and maxLocal bound what is read of an answer, in bytes: of somebody who
// may be anybody, and of a server that is used.
const (
	maxProbe = 1 << 20
	maxLocal = 8 << 20
)

// probe returns what is at an address of this machine.
func probe(ctx context.Context, address string) ([]byte, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return nil, err
	}
	// No proxy: the server is here. No redirect: it may lead elsewhere.
	transport := &http.Transport{DisableKeepAlives: true, DisableCompression: true, MaxResponseHeaderBytes: 64 << 10}
	client := &http.Client{Transport: transport, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	res, err := client.Do(req)
	if err != nil {
		return nil, err
	}
	defer res.Body.Close()
	return body(res.StatusCode, res.Body, maxProbe)
}

// body reads what was answered.
func body(status int, from io.Reader, most int64) ([]byte, error) {
	if status != http.StatusOK {
		return nil, fmt.Errorf("it says %d", status)
	}
	data, err := io.ReadAll(io.LimitReader(from, most+1))
	if err == nil && int64(len(data)) > most {
		err = errors.New("it says too much")
	}
	return data, err
}

// get returns what is at a path on the provider's host.
func (c *Client) get(ctx context.Context, path string) ([]byte, error) {
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
	res, err := c.beside().Get(ctx, httpwire.Request{URL: at, Header: header, Patience: time.Minute})
	if err != nil {
		return nil, err
	}
	defer res.Close()
	return body(res.Status, res.Body, maxLocal)
}

// listLocal returns what a local server's own list says of its models: LM
// Studio's has a type, what is loaded and how much that takes.
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
		return nil, fmt.Errorf("read the models of %s: %w", c.access.Name, err)
	}
	var loaded, rest []catalog.Model
	for _, m := range list.Data {
		if m.ID == "" || strings.Contains(m.Type, "embed") {
			continue
		}
		model := catalog.Model{Name: m.ID, Input: cmp.Or(m.Loaded, m.Max), Images: catalog.If(m.Type == "vlm")}
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

// sizeOf returns how much a local server's models take, 0 if it does not say.
func (c *Client) sizeOf(ctx context.Context, l *Local) int {
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
