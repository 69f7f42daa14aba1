package broker_test

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httptrace"
	"net/netip"
	"net/textproto"
	"net/url"
	"os"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"pollux/internal/sandbox/broker"
	"pollux/internal/sandbox/network"
)

const (
	placeholder = "placeholder0123456789"
	real        = "s3cret-of-the-person"
)

// host is a server, and a broker in front of it.
type host struct {
	*httptest.Server
	addr  netip.AddrPort
	asked atomic.Int32 // for the secret
	b     *broker.Broker
	err   error
	hosts network.Hosts
	open  atomic.Int32
}

// newHost returns a host named example.com, whose certificate the server of a test has, and a broker with a credential for it.
func newHost(t *testing.T, secret broker.Secret, handler http.HandlerFunc) *host {
	t.Helper()
	h := &host{}
	h.Server = newServer(handler)
	t.Cleanup(h.Close)
	h.addr = netip.MustParseAddrPort(h.Listener.Addr().String())
	h.b = newBroker(t, h, fmt.Sprintf("example.com:%d", h.addr.Port()), func(context.Context, string) (broker.Secret, error) {
		h.asked.Add(1)
		return secret, h.err
	})
	return h
}

// newServer returns a server that says nothing about programs which do not trust it.
func newServer(handler http.Handler) *httptest.Server {
	s := httptest.NewUnstartedServer(handler)
	s.Config.ErrorLog = log.New(io.Discard, "", 0)
	s.StartTLS()
	return s
}

func newBroker(t *testing.T, h *host, name string, secret func(context.Context, string) (broker.Secret, error)) *broker.Broker {
	t.Helper()
	list, bad := network.ParseHosts([]string{name})
	if len(bad) > 0 {
		t.Fatal(bad)
	}
	h.hosts = list
	transport := h.Client().Transport.(*http.Transport).Clone()
	transport.ExpectContinueTimeout = time.Minute
	b, err := broker.New(broker.Options{
		Credentials: []broker.Credential{{Hosts: list, Placeholder: placeholder, Secret: secret}},
		Transport:   transport,
		Lookup: func(context.Context, string) ([]netip.Addr, error) {
			return []netip.Addr{netip.MustParseAddr("192.0.2.7")}, nil
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = b.Close() })
	return b
}

// dial returns a connection of a program to the address of the host, which the broker serves.
func (h *host) dial(program string) (net.Conn, error) {
	return h.led(h.addr, h.hosts, program)
}

// led returns a connection of a program to an address, which these hosts have and the broker serves.
func (h *host) led(to netip.AddrPort, hosts network.Hosts, program string) (net.Conn, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	defer l.Close()
	end, err := net.Dial("tcp", l.Addr().String())
	if err != nil {
		return nil, err
	}
	conn, err := l.Accept()
	if err == nil {
		go h.b.Serve(conn, to, hosts, broker.Program{File: program, Open: &h.open})
	}
	return end, err
}

// client returns a client that trusts the broker, or the host.
func (h *host) client(t *testing.T, trusts []byte) *http.Client {
	t.Helper()
	pool := x509.NewCertPool()
	if !pool.AppendCertsFromPEM(trusts) {
		pool.AddCert(h.Certificate())
	}
	tr := &http.Transport{
		DialContext:     func(context.Context, string, string) (net.Conn, error) { return h.dial("/bin/a") },
		TLSClientConfig: &tls.Config{RootCAs: pool}, ExpectContinueTimeout: time.Minute,
	}
	t.Cleanup(tr.CloseIdleConnections)
	return &http.Client{Transport: tr, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
}

// url returns an address of the host by its name.
func (h *host) url(path string) string {
	return fmt.Sprintf("https://example.com:%d%s", h.addr.Port(), path)
}

// do sends a request of a program, and returns the answer.
func (h *host) do(t *testing.T, method, path, body string, header ...string) (*http.Response, string) {
	t.Helper()
	r, err := http.NewRequest(method, h.url(path), strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range header {
		name, value, _ := strings.Cut(line, ": ")
		if r.Header.Set(name, value); name == "Host" {
			r.Host = value
		}
	}
	r = r.WithContext(httptrace.WithClientTrace(t.Context(), &httptrace.ClientTrace{Got1xxResponse: func(code int, header textproto.MIMEHeader) error {
		if code != http.StatusContinue {
			t.Errorf("the program got %d with %v", code, header)
		}
		return nil
	}}))
	resp, err := h.client(t, h.b.Authority()).Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	got, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp, string(got)
}

func basic(user, password string) string {
	return "Basic " + base64.StdEncoding.EncodeToString([]byte(user+":"+password))
}

// TestHeaders checks which parts of a request get the secret.
func TestHeaders(t *testing.T) {
	t.Parallel()
	var got *http.Request
	var body []byte
	h := newHost(t, broker.Secret{Text: real}, func(_ http.ResponseWriter, r *http.Request) {
		got = r
		body, _ = io.ReadAll(r.Body)
	})
	h.do(t, "POST", "/a%2fb?token="+placeholder+"&x=;", "I am "+placeholder, "Authorization: Bearer "+placeholder, "X-Note: "+placeholder, "X-Api-Key: "+placeholder,
		"Private-Token: other", "User-Agent: test", "Accept-Encoding: br")
	for name, want := range map[string]string{
		"Authorization": "Bearer " + real, "X-Note": placeholder, "X-Api-Key": real, "Private-Token": "other", "User-Agent": "test", "X-Forwarded-For": "", "Accept-Encoding": "gzip",
	} {
		if value := got.Header.Get(name); value != want {
			t.Errorf("%s is %q, want %q", name, value, want)
		}
	}
	if got.RequestURI != "/a%2fb?token="+placeholder+"&x=;" || string(body) != "I am "+placeholder {
		t.Errorf("the host got %s with %q", got.RequestURI, body)
	}
	if got.Host != strings.TrimPrefix(h.url(""), "https://") {
		t.Errorf("the host is %s", got.Host)
	}
	h.do(t, "GET", "/", "", "Authorization: "+basic("me", placeholder))
	if user, password, _ := got.BasicAuth(); user != "me" || password != real {
		t.Errorf("the host got %s and %s", user, password)
	}
	h.do(t, "GET", "/", "", "Authorization: "+basic(placeholder, "x"))
	if user, password, _ := got.BasicAuth(); user != real || password != "x" {
		t.Errorf("the host got %s and %s", user, password)
	}
	for _, value := range []string{"Bearer x" + placeholder, placeholder + " " + placeholder, "Basic " + placeholder, basic("me", "x"+placeholder), basic(placeholder+"x", "")} {
		if h.do(t, "GET", "/", "", "Authorization: "+value); got.Header.Get("Authorization") != value {
			t.Errorf("%q became %q", value, got.Header.Get("Authorization"))
		}
	}
	h.do(t, "GET", "/", "", "Accept-Encoding: br")
	if got.Header.Get("Accept-Encoding") != "br" || got.Header.Get("Authorization") != "" {
		t.Errorf("a request without a placeholder became %v", got.Header)
	}
	if n := h.asked.Load(); n != 1 {
		t.Errorf("the secret was asked for %d times", n)
	}
}

// TestUser checks that a secret with a user replaces that of the program.
func TestUser(t *testing.T) {
	t.Parallel()
	h := newHost(t, broker.Secret{User: "anna", Text: real}, func(w http.ResponseWriter, r *http.Request) {
		user, password, _ := r.BasicAuth()
		_, _ = fmt.Fprint(w, user, password == real)
	})
	if _, got := h.do(t, "GET", "/", "", "Authorization: "+basic("x-access-token", placeholder)); got != "annatrue" {
		t.Errorf("the host got %s", got)
	}
}

// TestAnswers checks that answers do not have the secret, in pieces of any size, compressed, and encoded as it was sent.
func TestAnswers(t *testing.T) {
	t.Parallel()
	h := newHost(t, broker.Secret{Text: real}, func(w http.ResponseWriter, r *http.Request) {
		auth := r.Header.Get("Authorization")
		w.Header().Set("X-Echo", auth)
		w.Header().Set("Link", real)
		w.WriteHeader(http.StatusEarlyHints)
		w.Header().Set("Location", "https://elsewhere.example/?token="+real)
		w.Header().Set("Trailer", "X-End")
		defer w.Header().Set("X-End", "is "+real)
		text := "<" + auth + "> " + real + real + " s3cret-of-the-x"
		switch r.URL.Path {
		case "/gzip":
			if strings.Contains(r.Header.Get("Accept-Encoding"), "gzip") {
				w.Header().Set("Content-Encoding", "gzip")
				z := gzip.NewWriter(w)
				defer z.Close()
				_, _ = io.WriteString(z, text)
				return
			}
		case "/slow":
			for i := range len(text) {
				_, _ = io.WriteString(w, text[i:i+1])
				w.(http.Flusher).Flush()
			}
			return
		}
		_, _ = io.WriteString(w, text)
	})
	for _, path := range []string{"/", "/gzip", "/slow"} {
		for _, auth := range []string{"token " + placeholder, basic("me", placeholder)} {
			resp, got := h.do(t, "GET", path, "", "Authorization: "+auth, "Accept-Encoding: gzip, br")
			if want := "<" + auth + "> " + placeholder + placeholder + " s3cret-of-the-x"; got != want {
				t.Errorf("%s: the program got %q, want %q", path, got, want)
			}
			if resp.Trailer.Get("X-End") != "is "+placeholder {
				t.Errorf("%s: the trailer is %v", path, resp.Trailer)
			}
			if resp.Header.Get("X-Echo") != auth || strings.Contains(resp.Header.Get("Location"), real) {
				t.Errorf("%s: the program got %v", path, resp.Header)
			}
		}
	}
	if resp, _ := h.do(t, "HEAD", "/", "", "Authorization: Bearer "+placeholder); resp.StatusCode != 200 {
		t.Errorf("HEAD got %s", resp.Status)
	}
}

// TestForms checks that answers do not have the secret in the notations of JSON, URLs and base64, and that a header gets one secret.
func TestForms(t *testing.T) {
	t.Parallel()
	const secret, other = "s3cret/of+the?person~>", "another-secret-of-the-person"
	h := newHost(t, broker.Secret{}, func(w http.ResponseWriter, r *http.Request) {
		auth := r.Header.Get("Authorization")
		_, word, _ := strings.Cut(auth, " ")
		text, _ := base64.StdEncoding.DecodeString(word)
		user, password, _ := strings.Cut(string(text), ":")
		for _, text := range []string{auth, word, user, password} {
			_, _ = fmt.Fprintln(w, text, strings.ReplaceAll(text, "/", `\/`), url.QueryEscape(text), url.PathEscape(text), strings.TrimRight(text, "="), strings.NewReplacer("+", "-", "/", "_").Replace(text))
		}
	})
	var list []broker.Credential
	for i, text := range []string{secret, other} {
		list = append(list, broker.Credential{Hosts: h.hosts, Placeholder: fmt.Sprint(placeholder, i), Secret: func(context.Context, string) (broker.Secret, error) { return broker.Secret{Text: text}, nil }})
	}
	var err error
	if h.b, err = broker.New(broker.Options{Transport: h.Client().Transport.(*http.Transport).Clone(), Credentials: list}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = h.b.Close() })
	for _, auth := range []string{"Bearer " + placeholder + "0", basic("me", placeholder+"0"), basic(placeholder+"0", ""), basic(placeholder+"0", placeholder+"1"), basic(placeholder+"1", placeholder+"0")} {
		_, got := h.do(t, "GET", "/", "", "Authorization: "+auth)
		for _, text := range []string{"s3cret", "another-secret", base64.StdEncoding.EncodeToString([]byte(secret))[:20]} {
			if strings.Contains(got, text) {
				t.Errorf("%s: the program read %q in %q", auth, text, got)
			}
		}
		for word := range strings.FieldsSeq(got) {
			plain, _ := base64.RawStdEncoding.DecodeString(strings.TrimRight(strings.NewReplacer("-", "+", "_", "/").Replace(word), "="))
			if strings.Contains(string(plain), "s3cret") || strings.Contains(string(plain), "another-secret") {
				t.Errorf("%s: the program read %q", auth, word)
			}
		}
	}
}

// TestStream checks that the parts of an answer arrive when the host sends them.
func TestStream(t *testing.T) {
	t.Parallel()
	next := make(chan bool)
	h := newHost(t, broker.Secret{Text: real}, func(w http.ResponseWriter, _ *http.Request) {
		for i := range 3 {
			_, _ = fmt.Fprintf(w, "line %d s3cre\n", i)
			w.(http.Flusher).Flush()
			<-next
		}
	})
	r, _ := http.NewRequest("GET", h.url("/"), nil)
	r.Header.Set("Authorization", "Bearer "+placeholder)
	resp, err := h.client(t, h.b.Authority()).Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	lines := bufio.NewScanner(resp.Body)
	for i := range 3 {
		if !lines.Scan() || lines.Text() != fmt.Sprintf("line %d s3cre", i) {
			t.Fatalf("line %d is %q: %v", i, lines.Text(), lines.Err())
		}
		next <- true
	}
}

// TestRefused checks how often the secret is asked for, and the answer without one.
func TestRefused(t *testing.T) {
	t.Parallel()
	h := newHost(t, broker.Secret{Text: real}, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusUnauthorized) })
	for range 5 { // it would start programs of the user's
		h.do(t, "GET", "/", "", "Authorization: Bearer "+placeholder)
		h.do(t, "GET", "/", "", "Authorization: Bearer x"+placeholder)
	}
	if n := h.asked.Load(); n != 1 {
		t.Errorf("the secret was asked for %d times", n)
	}
	for _, test := range []struct {
		secret broker.Secret
		err    error
		want   string
	}{
		{broker.Secret{}, errors.New("gh is not signed in"), "gh is not signed in"},
		{broker.Secret{}, nil, "there is none"},
		{broker.Secret{Text: "main"}, nil, "it has fewer than 8 characters, and other text of an answer may be the same"},
		{broker.Secret{Text: "two lines\nof text"}, nil, "it has more than one line"},
		{broker.Secret{User: "an\rna", Text: real}, nil, "it has more than one line"},
	} {
		h := newHost(t, test.secret, func(http.ResponseWriter, *http.Request) { t.Error("the host got a request") })
		h.err = test.err
		for range 2 {
			resp, got := h.do(t, "GET", "/", "", "Authorization: Bearer "+placeholder)
			if resp.StatusCode != http.StatusBadGateway || got != "Pollux has no credential for example.com: "+test.want+".\n" {
				t.Errorf("the program read %s %q", resp.Status, got)
			}
		}
		if n := h.asked.Load(); n != 1 {
			t.Errorf("the secret was asked for %d times", n)
		}
	}
}

// send sends the text of a request on a connection to the broker, and returns the answer as it came.
func (h *host) send(t *testing.T, request string) string {
	t.Helper()
	conn, err := h.dial("/bin/b")
	if err != nil {
		t.Fatal(err)
	}
	pool := x509.NewCertPool()
	pool.AppendCertsFromPEM(h.b.Authority())
	c := tls.Client(conn, &tls.Config{RootCAs: pool, ServerName: "example.com"})
	defer c.Close()
	_, _ = io.WriteString(c, strings.ReplaceAll(strings.ReplaceAll(request, "HOST", fmt.Sprintf("example.com:%d", h.addr.Port())), "\n", "\r\n"))
	got, _ := io.ReadAll(c)
	return string(got)
}

// TestTargets checks that a request for something else than a path leaves with no credential, whatever its Host is.
func TestTargets(t *testing.T) {
	t.Parallel()
	h := newHost(t, broker.Secret{Text: real}, func(_ http.ResponseWriter, r *http.Request) { t.Errorf("the host got %s", r.RequestURI) })
	for _, line := range []string{
		"GET x:http://evil.example/steal HTTP/1.1", "GET http://evil.example/steal HTTP/1.1", "GET https://HOST/ HTTP/1.1", "CONNECT evil.example:443 HTTP/1.1", "OPTIONS * HTTP/1.1",
		"CONNECT /x HTTP/1.1", "GET mailto:x HTTP/1.1",
	} {
		got := h.send(t, line+"\nHost: HOST\nAuthorization: Bearer "+placeholder+"\nUpgrade: websocket\nConnection: close\n\n")
		if !strings.HasPrefix(got, "HTTP/1.1 4") {
			t.Errorf("%s: %q", line, got)
		}
	}
}

// TestPieces checks that the pieces of an answer say nothing about the secret: a program could guess it one character after the other.
func TestPieces(t *testing.T) {
	t.Parallel()
	const size = 100_000
	var mu sync.Mutex
	doc := []byte{}
	h := newHost(t, broker.Secret{Text: real}, func(w http.ResponseWriter, _ *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		w.Header().Set("Content-Encoding", "gzip")
		z := gzip.NewWriter(w)
		_, _ = z.Write(doc)
		_ = z.Close()
	})
	pieces := func(guess string, at int) (sizes string) {
		text := bytes.Repeat([]byte("x"), size)
		copy(text[at:], guess)
		mu.Lock()
		doc = text
		mu.Unlock()
		_, body, _ := strings.Cut(h.send(t, "GET / HTTP/1.1\nHost: HOST\nAuthorization: Bearer "+placeholder+"\nConnection: close\n\n"), "\r\n\r\n")
		for {
			line, rest, ok := strings.Cut(body, "\r\n")
			n, err := strconv.ParseInt(line, 16, 64)
			if !ok || err != nil || n == 0 {
				return sizes
			}
			sizes += " " + line
			body = rest[n+2:]
		}
	}
	base := pieces("", 0)
	if base == "" {
		t.Fatal("the answer has no pieces")
	}
	for n := 1; n < len(real); n++ {
		for _, end := range []int{32 << 10, 2 * 32 << 10, size} { // where the pieces that are read end
			if got := pieces(real[:n], end-n); got != base {
				t.Errorf("with %q before %d, the pieces are%s instead of%s", real[:n], end, got, base)
			}
		}
	}
}

// TestWholes checks that answers are asked for as a whole, that a compression that the broker does not know is refused, and that texts about
// broken answers do not have the secret.
func TestWholes(t *testing.T) {
	t.Parallel()
	h := newHost(t, broker.Secret{Text: real}, func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/br":
			w.Header().Set("Content-Encoding", "br")
			_, _ = io.WriteString(w, "x")
		case "/broken":
			conn, _, _ := w.(http.Hijacker).Hijack()
			_, _ = fmt.Fprintf(conn, "HTTP/1.1 200 OK\r\nBad line %s\r\n\r\n", r.Header.Get("Authorization"))
			_ = conn.Close()
		case "/upgrade":
			_, _ = io.WriteString(w, "upgrade: "+r.Header.Get("Upgrade"))
		default:
			http.ServeContent(w, r, "x.txt", time.Time{}, strings.NewReader("text "+r.Header.Get("Authorization")))
		}
	})
	auth := "Authorization: Bearer " + placeholder
	if resp, got := h.do(t, "GET", "/", "", auth, "Range: bytes=0-12"); resp.StatusCode != http.StatusOK || got != "text Bearer "+placeholder {
		t.Errorf("a part is %s %q", resp.Status, got)
	}
	if resp, got := h.do(t, "GET", "/", "", "Range: bytes=0-1"); resp.StatusCode != http.StatusPartialContent || got != "te" {
		t.Errorf("without a credential, a part is %s %q", resp.Status, got)
	}
	if resp, got := h.do(t, "GET", "/br", "", auth); resp.StatusCode != http.StatusBadGateway || !strings.Contains(got, "compressed in a way that Pollux did not ask for: br") {
		t.Errorf("br is %s %q", resp.Status, got)
	}
	if resp, got := h.do(t, "GET", "/broken", "", auth); resp.StatusCode != http.StatusBadGateway || strings.Contains(got, real) || !strings.Contains(got, "no valid HTTP") {
		t.Errorf("a broken answer is %s %q", resp.Status, got)
	}
	if _, got := h.do(t, "GET", "/upgrade", "", auth, "Connection: Upgrade", "Upgrade: websocket"); got != "upgrade: " {
		t.Errorf("the host got %q", got)
	}
}

// TestClose checks that connections end with the broker, and how many one command can have.
func TestClose(t *testing.T) {
	t.Parallel()
	h := newHost(t, broker.Secret{Text: real}, func(http.ResponseWriter, *http.Request) {})
	var all []net.Conn
	for range 600 {
		conn, err := h.dial("/usr/bin/a") // which says nothing
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		all = append(all, conn)
	}
	deadline := time.Now().Add(time.Minute)
	for h.open.Load() < 512 && time.Now().Before(deadline) {
		time.Sleep(time.Millisecond)
	}
	if n := h.open.Load(); n != 512 {
		t.Errorf("%d connections are open", n)
	}
	_ = h.b.Close()
	for _, conn := range all {
		_ = conn.SetReadDeadline(time.Now().Add(time.Minute))
		if _, err := conn.Read(make([]byte, 1)); err == nil || errors.Is(err, os.ErrDeadlineExceeded) {
			t.Fatalf("after Close, a connection is open: %v", err)
		}
	}
}

// TestOtherHosts checks that nothing else gets the secret: another Host on the connection of the host, and a host without the certificate.
func TestOtherHosts(t *testing.T) {
	t.Parallel()
	var reached atomic.Int32
	h := newHost(t, broker.Secret{Text: real}, func(http.ResponseWriter, *http.Request) { reached.Add(1) })
	for _, name := range []string{"evil.example", "example.com", "example.com:1", "x.example.com"} {
		if resp, _ := h.do(t, "GET", "/", "", "Host: "+name, "Authorization: Bearer "+placeholder); resp.StatusCode != http.StatusMisdirectedRequest {
			t.Errorf("a request for %s got %s", name, resp.Status)
		}
	}
	other := &host{Server: newServer(http.NotFoundHandler()), addr: h.addr}
	t.Cleanup(other.Close)
	name := fmt.Sprintf("other.example:%d", h.addr.Port())
	other.b = newBroker(t, other, name, func(context.Context, string) (broker.Secret, error) { return broker.Secret{Text: real}, nil })
	r, _ := http.NewRequest("GET", "https://"+name, nil)
	r.Header.Set("Authorization", "Bearer "+placeholder)
	resp, err := other.client(t, other.b.Authority()).Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if text, _ := io.ReadAll(resp.Body); resp.StatusCode != http.StatusBadGateway || !strings.Contains(string(text), "certificate") {
		t.Errorf("a host with the certificate of another one: %s %s", resp.Status, text)
	}
	if reached.Load() > 0 {
		t.Errorf("the host got %d requests", reached.Load())
	}
}

// TestPassed checks that connections to another name, and without TLS, go to the address as they are.
func TestPassed(t *testing.T) {
	t.Parallel()
	h := newHost(t, broker.Secret{Text: real}, func(w http.ResponseWriter, r *http.Request) { _, _ = io.WriteString(w, r.Header.Get("Authorization")) })
	client := h.client(t, nil) // which trusts the host only
	client.Transport.(*http.Transport).TLSClientConfig.ServerName = "127.0.0.1"
	r, _ := http.NewRequest("GET", h.URL, nil)
	r.Header.Set("Authorization", "Bearer "+placeholder)
	resp, err := client.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if got, _ := io.ReadAll(resp.Body); string(got) != "Bearer "+placeholder {
		t.Errorf("the program read %q", got)
	}
	for _, name := range []string{"other.example", "127.0.0.1"} { // Go names no address
		conn, err := h.dial("/bin/b")
		if err != nil {
			t.Fatal(err)
		}
		c := tls.Client(conn, &tls.Config{ServerName: name, InsecureSkipVerify: true})
		if err := c.Handshake(); err != nil || !c.ConnectionState().PeerCertificates[0].Equal(h.Certificate()) {
			t.Errorf("%s: the certificate is not that of the host: %v", name, err)
		}
		_ = c.Close()
	}
	conn, err := h.dial("/bin/b")
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	_, _ = io.WriteString(conn, "GET / HTTP/1.0\r\n\r\n")
	if got, _ := io.ReadAll(conn); !bytes.Contains(got, []byte("HTTP request to an HTTPS server")) {
		t.Errorf("without TLS, the program read %q", got)
	}
}

// TestHTTP2 checks that programs which speak nothing else are served.
func TestHTTP2(t *testing.T) {
	t.Parallel()
	h := newHost(t, broker.Secret{Text: real}, func(w http.ResponseWriter, r *http.Request) { _, _ = io.WriteString(w, r.Header.Get("Authorization")) })
	client := h.client(t, h.b.Authority())
	tr := client.Transport.(*http.Transport)
	tr.Protocols = &http.Protocols{}
	tr.Protocols.SetHTTP2(true)
	for range 2 {
		r, _ := http.NewRequest("GET", h.url("/"), nil)
		r.Header.Set("Authorization", "Bearer "+placeholder)
		resp, err := client.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		got, _ := io.ReadAll(resp.Body)
		_ = resp.Body.Close()
		if resp.ProtoMajor != 2 || string(got) != "Bearer "+placeholder {
			t.Errorf("the program read %s %s %q", resp.Proto, resp.Status, got)
		}
		r.Host = "evil.example"
		if resp, err := client.Do(r); err != nil || resp.StatusCode != http.StatusMisdirectedRequest {
			t.Errorf("a request for another host: %v %v", resp, err)
		}
	}
}

// TestUsers checks that a secret that differs by users is that of the user in the request.
func TestUsers(t *testing.T) {
	t.Parallel()
	h := newHost(t, broker.Secret{}, func(w http.ResponseWriter, r *http.Request) {
		user, password, _ := r.BasicAuth()
		_, _ = io.WriteString(w, user+" "+strings.ToUpper(password))
	})
	list := h.hosts
	b, err := broker.New(broker.Options{
		Transport: h.Client().Transport.(*http.Transport).Clone(),
		Credentials: []broker.Credential{{Hosts: list, Placeholder: placeholder, ByUser: true, Secret: func(_ context.Context, user string) (broker.Secret, error) {
			return broker.Secret{User: user, Text: "password of " + user}, nil
		}}},
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = b.Close() })
	h.b = b
	for _, user := range []string{"anna", "bob", "anna"} {
		if _, got := h.do(t, "GET", "/", "", "Authorization: "+basic(user, placeholder)); got != user+" PASSWORD OF "+strings.ToUpper(user) {
			t.Errorf("the host got %q", got)
		}
	}
	for i := range 30 {
		resp, _ := h.do(t, "GET", "/", "", "Authorization: "+basic(fmt.Sprint("user", i), placeholder))
		if want := i >= 18; (resp.StatusCode == http.StatusBadGateway) != want {
			t.Errorf("user %d: %s", i, resp.Status)
		}
	}
}

// TestTrust checks that programs which do not trust the broker reach the host when they try again, and some at once.
func TestTrust(t *testing.T) {
	t.Parallel()
	h := newHost(t, broker.Secret{Text: real}, func(http.ResponseWriter, *http.Request) {})
	shake := func(program string) error {
		conn, err := h.dial(program)
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		pool := x509.NewCertPool()
		pool.AddCert(h.Certificate())
		return tls.Client(conn, &tls.Config{RootCAs: pool, ServerName: "example.com"}).Handshake()
	}
	if err := shake("/usr/bin/x"); err == nil {
		t.Error("the program trusts the broker")
	}
	deadline := time.Now().Add(time.Minute)
	for shake("/usr/bin/x") != nil && time.Now().Before(deadline) { // the broker reads the refusal a little later
		time.Sleep(time.Millisecond)
	}
	if err := shake("/usr/bin/x"); err != nil {
		t.Error(err)
	}
	if err := shake("/usr/bin/y"); err == nil {
		t.Error("another program does not reach the broker")
	}
	if err := shake("/usr/bin/wget"); err != nil {
		t.Errorf("wget: %v", err)
	}
}

// TestUpload checks that a large body arrives, and that the host may answer before it has read it.
func TestUpload(t *testing.T) {
	t.Parallel()
	h := newHost(t, broker.Secret{Text: real}, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/early" {
			w.WriteHeader(http.StatusRequestEntityTooLarge)
			return
		}
		n, _ := io.Copy(io.Discard, r.Body)
		_, _ = fmt.Fprint(w, n)
	})
	body := strings.Repeat("x", 8<<20)
	if resp, _ := h.do(t, "PUT", "/early", body, "Authorization: Bearer "+placeholder, "Expect: 100-continue"); resp.StatusCode != http.StatusRequestEntityTooLarge {
		t.Errorf("an early answer is %s", resp.Status)
	}
	if _, got := h.do(t, "PUT", "/", body, "Authorization: Bearer "+placeholder, "Expect: 100-continue"); got != "8388608" {
		t.Errorf("the host got %s bytes", got)
	}
}

// TestTakes checks which addresses the broker takes.
func TestTakes(t *testing.T) {
	t.Parallel()
	h := newHost(t, broker.Secret{Text: real}, func(http.ResponseWriter, *http.Request) {})
	ctx := t.Context()
	for to, want := range map[string]bool{
		fmt.Sprintf("192.0.2.7:%d", h.addr.Port()): true,
		fmt.Sprintf("192.0.2.8:%d", h.addr.Port()): false,
		"192.0.2.7:443": false,
	} {
		if got := len(h.b.Takes(ctx, netip.MustParseAddrPort(to), nil)) > 0; got != want {
			t.Errorf("%s: %v", to, got)
		}
	}
}

// TestAuthority checks that the authority vouches for no other host.
func TestAuthority(t *testing.T) {
	t.Parallel()
	h := newHost(t, broker.Secret{}, func(http.ResponseWriter, *http.Request) {})
	conn, err := h.dial("/bin/b")
	if err != nil {
		t.Fatal(err)
	}
	pool := x509.NewCertPool()
	pool.AppendCertsFromPEM(h.b.Authority())
	c := tls.Client(conn, &tls.Config{RootCAs: pool, ServerName: "example.com", NextProtos: []string{"h2", "http/1.1"}})
	defer c.Close()
	if err := c.Handshake(); err != nil {
		t.Fatal(err)
	}
	state := c.ConnectionState()
	if state.NegotiatedProtocol != "h2" || state.PeerCertificates[0].NotAfter.Before(time.Now().Add(30*24*time.Hour)) {
		t.Errorf("the connection is %v", state)
	}
	for name, want := range map[string]bool{"example.com": true, "example.org": false, "127.0.0.1": false} {
		if err := state.PeerCertificates[0].VerifyHostname(name); (err == nil) != want {
			t.Errorf("the certificate is for %s: %v", name, err)
		}
	}
	authority := state.PeerCertificates[1]
	if !authority.PermittedDNSDomainsCritical || strings.Join(authority.PermittedDNSDomains, " ") != "example.com" || len(authority.ExcludedIPRanges) != 2 {
		t.Errorf("it vouches for %v and %v", authority.PermittedDNSDomains, authority.ExcludedIPRanges)
	}
}
