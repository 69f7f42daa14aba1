package httpwire

import (
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"os"
	"time"

	"golang.org/x/net/http/httpproxy"
)

// newHTTPClient returns a client of our own: nothing of it is shared with the
// rest of the process, and it has no overall time limit, since an answer may
// take as long as it keeps coming.
func newHTTPClient(o Options) (*http.Client, error) {
	t := &http.Transport{
		DialContext:           (&net.Dialer{Timeout: 30 * time.Second, KeepAlive: 30 * time.Second}).DialContext,
		TLSHandshakeTimeout:   15 * time.Second,
		ExpectContinueTimeout: time.Second,
		IdleConnTimeout:       90 * time.Second,
		MaxIdleConnsPerHost:   4,
		ForceAttemptHTTP2:     true,
		HTTP2:                 &http.HTTP2Config{SendPingTimeout: 30 * time.Second, PingTimeout: 15 * time.Second},
		// A request carries the whole history; an answer comes in small frames
		// that should not wait in a compressor.
		WriteBufferSize:    64 << 10,
		ReadBufferSize:     32 << 10,
		DisableCompression: true,
	}
	if o.Proxy != nil {
		to := (&httpproxy.Config{HTTPProxy: o.Proxy.String(), HTTPSProxy: o.Proxy.String(), NoProxy: o.NoProxy}).ProxyFunc()
		t.Proxy = func(req *http.Request) (*url.URL, error) { return to(req.URL) }
	}
	if len(o.RootCAs) > 0 && (o.Secure || o.Proxy != nil && o.Proxy.Scheme == "https") {
		pool, err := x509.SystemCertPool()
		if err != nil {
			pool = x509.NewCertPool()
		}
		for _, file := range o.RootCAs {
			pem, err := os.ReadFile(file)
			if err != nil {
				return nil, fmt.Errorf("read extra CA certificates: %w", err)
			}
			if !pool.AppendCertsFromPEM(pem) {
				return nil, fmt.Errorf("read extra CA certificates: %s holds no PEM certificate", file)
			}
		}
		t.TLSClientConfig = &tls.Config{RootCAs: pool, MinVersion: tls.VersionTLS12}
	}
	return &http.Client{
		Transport: t,
		// A redirect would repeat the key to whoever the answer names.
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}, nil
}
