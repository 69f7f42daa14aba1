//go:build amd64 || arm64

package sandbox_test

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
	"unsafe"

	"golang.org/x/net/dns/dnsmessage"
	"golang.org/x/sys/unix"

	"pollux/internal/process"
	"pollux/internal/process/processtest"
	"pollux/internal/sandbox"
	"pollux/internal/sandbox/names"
	"pollux/internal/sandbox/network"
)

// ownAddress returns an address of this machine that is none of loopback's, so that a network that is off does not reach it.
func ownAddress(t *testing.T, is func(netip.Addr) bool) netip.Addr {
	t.Helper()
	addrs, err := net.InterfaceAddrs()
	if err != nil {
		t.Fatal(err)
	}
	for _, a := range addrs {
		if p, err := netip.ParsePrefix(a.String()); err == nil && is(p.Addr()) && !p.Addr().IsLoopback() && !p.Addr().IsLinkLocalUnicast() {
			return p.Addr()
		}
	}
	t.Skip("NOT TESTED: this machine has no such address but those of loopback")
	return netip.Addr{}
}

// zone has the names of a test, and keeps those that were asked for.
type zone struct {
	own netip.Addr

	mu    sync.Mutex
	asked []string
}

func (z *zone) lookup(_ context.Context, name string) ([]netip.Addr, error) {
	z.mu.Lock()
	defer z.mu.Unlock()
	z.asked = append(z.asked, name)
	switch name {
	case "allowed.example", "a.sub.example", "port.example":
		return []netip.Addr{z.own}, nil
	case "rebound.example":
		return []netip.Addr{netip.MustParseAddr("127.0.0.1"), netip.MustParseAddr("10.0.0.1"), netip.MustParseAddr("169.254.169.254")}, nil
	}
	return nil, &net.DNSError{Err: "no such host", Name: name, IsNotFound: true}
}

// limited returns a launcher for programs that reach only these hosts, in a workspace whose files "own" and "port" have the address of
// a server.
func limited(t *testing.T, z *zone, work, port string, hosts ...string) process.Launcher {
	t.Helper()
	list, bad := network.ParseHosts(hosts)
	if len(bad) > 0 {
		t.Fatal(bad)
	}
	for name, text := range map[string]string{"own": z.own.String(), "port": port} {
		if err := os.WriteFile(filepath.Join(work, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	s, err := sandbox.New(sandbox.Options{
		Dirs: func() []string { return nil }, Lookup: z.lookup,
		Profile: func([]string) sandbox.Profile {
			return sandbox.Profile{
				Write: []string{work}, Devices: []string{os.DevNull, "/dev/urandom"}, Network: network.Policy{Off: true, Hosts: list},
			}
		},
	})
	if err != nil {
		t.Skipf("NOT TESTED: %v", err)
	}
	if gap := sandbox.Gap(); gap != "" {
		t.Skip("NOT TESTED: " + gap)
	}
	t.Cleanup(s.Close)
	return process.NewLauncher(s.Confine)
}

// serve starts a server on an address of this machine and returns its port.
func serve(t *testing.T, own netip.Addr, handler http.Handler) string {
	t.Helper()
	l, err := net.Listen("tcp", netip.AddrPortFrom(own, 0).String())
	if err != nil {
		t.Fatal(err)
	}
	server := &http.Server{Handler: handler}
	t.Cleanup(func() { _ = server.Close() })
	go func() { _ = server.Serve(l) }()
	_, port, _ := net.SplitHostPort(l.Addr().String())
	return port
}

// TestProgramsReachHosts runs programs as they are: they reach the hosts in it by their names, and no others.
func TestProgramsReachHosts(t *testing.T) {
	t.Parallel()
	own := ownAddress(t, netip.Addr.Is4)
	site := t.TempDir()
	if git, err := exec.LookPath("git"); err == nil {
		for _, args := range [][]string{
			{"init", "-q", "-b", "main", "src"},
			{"-C", "src", "-c", "user.name=a", "-c", "user.email=a@b", "commit", "-q", "--allow-empty", "-m", "first"},
			{"clone", "-q", "--bare", "src", "src.git"},
			{"-C", "src.git", "update-server-info"},
		} {
			c := exec.Command(git, args...)
			c.Dir = site
			if out, err := c.CombinedOutput(); err != nil {
				t.Fatalf("git %v: %v %s", args, err, out)
			}
		}
	}
	if err := os.WriteFile(filepath.Join(site, "page"), []byte("hello"), 0o644); err != nil {
		t.Fatal(err)
	}
	port := serve(t, own, http.FileServer(http.Dir(site)))
	z := &zone{own: own}
	work := t.TempDir()
	l := limited(t, z, work, port, "allowed.example", "*.sub.example", "rebound.example", "port.example:1")
	const python = `python3 -c 'import urllib.request as u; print(u.urlopen("http://%s:PORT/page").read())'`
	const node = `node -e 'fetch("http://%s:PORT/page").then(r => r.text()).then(console.log)'`
	for _, test := range []struct{ command, want string }{
		{"getent hosts allowed.example", own.String()},
		{"getent ahosts a.sub.example", own.String()},
		{"RES_OPTIONS=use-vc getent hosts allowed.example", own.String()},
		{"getent hosts localhost", "localhost"},
		{"getent hosts refused.example || echo none", "none"},
		{"getent hosts sub.example || echo none", "none"},
		{"getent hosts missing.sub.example || echo none", "none"},
		{"getent hosts rebound.example || echo none", "none"},
		{"curl -sS -m 5 http://allowed.example:PORT/page", "hello"},
		{"curl -sS -m 5 http://ALLOWED.example.:PORT/page", "hello"},
		{"curl -sS -m 5 http://refused.example:PORT/page", "Could not resolve host"},
		{"wget -q -T 5 -O - http://allowed.example:PORT/page", "hello"},
		{"wget -T 5 -O - http://refused.example:PORT/page", "refused.example"},
		{"git clone -q http://allowed.example:PORT/src.git copy && git -C copy log --format=%s", "first"},
		{"git clone -q http://refused.example:PORT/src.git copy2", "Could not resolve host"},
		{fmt.Sprintf(python, "allowed.example"), "hello"},
		{fmt.Sprintf(python, "refused.example"), "urlopen error"},
		{fmt.Sprintf(node, "a.sub.example"), "hello"},
		{fmt.Sprintf(node, "refused.example"), "ENOTFOUND"},
		{`node -e 'require("dns").resolve4("allowed.example", console.log)'`, own.String()},
		{`node -e 'require("dns").resolveTxt("allowed.example", console.log)'`, "ENODATA"},
	} {
		t.Run(test.command, func(t *testing.T) {
			program, _, _ := strings.Cut(strings.TrimPrefix(test.command, "RES_OPTIONS=use-vc "), " ")
			if _, err := exec.LookPath(program); err != nil {
				t.Skip("NOT TESTED: " + err.Error())
			}
			var out strings.Builder
			_, err := l.Run(t.Context(), &process.Command{
				For: process.Purpose{Kind: process.KindShell, Origin: process.OriginModel}, Path: "/bin/sh",
				Args: []string{"-c", strings.ReplaceAll(test.command, "PORT", port)},
				Env:  []string{"PATH=" + os.Getenv("PATH"), "HOME=" + work, "GIT_CONFIG_NOSYSTEM=1"}, Dir: work, Stdout: &out, Stderr: &out,
			})
			if err != nil || !strings.Contains(out.String(), test.want) {
				t.Errorf("%v: %s", err, out.String())
			}
		})
	}
	for _, name := range z.asked {
		if !slices.Contains([]string{"allowed.example", "a.sub.example", "missing.sub.example", "rebound.example", "port.example"}, name) {
			t.Errorf("the resolver of this machine was asked for %s", name)
		}
	}
}

// TestReachByIPv6 checks that a name can lead to an IPv6 address, a private one if the list says so.
func TestReachByIPv6(t *testing.T) {
	t.Parallel()
	own := ownAddress(t, netip.Addr.Is6)
	if _, err := exec.LookPath("curl"); err != nil {
		t.Skip("NOT TESTED: " + err.Error())
	}
	port := serve(t, own, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "hello") }))
	for prefix, want := range map[string]bool{"private:": true, "": !own.IsPrivate()} {
		work := t.TempDir()
		var out strings.Builder
		_, err := limited(t, &zone{own: own}, work, port, prefix+"allowed.example").Run(t.Context(), &process.Command{
			For: process.Purpose{Kind: process.KindShell, Origin: process.OriginModel}, Path: "/bin/sh",
			Args: []string{"-c", "curl -sS -m 5 http://allowed.example:" + port}, Env: []string{"PATH=" + os.Getenv("PATH")},
			Dir: work, Stdout: &out, Stderr: &out,
		})
		if got := out.String() == "hello"; err != nil || got != want {
			t.Errorf("with %q: %s, %v", prefix, out.String(), err)
		}
	}
}

// TestLimited tries to reach other machines from a sandbox that allows some hosts.
func TestLimited(t *testing.T) {
	t.Parallel()
	if processtest.HasRaceDetector() {
		t.Skip("NOT TESTED: a program that tries to escape has no races, and takes long to start")
	}
	if err := sandbox.Available(); err != nil {
		t.Skip("NOT TESTED:", err)
	}
	own := ownAddress(t, netip.Addr.Is4)
	visits := make(chan string, 100)
	port := serve(t, own, http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { visits <- r.URL.Path }))
	try := func(t *testing.T, name string) (*zone, string) {
		t.Helper()
		target, work := place(t)
		z := &zone{own: own}
		l := limited(t, z, work, port, "allowed.example", "port.example:1", "rebound.example", "192.0.2.77:7")
		return z, attemptIn(t, name, l, target, work)
	}
	replaced := []string{"use UDP", "use UDP with flags", "connect to the resolver"} // by sockets of Pollux
	for name := range leaks {
		if slices.Contains(replaced, name) {
			continue
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if _, out := try(t, "offline: "+name); !strings.HasPrefix(out, "denied") || strings.Contains(out, "which is not") {
				t.Errorf("got %s", out)
			}
		})
	}
	for name := range limits {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			z, out := try(t, "limited: "+name)
			if !strings.HasPrefix(out, "denied") {
				t.Errorf("got %s", out)
			}
			for _, asked := range z.asked {
				if asked != "allowed.example" && asked != "port.example" && asked != "rebound.example" {
					t.Errorf("the resolver of this machine was asked for %q", asked)
				}
			}
		})
	}
	for _, name := range []string{"connect", "use UDP"} {
		t.Run(name+" without a listener", func(t *testing.T) {
			t.Parallel()
			if out := offline(t, "offline: "+name, true, network.Host{Name: "allowed.example"}); !strings.HasPrefix(out, "denied: permission denied") {
				t.Errorf("got %s", out)
			}
		})
	}
	t.Run("a server inside", func(t *testing.T) {
		t.Parallel()
		if _, out := try(t, "offline: reach a server inside"); !strings.HasPrefix(out, "escaped") {
			t.Errorf("got %s", out)
		}
	})
	t.Cleanup(func() { // after the parallel tests
		if len(visits) > 0 {
			t.Errorf("a program has reached the server: %s", <-visits)
		}
	})
}

// TestSocketOfResolver checks that a socket without a connection, as the resolver of musl has, looks like one of UDP.
func TestSocketOfResolver(t *testing.T) {
	t.Parallel()
	if processtest.HasRaceDetector() {
		t.Skip("NOT TESTED: a program that tries to escape has no races, and takes long to start")
	}
	target, work := place(t)
	l := limited(t, &zone{own: netip.MustParseAddr("192.0.2.1")}, work, "1", "allowed.example")
	if out := attemptIn(t, "limited resolver", l, target, work); !strings.HasPrefix(out, "escaped") {
		t.Error(out)
	}
}

// askUnconnected asks a resolver as musl does, and checks the addresses and options of the socket.
func askUnconnected(string) error {
	m := dnsmessage.Message{Questions: []dnsmessage.Question{{
		Name: dnsmessage.MustNewName("allowed.example."), Type: dnsmessage.TypeA, Class: dnsmessage.ClassINET,
	}}}
	query, err := m.Pack()
	if err != nil {
		return err
	}
	to := &unix.SockaddrInet4{Port: 53, Addr: names.Servers("/etc/resolv.conf")[0].As4()}
	fd, err := unix.Socket(unix.AF_INET, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return err
	}
	if flags, _ := unix.FcntlInt(uintptr(fd), unix.F_GETFD, 0); flags&unix.FD_CLOEXEC == 0 {
		return errors.New("programs that it starts get the socket")
	}
	err = errors.Join(unix.Bind(fd, &unix.SockaddrInet4{}), unix.SetsockoptInt(fd, unix.SOL_IP, unix.IP_RECVERR, 1), unix.Sendto(fd, query, 0, to))
	kind, errKind := unix.GetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_TYPE)
	if err = errors.Join(err, errKind); err != nil || kind != unix.SOCK_DGRAM {
		return fmt.Errorf("its kind is %d, %w", kind, err)
	}
	b := make([]byte, 512)
	n, from, err := unix.Recvfrom(fd, b, 0)
	if got, ok := from.(*unix.SockaddrInet4); err != nil || n < 40 || !ok || got.Addr != to.Addr || got.Port != 53 {
		return fmt.Errorf("%d bytes from %+v, %w", n, from, err)
	}
	for range 2 {
		if err := unix.Send(fd, nil, 0); err != nil { // an empty message ends nothing
			return err
		}
	}
	if err := unix.Sendmsg(fd, query, nil, to, 0); err != nil {
		return err
	}
	n, _, flags, from, err := unix.Recvmsg(fd, b[:20], nil, 0)
	if got, ok := from.(*unix.SockaddrInet4); err != nil || n != 20 || flags != unix.MSG_TRUNC || !ok || got.Addr != to.Addr {
		return fmt.Errorf("%d bytes from %+v with %x, %w", n, from, flags, err)
	}
	if err := unix.SetsockoptTimeval(fd, unix.SOL_SOCKET, unix.SO_RCVTIMEO, &unix.Timeval{Usec: 100000}); err != nil {
		return err
	}
	if _, _, err = unix.Recvfrom(fd, b, 0); !errors.Is(err, unix.EAGAIN) {
		return fmt.Errorf("without a message: %w", err)
	}
	if _, err := unix.Getpeername(fd); !errors.Is(err, unix.ENOTCONN) {
		return fmt.Errorf("it is connected: %w", err)
	}
	if err := resolver(fd); err != nil {
		return err
	}
	peer, err := unix.Getpeername(fd)
	if got, ok := peer.(*unix.SockaddrInet4); !ok || got.Port != 53 || got.Addr != [4]byte{127, 0, 0, 53} {
		return fmt.Errorf("it is connected to %+v, %w", peer, err)
	}
	return nil
}

// TestDatagramsStayInside sends messages to a server of this machine, in all ways that the kernel has for sockets of UDP. Without a
// sandbox they arrive.
func TestDatagramsStayInside(t *testing.T) {
	t.Parallel()
	if processtest.HasRaceDetector() {
		t.Skip("NOT TESTED: a program that tries to escape has no races, and takes long to start")
	}
	own := ownAddress(t, netip.Addr.Is4)
	for _, isConfined := range []bool{false, true} {
		server, err := net.ListenUDP("udp4", net.UDPAddrFromAddrPort(netip.AddrPortFrom(own, 0)))
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = server.Close() })
		_, port, _ := net.SplitHostPort(server.LocalAddr().String())
		target, work := place(t)
		l := limited(t, &zone{own: own}, work, port, "allowed.example", "192.0.2.77:7")
		if !isConfined {
			l = process.NewLauncher()
		}
		out := attemptIn(t, "limited send", l, target, work)
		got := map[string]bool{}
		b := make([]byte, 100)
		for {
			_ = server.SetReadDeadline(time.Now().Add(300 * time.Millisecond))
			n, err := server.Read(b)
			if err != nil {
				break
			}
			got[string(b[:n])] = true
		}
		switch {
		case isConfined && len(got) > 0:
			t.Errorf("these ways lead outside: %v\n%s", got, out)
		case !isConfined && len(got) < len(sends):
			t.Errorf("without a sandbox, only %v have arrived: %s", got, out)
		}
	}
}

func init() {
	for name, try := range limits {
		escapes["limited: "+name] = escape{try: func(string) error { return try() }}
	}
	escapes["limited resolver"] = escape{try: askUnconnected}
	escapes["limited send"] = escape{try: func(string) error {
		for name, send := range sends {
			if err := send(name); err != nil {
				fmt.Println(name, err)
			}
		}
		return nil
	}}
}

// server returns the address of the server that programs must not reach.
func server() *unix.SockaddrInet4 {
	own, _ := os.ReadFile("own")
	port, _ := os.ReadFile("port")
	to := netip.MustParseAddrPort(string(own) + ":" + string(port))
	return &unix.SockaddrInet4{Port: int(to.Port()), Addr: to.Addr().As4()}
}

// udp makes a socket, and sends on it.
func udp(send func(fd int, message []byte) error) func(string) error {
	return func(name string) error {
		fd, err := unix.Socket(unix.AF_INET, unix.SOCK_DGRAM, 0)
		if err != nil {
			return err
		}
		return send(fd, []byte(name))
	}
}

// rawAddress returns the address of the server as the kernel has it.
func rawAddress() []byte {
	to := server()
	return network.FormatAddress(unix.AF_INET, netip.AddrPortFrom(netip.AddrFrom4(to.Addr), uint16(to.Port)))
}

// resolver connects a socket of UDP to a resolver.
func resolver(fd int) error {
	return unix.Connect(fd, &unix.SockaddrInet4{Port: 53, Addr: [4]byte{127, 0, 0, 53}})
}

// sends are the ways to send a message, by its text.
var sends = map[string]func(name string) error{
	"sendto": udp(func(fd int, m []byte) error { return unix.Sendto(fd, m, 0, server()) }),
	"connect and write": udp(func(fd int, m []byte) error {
		err := unix.Connect(fd, server())
		_, errWrite := unix.Write(fd, m)
		return errors.Join(err, errWrite)
	}),
	"sendmsg": udp(func(fd int, m []byte) error { return unix.Sendmsg(fd, m, nil, server(), 0) }),
	"sendmsg by a device": udp(func(fd int, m []byte) error {
		control := make([]byte, unix.CmsgSpace(unix.SizeofInet4Pktinfo))
		h := (*unix.Cmsghdr)(unsafe.Pointer(&control[0]))
		h.Level, h.Type = unix.IPPROTO_IP, unix.IP_PKTINFO
		h.SetLen(unix.CmsgLen(unix.SizeofInet4Pktinfo))
		return unix.Sendmsg(fd, m, control, server(), 0)
	}),
	"sendmmsg": udp(func(fd int, m []byte) error {
		to := rawAddress()
		iov := unix.Iovec{Base: &m[0], Len: uint64(len(m))}
		list := [2]struct {
			head unix.Msghdr
			n    uint64
		}{}
		list[0].head = unix.Msghdr{Name: &to[0], Namelen: uint32(len(to)), Iov: &iov, Iovlen: 1}
		return call(unix.SYS_SENDMMSG, uintptr(fd), uintptr(unsafe.Pointer(&list)), 1, 0)
	}),
	"after a resolver": udp(func(fd int, m []byte) error {
		return errors.Join(resolver(fd), unix.Sendto(fd, m, 0, server()))
	}),
	"after a disconnection": udp(func(fd int, m []byte) error {
		err := resolver(fd)
		none := make([]byte, 16)
		err = errors.Join(err, call(unix.SYS_CONNECT, uintptr(fd), uintptr(unsafe.Pointer(&none[0])), 16))
		return errors.Join(err, unix.Connect(fd, server()), unix.Send(fd, m, 0))
	}),
	"as a copy": udp(func(fd int, m []byte) error {
		fd, err := unix.FcntlInt(uintptr(fd), unix.F_DUPFD, 100)
		return errors.Join(err, unix.Sendto(fd, m, 0, server()))
	}),
	"passed on": udp(func(fd int, m []byte) error {
		pair, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM, 0)
		if err != nil {
			return err
		}
		if err := unix.Sendmsg(pair[0], []byte("x"), unix.UnixRights(fd), nil, 0); err != nil {
			return err
		}
		control := make([]byte, 64)
		_, n, _, _, err := unix.Recvmsg(pair[1], make([]byte, 1), control, 0)
		if err != nil {
			return err
		}
		list, err := unix.ParseSocketControlMessage(control[:n])
		if err != nil {
			return err
		}
		got, err := unix.ParseUnixRights(&list[0])
		if err != nil {
			return err
		}
		return unix.Sendto(got[0], m, 0, server())
	}),
	"by IPv6": func(name string) error {
		fd, err := unix.Socket(unix.AF_INET6, unix.SOCK_DGRAM, 0)
		if err != nil {
			return err
		}
		to := server()
		mapped := &unix.SockaddrInet6{Port: to.Port, Addr: [16]byte{10: 0xff, 11: 0xff}}
		copy(mapped.Addr[12:], to.Addr[:])
		return unix.Sendto(fd, []byte(name), 0, mapped)
	},
}

// ask sends a question to a resolver, which may be any, and returns the code of the reply and the addresses in it.
func ask(network, name string, kind dnsmessage.Type) (dnsmessage.RCode, int, error) {
	conn, err := net.Dial(network, "192.0.2.53:53")
	if err != nil {
		return 0, 0, err
	}
	defer conn.Close()
	_ = conn.SetDeadline(time.Now().Add(5 * time.Second))
	q := dnsmessage.Message{
		Header:    dnsmessage.Header{ID: 7, RecursionDesired: true},
		Questions: []dnsmessage.Question{{Name: dnsmessage.MustNewName(name), Type: kind, Class: dnsmessage.ClassINET}},
	}
	b, err := q.Pack()
	if err != nil {
		return 0, 0, err
	}
	if network == "tcp" {
		b = append(binary.BigEndian.AppendUint16(nil, uint16(len(b))), b...)
	}
	if _, err := conn.Write(b); err != nil {
		return 0, 0, err
	}
	reply := make([]byte, 1000)
	n, err := conn.Read(reply)
	if err != nil {
		return 0, 0, err
	}
	reply = reply[:n]
	if network == "tcp" && n > 2 {
		reply = reply[2:]
	}
	var m dnsmessage.Message
	if err := m.Unpack(reply); err != nil {
		return 0, 0, err
	}
	return m.RCode, len(m.Answers), nil
}

// asks returns an attempt to get an answer for a name.
func asks(network, name string, kind dnsmessage.Type) func() error {
	return func() error {
		code, answers, err := ask(network, name, kind)
		if err == nil && answers == 0 {
			err = fmt.Errorf("%v without answers", code)
		}
		return err
	}
}

// limits are attempts that a sandbox with some hosts refuses.
var limits = map[string]func() error{
	"connect to an address that no name has had": func() error { return dial(unix.AF_INET, 0, server())("") },
	"connect to a port that the name does not have": func() error {
		if _, n, err := ask("udp", "port.example.", dnsmessage.TypeA); err != nil || n != 1 {
			return fmt.Errorf("got %d addresses, %w", n, err)
		}
		return dial(unix.AF_INET, 0, server())("")
	},
	"connect to a port that the address does not have": func() error {
		return dial(unix.AF_INET, 0, &unix.SockaddrInet4{Port: 8, Addr: [4]byte{192, 0, 2, 77}})("")
	},
	"connect to a private address of a name": func() error {
		_, _, _ = ask("udp", "rebound.example.", dnsmessage.TypeA)
		return dial(unix.AF_INET, 0, &unix.SockaddrInet4{Port: 80, Addr: [4]byte{10, 0, 0, 1}})("")
	},
	"connect to the metadata by a name": func() error {
		_, _, _ = ask("udp", "rebound.example.", dnsmessage.TypeA)
		return dial(unix.AF_INET, 0, &unix.SockaddrInet4{Port: 80, Addr: [4]byte{169, 254, 169, 254}})("")
	},
	"reconnect a socket": func() error {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			return err
		}
		fd, err := unix.Socket(unix.AF_INET, unix.SOCK_STREAM, 0)
		if err != nil {
			return err
		}
		inside := &unix.SockaddrInet4{Port: l.Addr().(*net.TCPAddr).Port, Addr: [4]byte{127, 0, 0, 1}}
		none := make([]byte, 16)
		err = errors.Join(unix.Connect(fd, inside), call(unix.SYS_CONNECT, uintptr(fd), uintptr(unsafe.Pointer(&none[0])), 16))
		if err != nil {
			return fmt.Errorf("before: %w", err)
		}
		return unix.Connect(fd, server())
	},
	"exchange an address in memory":   exchangeAddress,
	"ask for a name":                  asks("udp", "secret-data.refused.example.", dnsmessage.TypeA),
	"ask for a name by TCP":           asks("tcp", "secret-data.refused.example.", dnsmessage.TypeA),
	"ask for a name below":            asks("udp", "secret-data.allowed.example.", dnsmessage.TypeAAAA),
	"ask for a name that ends alike":  asks("udp", "notallowed.example.", dnsmessage.TypeA),
	"ask for another type":            asks("udp", "allowed.example.", dnsmessage.TypeTXT),
	"ask for another type by TCP":     asks("tcp", "allowed.example.", dnsmessage.TypeMX),
	"ask for a name with private IPs": asks("udp", "rebound.example.", dnsmessage.TypeA),
	"serve by UDP": func() error {
		_, err := net.ListenPacket("udp", "127.0.0.1:0")
		return err
	},
	"find the process of the other end": func() error {
		fd, err := unix.Socket(unix.AF_INET, unix.SOCK_DGRAM, 0)
		if err != nil {
			return err
		}
		_, err = unix.GetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_PEERPIDFD)
		return err
	},
	"have very many sockets": func() error {
		for range 1000 {
			if _, err := unix.Socket(unix.AF_INET, unix.SOCK_DGRAM, 0); err != nil {
				return err
			}
		}
		return nil
	},
}

// exchangeAddress connects to an address that another thread changes, some thousand times.
func exchangeAddress() error {
	to := rawAddress()
	inside := network.FormatAddress(unix.AF_INET, netip.MustParseAddrPort("127.0.0.1:1"))
	shared := slices.Clone(inside)
	done := make(chan struct{})
	defer close(done)
	go func() {
		for {
			select {
			case <-done:
				return
			default:
				copy(shared, to)
				copy(shared, inside)
			}
		}
	}()
	for range 3000 {
		fd, err := unix.Socket(unix.AF_INET, unix.SOCK_STREAM, 0)
		if err != nil {
			return err
		}
		err = call(unix.SYS_CONNECT, uintptr(fd), uintptr(unsafe.Pointer(&shared[0])), uintptr(len(shared)))
		_ = unix.Close(fd)
		if err == nil {
			return nil
		}
	}
	return errors.New("no connection was made")
}
