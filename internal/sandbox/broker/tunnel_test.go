package broker_test

import (
	"bufio"
	"context"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"pollux/internal/sandbox/broker"
	"pollux/internal/sandbox/network"
)

// proxy is an HTTP proxy that leads to a host, whatever name it is asked for.
type proxy struct {
	addr netip.AddrPort
	h    *host

	mu       sync.Mutex
	refuses  bool     // all hosts
	swallows bool     // everything after its answer
	asked    []string // request lines, with the password for the proxy
	conns    []net.Conn
	serving  sync.WaitGroup
}

// newProxy returns a proxy, and changes the broker of the host to one that knows it.
func newProxy(t *testing.T, h *host) *proxy {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	p := &proxy{addr: netip.MustParseAddrPort(l.Addr().String()), h: h}
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			p.serving.Go(func() { p.serve(c) })
		}
	}()
	h.knowProxies(t, p.addr.String())
	return p
}

// knowProxies gives the host a broker that knows proxies.
func (h *host) knowProxies(t *testing.T, addresses ...string) {
	t.Helper()
	list, _ := network.ParseHosts(addresses)
	b, err := broker.New(broker.Options{
		Proxies: list, Transport: h.Client().Transport.(*http.Transport).Clone(),
		Credentials: []broker.Credential{{Hosts: h.hosts, Placeholder: placeholder, Secret: func(context.Context, string) (broker.Secret, error) {
			return broker.Secret{Text: real}, nil
		}}},
		Lookup: func(context.Context, string) ([]netip.Addr, error) {
			return []netip.Addr{netip.MustParseAddr("192.0.2.7")}, nil
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = b.Close() })
	h.b = b
}

// serve answers requests until one has led to the host.
func (p *proxy) serve(c net.Conn) {
	defer c.Close()
	from := bufio.NewReader(c)
	if begin, err := from.Peek(1); err == nil && begin[0] == 5 { // a proxy of two kinds
		_, _ = c.Write([]byte("\x05\xff"))
		return
	}
	for {
		r, err := http.ReadRequest(from)
		if err != nil {
			p.mu.Lock()
			p.asked = append(p.asked, err.Error())
			p.mu.Unlock()
			return
		}
		p.mu.Lock()
		p.asked = append(p.asked, strings.TrimSpace(r.Method+" "+r.RequestURI+" "+r.Header.Get("Proxy-Authorization")))
		p.conns = append(p.conns, c)
		refuses, swallows := p.refuses, p.swallows
		p.mu.Unlock()
		switch {
		case r.Method != http.MethodConnect:
			_, _ = fmt.Fprintf(c, "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
		case refuses:
			_, _ = fmt.Fprintf(c, "HTTP/1.1 403 Not here\r\nContent-Length: 4\r\n\r\nwhy?")
		default:
			to, err := net.Dial("tcp", p.h.addr.String())
			if err != nil {
				return
			}
			_, _ = io.WriteString(c, "HTTP/1.1 200 OK\r\nVia: proxy\r\n\r\n")
			if swallows {
				_, _ = io.CopyN(io.Discard, from, 100)
				return
			}
			go func() {
				_, _ = io.Copy(to, from)
				_ = to.(*net.TCPConn).CloseWrite()
			}()
			_, _ = io.Copy(c, to)
			_ = to.Close()
			return
		}
	}
}

func (p *proxy) refuse(all bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.refuses = all
}

func (p *proxy) requests() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	list := p.asked
	p.asked = nil
	return list
}

// cut ends all connections of the proxy.
func (p *proxy) cut() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, c := range p.conns {
		_ = c.Close()
	}
}

// dial returns a connection of a program to the proxy, which the broker serves.
func (p *proxy) dial(program string) (net.Conn, error) {
	return p.h.led(p.addr, p.h.b.Takes(context.Background(), p.addr, nil), program)
}

// client returns a client that uses the proxy, with a password.
func (p *proxy) client(t *testing.T, program string) *http.Client {
	t.Helper()
	pool := x509.NewCertPool()
	pool.AppendCertsFromPEM(p.h.b.Authority())
	tr := &http.Transport{
		Proxy:           http.ProxyURL(&url.URL{Scheme: "http", User: url.UserPassword("me", "pass"), Host: p.addr.String()}),
		DialContext:     func(context.Context, string, string) (net.Conn, error) { return p.dial(program) },
		TLSClientConfig: &tls.Config{RootCAs: pool}, ForceAttemptHTTP2: true,
	}
	t.Cleanup(tr.CloseIdleConnections)
	return &http.Client{Transport: tr}
}

// trustHost has a client accept the certificate of the host alone, whatever its name.
func trustHost(t *testing.T, c *http.Client, h *host) {
	t.Helper()
	conf := c.Transport.(*http.Transport).TLSClientConfig
	conf.InsecureSkipVerify = true
	conf.VerifyConnection = func(s tls.ConnectionState) error {
		if !s.PeerCertificates[0].Equal(h.Certificate()) {
			t.Errorf("%s: the certificate is not that of the host", s.ServerName)
		}
		return nil
	}
}

func get(t *testing.T, c *http.Client, address string) (string, error) {
	t.Helper()
	r, err := http.NewRequest("GET", address, nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+placeholder)
	resp, err := c.Do(r)
	if err != nil {
		return "", err
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	return fmt.Sprintf("%d %s", resp.StatusCode, text), err
}

// TestProxy checks that a credential reaches its host through a proxy, which does not see it, and nothing else does.
func TestProxy(t *testing.T) {
	t.Parallel()
	h := newHost(t, broker.Secret{}, func(w http.ResponseWriter, r *http.Request) {
		auth := r.Header.Get("Authorization")
		_, _ = fmt.Fprintf(w, "%v %s %s", auth == "Bearer "+real, auth, r.Header.Get("Proxy-Authorization"))
	})
	p := newProxy(t, h)
	name := fmt.Sprintf("example.com:%d", h.addr.Port())
	ask := "CONNECT " + name + " " + basic("me", "pass")
	for i := range 3 {
		if got, err := get(t, p.client(t, "/bin/a"), h.url("/")); got != "200 true Bearer "+placeholder+" " || err != nil {
			t.Fatalf("%d: the program read %q, %v", i, got, err)
		}
	}
	if got := p.requests(); !slices.Equal(got, []string{ask, ask, ask}) {
		t.Errorf("the proxy got %q", got)
	}
	c := p.client(t, "/bin/a")
	for range 2 { // the second time on the connection of the program, but not on that of the proxy
		if got, err := get(t, c, h.url("/")); got != "200 true Bearer "+placeholder+" " || err != nil {
			t.Fatalf("after an end, the program read %q, %v", got, err)
		}
		p.cut()
	}
	if got := p.requests(); !slices.Equal(got, []string{ask, ask}) {
		t.Errorf("after an end, the proxy got %q", got)
	}
	p.requests()
	p.refuse(true)
	if got, err := get(t, c, h.url("/")); !strings.HasPrefix(got, "502 ") || !strings.Contains(got, "the proxy has refused: \"HTTP/1.1 403 Not here\"") || err != nil {
		t.Errorf("where the proxy refuses to lead once more, the program read %q, %v", got, err)
	}
	if _, err := get(t, c, h.url("/")); err == nil || !strings.Contains(err.Error(), "Not here") { // on a connection of its own
		t.Errorf("the next time, the program read %v", err)
	}
	one := p.client(t, "/bin/a")
	one.Transport.(*http.Transport).ForceAttemptHTTP2 = false
	p.refuse(false)
	if got, err := get(t, one, h.url("/")); got != "200 true Bearer "+placeholder+" " || err != nil {
		t.Errorf("with HTTP/1.1, the program read %q, %v", got, err)
	}
	p.cut()
	p.refuse(true)
	if _, err := get(t, one, h.url("/")); err == nil || !strings.Contains(err.Error(), "Not here") {
		t.Errorf("with HTTP/1.1, the program read %v", err)
	}
	p.refuse(false)
	p.requests()

	t.Run("a request that is no CONNECT", func(t *testing.T) {
		if got, err := get(t, p.client(t, "/bin/a"), "http://plain.example/x"); got != "200 ok" || err != nil {
			t.Errorf("%q, %v", got, err)
		}
	})
	t.Run("another host", func(t *testing.T) {
		c := p.client(t, "/bin/a")
		trustHost(t, c, h)
		if got, err := get(t, c, fmt.Sprintf("https://other.example:%d/", h.addr.Port())); got != "200 false Bearer "+placeholder+" " || err != nil {
			t.Errorf("%q, %v", got, err)
		}
	})
	t.Run("another port", func(t *testing.T) {
		c := p.client(t, "/bin/a")
		trustHost(t, c, h)
		if got, err := get(t, c, "https://example.com:1/"); got != "200 false Bearer "+placeholder+" " || err != nil {
			t.Errorf("%q, %v", got, err)
		}
	})
	t.Run("another name on the way", func(t *testing.T) {
		c := p.client(t, "/bin/a")
		trustHost(t, c, h)
		c.Transport.(*http.Transport).TLSClientConfig.ServerName = "other.example"
		if got, err := get(t, c, h.url("/")); got != "200 false Bearer "+placeholder+" " || err != nil {
			t.Errorf("%q, %v", got, err)
		}
	})
	t.Run("a program that does not trust the broker", func(t *testing.T) {
		c := p.client(t, "/usr/bin/wget")
		trustHost(t, c, h)
		if got, err := get(t, c, h.url("/")); got != "200 false Bearer "+placeholder+" " || err != nil {
			t.Errorf("%q, %v", got, err)
		}
	})
	t.Run("without waiting for the proxy", func(t *testing.T) {
		conn, err := p.dial("/bin/a")
		if err != nil {
			t.Fatal(err)
		}
		pool := x509.NewCertPool()
		pool.AppendCertsFromPEM(h.b.Authority())
		c := tls.Client(&hasty{Conn: conn, ask: "CONNECT " + name + " HTTP/1.1\r\n\r\n"}, &tls.Config{RootCAs: pool, ServerName: "example.com"})
		defer c.Close()
		_, _ = fmt.Fprintf(c, "GET / HTTP/1.1\r\nHost: %s\r\nAuthorization: Bearer %s\r\nConnection: close\r\n\r\n", name, placeholder)
		if got, err := io.ReadAll(c); !strings.Contains(string(got), "true Bearer "+placeholder) {
			t.Errorf("%q, %v", got, err)
		}
	})
	p.requests()
	for _, c := range []struct{ send, want string }{
		{"\x05\x01\x00", "\x05\xff"}, // SOCKS, whose programs wait after 3 bytes
		{"CONNECTED " + name + " HTTP/1.1\r\n\r\n", "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"},
		{"CONN", ""},
		{"CONNECT " + name + " HTTP/1.1\r\nHost: " + name + "\r\n", ""}, // without an end
	} {
		conn, err := p.dial("/bin/a")
		if err != nil {
			t.Fatal(err)
		}
		_, _ = io.WriteString(conn, c.send)
		_ = conn.SetReadDeadline(time.Now().Add(10 * time.Second)) // less than the broker has patience
		got := make([]byte, len(c.want))
		if n, err := io.ReadFull(conn, got); string(got[:n]) != c.want {
			t.Errorf("%q: the program read %q, %v", c.send, got[:n], err)
		}
		_ = conn.(*net.TCPConn).CloseWrite()
		if rest, err := io.ReadAll(conn); len(rest) > 0 || err != nil {
			t.Errorf("%q: at its end, the program read %q, %v", c.send, rest, err)
		}
		_ = conn.Close()
	}
	if got := p.requests(); !slices.Equal(got, []string{"CONNECTED " + name, "EOF", `malformed HTTP request "CONN"`, "unexpected EOF"}) {
		t.Errorf("the proxy got %q", got)
	}
}

// hasty is a connection on which a program begins before the proxy has answered.
type hasty struct {
	net.Conn
	ask  string
	from *bufio.Reader
}

func (h *hasty) Write(b []byte) (int, error) {
	_, err := h.Conn.Write(append([]byte(h.ask), b...))
	h.ask = ""
	return len(b), err
}

func (h *hasty) Read(b []byte) (int, error) {
	if h.from == nil {
		h.from = bufio.NewReader(h.Conn)
		if _, err := http.ReadResponse(h.from, &http.Request{Method: http.MethodConnect}); err != nil {
			return 0, err
		}
	}
	return h.from.Read(b)
}

// TestRefusingProxy checks that programs see the answer of a proxy that refuses, and may ask again on the same connection.
func TestRefusingProxy(t *testing.T) {
	t.Parallel()
	h := newHost(t, broker.Secret{}, func(http.ResponseWriter, *http.Request) { t.Error("the host was reached") })
	p := newProxy(t, h)
	p.refuse(true)
	conn, err := p.dial("/bin/a")
	if err != nil {
		t.Fatal(err)
	}
	from := bufio.NewReader(conn)
	ask := fmt.Sprintf("CONNECT EXAMPLE.com.:%d HTTP/1.1\r\nHost: x\r\n\r\n", h.addr.Port())
	for _, c := range []struct{ send, status, text string }{{ask, "403 Not here", "why?"}, {ask, "403 Not here", "why?"}, {"GET http://x/ HTTP/1.1\r\nHost: x\r\n\r\n", "200 OK", "ok"}} {
		_, _ = io.WriteString(conn, c.send)
		resp, err := http.ReadResponse(from, nil)
		if err != nil {
			t.Fatal(err)
		}
		if text, _ := io.ReadAll(resp.Body); resp.Status != c.status || string(text) != c.text {
			t.Errorf("%q: the program read %s %q", c.send, resp.Status, text)
		}
	}
	if p.mu.Lock(); len(p.conns) != 3 || p.conns[0] != p.conns[1] || p.conns[0] != p.conns[2] {
		t.Errorf("the proxy got several connections: %v", p.conns)
	}
	p.mu.Unlock()
	_ = conn.Close()
	if conn, err = p.dial("/bin/a"); err != nil {
		t.Fatal(err)
	}
	from = bufio.NewReader(conn)
	for range 2 { // the second time after the proxy has ended the connection
		_, _ = io.WriteString(conn, ask)
		resp, err := http.ReadResponse(from, nil)
		if err != nil || resp.StatusCode != http.StatusForbidden {
			t.Fatalf("the program read %v, %v", resp, err)
		}
		_, _ = io.Copy(io.Discard, resp.Body)
		p.cut()
	}
	_ = conn.Close()
	p.serving.Wait() // for the ends of the connections, with the programs'
}

// TestProxyAddress checks that a program which means an address by a proxy gets the credential of the address.
func TestProxyAddress(t *testing.T) {
	t.Parallel()
	h := newHost(t, broker.Secret{}, func(w http.ResponseWriter, r *http.Request) {
		_, _ = fmt.Fprint(w, r.Header.Get("Authorization") == "Bearer "+real)
	})
	h.hosts, _ = network.ParseHosts([]string{h.addr.String()})
	p := newProxy(t, h)
	if got, err := get(t, p.client(t, "/bin/a"), "https://"+h.addr.String()); got != "200 true" || err != nil {
		t.Errorf("the program read %q, %v", got, err)
	}
}

// TestSilentProxy checks the answer to programs where no proxy listens, and that a request without an end is not kept.
func TestSilentProxy(t *testing.T) {
	t.Parallel()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	addr := netip.MustParseAddrPort(l.Addr().String())
	list, _ := network.ParseHosts([]string{addr.String()})
	hosts, _ := network.ParseHosts([]string{"example.com:443"})
	b, err := broker.New(broker.Options{Proxies: list, Transport: &http.Transport{}, Credentials: []broker.Credential{{Hosts: hosts, Placeholder: placeholder}}})
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	begin := func() net.Conn {
		end, other := net.Pipe()
		go b.Serve(other, addr, list, broker.Program{File: "/bin/a"})
		return end
	}
	long := begin()
	go func() { // which does not end before it is read
		for _, err := io.WriteString(long, "CONNECT example.com:443 HTTP/1.1\r\n"); err == nil; {
			_, err = io.WriteString(long, "X: y\r\n")
		}
	}()
	_ = l.(*net.TCPListener).SetDeadline(time.Now().Add(10 * time.Second)) // less than the broker has patience
	conn, err := l.Accept()
	if err != nil {
		t.Fatal(err)
	}
	got := make([]byte, 200<<10)
	if _, err := io.ReadFull(conn, got); err != nil || !strings.HasPrefix(string(got), "CONNECT example.com:443 HTTP/1.1\r\nX: y\r\nX: y") {
		t.Errorf("the proxy got %.100q, %v", got, err)
	}
	_ = long.Close()
	_ = conn.Close()
	_ = l.Close()
	for _, name := range []string{"example.com", "other.example"} {
		end := begin()
		_, _ = io.WriteString(end, "CONNECT "+name+":443 HTTP/1.1\r\n\r\n")
		if got, _ := io.ReadAll(end); !strings.HasPrefix(string(got), "HTTP/1.1 502 ") {
			t.Errorf("without a proxy, the program that means %s read %q", name, got)
		}
	}
}

// TestWays checks that a proxy which refuses a host does not lead there by the connection of a program that needed none, nor by that of another proxy.
func TestWays(t *testing.T) {
	t.Parallel()
	h := newHost(t, broker.Secret{}, func(w http.ResponseWriter, r *http.Request) {
		_, _ = fmt.Fprint(w, r.Header.Get("Authorization") == "Bearer "+real)
	})
	p := newProxy(t, h)
	if got, err := get(t, h.client(t, h.b.Authority()), h.url("/")); got != "200 true" || err != nil {
		t.Fatalf("without a proxy, the program read %q, %v", got, err)
	}
	if got, err := get(t, p.client(t, "/bin/a"), h.url("/")); got != "200 true" || err != nil {
		t.Fatalf("by the proxy, the program read %q, %v", got, err)
	}
	p.mu.Lock()
	p.swallows = true // it says that it leads to the host, and does not
	p.mu.Unlock()
	p.cut()
	c := p.client(t, "/bin/a")
	if got, err := get(t, c, h.url("/")); strings.HasPrefix(got, "200") {
		t.Errorf("by a proxy that leads nowhere, the program read %q, %v", got, err)
	}
}

// TestAfterRefusal checks that the limits for a proxy that refuses a host do not hold for the requests after that on the same connection.
func TestAfterRefusal(t *testing.T) {
	t.Parallel()
	h := newHost(t, broker.Secret{}, func(http.ResponseWriter, *http.Request) {})
	p := newProxy(t, h)
	p.refuse(true)
	left, right := net.Pipe()
	watched := &deadlines{Conn: right}
	go h.b.Serve(watched, p.addr, h.b.Takes(t.Context(), p.addr, nil), broker.Program{File: "/bin/a"})
	from := bufio.NewReader(left)
	for _, send := range []string{fmt.Sprintf("CONNECT example.com:%d HTTP/1.1\r\nHost: x\r\n\r\n", h.addr.Port()), "GET http://x/ HTTP/1.1\r\nHost: x\r\n\r\n"} {
		_, _ = io.WriteString(left, send)
		resp, err := http.ReadResponse(from, nil)
		if err != nil {
			t.Fatal(err)
		}
		_, _ = io.Copy(io.Discard, resp.Body)
	}
	if last := watched.last.Load(); last != nil && !last.(time.Time).IsZero() {
		t.Errorf("the connection of the program ends at %v", last)
	}
	_ = left.Close()
}

// deadlines is a connection that knows its latest deadline.
type deadlines struct {
	net.Conn
	last atomic.Value
}

func (d *deadlines) SetDeadline(at time.Time) error {
	d.last.Store(at)
	return d.Conn.SetDeadline(at)
}

// TestFirstBytes checks that nothing is lost of a program's data behind its request to a proxy if that is no TLS.
func TestFirstBytes(t *testing.T) {
	t.Parallel()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	got := make(chan int, 10)
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			n, _ := io.Copy(io.Discard, c)
			got <- int(n)
			_ = c.Close()
		}
	}()
	h := newHost(t, broker.Secret{}, func(http.ResponseWriter, *http.Request) {})
	h.addr = netip.MustParseAddrPort(l.Addr().String())
	p := newProxy(t, h)
	h.addr = netip.MustParseAddrPort(l.Addr().String())
	for _, size := range []int{100, 600, 5000, 200_000} {
		conn, err := p.dial("/bin/a")
		if err != nil {
			t.Fatal(err)
		}
		_, port, _ := net.SplitHostPort(h.Listener.Addr().String())
		_, _ = io.WriteString(conn, "CONNECT example.com:"+port+" HTTP/1.1\r\n\r\nSSH-2.0-"+strings.Repeat("x", size-8))
		_ = conn.(*net.TCPConn).CloseWrite()
		_, _ = io.Copy(io.Discard, conn)
		if n := <-got; n != size {
			t.Errorf("of %d bytes, the host got %d", size, n)
		}
		_ = conn.Close()
	}
}

// TestSameAddress checks that a host of a credential which has the address of a proxy gets the credential without it.
func TestSameAddress(t *testing.T) {
	t.Parallel()
	h := newHost(t, broker.Secret{}, func(w http.ResponseWriter, r *http.Request) {
		_, _ = fmt.Fprint(w, r.Header.Get("Authorization") == "Bearer "+real)
	})
	p := newProxy(t, h)
	h.knowProxies(t, p.addr.String(), h.addr.String())
	proxy, _ := network.ParseHost(h.addr.String())
	h.hosts = append(h.hosts, proxy)
	if got, err := get(t, h.client(t, h.b.Authority()), h.url("/")); got != "200 true" || err != nil {
		t.Errorf("the program read %q, %v", got, err)
	}
}

// TestNoWait checks that a connection to this machine does not wait for the names of hosts and proxies with the same port, and one to another machine only for
// those with its port.
func TestNoWait(t *testing.T) {
	t.Parallel()
	var asked atomic.Int32
	hosts, _ := network.ParseHosts([]string{"example.com:443"})
	proxies, _ := network.ParseHosts([]string{"proxy.example:8080"})
	stuck := make(chan struct{})
	b, err := broker.New(broker.Options{
		Proxies: proxies, Transport: &http.Transport{}, Credentials: []broker.Credential{{Hosts: hosts, Placeholder: placeholder}},
		Lookup: func(_ context.Context, name string) ([]netip.Addr, error) {
			if asked.Add(1); name == "example.com" {
				<-stuck
			}
			return []netip.Addr{netip.MustParseAddr("192.0.2.7")}, nil
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = b.Close() })
	t.Cleanup(func() { close(stuck) })
	for address, want := range map[string]int32{"127.0.0.1:8080": 0, "[::1]:443": 0, "127.0.0.1:80": 0} {
		if found := b.Takes(t.Context(), netip.MustParseAddrPort(address), nil); len(found) > 0 || asked.Load() != want {
			t.Errorf("%s: %v, and %d names were asked for", address, found, asked.Load())
		}
	}
	if found := b.Takes(t.Context(), netip.MustParseAddrPort("192.0.2.7:8080"), nil); len(found) != 1 || asked.Load() != 1 {
		t.Errorf("the proxy: %v, and %d names were asked for", found, asked.Load())
	}
}
