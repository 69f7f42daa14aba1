package web

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/net/dns/dnsmessage"
)

// reaching returns a client that reaches this machine, or only public addresses.
func reaching(t *testing.T, o Options, allowed func(netip.Addr) bool) *client {
	t.Helper()
	c := newClient(&o)
	c.public, c.pause = allowed, time.Millisecond
	return c
}

func address(t *testing.T, s string) *url.URL {
	t.Helper()
	u, err := url.Parse(s)
	if err != nil {
		t.Fatal(err)
	}
	return u
}

func wantBlocked(t *testing.T, what string, err error) {
	t.Helper()
	if blocked := (*blockedError)(nil); !errors.As(err, &blocked) {
		t.Errorf("%s: %v", what, err)
	}
}

// Without leave nothing on this machine is asked, by whatever name.
func TestGetPrivate(t *testing.T) {
	t.Parallel()
	var asked atomic.Int32
	at := address(t, serve(t, func(http.ResponseWriter, *http.Request) { asked.Add(1) }))
	c := reaching(t, Options{}, isPublic)
	c.resolver = names(t, func(string) netip.Addr { return netip.MustParseAddr("127.0.0.1") })
	for _, host := range []string{"127.0.0.1", "localhost", "127.1", "2130706433", "0.0.0.0", "[::ffff:127.0.0.1]", "[::1]", "x.localhost", "256.1.1.1", "nearby.example"} {
		_, err := c.get(t.Context(), &url.URL{Scheme: "http", Host: host + ":" + at.Port()}, "*/*")
		wantBlocked(t, host, err)
	}
	if asked.Load() != 0 {
		t.Error("the server was reached")
	}
}

// A redirect is checked like a first request.
func TestGetRedirect(t *testing.T) {
	t.Parallel()
	var asked atomic.Int32
	inner, err := net.Listen("tcp", "127.0.0.2:0")
	if err != nil {
		t.Skip("there is no second address on this machine: ", err)
	}
	private := &httptest.Server{Listener: inner, Config: &http.Server{Handler: http.HandlerFunc(func(http.ResponseWriter, *http.Request) { asked.Add(1) })}}
	private.Start()
	t.Cleanup(private.Close)
	_, port, _ := net.SplitHostPort(inner.Addr().String())
	first := netip.MustParseAddr("127.0.0.1")
	c := reaching(t, Options{}, func(a netip.Addr) bool { return a.Unmap() == first })
	var at string
	at = serve(t, func(w http.ResponseWriter, r *http.Request) {
		switch {
		case r.URL.Path == "/loop":
			http.Redirect(w, r, "/loop", http.StatusFound)
		case r.URL.Path == "/ok":
			http.Redirect(w, r, at+"/end", http.StatusMovedPermanently)
		case r.URL.Path == "/end":
			fmt.Fprintf(w, "referer: %s", r.Referer())
		default:
			w.Header().Set("Location", r.URL.Query().Get("to"))
			w.WriteHeader(http.StatusTemporaryRedirect)
		}
	})
	for _, to := range []string{
		private.URL, "http://127.0.0.2:" + port + "/x", "http://[::ffff:127.0.0.2]:" + port, "http://localhost:" + port,
		"http://169.254.169.254/latest/meta-data", "http://metadata.google.internal/", "//10.0.0.1/", "http://[fd00:ec2::254]/",
	} {
		_, err := c.get(t.Context(), address(t, at+"/?to="+url.QueryEscape(to)), "*/*")
		wantBlocked(t, to, err)
	}
	for to, want := range map[string]string{
		"/loop":                        "more than 10 redirects",
		"/?to=file%3A%2F%2F%2Fetc%2Fx": `a redirect to "file:"`,
		"/?to=gopher%3A%2F%2Fx":        `a redirect to "gopher:"`,
		"/?to=%3A%3A":                  "failed to parse Location header",
	} {
		if _, err := c.get(t.Context(), address(t, at+to), "*/*"); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", to, err)
		}
	}
	p, err := c.get(t.Context(), address(t, at+"/ok"), "*/*")
	if err != nil || string(p.body) != "referer: " || p.url.String() != at+"/end" {
		t.Errorf("%+v, %v", p, err)
	}
	if asked.Load() != 0 {
		t.Error("the private server was reached")
	}
}

// A name server that first names a public address and then a private one gains nothing: the
// client checks the dialled address.
func TestGetRebinding(t *testing.T) {
	t.Parallel()
	var asked, resolved atomic.Int32
	at := address(t, serve(t, func(http.ResponseWriter, *http.Request) { asked.Add(1) }))
	c := reaching(t, Options{}, isPublic)
	c.resolver = names(t, func(string) netip.Addr {
		if resolved.Add(1) == 1 {
			return netip.MustParseAddr("93.184.216.34")
		}
		return netip.MustParseAddr("127.0.0.1")
	})
	if c.blocked(t.Context(), "rebind.example") {
		t.Fatal("a public name is blocked")
	}
	_, err := c.get(t.Context(), &url.URL{Scheme: "http", Host: "rebind.example:" + at.Port()}, "*/*")
	wantBlocked(t, "rebinding", err)
	if !c.blocked(t.Context(), "rebind.example") {
		t.Error("a name of a private address is not blocked")
	}
	if asked.Load() != 0 || resolved.Load() < 2 {
		t.Errorf("asked %d times, resolved %d times", asked.Load(), resolved.Load())
	}
}

// Where a proxy stands in for all names with addresses for benchmarks, names decide. Such an address itself is refused.
func TestStandIns(t *testing.T) {
	t.Parallel()
	c := reaching(t, Options{}, isPublic)
	c.resolver = names(t, func(name string) netip.Addr {
		if strings.HasPrefix(name, "private") {
			return netip.MustParseAddr("10.0.0.1")
		}
		return netip.MustParseAddr("198.18.0.7")
	})
	for host, isBlocked := range map[string]bool{"public.example": false, "private.example": true, "nas.lan": true, "198.18.0.7": true, "0xc6120007": true} {
		if got := c.blocked(t.Context(), host) || c.refused(host); got != isBlocked {
			t.Errorf("%s is blocked: %v", host, got)
		}
	}
	for address, isRefused := range map[string]bool{"198.18.0.7:443": false, "198.19.255.255:80": false, "198.20.0.1:80": false, "10.0.0.1:80": true, "[::ffff:198.18.0.7]:80": false} {
		if got := c.control(t.Context(), "tcp", address, nil) != nil; got != isRefused {
			t.Errorf("%s is refused: %v", address, got)
		}
	}
	_, err := c.get(t.Context(), &url.URL{Scheme: "http", Host: "198.18.0.7"}, "*/*")
	wantBlocked(t, "an address that stands in", err)
}

// names is a resolver with a name server of its own, which knows IPv4 only. The
// zero address stands for a name that does not exist.
func names(t *testing.T, of func(name string) netip.Addr) *net.Resolver {
	t.Helper()
	conn, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		buf := make([]byte, 4096)
		for {
			n, from, err := conn.ReadFrom(buf)
			if err != nil {
				return
			}
			var m dnsmessage.Message
			if m.Unpack(buf[:n]) != nil || len(m.Questions) != 1 {
				continue
			}
			q := m.Questions[0]
			answer := dnsmessage.Message{Header: dnsmessage.Header{ID: m.ID, Response: true, RecursionAvailable: true}, Questions: m.Questions}
			if q.Type == dnsmessage.TypeA {
				if addr := of(strings.TrimSuffix(q.Name.String(), ".")); addr.IsValid() {
					answer.Answers = []dnsmessage.Resource{{
						Header: dnsmessage.ResourceHeader{Name: q.Name, Type: q.Type, Class: q.Class},
						Body:   &dnsmessage.AResource{A: addr.As4()},
					}}
				} else {
					answer.RCode = dnsmessage.RCodeNameError
				}
			}
			if b, err := answer.Pack(); err == nil {
				_, _ = conn.WriteTo(b, from)
			}
		}
	}()
	t.Cleanup(func() { conn.Close(); <-done })
	return &net.Resolver{PreferGo: true, Dial: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return (&net.Dialer{}).DialContext(ctx, "udp", conn.LocalAddr().String())
	}}
}

// A proxy may be on this machine; requested servers may not.
func TestGetThroughProxy(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	var asked []string
	proxy := serve(t, func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		asked = append(asked, r.URL.String())
		mu.Unlock()
		if r.URL.Path == "/away" {
			http.Redirect(w, r, "http://169.254.169.254/", http.StatusFound)
			return
		}
		fmt.Fprint(w, "from the proxy")
	})
	c := reaching(t, Options{Proxy: address(t, proxy), NoProxy: "direct.example"}, isPublic)
	c.resolver = names(t, func(name string) netip.Addr {
		switch name {
		case "inside.example", "direct.example":
			return netip.MustParseAddr("127.0.0.1")
		case "outside.example":
			return netip.MustParseAddr("93.184.216.34")
		}
		return netip.Addr{}
	})
	for _, page := range []string{"http://outside.example/", "http://known-to-the-proxy.example/x", "http://8.8.8.8/"} {
		if p, err := c.get(t.Context(), address(t, page), "*/*"); err != nil || string(p.body) != "from the proxy" {
			t.Errorf("%s: %v", page, err)
		}
	}
	port := address(t, proxy).Port()
	for _, page := range []string{
		"http://inside.example/", "http://10.0.0.1/", "http://0x7f.1/", "http://metadata.google.internal/", "http://intranet/", "http://outside.example/away",
		"http://direct.example:" + port + "/", proxy + "/", // which go without the proxy, to where it is
	} {
		_, err := c.get(t.Context(), address(t, page), "*/*")
		wantBlocked(t, page, err)
	}
	mu.Lock()
	defer mu.Unlock()
	want := "http://outside.example/ http://known-to-the-proxy.example/x http://8.8.8.8/ http://outside.example/away"
	if got := strings.Join(asked, " "); got != want {
		t.Errorf("the proxy was asked for %s", got)
	}
}

func TestGetAgain(t *testing.T) {
	t.Parallel()
	var asked atomic.Int32
	at := serve(t, func(w http.ResponseWriter, r *http.Request) {
		n := asked.Add(1)
		switch {
		case r.URL.Path == "/never":
			w.WriteHeader(http.StatusServiceUnavailable)
		case r.URL.Path == "/absent":
			w.WriteHeader(http.StatusNotFound)
		case n == 1:
			w.WriteHeader(http.StatusTooManyRequests)
		case n == 2:
			panic(http.ErrAbortHandler)
		default:
			fmt.Fprint(w, "at last")
		}
	})
	c := reaching(t, Options{}, loopbackToo)
	if p, err := c.get(t.Context(), address(t, at), "*/*"); err != nil || string(p.body) != "at last" || asked.Load() != 3 {
		t.Errorf("%+v, %v, asked %d times", p, err, asked.Load())
	}
	for path, want := range map[string][2]int{"/never": {503, 3}, "/absent": {404, 1}} {
		asked.Store(0)
		if p, err := c.get(t.Context(), address(t, at+path), "*/*"); err != nil || p.status != want[0] || int(asked.Load()) != want[1] {
			t.Errorf("%s: %+v, %v, asked %d times", path, p, err, asked.Load())
		}
	}
}

// A page without an end, and one of a gigabyte that came as a megabyte, cost only their kept
// part.
func TestGetHuge(t *testing.T) {
	t.Parallel()
	at := serve(t, func(w http.ResponseWriter, r *http.Request) {
		piece := []byte(strings.Repeat("0123456789abcdef", 4<<10))
		switch r.URL.Path {
		case "/endless":
			for {
				if _, err := w.Write(piece); err != nil {
					return
				}
			}
		case "/gigabyte":
			w.Header().Set("Content-Length", fmt.Sprint(1<<30))
			for range 1 << 30 / len(piece) {
				if _, err := w.Write(piece); err != nil {
					return
				}
			}
		case "/packed":
			w.Header().Set("Content-Encoding", "gzip")
			bomb(w, r, 1<<30)
		case "/odd":
			w.Header().Set("Content-Encoding", "br")
			_, _ = w.Write(piece)
		case "/header":
			w.Header().Set("X", strings.Repeat("x", 2<<20))
		}
	})
	c := reaching(t, Options{}, loopbackToo)
	for _, path := range []string{"/endless", "/gigabyte", "/packed"} {
		if p, err := c.get(t.Context(), address(t, at+path), "*/*"); err != nil || len(p.body) != maxBody || !p.cut {
			t.Errorf("%s: %v", path, err)
		}
	}
	for path, want := range map[string]string{"/odd": "packed in a way", "/header": "header"} {
		if _, err := c.get(t.Context(), address(t, at+path), "*/*"); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", path, err)
		}
	}
}

func TestGetCancelled(t *testing.T) {
	t.Parallel()
	waiting := make(chan struct{}, 1)
	at := serve(t, func(w http.ResponseWriter, r *http.Request) {
		_, _ = w.Write([]byte("some"))
		_ = http.NewResponseController(w).Flush()
		waiting <- struct{}{}
		<-r.Context().Done()
	})
	ctx, cancel := context.WithCancel(t.Context())
	go func() { <-waiting; cancel() }()
	if _, err := reaching(t, Options{}, loopbackToo).get(ctx, address(t, at), "*/*"); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

func TestRootCAs(t *testing.T) {
	t.Parallel()
	s := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "safe") }))
	s.Config.ErrorLog = log.New(io.Discard, "", 0)
	s.StartTLS()
	t.Cleanup(s.Close)
	if _, err := reaching(t, Options{}, loopbackToo).get(t.Context(), address(t, s.URL), "*/*"); err == nil || !strings.Contains(err.Error(), "certificate") {
		t.Error(err)
	}
	file := pemFile(t, s.Certificate())
	if p, err := reaching(t, Options{RootCAs: []string{file}}, loopbackToo).get(t.Context(), address(t, s.URL), "*/*"); err != nil || string(p.body) != "safe" {
		t.Error(err)
	}
	if _, err := reaching(t, Options{RootCAs: []string{"no/such"}}, loopbackToo).get(t.Context(), address(t, s.URL), "*/*"); err == nil {
		t.Error("a missing file was not noticed")
	}
}
