package httpwire

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"syscall"
	"time"

	"pollux/llm"
)

// sendError returns the error of a request that got no response headers. If the request's
// context has ended, sendError returns the cause.
func (r *Response) sendError(err error) error {
	return r.networkError(err, "Cannot reach %s (%s)")
}

// NetworkError returns the error of a response that broke off. If the request's context has
// ended, NetworkError returns the cause.
func (r *Response) NetworkError(err error) error {
	return r.networkError(err, "Lost the connection to %s (%s)")
}

// networkError returns the error for err. format is the message, with the host and the
// reason.
func (r *Response) networkError(err error, format string) error {
	if ctxErr := r.contextErr(); ctxErr != nil {
		return ctxErr
	}
	e := &llm.Error{Kind: llm.KindNetwork, Host: r.Host, Err: err}
	code, reason := describe(err)
	e.Code = code
	var proxy *proxyError
	var atProxy *net.OpError
	var certificate *tls.CertificateVerificationError
	switch {
	case r.watchdog != nil && context.Cause(r.watchdog.ctx) == errTimeout:
		e.Code, e.Waited = "ETIMEDOUT", r.watchdog.waited()
		e.Message = fmt.Sprintf("%s sent nothing for %d s", r.Host, max(1, int(time.Since(r.watchdog.read)/time.Second)))
	case errors.As(err, &proxy):
		e.Kind, e.Proxy, e.Status = llm.KindOther, proxy.host, proxy.status
		e.Message = proxy.Error()
		if proxy.status >= http.StatusInternalServerError {
			e.Kind = llm.KindNetwork
		}
	case errors.As(err, &atProxy) && (atProxy.Op == "proxyconnect" || atProxy.Op == "socks connect"):
		e.Proxy = r.proxy
		e.Message = fmt.Sprintf("Cannot reach the proxy %s (%s)", r.proxy, reason)
		if code == "ECONNREFUSED" && isLoopback(r.proxy) {
			e.Kind = llm.KindNoServer
		}
	case errors.As(err, &certificate): // a retry does not make a certificate valid
		e.Kind = llm.KindOther
		e.Code, e.Message = describeCertificate(r.Host, certificate)
	case code == "EPROTO":
		e.Message = r.Host + " does not use TLS; check whether the base URL should begin with http://"
		e.Kind = llm.KindOther
	default:
		e.Message = fmt.Sprintf(format, r.Host, reason)
		if code == "ECONNREFUSED" && isLoopback(r.Host) {
			e.Kind = llm.KindNoServer
		}
	}
	return e
}

// proxyError is the refusal of a proxy to connect to a host.
type proxyError struct {
	host   string // of the proxy
	status int
}

func (e *proxyError) Error() string {
	if e.status == http.StatusProxyAuthRequired {
		return "The proxy " + e.host + " requires a user name and a password (status 407)"
	}
	return fmt.Sprintf("The proxy %s refused the connection (status %d)", e.host, e.status)
}

// checkProxy returns an error if a proxy has refused to connect to a host.
func checkProxy(_ context.Context, proxy *url.URL, _ *http.Request, res *http.Response) error {
	if res.StatusCode == http.StatusOK {
		return nil
	}
	return &proxyError{proxy.Host, res.StatusCode}
}

// isLoopback reports whether a host, which may have a port, is this machine.
func isLoopback(host string) bool {
	name := host
	if h, _, err := net.SplitHostPort(host); err == nil {
		name = h
	}
	ip, err := netip.ParseAddr(strings.Trim(name, "[]"))
	return err == nil && ip.Unmap().IsLoopback() || strings.EqualFold(name, "localhost")
}

// describeCertificate returns the Node.js code and the message for a certificate that is not
// valid.
func describeCertificate(host string, err error) (code, message string) {
	var invalid x509.CertificateInvalidError
	var unknown x509.UnknownAuthorityError
	var name x509.HostnameError
	text := "The certificate of " + host
	switch {
	case errors.As(err, &invalid) && invalid.Reason == x509.Expired && invalid.Cert != nil && time.Now().Before(invalid.Cert.NotBefore):
		return "CERT_NOT_YET_VALID", text + " is not valid before " + invalid.Cert.NotBefore.Format(time.DateOnly) + "; check the clock of this machine"
	case errors.As(err, &invalid) && invalid.Reason == x509.Expired && invalid.Cert != nil:
		return "CERT_HAS_EXPIRED", text + " expired on " + invalid.Cert.NotAfter.Format(time.DateOnly)
	case errors.As(err, &unknown):
		return "UNABLE_TO_GET_ISSUER_CERT_LOCALLY", text + " is signed by an unknown authority"
	case errors.As(err, &name):
		return "ERR_TLS_CERT_ALTNAME_INVALID", text + " is for another host"
	}
	return "CERT_INVALID", text + " is not valid (" + innermost(err).Error() + ")"
}

// IsBreak reports whether err means that the connection of a stream broke, so that a response which was complete before is
// good.
func IsBreak(err error) bool {
	var e *llm.Error
	return errors.As(err, &e) && (e.Kind == llm.KindNetwork || e.Kind == llm.KindIncomplete)
}

// Reason returns why a request got no answer, in a few words that contain no URL and no address:
// "connection refused", "no such host", "timed out".
func Reason(err error) string {
	_, reason := describe(err)
	return reason
}

// describe returns the Node.js code of a network error, which settings and scripts of users
// contain, or "", and the reason in words.
func describe(err error) (code, reason string) {
	for _, known := range [...]struct {
		errno        syscall.Errno
		code, reason string
	}{
		{connReset, "ECONNRESET", "connection reset"},
		{connAborted, "ECONNABORTED", "connection aborted"},
		{connRefused, "ECONNREFUSED", "connection refused"},
		{timedOut, "ETIMEDOUT", "timed out"},
		{brokenPipe, "EPIPE", "connection closed"},
		{netUnreachable, "ENETUNREACH", "network unreachable"},
		{hostUnreachable, "EHOSTUNREACH", "no route to host"},
	} {
		if errors.Is(err, known.errno) {
			return known.code, known.reason
		}
	}
	var dns *net.DNSError
	var record tls.RecordHeaderError
	var timeout net.Error
	text := err.Error()
	switch {
	case errors.As(err, &dns) && dns.IsNotFound:
		return "ENOTFOUND", "no such host"
	case errors.As(err, &dns):
		return "EAI_AGAIN", "the name lookup failed"
	case errors.As(err, &record), strings.Contains(text, "HTTP response to HTTPS client"):
		return "EPROTO", "no TLS"
	case strings.Contains(text, "bad record MAC"):
		return "ERR_SSL_BAD_RECORD_MAC", "TLS error: bad record MAC"
	case errors.As(err, &timeout) && timeout.Timeout():
		return "ETIMEDOUT", "timed out"
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF), strings.Contains(text, "server closed idle connection"):
		return "ERR_STREAM_PREMATURE_CLOSE", "connection closed"
	}
	return "", innermost(err).Error()
}

// innermost returns the cause at the end of a chain of errors, whose text contains no address
// and no URL.
func innermost(err error) error {
	for {
		inner := errors.Unwrap(err)
		if inner == nil {
			return err
		}
		err = inner
	}
}
