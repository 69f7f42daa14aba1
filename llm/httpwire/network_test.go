package httpwire

import (
	"errors"
	"fmt"
	"io"
	"net"
	"net/url"
	"os"
	"testing"

	"pollux/llm"
)

// TestNetworkError checks the codes and messages of errors that need a network.
func TestNetworkError(t *testing.T) {
	t.Parallel()
	dial := func(err error) error {
		return &url.Error{Op: "Post", URL: "https://h/?key=secret", Err: &net.OpError{Op: "dial", Net: "tcp", Err: err}}
	}
	for _, c := range []struct {
		host    string
		err     error
		kind    llm.ErrorKind
		code    string
		message string
	}{
		{"h", dial(&net.DNSError{Err: "no such host", Name: "h", Server: "10.255.255.53:53", IsNotFound: true}), llm.KindNetwork, "ENOTFOUND", "Cannot reach h (no such host)"},
		{"h", dial(&net.DNSError{Err: "server misbehaving", Name: "h", Server: "10.255.255.53:53", IsTemporary: true}), llm.KindNetwork, "EAI_AGAIN", "Cannot reach h (the name lookup failed)"},
		{"h:1", dial(os.NewSyscallError("connect", connRefused)), llm.KindNetwork, "ECONNREFUSED", "Cannot reach h:1 (connection refused)"},
		{"localhost:1", dial(os.NewSyscallError("connect", connRefused)), llm.KindNoServer, "ECONNREFUSED", "Cannot reach localhost:1 (connection refused)"},
		{"[::1]:1", dial(os.NewSyscallError("connect", connRefused)), llm.KindNoServer, "ECONNREFUSED", "Cannot reach [::1]:1 (connection refused)"},
		{"h", dial(os.NewSyscallError("connect", hostUnreachable)), llm.KindNetwork, "EHOSTUNREACH", "Cannot reach h (no route to host)"},
		{"h", dial(os.ErrDeadlineExceeded), llm.KindNetwork, "ETIMEDOUT", "Cannot reach h (timed out)"},
		{"h", dial(errors.New("remote error: tls: bad record MAC")), llm.KindNetwork, "ERR_SSL_BAD_RECORD_MAC", "Cannot reach h (TLS error: bad record MAC)"},
		{"h", dial(fmt.Errorf("at https://h/?key=secret: %w", io.ErrUnexpectedEOF)), llm.KindNetwork, "ERR_STREAM_PREMATURE_CLOSE", "Cannot reach h (connection closed)"},
		{"h", dial(errors.New("http: server closed idle connection")), llm.KindNetwork, "ERR_STREAM_PREMATURE_CLOSE", "Cannot reach h (connection closed)"},
		{"h", dial(errors.New("strange")), llm.KindNetwork, "", "Cannot reach h (strange)"},
	} {
		var e *llm.Error
		if !errors.As((&Response{Host: c.host}).sendError(c.err), &e) || e.Kind != c.kind || e.Code != c.code || e.Message != c.message || e.Host != c.host {
			t.Errorf("%v: %#v", c.err, e)
		}
	}
	err := (&Response{Host: "h"}).NetworkError(os.NewSyscallError("read", connReset))
	if err.Error() != "Lost the connection to h (connection reset)" {
		t.Error(err)
	}
}

// A server that does not run is known by the error of the system.
func TestRefusedConnection(t *testing.T) {
	t.Parallel()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := l.Addr().String()
	_ = l.Close()
	_, err = net.Dial("tcp", address)
	var e *llm.Error
	if err = (&Response{Host: address}).sendError(err); !errors.As(err, &e) || e.Kind != llm.KindNoServer || e.Code != "ECONNREFUSED" {
		t.Errorf("%#v", err)
	}
}
