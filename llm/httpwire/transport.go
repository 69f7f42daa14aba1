package httpwire

import (
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"os"
	"strings"
	"sync"
	"time"

	"golang.org/x/net/http/httpproxy"
)

// Connections are connections that clients share, so that a client which takes the place of another one
// goes on with those of the other. The zero value is ready to use, by several goroutines.
type Connections struct {
	mu         sync.Mutex
	transports map[transportKey]*http.Transport
}

// transportKey is the options that a transport depends on.
type transportKey struct {
	proxy, noProxy, rootCAs string
	secure                  bool
}

// transport returns the transport of clients with these options.
func (c *Connections) transport(o Options) (*http.Transport, error) {
	key := transportKey{noProxy: o.NoProxy, rootCAs: strings.Join(o.RootCAs, "\x00"), secure: o.Secure}
	if o.Proxy != nil { // a nil one that is formatted panics, and the recovery costs a start 0.1 ms
		key.proxy = o.Proxy.String()
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if t := c.transports[key]; t != nil {
		return t, nil
	}
	t, err := NewTransport(o)
	if err != nil {
		return nil, err
	}
	if c.transports == nil {
		c.transports = map[transportKey]*http.Transport{}
	}
	c.transports[key] = t
	return t, nil
}

// newHTTPClient returns a client with the connections of the options. It has no overall
// timeout, because a response may take any time as long as data arrives.
func newHTTPClient(o Options) (*http.Client, error) {
	connections := o.Connections
	if connections == nil {
		connections = &Connections{}
	}
	t, err := connections.transport(o)
	if err != nil {
		return nil, err
	}
	return &http.Client{
		Transport: t,
		// A redirect would send the API key to another address.
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}, nil
}

// NewTransport returns a transport with its own connections. It ignores o.Timeouts.
func NewTransport(o Options) (*http.Transport, error) {
	t := &http.Transport{
		DialContext:           (&net.Dialer{Timeout: 30 * time.Second, KeepAlive: 30 * time.Second}).DialContext,
		TLSHandshakeTimeout:   15 * time.Second,
		ExpectContinueTimeout: time.Second,
		IdleConnTimeout:       90 * time.Second,
		MaxIdleConnsPerHost:   4,
		ForceAttemptHTTP2:     true,
		HTTP2:                 &http.HTTP2Config{SendPingTimeout: 30 * time.Second, PingTimeout: 15 * time.Second},
		// Requests carry the whole history. Responses arrive in small frames,
		// which compression would delay.
		WriteBufferSize:    64 << 10,
		ReadBufferSize:     32 << 10,
		DisableCompression: true,
	}
	if o.Proxy != nil {
		proxy := (&httpproxy.Config{HTTPProxy: o.Proxy.String(), HTTPSProxy: o.Proxy.String(), NoProxy: o.NoProxy}).ProxyFunc()
		t.OnProxyConnectResponse = checkProxy
		t.Proxy = func(req *http.Request) (*url.URL, error) { return proxy(req.URL) }
	}
	if len(o.RootCAs) > 0 && (o.Secure || o.Proxy != nil && o.Proxy.Scheme == "https") {
		pool, err := x509.SystemCertPool()
		if err != nil {
			pool = x509.NewCertPool()
		}
		for _, file := range o.RootCAs {
			pem, err := os.ReadFile(file)
			if err != nil {
				return nil, fmt.Errorf("cannot read the CA certificates: %w", err)
			}
			if !pool.AppendCertsFromPEM(pem) {
				return nil, fmt.Errorf("cannot read the CA certificates: %s contains no PEM certificate", file)
			}
		}
		t.TLSClientConfig = &tls.Config{RootCAs: pool, MinVersion: tls.VersionTLS12}
	}
	return t, nil
}
