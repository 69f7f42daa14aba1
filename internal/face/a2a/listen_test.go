package a2a

import (
	"io"
	"log/slog"
	"net"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// TestOtherProgramsCannotListen checks that no other program can be at an address where clients look for the server.
func TestOtherProgramsCannotListen(t *testing.T) {
	t.Parallel()
	for _, host := range []string{"", "localhost", "LOCALHOST", "0.0.0.0", "::"} {
		o := Options{Host: host}
		d, err := o.open(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		for _, address := range []string{"127.0.0.1", "::1"} {
			if l, err := net.Listen("tcp", net.JoinHostPort(address, d.port())); err == nil {
				t.Errorf("%q: another program listens at %s", host, l.Addr())
				_ = l.Close()
			}
		}
		// Another server at this port says so, and leaves nothing behind.
		port, _ := strconv.Atoi(d.port())
		err = Serve(t.Context(), Options{Port: port, Out: io.Discard, Log: slog.New(slog.DiscardHandler)})
		if err == nil || !strings.HasPrefix(err.Error(), "Cannot listen: ") || !strings.HasSuffix(err.Error(), "Choose another port with --port or CODER_AGENT_PORT.") {
			t.Errorf("%q: %v", host, err)
		}
		if err := d.close(); err != nil {
			t.Error(err)
		}
		again := Options{Host: host, Port: port}
		if d, err = again.open(t.Context()); err != nil {
			t.Fatalf("%q: the port is not free: %v", host, err)
		}
		_ = d.close()
	}
}

// TestTakenPorts checks that a free port is one that is free at all addresses, and that a port of the user's choice is not another one.
func TestTakenPorts(t *testing.T) {
	t.Parallel()
	six, err := net.Listen("tcp", "[::1]:0")
	if err != nil {
		t.Skip("NOT TESTED: this machine has no IPv6:", err)
	}
	defer six.Close()
	o := Options{Port: six.Addr().(*net.TCPAddr).Port}
	if d, err := o.open(t.Context()); err == nil {
		t.Errorf("the server listens at %d, where another program has ::1", o.Port)
		_ = d.close()
	}
	four, err := net.Listen("tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(o.Port)))
	if err != nil {
		t.Fatalf("an address of a server that did not start is in use: %v", err)
	}
	_ = four.Close()
	o = Options{}
	if got := o.hosts(); !slices.Equal(got, []string{"127.0.0.1", "::1"}) {
		t.Errorf("hosts %q", got)
	}
	for _, host := range []string{"127.0.0.1", "::1", "192.0.2.1", "0.0.0.0", "::"} {
		o = Options{Host: host}
		if got := o.hosts(); !slices.Equal(got, []string{host}) {
			t.Errorf("%s: hosts %q", host, got)
		}
	}
}

// TestNames checks that a client gets an address where the server listens.
func TestNames(t *testing.T) {
	t.Parallel()
	for host, want := range map[string]string{
		"": "http://localhost:80/", "localhost": "http://localhost:80/", "0.0.0.0": "http://localhost:80/", "::": "http://localhost:80/",
		"127.0.0.1": "http://127.0.0.1:80/", "127.0.0.2": "http://127.0.0.2:80/", "::1": "http://[::1]:80/", "192.0.2.1": "http://192.0.2.1:80/",
	} {
		s := &server{Options: Options{Host: host}, port: "80"}
		if got := s.url(""); got != want {
			t.Errorf("%q: %s, want %s", host, got, want)
		}
	}
}
