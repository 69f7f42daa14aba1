package acceptance

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"io"
	"log"
	"math/big"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

// internet is a proxy on loopback behind which every host is the same scripted model, so that the
// program runs with the vendors' own addresses.
type internet struct {
	proxy *httptest.Server
	file  string   // the certificate of the authority that signs for every host
	hosts sync.Map // handlers of hosts that are not the model, by name
}

// startInternet starts the proxy for the model at this address.
func startInternet(t *testing.T, model string) *internet {
	t.Helper()
	authority, file := newAuthority(t)
	target, err := url.Parse(model)
	if err != nil {
		t.Fatal(err)
	}
	quiet := log.New(io.Discard, "", 0) // clients that go away
	forward := &httputil.ReverseProxy{
		Rewrite: func(r *httputil.ProxyRequest) {
			r.SetURL(target)
			r.Out.URL.Path, r.Out.URL.RawPath = vendorPath(r.In.URL.Path), ""
		},
		ErrorLog: quiet,
	}
	i := &internet{file: file}
	hosts := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if other, ok := i.hosts.Load(r.Host); ok {
			other.(http.Handler).ServeHTTP(w, r)
			return
		}
		if r.Host == "oauth2.googleapis.com" {
			w.Header().Set("Content-Type", "application/json")
			_, _ = io.WriteString(w, `{"access_token":"test-token","expires_in":3600,"token_type":"Bearer"}`)
			return
		}
		forward.ServeHTTP(w, r)
	})
	inner := &http.Server{Handler: hosts, ReadHeaderTimeout: patience, ErrorLog: quiet}
	connections := newPipe()
	go func() { _ = inner.Serve(connections) }()
	proxy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodConnect {
			hosts.ServeHTTP(w, r)
			return
		}
		conn, _, err := http.NewResponseController(w).Hijack()
		if err != nil {
			return
		}
		_, _ = io.WriteString(conn, "HTTP/1.1 200 OK\r\n\r\n")
		connections.add(tls.Server(conn, &tls.Config{GetCertificate: authority}))
	}))
	t.Cleanup(func() {
		proxy.Close()
		_ = inner.Close()
	})
	i.proxy = proxy
	return i
}

// environ returns the variables that send a program to the proxy.
func (i *internet) environ() []string {
	return []string{"HTTPS_PROXY=" + i.proxy.URL, "HTTP_PROXY=" + i.proxy.URL, "SSL_CERT_FILE=" + i.file}
}

// vendorPath removes a vendor's prefix from the path of its protocol, as in /api/v1/models.
func vendorPath(path string) string {
	if at := strings.Index(path, "/v1/"); at > 0 && !strings.HasPrefix(path, "/v1beta") {
		return path[at:]
	}
	return path
}

// newAuthority returns a certificate for any host, and the file with the authority that signs it.
func newAuthority(t *testing.T) (func(*tls.ClientHelloInfo) (*tls.Certificate, error), string) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	issuer := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "test authority"},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(24 * time.Hour),
		IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign,
	}
	root, err := x509.CreateCertificate(rand.Reader, issuer, issuer, key.Public(), key)
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "ca.pem")
	var text bytes.Buffer
	if err := pem.Encode(&text, &pem.Block{Type: "CERTIFICATE", Bytes: root}); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, text.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	return func(hello *tls.ClientHelloInfo) (*tls.Certificate, error) {
		leaf := &x509.Certificate{
			SerialNumber: big.NewInt(2), DNSNames: []string{hello.ServerName},
			NotBefore: issuer.NotBefore, NotAfter: issuer.NotAfter,
			KeyUsage: x509.KeyUsageDigitalSignature, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
		}
		der, err := x509.CreateCertificate(rand.Reader, leaf, issuer, key.Public(), key)
		if err != nil {
			return nil, err
		}
		return &tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}, nil
	}, file
}

// pipe is a listener that accepts the connections given to it.
type pipe struct {
	conns  chan net.Conn
	closed chan struct{}
	once   sync.Once
}

func newPipe() *pipe { return &pipe{conns: make(chan net.Conn), closed: make(chan struct{})} }

func (p *pipe) add(c net.Conn) {
	select {
	case p.conns <- c:
	case <-p.closed:
		_ = c.Close()
	}
}

func (p *pipe) Accept() (net.Conn, error) {
	select {
	case c := <-p.conns:
		return c, nil
	case <-p.closed:
		return nil, net.ErrClosed
	}
}

func (p *pipe) Close() error {
	p.once.Do(func() { close(p.closed) })
	return nil
}

func (p *pipe) Addr() net.Addr { return &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1)} }
