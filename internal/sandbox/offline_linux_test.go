//go:build amd64 || arm64

package sandbox_test

import (
	"errors"
	"fmt"
	"net"
	"os"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"pollux/internal/process"
	"pollux/internal/process/processtest"
	"pollux/internal/sandbox"
	"pollux/internal/sandbox/network"
)

// far are addresses of other machines, which nothing is sent to: 192.0.2.0/24 and 2001:db8::/32 are for documentation.
var (
	far  = &unix.SockaddrInet4{Port: 9, Addr: [4]byte{192, 0, 2, 1}}
	far6 = &unix.SockaddrInet6{Port: 9, Addr: [16]byte{0x20, 0x01, 0x0d, 0xb8, 15: 1}}
)

// dial connects to an address, without waiting for an answer.
func dial(domain, protocol int, to unix.Sockaddr) func(string) error {
	return func(string) error {
		fd, err := unix.Socket(domain, unix.SOCK_STREAM|unix.SOCK_NONBLOCK, protocol)
		if err != nil {
			return err
		}
		if err = unix.Connect(fd, to); errors.Is(err, unix.EINPROGRESS) {
			return nil
		}
		return err
	}
}

func newSocket(domain, kind, protocol int) func(string) error {
	return func(string) error {
		_, err := unix.Socket(domain, kind, protocol)
		return err
	}
}

// option sets an option of a TCP socket by which its packets take another way.
func option(domain, level, name int, value string) func(string) error {
	return func(string) error {
		fd, err := unix.Socket(domain, unix.SOCK_STREAM, 0)
		if err != nil {
			return err
		}
		return unix.SetsockoptString(fd, level, name, value)
	}
}

func fastOpen(send func(fd int) error) func(string) error {
	return func(string) error {
		fd, err := unix.Socket(unix.AF_INET, unix.SOCK_STREAM|unix.SOCK_NONBLOCK, 0)
		if err != nil {
			return err
		}
		if err = send(fd); errors.Is(err, unix.EINPROGRESS) {
			return nil
		}
		return err
	}
}

// leaks are attempts to reach another machine, by the error that a sandbox without a network gives. An attempt that gets
// another error has failed for a reason of the machine, and shows nothing.
var leaks = map[string]struct {
	try  func(string) error
	want unix.Errno
}{
	"connect":                     {dial(unix.AF_INET, 0, far), unix.ENETUNREACH},
	"connect by IPv6":             {dial(unix.AF_INET6, 0, far6), unix.ENETUNREACH},
	"connect by a mapped one":     {dial(unix.AF_INET6, 0, &unix.SockaddrInet6{Port: 9, Addr: [16]byte{10: 0xff, 11: 0xff, 12: 192, 13: 0, 14: 2, 15: 1}}), unix.ENETUNREACH},
	"connect to the metadata":     {dial(unix.AF_INET, 0, &unix.SockaddrInet4{Port: 80, Addr: [4]byte{169, 254, 169, 254}}), unix.ENETUNREACH},
	"connect to a link":           {dial(unix.AF_INET6, 0, &unix.SockaddrInet6{Port: 80, ZoneId: 1, Addr: [16]byte{0xfe, 0x80, 15: 1}}), unix.ENETUNREACH},
	"connect to the resolver":     {dial(unix.AF_INET, 0, &unix.SockaddrInet4{Port: 53, Addr: [4]byte{127, 0, 0, 53}}), unix.ENETUNREACH},
	"connect by TCP's number":     {dial(unix.AF_INET, unix.IPPROTO_TCP, far), unix.ENETUNREACH},
	"connect by MPTCP":            {dial(unix.AF_INET, unix.IPPROTO_MPTCP, far), unix.EPROTONOSUPPORT},
	"use SCTP":                    {newSocket(unix.AF_INET, unix.SOCK_STREAM, unix.IPPROTO_SCTP), unix.EPROTONOSUPPORT},
	"use SCTP with messages":      {newSocket(unix.AF_INET6, unix.SOCK_SEQPACKET, unix.IPPROTO_SCTP), unix.EACCES},
	"use DCCP":                    {newSocket(unix.AF_INET, unix.SOCK_DCCP, unix.IPPROTO_DCCP), unix.EACCES},
	"use UDP":                     {newSocket(unix.AF_INET, unix.SOCK_DGRAM, 0), unix.EACCES},
	"use UDP with flags":          {newSocket(unix.AF_INET6, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC|unix.SOCK_NONBLOCK, unix.IPPROTO_UDP), unix.EACCES},
	"use UDP-Lite":                {newSocket(unix.AF_INET, unix.SOCK_DGRAM, unix.IPPROTO_UDPLITE), unix.EACCES},
	"ping":                        {newSocket(unix.AF_INET, unix.SOCK_DGRAM, unix.IPPROTO_ICMP), unix.EACCES},
	"use raw sockets":             {newSocket(unix.AF_INET, unix.SOCK_RAW, unix.IPPROTO_RAW), unix.EACCES},
	"use raw IPv6":                {newSocket(unix.AF_INET6, unix.SOCK_RAW, unix.IPPROTO_ICMPV6), unix.EACCES},
	"use packets":                 {newSocket(unix.AF_PACKET, unix.SOCK_RAW, 0), unix.EACCES},
	"use the old packets":         {newSocket(unix.AF_INET, unix.SOCK_PACKET, 0), unix.EACCES},
	"reach the virtual host":      {newSocket(unix.AF_VSOCK, unix.SOCK_STREAM, 0), unix.EAFNOSUPPORT},
	"use TIPC":                    {newSocket(unix.AF_TIPC, unix.SOCK_STREAM, 0), unix.EAFNOSUPPORT},
	"use Bluetooth":               {newSocket(unix.AF_BLUETOOTH, unix.SOCK_STREAM, 3), unix.EAFNOSUPPORT},
	"use a domain with more bits": {newSocket(1<<16|unix.AF_INET, unix.SOCK_STREAM, 0), unix.EAFNOSUPPORT},
	"send to a local socket":      {newSocket(unix.AF_UNIX, unix.SOCK_DGRAM, 0), unix.EACCES},
	"connect by a message":        {fastOpen(func(fd int) error { return unix.Sendto(fd, []byte("x"), unix.MSG_FASTOPEN, far) }), unix.EOPNOTSUPP},
	"connect by a message's header": {fastOpen(func(fd int) error {
		return unix.Sendmsg(fd, []byte("x"), nil, far, unix.MSG_FASTOPEN)
	}), unix.EOPNOTSUPP},
	"connect by many messages": {fastOpen(func(fd int) error {
		return call(unix.SYS_SENDMMSG, uintptr(fd), 0, 0, unix.MSG_FASTOPEN)
	}), unix.EOPNOTSUPP},
	"route a connection by another machine": {option(unix.AF_INET, unix.SOL_IP, unix.IP_OPTIONS, "\x83\x07\x04\xc0\x00\x02\x01\x00"), unix.EPERM},
	"route a connection by IPv6": {
		option(unix.AF_INET6, unix.SOL_IPV6, unix.IPV6_RTHDR, "\x00\x02\x02\x01"+strings.Repeat("\x00", 20)), unix.EPERM,
	},
	"route a connection by a device": {option(unix.AF_INET, unix.SOL_SOCKET, unix.SO_BINDTODEVICE, "eth0\x00"), unix.EPERM},
	"connect by the first write": {fastOpen(func(fd int) error {
		if err := unix.SetsockoptInt(fd, unix.IPPROTO_TCP, unix.TCP_FASTOPEN_CONNECT, 1); err != nil {
			return err
		}
		return unix.Connect(fd, far)
	}), unix.ENETUNREACH},
}

func init() {
	for name, leak := range leaks {
		escapes["offline: "+name] = escape{try: func(target string) error {
			err := leak.try(target)
			if err != nil && !errors.Is(err, leak.want) {
				return fmt.Errorf("%w, which is not %q", err, leak.want)
			}
			return err
		}}
	}
	escapes["offline: reach a server inside"] = escape{try: echo}
}

// echo starts a server, and connects to it by names and addresses of this machine.
func echo(string) error {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			_, _ = c.Write([]byte("hello"))
			_ = c.Close()
		}
	}()
	_, port, _ := net.SplitHostPort(l.Addr().String())
	for _, host := range []string{"127.0.0.1", "0.0.0.0", "::ffff:127.0.0.1", "localhost"} {
		c, err := net.Dial("tcp", net.JoinHostPort(host, port))
		if err != nil {
			return fmt.Errorf("%s: %w", host, err)
		}
		if err := c.(*net.TCPConn).SetKeepAliveConfig(net.KeepAliveConfig{Enable: true, Idle: time.Minute}); err != nil {
			return fmt.Errorf("%s: %w", host, err)
		}
		b := make([]byte, 5)
		if _, err := c.Read(b); err != nil {
			return fmt.Errorf("%s: %w", host, err)
		}
		_ = c.Close()
	}
	return nil
}

// TestOffline tries to reach other machines from a sandbox without a network.
func TestOffline(t *testing.T) {
	t.Parallel()
	if processtest.HasRaceDetector() {
		t.Skip("a program that tries to escape has no races, and takes long to start")
	}
	if err := sandbox.Available(); err != nil {
		t.Skip(err)
	}
	if gap := sandbox.Gap(); gap != "" {
		t.Skip(gap)
	}
	for name := range leaks {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			out := offline(t, "offline: "+name, false)
			if !strings.HasPrefix(out, "denied") || strings.Contains(out, "which is not") {
				t.Errorf("got %s", out)
			}
		})
	}
	t.Run("a server inside", func(t *testing.T) {
		t.Parallel()
		if out := offline(t, "offline: reach a server inside", false); !strings.HasPrefix(out, "escaped") {
			t.Errorf("got %s", out)
		}
	})
	for _, name := range []string{"connect", "connect by IPv6", "connect by TCP's number", "use UDP", "connect by a message"} {
		t.Run(name+" without a listener", func(t *testing.T) {
			t.Parallel()
			if out := offline(t, "offline: "+name, true); !strings.HasPrefix(out, "denied: permission denied") {
				t.Errorf("got %s", out)
			}
		})
	}
}

// offline makes an attempt in a sandbox without a network. mute is for a machine on which Pollux does not decide about connections.
func offline(t *testing.T, name string, mute bool, hosts ...network.Host) string {
	t.Helper()
	target, work := place(t)
	s, err := newSandbox(sandbox.Profile{Write: []string{work}, Devices: []string{os.DevNull}, Network: network.Policy{Off: true, Hosts: hosts}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	if mute {
		s.PretendMute()
	}
	return attemptIn(t, name, process.NewLauncher(s.Confine), target, work)
}
