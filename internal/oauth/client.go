package oauth

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"time"

	"pollux/internal/terminal"
	"pollux/llm/httpwire"
)

const (
	// maxReply is the maximum size of a reply, in bytes.
	maxReply = 1 << 20
	// replyTimeout limits each request.
	replyTimeout = 20 * time.Second
	// maxRedirects is the number of redirects that a request for metadata follows.
	maxRedirects = 3
)

// checkURL returns an error if no secret may be sent to an address, or no page there be trusted to ask for
// one: it must be an https address, or one of this machine.
func checkURL(what, address string) (*url.URL, error) {
	u, err := url.Parse(address)
	shown := address
	if err == nil {
		shown = u.Redacted()
	}
	switch {
	case err != nil || u.Host == "" || u.User != nil || u.Fragment != "" || !isVisible(address):
		return nil, fmt.Errorf("%s is not valid: %q", what, clean(shown))
	case u.Scheme != "https" && (u.Scheme != "http" || !IsLoopback(u.Hostname())):
		return nil, fmt.Errorf("%s is not an https URL: %q", what, clean(shown))
	}
	return u, nil
}

// checkFound is like [checkURL], for an address that the server or its authorization server has sent. A
// server elsewhere must not send Pollux to services of this machine.
func (s *Source) checkFound(what, address string) error {
	u, err := checkURL(what, address)
	if err != nil {
		return err
	}
	server, err := url.Parse(s.endpoint)
	if err != nil {
		return err
	}
	if IsLoopback(u.Hostname()) && !IsLoopback(server.Hostname()) {
		return fmt.Errorf("%s is on this machine, and the server is not: %q", what, clean(address))
	}
	return nil
}

// isVisible reports whether a text has only ASCII characters that are visible.
func isVisible(text string) bool {
	return !strings.ContainsFunc(text, func(r rune) bool { return r <= ' ' || r >= 0x7f })
}

// IsLoopback reports whether a host is this machine itself.
func IsLoopback(host string) bool {
	ip, err := netip.ParseAddr(host)
	return strings.EqualFold(host, "localhost") || err == nil && ip.Unmap().IsLoopback()
}

// httpClient returns a client for requests, which follows no redirects.
func (o *Options) httpClient() (*http.Client, error) {
	c := &http.Client{Transport: http.DefaultTransport, CheckRedirect: refuseRedirect}
	if o.Transport == nil {
		return c, nil
	}
	var err error
	c.Transport, err = o.Transport()
	return c, err
}

// refuseRedirect makes a client return the redirect itself.
func refuseRedirect(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }

type reply struct {
	status int
	header http.Header
	body   []byte
}

// send sends a request and reads the response. redirect decides whether to follow a redirect.
func (s *Source) send(req *http.Request, redirect func(*http.Request, []*http.Request) error) (*reply, error) {
	client, err := s.o.httpClient()
	if err != nil {
		return nil, err
	}
	client.CheckRedirect = redirect
	ctx, cancel := context.WithTimeoutCause(req.Context(), replyTimeout, fmt.Errorf("%s did not answer within %v", req.URL.Host, replyTimeout))
	defer cancel()
	req = req.WithContext(ctx)
	req.Close = true // such requests are rare: leave no connection behind
	req.Header.Set("Accept", "application/json")
	if s.o.UserAgent != "" {
		req.Header.Set("User-Agent", s.o.UserAgent)
	}
	resp, err := client.Do(req)
	if err != nil {
		return nil, networkError(ctx, req, err)
	}
	defer resp.Body.Close()
	r := &reply{status: resp.StatusCode, header: resp.Header}
	if req.Method == http.MethodHead {
		return r, nil
	}
	r.body, err = io.ReadAll(io.LimitReader(resp.Body, maxReply+1))
	if err != nil {
		return nil, networkError(ctx, req, err)
	}
	if len(r.body) > maxReply {
		return nil, fmt.Errorf("%s sent more than %d MiB", req.URL.Host, maxReply>>20)
	}
	return r, nil
}

// networkError describes why a request has failed, without the query of its address.
func networkError(ctx context.Context, req *http.Request, err error) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if e, ok := errors.AsType[*url.Error](err); ok {
		err = e.Err
	}
	if _, ok := errors.AsType[net.Error](err); ok {
		return fmt.Errorf("cannot reach %s: %s", req.URL.Host, httpwire.Reason(err))
	}
	return fmt.Errorf("request to %s: %w", req.URL.Host, err)
}

// errNoMetadata is the error for an address at which there is no metadata.
var errNoMetadata = errors.New("no metadata")

// metadata reads the JSON object at an address into v.
func (s *Source) metadata(ctx context.Context, address string, v any) error {
	if err := s.checkFound("the URL of metadata", address); err != nil {
		return err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return err
	}
	req.Header.Set("MCP-Protocol-Version", "2025-06-18")
	r, err := s.send(req, func(req *http.Request, via []*http.Request) error {
		if len(via) > maxRedirects {
			return errors.New("it redirects too often")
		}
		return s.checkFound("the redirect of metadata", req.URL.String())
	})
	if err != nil {
		return err
	}
	if r.status != http.StatusOK || json.Unmarshal(r.body, v) != nil {
		return errNoMetadata
	}
	return nil
}

// clean returns a text of others as one short line that is safe to print.
func clean(text string) string { return terminal.Cut(terminal.Line(text), 200) }
