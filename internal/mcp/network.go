package mcp

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"path/filepath"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// dial connects to a service: as its entry says, or first with streamable HTTP and then with SSE.
func (s *server) dial(ctx context.Context) (*sdk.ClientSession, error) {
	wire, err := s.newWire()
	if err != nil {
		return nil, err
	}
	client := &http.Client{Transport: wire}
	streamable := &sdk.StreamableClientTransport{Endpoint: s.config.Endpoint(), HTTPClient: client, MaxEventSize: maxMessage}
	sse := &sdk.SSEClientTransport{Endpoint: s.config.Endpoint(), HTTPClient: client, MaxEventSize: maxMessage}
	if s.config.Kind() == SSE {
		session, err := s.client().Connect(ctx, sse, handshake())
		return session, wire.explain(err)
	}
	session, err := s.client().Connect(ctx, streamable, handshake())
	err = wire.explain(err)
	if err == nil || ctx.Err() != nil || errors.Is(err, ErrUnauthorized) || !s.config.mayFallBack() {
		return session, err
	}
	session, errSSE := s.client().Connect(ctx, sse, handshake())
	if errSSE != nil {
		return nil, err
	}
	return session, nil
}

// ErrUnauthorized is the error for a service that refuses requests without a valid token.
var ErrUnauthorized = errors.New("it requires authentication")

// wire makes the HTTP requests to a service. It adds the headers of the service's entry, but not to requests
// that a redirect has led elsewhere, and limits the size of responses.
type wire struct {
	next    http.RoundTripper
	host    string // with the port
	scheme  string
	headers http.Header
	status  int // of the last response that was an error
}

func (s *server) newWire() (*wire, error) {
	u, err := url.Parse(s.config.Endpoint())
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return nil, fmt.Errorf("its URL is not valid: %q", s.config.Endpoint())
	}
	w := &wire{next: http.DefaultTransport, host: u.Host, scheme: u.Scheme, headers: http.Header{}}
	if s.all.o.Transport != nil {
		if w.next, err = s.all.o.Transport(); err != nil {
			return nil, err
		}
	}
	for name, value := range s.config.Headers {
		w.headers.Set(name, value)
	}
	return w, nil
}

// RoundTrip implements [http.RoundTripper].
func (w *wire) RoundTrip(req *http.Request) (*http.Response, error) {
	req = req.Clone(req.Context())
	if err := restoreMethod(req); err != nil {
		return nil, err
	}
	if req.URL.Host == w.host && req.URL.Scheme == w.scheme {
		for name, values := range w.headers {
			req.Header[name] = values
		}
	}
	resp, err := w.next.RoundTrip(req)
	if err != nil {
		return nil, err
	}
	if resp.StatusCode >= 400 {
		w.status = resp.StatusCode
	}
	if req.Method == http.MethodGet && resp.StatusCode == http.StatusNotFound {
		resp.StatusCode = http.StatusMethodNotAllowed // the server has no stream of its own
	}
	if !strings.HasPrefix(resp.Header.Get("Content-Type"), "text/event-stream") {
		resp.Body = &limited{resp.Body, maxMessage}
	}
	return resp, nil
}

// explain returns [ErrUnauthorized] in place of an error if the service wants a token.
func (w *wire) explain(err error) error {
	if err != nil && (w.status == http.StatusUnauthorized || strings.Contains(err.Error(), "401")) {
		return ErrUnauthorized
	}
	return err
}

// restoreMethod gives a request the standard name of its method, see [toWire].
func restoreMethod(req *http.Request) error {
	if req.Body == nil {
		return nil
	}
	body, err := io.ReadAll(req.Body)
	_ = req.Body.Close()
	if err != nil {
		return err
	}
	if bytes.Contains(body, []byte(`"`+ownPrefix)) {
		msg, err := jsonrpc.DecodeMessage(body)
		if err != nil {
			return err
		}
		if body, err = jsonrpc.EncodeMessage(toWire(msg)); err != nil {
			return err
		}
	}
	req.Body, req.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
	req.GetBody = func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(body)), nil }
	return nil
}

// limited is a body that fails after a number of bytes.
type limited struct {
	io.ReadCloser
	left int
}

func (l *limited) Read(p []byte) (int, error) {
	if l.left <= 0 {
		return 0, fmt.Errorf("the server sent a message of more than %d MiB", maxMessage>>20)
	}
	n, err := l.ReadCloser.Read(p[:min(len(p), l.left)])
	l.left -= n
	return n, err
}

// fileURI returns a path as a URI.
func fileURI(path string) string {
	path = filepath.ToSlash(path)
	if !strings.HasPrefix(path, "/") {
		path = "/" + path // on Windows, the path begins with a letter
	}
	return (&url.URL{Scheme: "file", Path: path}).String()
}
