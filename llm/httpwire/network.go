package httpwire

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/url"
	"strings"
	"syscall"

	"pollux/llm"
)

// NetworkError returns the error of a request that got no response or only part
// of one. doing is the failed step ("read the answer from"). If the request's
// context has ended, NetworkError returns the cause.
func (r *Response) NetworkError(doing string, err error) error {
	if ctxErr := r.contextErr(); ctxErr != nil {
		return ctxErr
	}
	e := &llm.Error{Kind: llm.KindNetwork, Code: networkCode(err), Err: err}
	if r.watchdog != nil && context.Cause(r.watchdog.ctx) == errTimeout {
		e.Code, err, e.Waited = "ETIMEDOUT", errTimeout, r.watchdog.waited()
	}
	var untrusted *tls.CertificateVerificationError
	if errors.As(err, &untrusted) { // a retry does not make a certificate valid
		e.Kind = llm.KindOther
	}
	var outer *url.Error
	if errors.As(err, &outer) {
		err = outer.Err // without the URL, which may contain a key
	}
	e.Message = fmt.Sprintf("fetch failed: %s %s: %v", doing, r.Host, err)
	return e
}

// networkCode returns the Node.js code of a network error, which settings and
// scripts of users contain, or "".
func networkCode(err error) string {
	for _, known := range []struct {
		errno syscall.Errno
		code  string
	}{
		{syscall.ECONNRESET, "ECONNRESET"},
		{syscall.ECONNREFUSED, "ECONNREFUSED"},
		{syscall.ETIMEDOUT, "ETIMEDOUT"},
		{syscall.EPIPE, "EPIPE"},
	} {
		if errors.Is(err, known.errno) {
			return known.code
		}
	}
	var dns *net.DNSError
	var record tls.RecordHeaderError
	var timeout net.Error
	switch {
	case errors.As(err, &dns) && dns.IsNotFound:
		return "ENOTFOUND"
	case errors.As(err, &dns):
		return "EAI_AGAIN"
	case errors.As(err, &record):
		return "EPROTO"
	case strings.Contains(err.Error(), "bad record MAC"):
		return "ERR_SSL_BAD_RECORD_MAC"
	case errors.As(err, &timeout) && timeout.Timeout():
		return "ETIMEDOUT"
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return "ERR_STREAM_PREMATURE_CLOSE"
	}
	return ""
}
