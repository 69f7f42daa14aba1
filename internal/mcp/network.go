package mcp

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"pollux/internal/secret"
	"pollux/llm/httpwire"
)

// dial connects to a service: with the transport of its entry, or first with streamable HTTP and
// then with SSE.
func (s *server) dial(ctx context.Context) (*sdk.ClientSession, *wire, error) {
	wire, err := s.newWire()
	if err != nil {
		return nil, nil, err
	}
	client := &http.Client{Transport: wire}
	streamable := &sdk.StreamableClientTransport{Endpoint: s.config.Endpoint(), HTTPClient: client, MaxEventSize: maxMessage}
	sse := &sdk.SSEClientTransport{Endpoint: s.config.Endpoint(), HTTPClient: client, MaxEventSize: maxMessage}
	if s.config.Kind() == SSE {
		session, err := s.newClient().Connect(ctx, sse, handshake())
		return session, wire, err
	}
	session, err := s.newClient().Connect(ctx, streamable, handshake())
	mayBeSSE := s.config.HTTPURL == "" && s.config.Type != "http"
	if err == nil || ctx.Err() != nil || errors.Is(wire.explain(err), ErrUnauthorized) || !mayBeSSE {
		return session, wire, err
	}
	session, errSSE := s.newClient().Connect(ctx, sse, handshake())
	if errSSE != nil {
		return nil, wire, err
	}
	return session, wire, nil
}

// wire makes the HTTP requests to a service. It adds the headers of the service's entry and a token, but not
// to requests that a redirect has led elsewhere, and limits the size of responses.
type wire struct {
	next    http.RoundTripper
	server  *server
	host    string // with the port
	scheme  string
	headers http.Header
	agent   string // the header User-Agent of all requests

	mu        sync.Mutex
	isRefused bool // the last response refuses a request
	hadToken  bool // which had a token
}

func (s *server) newWire() (*wire, error) {
	u, err := url.Parse(s.config.Endpoint())
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return nil, fmt.Errorf("its URL is not valid: %q", secret.MaskURL(s.config.Endpoint()))
	}
	if s.invalid != nil {
		return nil, s.invalid
	}
	w := &wire{next: http.DefaultTransport, server: s, host: u.Host, scheme: u.Scheme, headers: http.Header{}, agent: s.all.o.UserAgent}
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

// goodbye limits the request that ends a session with a service. The end of Pollux waits for it.
const goodbye = 500 * time.Millisecond

func (w *wire) RoundTrip(req *http.Request) (*http.Response, error) {
	ctx := req.Context()
	if req.Method == http.MethodDelete {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, goodbye)
		defer cancel() // its response has no content
	}
	req = req.Clone(ctx)
	if err := restoreMethod(req); err != nil {
		return nil, err
	}
	if w.agent != "" {
		req.Header.Set("User-Agent", w.agent)
	}
	send := w.next.RoundTrip
	if req.URL.Host == w.host && req.URL.Scheme == w.scheme {
		for name, values := range w.headers {
			req.Header[name] = values
		}
		send = w.send
	}
	resp, err := send(req)
	if err != nil {
		return nil, err
	}
	if req.Method == http.MethodGet && resp.StatusCode == http.StatusNotFound {
		resp.StatusCode = http.StatusMethodNotAllowed // the server has no stream of its own
	}
	if !strings.HasPrefix(resp.Header.Get("Content-Type"), "text/event-stream") {
		resp.Body = &limited{resp.Body, maxMessage}
	}
	return resp, nil
}

// send sends a request to the service itself, with a token if there is one. If the service refuses it, send
// sends the request once more with a new token.
func (w *wire) send(req *http.Request) (*http.Response, error) {
	resp, err := w.sign(req)
	if err != nil || resp.StatusCode != http.StatusUnauthorized {
		w.note(req, resp, false)
		return resp, err
	}
	hadToken := false
	if signer := w.server.signer; signer != nil {
		hadToken = req.Header.Get("Authorization") != ""
		renewed, err := signer.Renew(req.Context(), req.Header)
		if err != nil || renewed {
			_ = resp.Body.Close() // it is not read
		}
		if err != nil {
			return nil, err
		}
		if renewed {
			if resp, err = w.repeat(req); err != nil {
				return nil, err
			}
		}
	}
	w.note(req, resp, hadToken)
	return resp, nil
}

// sign sends a request with a token, if there is one.
func (w *wire) sign(req *http.Request) (*http.Response, error) {
	if w.server.signer != nil {
		if err := w.server.signer.Sign(req.Context(), req.Header); err != nil {
			return nil, err
		}
	}
	return w.next.RoundTrip(req)
}

// repeat sends a request again with another token.
func (w *wire) repeat(req *http.Request) (*http.Response, error) {
	again := req.Clone(req.Context())
	again.Header.Del("Authorization")
	if req.GetBody != nil {
		var err error
		if again.Body, err = req.GetBody(); err != nil {
			return nil, err
		}
	}
	return w.sign(again)
}

// note records whether the service has refused the last request that had a message.
func (w *wire) note(req *http.Request, resp *http.Response, hadToken bool) {
	isRefused := resp != nil && resp.StatusCode == http.StatusUnauthorized
	if !isRefused && req.Method != http.MethodPost {
		return
	}
	w.mu.Lock()
	w.isRefused, w.hadToken = isRefused, hadToken
	w.mu.Unlock()
	if isRefused {
		w.server.mu.Lock()
		w.server.challenge = resp.Header.Values("WWW-Authenticate")
		w.server.mu.Unlock()
	}
}

// explain returns an [ErrUnauthorized] in place of an error if the service wants a token, and a short error if it
// cannot be reached.
func (w *wire) explain(err error) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if err != nil && w.isRefused {
		return w.server.refusal(w.hadToken)
	}
	if reason := unreachable(err); reason != nil {
		return reason
	}
	return err
}

// unreachable returns the host and the reason if err wraps a request over HTTP that got no response. Else,
// and if the request was cancelled, it returns nil.
func unreachable(err error) error {
	e, ok := errors.AsType[*url.Error](err)
	if !ok || errors.Is(e, context.Canceled) || errors.Is(e, context.DeadlineExceeded) {
		return nil
	}
	host := "the server"
	if u, err := url.Parse(e.URL); err == nil && u.Host != "" {
		host = u.Host
	}
	if op, ok := errors.AsType[*net.OpError](e); ok && op.Op == "proxyconnect" {
		host = "the proxy"
	}
	return fmt.Errorf("cannot reach %s: %s", host, httpwire.Reason(e.Err))
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

func fileURI(path string) string {
	path = filepath.ToSlash(path)
	if !strings.HasPrefix(path, "/") {
		path = "/" + path // on Windows, the path begins with a letter
	}
	return (&url.URL{Scheme: "file", Path: path}).String()
}
