package a2a

import (
	"crypto/sha256"
	"crypto/subtle"
	"io"
	"mime"
	"net"
	"net/http"
	"strings"
	"time"

	"pollux/internal/oauth"
)

// admit reports whether a request may use the server, and answers it if not. A page in a browser must not: it sends an Origin, or,
// after its name has been bound to the address of this machine, another Host.
func (s *server) admit(w http.ResponseWriter, r *http.Request) bool {
	if s.Token != "" {
		if s.hasToken(r) {
			return true
		}
		w.Header().Set("WWW-Authenticate", `Bearer realm="pollux"`)
		refuse(w, http.StatusUnauthorized, "Unauthorized: send the token of the server in the header 'Authorization: Bearer'.")
		return false
	}
	switch {
	case r.Header.Get("Origin") != "" || r.Header.Get("Sec-Fetch-Site") != "":
		refuse(w, http.StatusForbidden, "Forbidden: this server does not answer pages in browsers.")
	case !s.isOwnHost(r.Host):
		refuse(w, http.StatusForbidden, "Forbidden: the Host of the request is not that of this server.")
	default:
		return true
	}
	return false
}

// hasToken reports whether a request has the token. The time that takes does not depend on the token.
func (s *server) hasToken(r *http.Request) bool {
	scheme, given, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	if !strings.EqualFold(scheme, "Bearer") {
		return false
	}
	got, want := sha256.Sum256([]byte(strings.TrimSpace(given))), sha256.Sum256([]byte(s.Token)) // of the same length
	return subtle.ConstantTimeCompare(got[:], want[:]) == 1
}

// isOwnHost reports whether a Host names this server.
func (s *server) isOwnHost(host string) bool {
	name, port, err := net.SplitHostPort(host)
	return err == nil && port == s.port && oauth.IsLoopback(name)
}

const (
	// maxBody is the size of the body of a request, in bytes.
	maxBody = 10 << 20
	// bodyTimeout is how long a client may take to send it.
	bodyTimeout = 30 * time.Second
)

// readBody returns the body of a request, or answers the request and returns false.
func readBody(w http.ResponseWriter, r *http.Request) ([]byte, bool) {
	if kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type")); err != nil || kind != "application/json" {
		refuse(w, http.StatusUnsupportedMediaType, "The Content-Type of the request is not application/json.")
		return nil, false
	}
	deadline := http.NewResponseController(w)
	_ = deadline.SetReadDeadline(time.Now().Add(bodyTimeout)) // a writer without deadlines is one of a test
	body, err := io.ReadAll(io.LimitReader(r.Body, maxBody+1))
	_ = deadline.SetReadDeadline(time.Time{}) // an answer may take long
	switch {
	case len(body) > maxBody:
		refuse(w, http.StatusRequestEntityTooLarge, "The body of the request has more than 10 MB.")
	case err != nil:
		refuse(w, http.StatusBadRequest, "The body of the request cannot be read.")
	default:
		return body, true
	}
	return nil, false
}
