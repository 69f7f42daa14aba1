package provider

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
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
			data, err := fetch(ctx, at.String(), "")
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
				u.Host = net.JoinHostPort("127.0.0.1", strconv.Itoa(p.Local.Port))
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

// maxLocal is how much of what a local server says of itself is read.
const maxLocal = 8 << 20

// fetch returns what is at an address of this machine.
func fetch(ctx context.Context, address, key string) ([]byte, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return nil, err
	}
	if key != "" {
		req.Header.Set("Authorization", "Bearer "+key)
	}
	// No proxy: the server is here. No redirect: it may lead elsewhere.
	transport := &http.Transport{DisableKeepAlives: true}
	client := &http.Client{Transport: transport, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	res, err := client.Do(req)
	if err != nil {
		return nil, err
	}
	defer res.Body.Close()
	if res.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("%s says %s", address, res.Status)
	}
	data, err := io.ReadAll(io.LimitReader(res.Body, maxLocal+1))
	if err == nil && len(data) > maxLocal {
		err = fmt.Errorf("%s says too much", address)
	}
	return data, err
}

// listLocal returns what a local server's own list says of its models: LM
// Studio's has a type, what is loaded and how much that takes.
func (c *Client) listLocal(ctx context.Context, path string) ([]catalog.Model, error) {
	data, err := fetch(ctx, c.beside(path), c.access.APIKey)
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
	data, err := fetch(ctx, c.beside(l.Window), c.access.APIKey)
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

// beside returns the address of a path on the provider's host.
func (c *Client) beside(path string) string {
	u, err := url.Parse(c.access.BaseURL)
	if err != nil {
		return path
	}
	return (&url.URL{Scheme: u.Scheme, Host: u.Host, Path: path}).String()
}
