package broker

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"log"
	"log/slog"
	"net"
	"net/http"
	"net/http/httputil"
	"slices"
	"strconv"
	"strings"
	"sync"

	"pollux/internal/sandbox/network"
)

// form is a credential with its secret, once it is known.
type form struct {
	Credential

	mu     sync.Mutex // guards secret
	secret *Secret    // nil if it is to be asked for
}

// get returns the secret. Requests at the same time ask for it once.
func (f *form) get(ctx context.Context) (Secret, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.secret != nil {
		return *f.secret, nil
	}
	s, err := f.Secret(ctx)
	switch {
	case err != nil:
		return Secret{}, err
	case s.Text == "":
		return Secret{}, errors.New("there is none")
	}
	f.secret = &s
	return s, nil
}

// forget has the secret asked for again.
func (f *form) forget() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.secret = nil
}

// headers are those for authentication. A credential in another part of a request would end up where others can read it, such as in a comment.
var headers = [...]string{
	"Authorization", "X-Api-Key", "Api-Key", "X-Goog-Api-Key", "X-Auth-Token", "X-Access-Token", "X-Token", "Private-Token", "Job-Token", "Deploy-Token",
	"X-Vault-Token", "X-Nuget-Apikey", "X-Figma-Token", "X-Shopify-Access-Token", "X-Pypi-Token",
}

// used is the credentials of a request, for its answer.
type used struct {
	ctx   context.Context // of the request
	forms []*form
	swaps []swap // from the texts that the host got to those that the program sent
}

// swap is a text and another one in its place.
type swap struct{ from, to string }

type usedKey struct{}

// exchange returns the handler of requests from programs.
func (b *Broker) exchange(t *http.Transport) http.Handler {
	t.Proxy, t.DisableCompression = nil, false
	t.DialContext = func(ctx context.Context, _, address string) (net.Conn, error) {
		l, _ := ctx.Value(ledKey{}).(*led)
		host, _, err := net.SplitHostPort(address)
		if l == nil || err != nil || l.host != host {
			return nil, errors.New("the connection is for another host")
		}
		return dial(ctx, l.to, host)
	}
	forward := &httputil.ReverseProxy{
		Rewrite: func(r *httputil.ProxyRequest) {
			l := r.In.Context().Value(ledKey{}).(*led)
			r.Out.URL.Scheme, r.Out.URL.Host, r.Out.Host = "https", net.JoinHostPort(l.host, portText(l.to.Port())), r.In.Host
			r.Out.URL.RawQuery = r.In.URL.RawQuery
			if u := r.In.Context().Value(usedKey{}).(*used); len(u.swaps) > 0 {
				r.Out.Header.Del("Accept-Encoding") // the answer is searched
			}
		},
		Transport:     plain{t},
		FlushInterval: -1, ErrorLog: silent(),
		ModifyResponse: hide,
		ErrorHandler: func(w http.ResponseWriter, _ *http.Request, err error) {
			w.Header().Set("Content-Type", "text/plain; charset=utf-8")
			w.WriteHeader(http.StatusBadGateway)
			_, _ = fmt.Fprintf(w, "Pollux, which puts in the credential, cannot reach the host: %v.\n", err)
		},
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		l := r.Context().Value(ledKey{}).(*led)
		if !isFor(r.Host, l) {
			http.Error(w, "Pollux sends requests of this connection only to "+l.host+".", http.StatusMisdirectedRequest)
			return
		}
		u := &used{}
		if err := b.insert(r, l, u); err != nil {
			http.Error(w, "Pollux has no credential for "+l.host+": "+err.Error()+".", http.StatusBadGateway)
			return
		}
		u.ctx = context.WithValue(r.Context(), usedKey{}, u)
		forward.ServeHTTP(w, r.WithContext(u.ctx))
	})
}

// plain is a transport that reports no answers before the final one: nothing searches them.
type plain struct{ *http.Transport }

func (p plain) RoundTrip(r *http.Request) (*http.Response, error) {
	return p.Transport.RoundTrip(r.WithContext(r.Context().Value(usedKey{}).(*used).ctx))
}

// isFor reports whether a request is for the host of its connection: on a server of many, its Host decides who gets it.
func isFor(host string, l *led) bool {
	name, port, err := net.SplitHostPort(host)
	if err != nil {
		name, port = strings.Trim(host, "[]"), portText(portHTTPS)
	}
	return strings.EqualFold(strings.TrimSuffix(name, "."), l.host) && port == portText(l.to.Port())
}

// insert puts the credentials of the host in the places of their placeholders in a request.
func (b *Broker) insert(r *http.Request, l *led, u *used) error {
	for _, f := range b.forms {
		if !f.isFor(l) {
			continue
		}
		for _, name := range headers {
			values := r.Header[http.CanonicalHeaderKey(name)]
			for i, value := range values {
				if !f.isIn(value) {
					continue
				}
				s, err := f.get(r.Context())
				if err != nil {
					return err
				}
				values[i] = f.replace(value, s)
				u.swaps = append(u.swaps, swap{s.Text, f.Placeholder})
				if _, _, ok := parseBasic(value); ok {
					u.swaps = append(u.swaps, swap{values[i][len(basic):], value[len(basic):]})
				}
				if !slices.Contains(u.forms, f) {
					u.forms = append(u.forms, f)
				}
			}
		}
	}
	return nil
}

// isFor reports whether the credential belongs to the host of a connection.
func (f *form) isFor(l *led) bool {
	found := f.Hosts.Named(l.host)
	return append(found, addressed(f.Hosts, l.host)...).HasPort(l.to.Port())
}

// addressed returns the hosts with an address that is written out.
func addressed(hosts network.Hosts, text string) (found network.Hosts) {
	for _, h := range hosts {
		if h.Name == "" && h.Addresses.Addr().String() == text {
			found = append(found, h)
		}
	}
	return found
}

const basic = "Basic "

// isIn reports whether a header has the placeholder.
func (f *form) isIn(value string) bool {
	if strings.Contains(value, f.Placeholder) {
		return true
	}
	_, password, ok := parseBasic(value)
	return ok && strings.Contains(password, f.Placeholder)
}

// replace returns a header with the secret.
func (f *form) replace(value string, s Secret) string {
	user, password, ok := parseBasic(value)
	if !ok || strings.Contains(value, f.Placeholder) {
		return strings.ReplaceAll(value, f.Placeholder, s.Text)
	}
	if s.User != "" {
		user = s.User
	}
	return basic + base64.StdEncoding.EncodeToString([]byte(user+":"+strings.ReplaceAll(password, f.Placeholder, s.Text)))
}

// parseBasic returns the user and the password of a header. A token may also be the user, without a password.
func parseBasic(value string) (user, password string, ok bool) {
	if len(value) < len(basic) || !strings.EqualFold(value[:len(basic)], basic) {
		return "", "", false
	}
	text, err := base64.StdEncoding.DecodeString(strings.TrimSpace(value[len(basic):]))
	if err != nil {
		return "", "", false
	}
	return strings.Cut(string(text), ":")
}

// hide takes the credentials out of an answer.
func hide(r *http.Response) error {
	u, _ := r.Request.Context().Value(usedKey{}).(*used)
	if u == nil || len(u.swaps) == 0 {
		return nil
	}
	if r.StatusCode == http.StatusUnauthorized {
		for _, f := range u.forms {
			f.forget()
		}
	}
	u.swapHeader(r.Header)
	if r.StatusCode == http.StatusSwitchingProtocols || r.Body == nil || r.Body == http.NoBody {
		return nil
	}
	if r.Request.Method != http.MethodHead {
		r.ContentLength = -1
		r.Header.Del("Content-Length")
	}
	body := io.Reader(r.Body)
	for _, s := range u.swaps {
		body = &swapper{from: body, swap: s}
	}
	r.Body = &searched{body, r.Body, func() { u.swapHeader(r.Trailer) }}
	return nil
}

// swapHeader takes the credentials out of headers.
func (u *used) swapHeader(h http.Header) {
	for _, values := range h {
		for i := range values {
			for _, s := range u.swaps {
				values[i] = strings.ReplaceAll(values[i], s.from, s.to)
			}
		}
	}
}

// searched is the body of an answer without the credentials.
type searched struct {
	io.Reader
	io.Closer
	end func() // called when the trailer is there
}

func (s *searched) Read(b []byte) (int, error) {
	n, err := s.Reader.Read(b)
	if err != nil {
		s.end()
	}
	return n, err
}

// silent returns a log that no one reads: the lines are about connections of programs.
func silent() *log.Logger { return slog.NewLogLogger(slog.DiscardHandler, slog.LevelError) }

func portText(port uint16) string { return strconv.Itoa(int(port)) }
