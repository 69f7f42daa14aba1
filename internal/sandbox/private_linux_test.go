//go:build amd64 || arm64

package sandbox_test

import (
	"errors"
	"fmt"
	"net"
	"net/netip"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"pollux/internal/process"
	"pollux/internal/process/processtest"
	"pollux/internal/sandbox"
	"pollux/internal/sandbox/network"
	"pollux/internal/sandbox/private"
)

// toPort connects to an address with the port in the file "port".
func toPort(domain, protocol int, ip string) func(string) error {
	return func(target string) error {
		to, err := addressWith(target, domain, ip)
		if err != nil {
			return err
		}
		fd, err := unix.Socket(domain, unix.SOCK_STREAM, protocol)
		if err != nil {
			return err
		}
		return unix.Connect(fd, to)
	}
}

func addressWith(target string, domain int, ip string) (unix.Sockaddr, error) {
	text, err := os.ReadFile(filepath.Join(target, "port"))
	if err != nil {
		return nil, err
	}
	port, err := strconv.Atoi(string(text))
	if err != nil {
		return nil, err
	}
	if ip == "" { // the machine's own
		text, err := os.ReadFile(filepath.Join(target, "own"))
		if err != nil {
			return nil, err
		}
		ip = string(text)
	}
	a := netip.MustParseAddr(ip)
	if domain == unix.AF_INET {
		return &unix.SockaddrInet4{Port: port, Addr: a.As4()}, nil
	}
	return &unix.SockaddrInet6{Port: port, Addr: a.As16()}, nil
}

// withMessage connects by a message.
func withMessage(send func(fd int, to unix.Sockaddr) error) func(string) error {
	return func(target string) error {
		to, err := addressWith(target, unix.AF_INET, "127.0.0.1")
		if err != nil {
			return err
		}
		fd, err := unix.Socket(unix.AF_INET, unix.SOCK_STREAM, 0)
		if err != nil {
			return err
		}
		return send(fd, to)
	}
}

// privately are attempts to connect to a marked server at all addresses of this machine.
var privately = map[string]func(string) error{
	"loopback":           toPort(unix.AF_INET, 0, "127.0.0.1"),
	"another loopback":   toPort(unix.AF_INET, 0, "127.9.9.9"),
	"no address":         toPort(unix.AF_INET, 0, "0.0.0.0"),
	"TCP's number":       toPort(unix.AF_INET, unix.IPPROTO_TCP, "127.0.0.1"),
	"MPTCP":              toPort(unix.AF_INET, unix.IPPROTO_MPTCP, "127.0.0.1"),
	"mapped":             toPort(unix.AF_INET6, 0, "::ffff:127.0.0.1"),
	"mapped none":        toPort(unix.AF_INET6, 0, "::ffff:0.0.0.0"),
	"IPv6":               toPort(unix.AF_INET6, 0, "::1"),
	"no IPv6 address":    toPort(unix.AF_INET6, 0, "::"),
	"the machine's own":  toPort(unix.AF_INET, 0, ""),
	"the mapped own":     toPort(unix.AF_INET6, 0, ""),
	"a message":          withMessage(func(fd int, to unix.Sockaddr) error { return unix.Sendto(fd, []byte("x"), unix.MSG_FASTOPEN, to) }),
	"a message's header": withMessage(func(fd int, to unix.Sockaddr) error { return unix.Sendmsg(fd, []byte("x"), nil, to, unix.MSG_FASTOPEN) }),
	"the first write": withMessage(func(fd int, to unix.Sockaddr) error {
		if err := unix.SetsockoptInt(fd, unix.IPPROTO_TCP, unix.TCP_FASTOPEN_CONNECT, 1); err != nil {
			return err
		}
		return unix.Connect(fd, to)
	}),
}

func init() {
	for name, try := range privately {
		escapes["private: "+name] = escape{try: try}
	}
	// A program marks the port of another one, to which others in the sandbox connect.
	escapes["private: mark"] = escape{try: func(target string) error {
		text, err := os.ReadFile(filepath.Join(target, "port"))
		if err != nil {
			return err
		}
		port, err := strconv.Atoi(string(text))
		if err != nil {
			return err
		}
		if _, err := private.Mark(port); err != nil {
			return err
		}
		return privately["loopback"](target)
	}}
}

// TestPrivateServers checks that programs do not connect to servers that act for all clients, by any of their addresses.
func TestPrivateServers(t *testing.T) {
	t.Parallel()
	if processtest.HasRaceDetector() {
		t.Skip("NOT TESTED: a program that tries to connect has no races, and takes long to start with the detector")
	}
	if err := errors.Join(sandbox.Available()); err != nil || sandbox.Gap() != "" {
		t.Skip("NOT TESTED:", err, sandbox.Gap())
	}
	l, err := net.Listen("tcp", ":0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	port := l.Addr().(*net.TCPAddr).Port
	own := ownAddress(t, netip.Addr.Is4)
	policies := map[string]network.Policy{
		"open": {}, "off": {Off: true},
		"some hosts": {Off: true, Hosts: network.Hosts{{Addresses: netip.PrefixFrom(own, 32)}}},
	}
	launch := func(t *testing.T, p network.Policy) (process.Launcher, string, string) {
		t.Helper()
		target, work := place(t)
		for name, text := range map[string]string{"port": strconv.Itoa(port), "own": own.String()} {
			if err := os.WriteFile(filepath.Join(target, name), []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		s, err := newSandbox(sandbox.Profile{Write: []string{work}, Devices: []string{os.DevNull}, Network: p})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(s.Close)
		return process.NewLauncher(s.Confine), target, work
	}
	each := func(t *testing.T, check func(t *testing.T, network, address, out string)) {
		t.Helper()
		for kind, policy := range policies {
			l, target, work := launch(t, policy)
			for name := range privately {
				check(t, kind, name, attemptIn(t, "private: "+name, l, target, work))
			}
		}
	}
	// Without a mark, programs connect as before. A message makes no connection.
	each(t, func(t *testing.T, network, address, out string) {
		t.Helper()
		isRefused := strings.Contains(address, "message") || network != "open" && address == "MPTCP" || network == "off" && strings.Contains(address, " own")
		if isRefused != strings.HasPrefix(out, "denied") {
			t.Errorf("%s, %s, without a mark: %s", network, address, out)
		}
	})
	unmarked, target, work := launch(t, network.Policy{})
	if out := attemptIn(t, "private: mark", unmarked, target, work); !strings.HasPrefix(out, "escaped") {
		t.Errorf("with a mark of a program in the sandbox: %s", out)
	}
	other, err := private.Mark(port - 1)
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	if out := attemptIn(t, "private: loopback", unmarked, target, work); !strings.HasPrefix(out, "escaped") {
		t.Errorf("with a mark of another port: %s", out)
	}
	mark, err := private.Mark(port)
	if err != nil {
		t.Fatal(err)
	}
	each(t, func(t *testing.T, network, address, out string) {
		t.Helper()
		if !strings.HasPrefix(out, "denied") {
			t.Errorf("%s, %s: %s", network, address, out)
		}
	})
	if err := mark.Close(); err != nil {
		t.Fatal(err)
	}
	if out := attemptIn(t, "private: loopback", unmarked, target, work); !strings.HasPrefix(out, "escaped") {
		t.Errorf("after the end of the mark: %s", out)
	}
}

// TestListedMarks checks that marks are found without sock_diag.
func TestListedMarks(t *testing.T) {
	t.Parallel()
	const port = 61234
	isMarked := func() bool {
		text, err := os.ReadFile("/proc/net/unix")
		if err != nil {
			t.Skip("NOT TESTED:", err)
		}
		for _, name := range sandbox.ListedNames(string(text)) {
			if marked, ok := private.PortOf(name); ok && marked == port {
				return true
			}
		}
		return false
	}
	if isMarked() {
		t.Skip("NOT TESTED: the port is marked")
	}
	mark, err := private.Mark(port)
	if err != nil {
		t.Fatal(err)
	}
	if !isMarked() {
		t.Error("the mark is not found")
	}
	if err := mark.Close(); err != nil || isMarked() {
		t.Error("the mark stays", err)
	}
	if names := sandbox.ListedNames("a b\n" + strings.Repeat("x ", 7) + "@y\n1 2 3 4 5 6 7 /tmp/x\n1 2 3 4 5 6 7 @x\n"); fmt.Sprintf("%q", names) != `["\x00x"]` {
		t.Errorf("%q", names)
	}
}
