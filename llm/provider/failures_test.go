package provider

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"log"
	"math/big"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"pollux/llm"
)

// wires are the protocols, each with an error body of its service for a message and a code.
var wires = map[Protocol]func(status int, code, message string) string{
	Gemini: func(status int, code, message string) string {
		return fmt.Sprintf(`{"error":{"code":%d,"message":%s,"status":%q}}`, status, quoted(message), code)
	},
	Chat: func(_ int, code, message string) string {
		return fmt.Sprintf(`{"error":{"message":%s,"type":"x","code":%q}}`, quoted(message), code)
	},
	Responses: func(_ int, code, message string) string {
		return fmt.Sprintf(`{"error":{"message":%s,"type":"x","code":%q}}`, quoted(message), code)
	},
	Anthropic: func(_ int, code, message string) string {
		return fmt.Sprintf(`{"type":"error","error":{"type":%q,"message":%s}}`, code, quoted(message))
	},
	Ollama: func(_ int, _, message string) string { return `{"error":` + quoted(message) + `}` },
}

func quoted(text string) string {
	data, _ := json.Marshal(text)
	return string(data)
}

// failure sends a request to an address and returns the error.
func failure(t *testing.T, wire Protocol, address string, n Network) *llm.Error {
	t.Helper()
	c, err := Open(Access{Profile: &Profile{ID: "test", Protocol: wire}, BaseURL: address, APIKey: "secret-key-12345"}, n)
	if err != nil {
		t.Fatal(err)
	}
	g, err := c.For("m")
	if err != nil {
		t.Fatal(err)
	}
	var failed error
	for _, err := range g.Stream(t.Context(), &llm.Request{Model: "m", Contents: []*llm.Content{llm.User(llm.Text("hi"))}}) {
		failed = err
	}
	var e *llm.Error
	if !errors.As(failed, &e) {
		t.Fatalf("%s: %v", wire, failed)
	}
	return e
}

// TestFailuresOfServices checks, for each protocol, the message and the kind of the errors that
// services and gateways return: the message is a sentence without JSON or HTML, and the body
// is kept as it came, without secrets.
func TestFailuresOfServices(t *testing.T) {
	t.Parallel()
	const page = "<!DOCTYPE html>\n<html><head><title>502 Bad Gateway</title></head></html>"
	quota := map[Protocol][2]string{
		Gemini: {"RESOURCE_EXHAUSTED", "Quota exceeded, limit: 0"}, Chat: {"insufficient_quota", "You exceeded your current quota"},
		Responses: {"insufficient_quota", "You exceeded your current quota"}, Anthropic: {"rate_limit_error", "You exceeded your current quota"},
		Ollama: {"", "you've reached your usage limit"},
	}
	for wire, body := range wires {
		for _, c := range []struct {
			name    string
			status  int
			header  string // Retry-After
			body    string
			kind    llm.ErrorKind
			message string // HOST is the address of the server
		}{
			{"401", 401, "", body(401, "authentication_error", "Bad key secret-key-12345."), llm.KindUnauthorized, "Bad key ***."},
			{"403", 403, "", body(403, "permission_error", "Not for you."), llm.KindForbidden, "Not for you."},
			{"404", 404, "", body(404, "not_found_error", "No such model."), llm.KindModelNotFound, "No such model"},
			{"429", 429, "7", body(429, "rate_limit_error", "Slow down."), llm.KindRateLimit, "Slow down."},
			{"quota", 429, "", body(429, quota[wire][0], quota[wire][1]), llm.KindQuota, quota[wire][1]},
			{"500", 500, "", body(500, "api_error", "Internal error."), llm.KindServer, "Internal error."},
			{"503", 503, "", body(503, "api_error", "Overloaded."), llm.KindServer, "Overloaded."},
			{"JSON in a string", 400, "", body(400, "x", body(400, "x", "The sentence.")), llm.KindBadRequest, "The sentence."},
			{"JSON at the end", 400, "", body(400, "x", "gateway: BadRequest - "+`{"error":{"message":"The sentence.","code":400}}`), llm.KindBadRequest, "The sentence."},
			{"JSON that is quoted", 400, "", body(400, "x", quoted(`{"error":"The sentence."}`)), llm.KindBadRequest, "The sentence."},
			{"a part of the request", 400, "", body(400, "x", `Bad value {"message": "hi"}`), llm.KindBadRequest, `Bad value {"message": "hi"}`},
			{"JSON without a sentence", 400, "", `{"a":[1,2]}`, llm.KindBadRequest, "HOST returned status 400 (Bad Request)"},
			{"another format", 500, "", `{"errors":[{"detail":"The sentence."}]}`, llm.KindServer, "The sentence."},
			{"an HTML page", 502, "", page, llm.KindServer, "HOST sent an HTML page instead of JSON (status 502); check the base URL or proxy"},
			{"an HTML page in a string", 502, "", body(502, "x", page), llm.KindServer, "HOST returned status 502 (Bad Gateway)"},
			{"text", 503, "", "no healthy\nupstream", llm.KindServer, "HOST returned status 503 (Service Unavailable): no healthy upstream"},
			{"nothing", 503, "", "", llm.KindServer, "HOST returned status 503 (Service Unavailable)"},
			{"a proxy", 407, "", page, llm.KindOther, "The proxy requires a user name and a password (status 407)"},
		} {
			t.Run(string(wire)+"/"+c.name, func(t *testing.T) {
				t.Parallel()
				s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
					_, _ = io.Copy(io.Discard, r.Body)
					if c.header != "" {
						w.Header().Set("Retry-After", c.header)
					}
					w.WriteHeader(c.status)
					_, _ = io.WriteString(w, c.body)
				}))
				t.Cleanup(s.Close)
				e := failure(t, wire, s.URL, Network{})
				want := strings.ReplaceAll(c.message, "HOST", strings.TrimPrefix(s.URL, "http://"))
				if e.Kind != c.kind || !strings.HasPrefix(e.Message, want) || e.Status != c.status {
					t.Errorf("kind %v, status %d: %s; want %v: %s", e.Kind, e.Status, e.Message, c.kind, want)
				}
				if e.Body != strings.ReplaceAll(c.body, "secret-key-12345", "***") {
					t.Errorf("body %s", e.Body)
				}
				if c.header != "" && e.RetryAfter != 7*time.Second {
					t.Errorf("retry after %v", e.RetryAfter)
				}
			})
		}
	}
}

// TestFailuresOfConnections checks the message and the kind of failed connections for each
// protocol. No message contains a chain of Go errors.
func TestFailuresOfConnections(t *testing.T) {
	t.Parallel()
	closed := httptest.NewServer(http.NotFoundHandler())
	closed.Close()
	reset := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		conn, _, err := http.NewResponseController(w).Hijack()
		if err != nil {
			t.Error(err)
			return
		}
		_ = conn.(*net.TCPConn).SetLinger(0)
		_ = conn.Close()
	}))
	t.Cleanup(reset.Close)
	unknown, _ := tlsServer(t, time.Now().Add(-time.Hour), time.Now().Add(time.Hour))
	expired, ca := tlsServer(t, time.Now().Add(-48*time.Hour), time.Now().Add(-24*time.Hour))
	early, earlyCA := tlsServer(t, time.Now().Add(24*time.Hour), time.Now().Add(48*time.Hour))
	proxy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		w.WriteHeader(http.StatusProxyAuthRequired)
	}))
	t.Cleanup(proxy.Close)
	plain := httptest.NewServer(http.NotFoundHandler())
	plain.Config.ErrorLog = log.New(io.Discard, "", 0)
	t.Cleanup(plain.Close)
	parse := func(address string) *url.URL {
		u, err := url.Parse(address)
		if err != nil {
			t.Fatal(err)
		}
		return u
	}
	for wire := range wires {
		for _, c := range []struct {
			name, address string
			network       Network
			kind          llm.ErrorKind
			code          string
			message       string // HOST is that of the address, PROXY that of the proxy
		}{
			{"refused", closed.URL, Network{}, llm.KindNoServer, "ECONNREFUSED", "Cannot reach HOST (connection refused)"},
			{"reset", reset.URL, Network{}, llm.KindNetwork, "ECONNRESET", "Cannot reach HOST (connection reset)"},
			{"unknown authority", unknown, Network{}, llm.KindOther, "UNABLE_TO_GET_ISSUER_CERT_LOCALLY", "The certificate of HOST is signed by an unknown authority"},
			{"expired", expired, Network{RootCAs: []string{ca}}, llm.KindOther, "CERT_HAS_EXPIRED", "The certificate of HOST expired on "},
			{"not yet valid", early, Network{RootCAs: []string{earlyCA}}, llm.KindOther, "CERT_NOT_YET_VALID", "The certificate of HOST is not valid before "},
			{"no TLS", strings.Replace(plain.URL, "http:", "https:", 1), Network{}, llm.KindOther, "EPROTO", "HOST does not use TLS; check whether the base URL should begin with http://"},
			{"proxy 407", "https://models.example", Network{Proxy: parse(proxy.URL)}, llm.KindOther, "", "The proxy PROXY requires a user name and a password (status 407)"},
			{"proxy 407 without TLS", "http://models.example", Network{Proxy: parse(proxy.URL)}, llm.KindOther, "", "The proxy requires a user name and a password (status 407)"},
			{"proxy refused", "https://models.example", Network{Proxy: parse(closed.URL)}, llm.KindNoServer, "ECONNREFUSED", "Cannot reach the proxy PROXY (connection refused)"},
		} {
			t.Run(string(wire)+"/"+c.name, func(t *testing.T) {
				t.Parallel()
				e := failure(t, wire, c.address, c.network)
				want := strings.ReplaceAll(c.message, "HOST", parse(c.address).Host)
				if c.network.Proxy != nil {
					want = strings.ReplaceAll(want, "PROXY", c.network.Proxy.Host)
				}
				if e.Kind != c.kind || !strings.HasPrefix(e.Message, want) || c.code != "" && e.Code != c.code {
					t.Errorf("kind %v, code %s: %s; want %v, %s: %s", e.Kind, e.Code, e.Message, c.kind, c.code, want)
				}
				if strings.ContainsAny(e.Message, "\n") || strings.Contains(e.Message, "dial tcp") || strings.Contains(e.Message, "x509") {
					t.Errorf("the message is %s", e.Message)
				}
			})
		}
	}
}

// tlsServer starts a server whose certificate is valid in a period, and returns its address and
// the file of its authority.
func tlsServer(t *testing.T, from, to time.Time) (address, caFile string) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), NotBefore: from, NotAfter: to, IsCA: true, BasicConstraintsValid: true,
		KeyUsage: x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign, IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
	}
	data, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	s := httptest.NewUnstartedServer(http.NotFoundHandler())
	s.Config.ErrorLog = log.New(io.Discard, "", 0)
	s.TLS = &tls.Config{Certificates: []tls.Certificate{{Certificate: [][]byte{data}, PrivateKey: key}}}
	s.StartTLS()
	t.Cleanup(s.Close)
	caFile = filepath.Join(t.TempDir(), "ca.pem")
	if err := os.WriteFile(caFile, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: data}), 0o600); err != nil {
		t.Fatal(err)
	}
	return s.URL, caFile
}
