package oauth

import (
	"cmp"
	"context"
	"crypto/subtle"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"sync"
	"time"

	"pollux/internal/crash"
)

// callback is the server on this machine to which the browser returns from the sign-in page.
type callback struct {
	// Redirect is its address, as the authorization server has to know it.
	Redirect string

	state    string
	path     string
	listener net.Listener
	mark     io.Closer // nil for none
	server   *http.Server
	once     sync.Once
	result   chan url.Values // the first response with the right state
}

const callbackPath = "/oauth/callback"

// listen waits for the browser. Responses without the state are not accepted.
func (s *Source) listen(state string) (*callback, error) {
	c := &callback{state: state, path: callbackPath, Redirect: s.config.RedirectURI, result: make(chan url.Values, 1)}
	port := s.o.CallbackPort
	if c.Redirect != "" {
		u, err := checkURL("oauth.redirectUri", c.Redirect)
		if err != nil {
			return nil, err
		}
		if IsLoopback(u.Hostname()) {
			c.path = cmp.Or(u.Path, "/")
		}
		port = cmp.Or(port, u.Port())
	}
	if n, err := strconv.Atoi(cmp.Or(port, "0")); err != nil || n < 0 || n > 0xffff {
		return nil, fmt.Errorf("the port for the sign-in is not valid: %q", clean(port))
	}
	var err error
	if c.listener, err = net.Listen("tcp", net.JoinHostPort(cmp.Or(s.o.CallbackHost, "127.0.0.1"), cmp.Or(port, "0"))); err != nil {
		return nil, fmt.Errorf("cannot wait for the browser: %w. Set OAUTH_CALLBACK_PORT to a free port", err)
	}
	if s.o.Mark != nil { // before the browser has the address
		if c.mark, err = s.o.Mark(c.listener.Addr().(*net.TCPAddr).Port); err != nil {
			return nil, errors.Join(fmt.Errorf("cannot wait for the browser: %w", err), c.listener.Close())
		}
	}
	if c.Redirect == "" {
		_, port, _ = net.SplitHostPort(c.listener.Addr().String())
		c.Redirect = "http://localhost:" + port + callbackPath
	}
	c.server = &http.Server{
		Handler: c, ReadHeaderTimeout: 10 * time.Second, ReadTimeout: 10 * time.Second, WriteTimeout: 10 * time.Second,
		MaxHeaderBytes: 32 << 10,
	}
	c.server.SetKeepAlivesEnabled(false)
	return c, nil
}

func (c *callback) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.Header().Set("Cache-Control", "no-store")
	w.Header().Set("Referrer-Policy", "no-referrer")
	q := r.URL.Query()
	text := "Pollux has got the response. You can close this page."
	switch {
	case r.URL.Path != c.path || r.Method != http.MethodGet:
		w.WriteHeader(http.StatusNotFound)
		text = "There is nothing here."
	case subtle.ConstantTimeCompare([]byte(q.Get("state")), []byte(c.state)) != 1:
		w.WriteHeader(http.StatusBadRequest)
		text = "This response belongs to another sign-in. Pollux does not accept it."
	default:
		used := true
		c.once.Do(func() { used = false; c.result <- q })
		if used {
			w.WriteHeader(http.StatusGone)
			text = "Pollux has got a response before."
		}
	}
	_, _ = io.WriteString(w, text+"\n") // the browser may have gone
}

// signInTimeout is the time that a person has for the sign-in page.
const signInTimeout = 5 * time.Minute

// wait returns the code with which the browser returns, and the issuer that the response names, if any.
func (c *callback) wait(ctx context.Context) (code, issuer string, err error) {
	ctx, cancel := context.WithTimeoutCause(ctx, signInTimeout, fmt.Errorf("the browser has not returned within %v", signInTimeout))
	defer cancel()
	select {
	case q := <-c.result:
		if e := q.Get("error"); e != "" {
			return "", "", &refusal{e, q.Get("error_description")}
		}
		if code = q.Get("code"); code == "" {
			return "", "", errors.New("the authorization server sends no code")
		}
		return code, q.Get("iss"), nil
	case <-ctx.Done():
		return "", "", context.Cause(ctx)
	}
}

// start accepts connections until stop is called.
func (c *callback) start() (stop func()) {
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		defer crash.Recover()
		_ = c.server.Serve(c.listener) // until it is closed
	}()
	return func() {
		ctx, cancel := context.WithTimeout(context.Background(), time.Second)
		defer cancel()
		if c.server.Shutdown(ctx) != nil { // lets the browser have its page
			_ = c.server.Close()
		}
		<-ended
		if c.mark != nil {
			_ = c.mark.Close()
		}
	}
}
