package broker

import (
	"bufio"
	"bytes"
	"io"
	"net"
	"net/http"
	"testing"
	"time"

	"pollux/internal/sandbox/network"
)

// FuzzTarget checks that a program which asks a proxy for a host of a credential means that host.
func FuzzTarget(f *testing.F) {
	for _, text := range []string{
		"CONNECT a.example:443 HTTP/1.1\r\nHost: b.example\r\n\r\n", "CONNECT [2001:db8::1]:443 HTTP/1.1\r\n\r\n", "CONNECT A.EXAMPLE.:443 HTTP/1.0\n\n",
		"GET http://a.example:443/ HTTP/1.1\r\n\r\n", "CONNECT a.example:443@b.example:443 HTTP/1.1\r\n\r\n", "CONNECT a.example:443\tx HTTP/1.1\r\n\r\n", "\x05\x01\x00",
	} {
		f.Add([]byte(text))
	}
	hosts, _ := network.ParseHosts([]string{"a.example:443", "[2001:db8::1]:443"})
	b := &Broker{hosts: hosts}
	f.Fuzz(func(t *testing.T, text []byte) {
		ask, err := readRequest(bufio.NewReader(bytes.NewReader(text)))
		if !bytes.HasPrefix(text, ask) {
			t.Fatalf("%q is read as %q", text, ask)
		}
		host, port, found := b.target(ask)
		if err != nil || len(found) == 0 {
			return
		}
		if port != 443 || host != "a.example" && host != "2001:db8::1" {
			t.Errorf("%q means %s:%d", ask, host, port)
		}
		if r, err := http.ReadRequest(bufio.NewReader(bytes.NewReader(ask))); err == nil && r.URL.Hostname() == "b.example" {
			t.Errorf("%q means %s for Go", ask, r.URL)
		}
	})
}

// TestLimit checks that the limit of a request to a proxy does not hold for the data after it.
func TestLimit(t *testing.T) {
	t.Parallel()
	left, right := net.Pipe()
	defer left.Close()
	p := &proxyConn{Conn: right, from: bufio.NewReader(right)}
	p.limit(t.Context(), 0)()
	go func() { _, _ = left.Write([]byte("x")) }()
	if n, err := p.Read(make([]byte, 1)); n != 1 {
		t.Error(err)
	}
	p.limit(t.Context(), 0)
	if _, err := p.Read(make([]byte, 1)); err == nil {
		t.Error("no limit holds")
	}
}

// TestUnused checks that an old connection of the proxy is not used.
func TestUnused(t *testing.T) {
	t.Parallel()
	for age, isUsed := range map[time.Duration]bool{0: true, time.Hour: false} {
		left, right := net.Pipe()
		tn := &tunnel{first: &proxyConn{Conn: right}, since: time.Now().Add(-age)}
		if got := tn.take(maxUnused); (got != nil) != isUsed || tn.take(maxUnused) != nil {
			t.Errorf("after %v, it is used: %v", age, got != nil)
		}
		_ = left.SetDeadline(time.Now().Add(time.Second))
		if _, err := left.Read(make([]byte, 1)); !isUsed && err != io.EOF {
			t.Errorf("after %v, it is open: %v", age, err)
		}
		_ = left.Close()
	}
}
