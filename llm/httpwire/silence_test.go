package httpwire

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"pollux/llm"
)

// slowServer is a server that sends the headers of its response after headers, and the first
// byte of its body after body more.
type slowServer struct{ headers, body time.Duration }

// RoundTrip implements [http.RoundTripper].
func (s slowServer) RoundTrip(r *http.Request) (*http.Response, error) {
	select {
	case <-time.After(s.headers):
	case <-r.Context().Done():
		return nil, r.Context().Err()
	}
	return &http.Response{StatusCode: http.StatusOK, Body: &slowBody{r.Context(), s.body}}, nil
}

type slowBody struct {
	ctx  context.Context
	wait time.Duration
}

func (b *slowBody) Read(p []byte) (int, error) {
	select {
	case <-time.After(b.wait):
		return copy(p, "x"), io.EOF
	case <-b.ctx.Done():
		return 0, b.ctx.Err()
	}
}

func (b *slowBody) Close() error { return nil }

// request sends a request to s and reads the response.
func (s slowServer) request(ctx context.Context, timeouts Timeouts) error {
	return request(ctx, s, timeouts)
}

func request(ctx context.Context, s http.RoundTripper, timeouts Timeouts) error {
	c := NewClient(Options{Timeouts: timeouts})
	c.http = func() (*http.Client, error) { return &http.Client{Transport: s}, nil }
	body := NewBody(1)
	body.Text("{}")
	at := &url.URL{Scheme: "http", Host: "127.0.0.1:8080", Path: "/"}
	res, err := c.Post(ctx, Request{URL: at, Header: http.Header{}, Body: body, HeaderTimeout: StreamHeaderTimeout})
	if err != nil {
		return err
	}
	defer res.Close()
	_, err = res.ReadAll()
	return err
}

// A server that sends nothing is reported after 10 s and then every minute, before and after
// the headers, and not at all if it is quicker.
func TestSilenceReports(t *testing.T) {
	for _, tt := range []struct {
		server slowServer
		want   []string
	}{
		{slowServer{time.Second, 8 * time.Second}, nil},
		{slowServer{headers: 12 * time.Second}, []string{"10s"}},
		{slowServer{body: 12 * time.Second}, []string{"10s"}},
		{slowServer{9 * time.Second, 2 * time.Second}, []string{"10s"}},
		{slowServer{15 * time.Second, time.Minute}, []string{"10s", "1m10s"}},
		{slowServer{body: 3 * time.Minute}, []string{"10s", "1m10s", "2m10s"}},
	} {
		synctest.Test(t, func(t *testing.T) {
			var got []string
			ctx := WatchSilence(t.Context(), func(host string, elapsed time.Duration) {
				got = append(got, fmt.Sprint(elapsed))
				if host != "127.0.0.1:8080" {
					t.Errorf("host %q", host)
				}
			})
			if err := tt.server.request(ctx, Timeouts{}); err != nil {
				t.Error(err)
			}
			if !slices.Equal(got, tt.want) {
				t.Errorf("%+v: %v, want %v", tt.server, got, tt.want)
			}
		})
	}
}

// keepAliveServer is a server that sends a comment each time after so long, and then the response.
type keepAliveServer []time.Duration

// RoundTrip implements [http.RoundTripper].
func (s keepAliveServer) RoundTrip(r *http.Request) (*http.Response, error) {
	body, w := io.Pipe()
	go func() {
		for i, wait := range s {
			select {
			case <-time.After(wait):
			case <-r.Context().Done():
				_ = w.CloseWithError(r.Context().Err())
				return
			}
			text := ": keep-alive\n\n"
			if i == len(s)-1 {
				text = "x"
			}
			_, _ = io.WriteString(w, text)
		}
		_ = w.Close()
	}()
	return &http.Response{StatusCode: http.StatusOK, Body: body}, nil
}

// Comments and empty lines before the response are not its beginning: the server may still read the prompt.
func TestKeepAlive(t *testing.T) {
	for _, tt := range []struct {
		server keepAliveServer
		start  time.Duration
		failed bool
	}{
		{keepAliveServer{time.Second, 20 * time.Minute}, 30 * time.Minute, false},
		{keepAliveServer{time.Second, time.Minute, 31 * time.Minute}, 30 * time.Minute, true},
		{keepAliveServer{time.Second, 4 * time.Minute}, time.Minute, false},
		{keepAliveServer{2 * time.Minute, time.Second}, time.Minute, true},
	} {
		synctest.Test(t, func(t *testing.T) {
			reports := 0
			ctx := WatchSilence(t.Context(), func(string, time.Duration) { reports++ })
			err := request(ctx, tt.server, Timeouts{Start: tt.start})
			if (err != nil) != tt.failed || reports < 1 {
				t.Errorf("%v: %v, %d reports", tt.server, err, reports)
			}
		})
	}
}

// Start limits the wait for the headers, and then the wait for the first byte. The error says
// how long the server was silent.
func TestStartTimeout(t *testing.T) {
	const start = 30 * time.Minute
	for _, tt := range []struct {
		server slowServer
		want   time.Duration
	}{
		{slowServer{headers: time.Hour}, start},
		{slowServer{body: time.Hour}, start},
		{slowServer{start - 1, start - 1}, 0},
		{slowServer{start - 1, start + 1}, 2*start - 1},
	} {
		synctest.Test(t, func(t *testing.T) {
			err := tt.server.request(t.Context(), Timeouts{Start: start})
			var e *llm.Error
			switch {
			case tt.want == 0:
				if err != nil {
					t.Errorf("%+v: %v", tt.server, err)
				}
			case !errors.As(err, &e) || e.Kind != llm.KindNetwork || e.Code != "ETIMEDOUT" || e.Waited != tt.want:
				t.Errorf("%+v: %+v, want one after %s", tt.server, e, tt.want)
			}
		})
	}
}

// A request that is cancelled while the server is silent ends at once, also when it is
// cancelled by the report.
func TestSilenceCancelled(t *testing.T) {
	stop := errors.New("stop")
	for _, server := range []slowServer{{headers: time.Hour}, {body: time.Hour}} {
		synctest.Test(t, func(t *testing.T) {
			ctx, cancel := context.WithCancelCause(t.Context())
			start := time.Now()
			err := server.request(WatchSilence(ctx, func(string, time.Duration) { cancel(stop) }), Timeouts{Start: time.Hour})
			if took := time.Since(start); !errors.Is(err, stop) || took != silenceDelay {
				t.Errorf("%v after %s", err, took)
			}
		})
	}
}
