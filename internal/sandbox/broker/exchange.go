package broker

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"log"
	"log/slog"
	"net"
	"net/http"
	"net/http/httputil"
	"net/netip"
	"slices"
	"strconv"
	"strings"

	"pollux/internal/sandbox/network"
)

// headers are those for authentication. A credential in another part of a request would end up where others can read it, such as in a comment.
var headers = [...]string{
	"Authorization", "X-Api-Key", "Api-Key", "X-Goog-Api-Key", "X-Auth-Token", "X-Access-Token", "X-Token", "Private-Token", "Job-Token", "Deploy-Token",
	"X-Vault-Token", "X-Nuget-Apikey", "X-Figma-Token", "X-Shopify-Access-Token", "X-Auth-Key", "X-Api-Token", "Apikey", "Fastly-Key", "Circle-Token",
	"Dd-Api-Key", "Dd-Application-Key", "X-Redmine-Api-Key", "X-Jfrog-Art-Api",
}

// used is the credentials of a request, for its answer.
type used struct {
	ctx    context.Context // of the request
	refuse []func()        // for the case that the host refuses
	swaps  []swap          // from the texts that the host got to those that the program sent
}

// swap is a text and another one in its place.
type swap struct{ from, to string }

type usedKey struct{}

// exchange returns the handler of requests from programs.
func (b *Broker) exchange() http.Handler {
	b.transport.Proxy, b.transport.DisableCompression = nil, false
	b.transport.DialContext = func(ctx context.Context, _, address string) (net.Conn, error) {
		l, _ := ctx.Value(ledKey{}).(*led)
		host, _, err := net.SplitHostPort(address)
		if l == nil || err != nil || l.host != host {
			return nil, errors.New("the connection is for another host")
		}
		return b.dial(ctx, l)
	}
	forward := &httputil.ReverseProxy{
		Rewrite: func(r *httputil.ProxyRequest) {
			l := r.In.Context().Value(ledKey{}).(*led)
			r.Out.URL.Scheme, r.Out.URL.Host, r.Out.Host = "https", net.JoinHostPort(l.host, portText(l.port)), l.name()
			r.Out.URL.User, r.Out.URL.RawQuery = nil, r.In.URL.RawQuery
		},
		Transport:      plain{b},
		FlushInterval:  -1,
		ErrorLog:       silent(),
		ModifyResponse: hide,
		ErrorHandler: func(w http.ResponseWriter, r *http.Request, err error) {
			if errors.Is(err, errRefused) { // the program has to ask the proxy itself, on a new connection
				if r.ProtoMajor == 1 { // it sends the request again there
					panic(http.ErrAbortHandler)
				}
				w.Header().Set("Connection", "close")
			}
			http.Error(w, "Pollux, which puts in the credential, got no answer of the host: "+reason(err)+".", http.StatusBadGateway)
		},
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		l := r.Context().Value(ledKey{}).(*led)
		switch {
		case !isPlain(r):
			http.Error(w, "Pollux sends only requests for a path.", http.StatusBadRequest)
			return
		case !isFor(r.Host, l):
			http.Error(w, "Pollux sends requests of this connection only to "+l.host+".", http.StatusMisdirectedRequest)
			return
		}
		u := &used{}
		if err := b.insert(r, l, u); err != nil {
			http.Error(w, "Pollux has no credential for "+l.host+": "+err.Error()+".", http.StatusBadGateway)
			return
		}
		u.ctx = l.traced(context.WithValue(r.Context(), usedKey{}, u))
		forward.ServeHTTP(w, r.WithContext(u.ctx))
	})
}

// plain is a transport that reports no answers before the final one: nothing searches them.
type plain struct{ *Broker }

func (p plain) RoundTrip(r *http.Request) (*http.Response, error) {
	ctx := r.Context().Value(usedKey{}).(*used).ctx
	return p.transportOf(ctx.Value(ledKey{}).(*led)).RoundTrip(r.WithContext(ctx))
}

// transportOf returns the transport for the way that a connection of a program takes. Each way has its own connections to the hosts: a proxy that refuses one
// host does not lead there by an earlier connection of another way.
func (b *Broker) transportOf(l *led) *http.Transport {
	var way netip.AddrPort
	if l.tunnel != nil {
		way = l.tunnel.proxy
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	t := b.ways[way]
	if t == nil {
		t = b.transport.Clone()
		if b.ways != nil { // else the broker is closed
			b.ways[way] = t
		}
	}
	return t
}

// Reasons why an answer cannot be searched.
var (
	errCompressed = errors.New("it is compressed in a way that Pollux did not ask for")
	errPart       = errors.New("it is a part that Pollux did not ask for")
)

// reason returns a text about a missing answer. Of a text of the host's, which may hold the credential, it has nothing.
func reason(err error) string {
	_, isNet := errors.AsType[*net.OpError](err)
	_, isCertificate := errors.AsType[*tls.CertificateVerificationError](err)
	if isCertificate {
		return err.Error() + "; if the certificate is one of your company, set SSL_CERT_FILE or NODE_EXTRA_CA_CERTS for Pollux"
	}
	if isNet || errors.Is(err, errCompressed) || errors.Is(err, errPart) {
		return err.Error()
	}
	return "it is no valid HTTP, or the connection broke"
}

// name returns the host of a connection for the requests to it.
func (l *led) name() string {
	name := net.JoinHostPort(l.host, portText(l.port))
	if l.port == network.PortHTTPS {
		name = strings.TrimSuffix(name, ":"+portText(network.PortHTTPS))
	}
	return name
}

// isPlain reports whether a request is for a path. Any other target could name another host, to which a server of many would take it.
func isPlain(r *http.Request) bool {
	return r.Method != http.MethodConnect && r.URL.Opaque == "" && r.URL.Host == "" && strings.HasPrefix(r.URL.Path, "/")
}

// isFor reports whether a request is for the host of its connection: on a server of many, its Host decides who gets it.
func isFor(host string, l *led) bool {
	name, port, err := net.SplitHostPort(host)
	if err != nil {
		name, port = strings.Trim(host, "[]"), portText(network.PortHTTPS)
	}
	return strings.EqualFold(strings.TrimSuffix(name, "."), l.host) && port == portText(l.port)
}

// insert puts the credentials of the host in the places of their placeholders in a request.
func (b *Broker) insert(r *http.Request, l *led, u *used) error {
	for _, name := range headers {
		values := r.Header[http.CanonicalHeaderKey(name)]
		for i, value := range values {
			for _, f := range b.forms {
				user, ok := f.find(value)
				if !ok || !f.isFor(l) {
					continue
				}
				s, err := f.get(r.Context(), user)
				if err != nil {
					return err
				}
				values[i] = f.replace(value, s)
				u.swap(s.Text, f.Placeholder)
				if isBasicScheme(value) {
					u.swap(values[i][len(basic):], value[len(basic):])
				}
				u.refuse = append(u.refuse, func() { f.refuse(s) })
				break // one credential in a header
			}
		}
	}
	if len(u.swaps) == 0 {
		return nil
	}
	// The answer is searched: as a whole, without a compression of the program's choice, and not after a change of the protocol.
	for _, name := range [...]string{
		"Accept-Encoding", "Grpc-Accept-Encoding", "Connect-Accept-Encoding", "Range", "If-Range", "Request-Range", "X-Ms-Range", "Upgrade", "Connection",
	} {
		r.Header.Del(name)
	}
	return nil
}

// swap has a text taken out of the answer, in the forms that it may have there.
func (u *used) swap(from, to string) {
	for _, text := range forms(from) {
		one := swap{text, to}
		if len(text) >= Shortest && !slices.Contains(u.swaps, one) {
			u.swaps = append(u.swaps, one)
		}
	}
}

// hide takes the credentials out of an answer.
func hide(r *http.Response) error {
	u, _ := r.Request.Context().Value(usedKey{}).(*used)
	if u == nil || len(u.swaps) == 0 {
		return nil
	}
	if r.StatusCode == http.StatusUnauthorized {
		for _, refuse := range u.refuse {
			refuse()
		}
	}
	u.swapHeader(r.Header)
	if r.Body == nil || r.Body == http.NoBody || r.Request.Method == http.MethodHead {
		return nil
	}
	if coding := strings.Join(r.Header.Values("Content-Encoding"), ", "); coding != "" && !strings.EqualFold(coding, "identity") {
		return fmt.Errorf("%w: %s", errCompressed, coding)
	}
	if r.StatusCode == http.StatusPartialContent {
		return errPart
	}
	r.ContentLength = -1
	r.Header.Del("Content-Length")
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
