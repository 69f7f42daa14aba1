package gemini

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
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
func newHTTPClient(proxy *url.URL, noProxy string, rootCAs []string, secure bool) (*http.Client, error) {
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
	if proxy != nil {
		to := (&httpproxy.Config{HTTPProxy: proxy.String(), HTTPSProxy: proxy.String(), NoProxy: noProxy}).ProxyFunc()
		t.Proxy = func(req *http.Request) (*url.URL, error) { return to(req.URL) }
	}
	if len(rootCAs) > 0 && (secure || proxy != nil && proxy.Scheme == "https") {
		pool, err := x509.SystemCertPool()
		if err != nil {
			pool = x509.NewCertPool()
		}
		for _, file := range rootCAs {
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

type timeout = time.Duration

// How long the service may be silent. Before an answer that is not streamed
// lies all of the model's thinking.
const (
	firstByteOfStream timeout = 120 * time.Second
	firstByteOfAnswer timeout = 300 * time.Second
	betweenReads      timeout = 300 * time.Second
)

// errSilent is the cause of a context that a watchdog ended.
var errSilent = errors.New("no answer in time")

// watchdog ends a request whose server has gone silent.
type watchdog struct {
	ctx    context.Context
	cancel context.CancelCauseFunc
	timer  *time.Timer
}

func watchContext(ctx context.Context, patience timeout) *watchdog {
	w := new(watchdog)
	w.ctx, w.cancel = context.WithCancelCause(ctx)
	w.timer = time.AfterFunc(patience, func() { w.cancel(errSilent) })
	return w
}

// arrived stops the clock: from here on only reads are timed, and a caller may
// take as long as it likes between two of them.
func (w *watchdog) arrived() { w.timer.Stop() }
func (w *watchdog) stop()    { w.timer.Stop(); w.cancel(nil) }

func (w *watchdog) reader(r io.Reader) io.Reader { return &watchedReader{r, w} }

type watchedReader struct {
	r io.Reader
	w *watchdog
}

func (r *watchedReader) Read(p []byte) (int, error) {
	r.w.timer.Reset(betweenReads)
	defer r.w.timer.Stop()
	return r.r.Read(p)
}
