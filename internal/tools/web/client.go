package web

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"os"
	"slices"
	"sync"
	"syscall"
	"time"

	"golang.org/x/net/http/httpproxy"
)

const (
	fetchTimeout   = 10 * time.Second // for one attempt
	resolveTimeout = 3 * time.Second
	fetchAttempts  = 3
	maxRedirects   = 10
	maxBody        = 10 << 20 // bytes after decompression
	maxHeader      = 1 << 20

	userAgent = "Mozilla/5.0 (compatible; Pollux)"
)

// client fetches pages from the internet, and only from there.
//
// Every request, including those of redirects, is checked when it is made: by the host's name,
// and by the address to connect to after the name was resolved. A name whose address changes
// in between does not help an attacker. The user's proxy may be anywhere. Since it resolves
// names itself, they are also resolved here, and hosts that are private here are refused.
// Names that only the proxy can resolve cannot be checked.
type client struct {
	// public reports whether an address may be contacted. It is isPublic except in tests,
	// whose servers are on this machine.
	public   func(netip.Addr) bool
	resolver *net.Resolver
	proxy    func(*url.URL) (*url.URL, error)
	pause    time.Duration // before the second attempt; doubled for the third
	http     func() (*http.Client, error)
}

func newClient(o *Options) *client {
	c := &client{
		public: isPublic, resolver: net.DefaultResolver, pause: time.Second / 2,
		proxy: func(*url.URL) (*url.URL, error) { return nil, nil },
	}
	if o.Proxy != nil {
		c.proxy = (&httpproxy.Config{HTTPProxy: o.Proxy.String(), HTTPSProxy: o.Proxy.String(), NoProxy: o.NoProxy}).ProxyFunc()
	}
	c.http = sync.OnceValues(func() (*http.Client, error) {
		roots, err := rootCAs(o.RootCAs)
		if err != nil {
			return nil, err
		}
		return &http.Client{
			Transport:     &guarded{c: c, direct: c.transport(roots, false), proxied: c.transport(roots, true)},
			CheckRedirect: redirect,
		}, nil
	})
	return c
}

// page is a server's response.
type page struct {
	url    *url.URL // final URL after redirects
	status int
	header http.Header
	body   []byte
	cut    bool // the body was cut
}

// blockedError means that a host must not be contacted.
type blockedError struct{ host string }

func (e *blockedError) Error() string {
	return fmt.Sprintf("%s is on a private network or this machine, where nothing is fetched from", e.host)
}

// get fetches a page, and retries if the network or the server fails.
func (c *client) get(ctx context.Context, u *url.URL, accept string) (*page, error) {
	client, err := c.http()
	if err != nil {
		return nil, err
	}
	pause := c.pause
	for attempt := 1; ; attempt++ {
		p, err := c.once(ctx, client, u, accept)
		if blocked := (*blockedError)(nil); errors.As(err, &blocked) {
			return nil, blocked
		}
		unknown := (*net.DNSError)(nil)
		again := err != nil && !errors.Is(err, errFinal) && !(errors.As(err, &unknown) && unknown.IsNotFound) || err == nil && (p.status >= 500 || p.status == http.StatusTooManyRequests)
		if !again || attempt == fetchAttempts || ctx.Err() != nil {
			return p, err
		}
		select {
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		case <-time.After(pause):
		}
		pause *= 2
	}
}

var errFinal = errors.New("asking again would not help")

// final marks an error that a retry cannot fix.
type final struct{ error }

func (final) Is(target error) bool { return target == errFinal }

func (c *client) once(ctx context.Context, client *http.Client, u *url.URL, accept string) (*page, error) {
	limited, cancel := context.WithTimeout(ctx, fetchTimeout)
	defer cancel()
	req, err := http.NewRequestWithContext(limited, http.MethodGet, u.String(), nil)
	if err != nil {
		return nil, final{err}
	}
	req.Header.Set("User-Agent", userAgent)
	req.Header.Set("Accept", accept)
	resp, err := client.Do(req)
	if err != nil {
		return nil, c.explain(ctx, limited, err)
	}
	defer resp.Body.Close()
	p := &page{url: resp.Request.URL, status: resp.StatusCode, header: resp.Header}
	if packed := resp.Header.Get("Content-Encoding"); packed != "" && packed != "identity" {
		return nil, final{fmt.Errorf("the page is packed in a way that was not asked for: %.40q", packed)}
	}
	p.body, err = io.ReadAll(io.LimitReader(resp.Body, maxBody+1))
	if p.cut = len(p.body) > maxBody; p.cut {
		p.body = p.body[:maxBody]
	}
	if err != nil {
		return nil, c.explain(ctx, limited, err)
	}
	return p, nil
}

// explain returns a short error about a failed fetch.
func (c *client) explain(ctx, limited context.Context, err error) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if limited.Err() != nil {
		return fmt.Errorf("no complete answer within %v", fetchTimeout)
	}
	if e := (*url.Error)(nil); errors.As(err, &e) {
		err = e.Err
	}
	return err
}

// blocked reports whether a host must not be contacted, as far as that can be checked before
// connecting. A host that cannot be resolved here is not blocked.
func (c *client) blocked(ctx context.Context, host string) bool {
	if c.refused(host) {
		return true
	}
	if _, ok, _ := literal(host); ok {
		return false
	}
	ctx, cancel := context.WithTimeout(ctx, resolveTimeout)
	defer cancel()
	addrs, err := c.resolver.LookupNetIP(ctx, "ip", host)
	return err == nil && slices.ContainsFunc(addrs, func(a netip.Addr) bool { return !c.mayBeOf(a) })
}

// mayBeOf reports whether a name that has this address may be contacted.
func (c *client) mayBeOf(a netip.Addr) bool { return c.public(a) || standIns.Contains(a.Unmap()) }

// refused reports whether a host must not be contacted because of its name alone.
func (c *client) refused(host string) bool {
	addr, ok, err := literal(host)
	if ok {
		return !c.public(addr)
	}
	return err != nil || isPrivateName(host)
}

// guarded is a transport that checks each request before sending it.
type guarded struct {
	c               *client
	direct, proxied *http.Transport
}

func (g *guarded) RoundTrip(req *http.Request) (*http.Response, error) {
	host := req.URL.Hostname()
	proxy, err := g.c.proxy(req.URL)
	if err != nil {
		return nil, err
	}
	switch {
	case proxy == nil && g.c.refused(host), proxy != nil && g.c.blocked(req.Context(), host):
		return nil, &blockedError{host}
	case proxy == nil:
		return g.direct.RoundTrip(req)
	}
	return g.proxied.RoundTrip(req)
}

// transport returns a transport for direct connections, or for connections through the proxy,
// whose own address is not checked.
func (c *client) transport(roots *x509.CertPool, proxied bool) *http.Transport {
	dialer := &net.Dialer{Timeout: fetchTimeout, Resolver: c.resolver}
	t := &http.Transport{
		DialContext:            dialer.DialContext,
		TLSHandshakeTimeout:    fetchTimeout,
		TLSClientConfig:        &tls.Config{RootCAs: roots, MinVersion: tls.VersionTLS12},
		ForceAttemptHTTP2:      true,
		MaxResponseHeaderBytes: maxHeader,
		DisableKeepAlives:      true, // pages are few, and each connection is checked
	}
	if proxied {
		t.Proxy = func(req *http.Request) (*url.URL, error) { return c.proxy(req.URL) }
	} else {
		dialer.ControlContext = c.control
	}
	return t
}

// control checks the address before a connection is made.
func (c *client) control(_ context.Context, _, address string, _ syscall.RawConn) error {
	to, err := netip.ParseAddrPort(address)
	if err != nil || !c.mayBeOf(to.Addr()) { // it is that of a name: others are refused before
		return &blockedError{address}
	}
	return nil
}

func redirect(req *http.Request, via []*http.Request) error {
	req.Header.Del("Referer") // the next host must not learn about the previous one
	switch {
	case len(via) > maxRedirects:
		return final{fmt.Errorf("more than %d redirects", maxRedirects)}
	case req.URL.Scheme != "http" && req.URL.Scheme != "https":
		return final{fmt.Errorf("a redirect to %.20q, which is not fetched from", req.URL.Scheme+":")}
	}
	return nil
}

// rootCAs returns the trusted authorities; nil means those of the system.
func rootCAs(files []string) (*x509.CertPool, error) {
	if len(files) == 0 {
		return nil, nil
	}
	pool, err := x509.SystemCertPool()
	if err != nil {
		pool = x509.NewCertPool()
	}
	for _, file := range files {
		pem, err := os.ReadFile(file)
		if err != nil {
			return nil, fmt.Errorf("read extra CA certificates: %w", err)
		}
		if !pool.AppendCertsFromPEM(pem) {
			return nil, fmt.Errorf("read extra CA certificates: %s holds no PEM certificate", file)
		}
	}
	return pool, nil
}
