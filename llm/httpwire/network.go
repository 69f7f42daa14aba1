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

// NetworkError is the error of a request that got no answer, or only a part,
// while doing something to the host ("read the answer from"). Where the
// request's context has ended it is the cause of that.
func (r *Response) NetworkError(doing string, err error) error {
	if ended := r.ended(); ended != nil {
		return ended
	}
	e := &llm.Error{Kind: llm.KindNetwork, Code: networkCode(err), Err: err}
	if r.watch != nil && context.Cause(r.watch.ctx) == errSilent {
		e.Code, err = "ETIMEDOUT", errSilent
	}
	var untrusted *tls.CertificateVerificationError
	if errors.As(err, &untrusted) { // no wait makes a certificate good
		e.Kind = llm.KindOther
	}
	var outer *url.Error
	if errors.As(err, &outer) {
		err = outer.Err // without the address: it may hold a key
	}
	e.Message = fmt.Sprintf("fetch failed: %s %s: %v", doing, r.Host, err)
	return e
}

// networkCode names a network error in the words that users' settings and
// scripts know (spec/agent.md §10.1).
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
