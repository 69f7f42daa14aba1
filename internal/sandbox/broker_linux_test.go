//go:build amd64 || arm64

package sandbox_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"pollux/internal/process"
	"pollux/internal/sandbox"
	"pollux/internal/sandbox/broker"
	"pollux/internal/sandbox/network"
)

// asking is a program that asks a host with a placeholder, over sockets that wait and others that do not.
const asking = `
import errno, select, socket, ssl, sys
host, port, ca = sys.argv[1], int(sys.argv[2]), sys.argv[3]
context = ssl.create_default_context(cafile=ca)
family = socket.AF_INET6 if ":" in host else socket.AF_INET
def ask(s):
    s = context.wrap_socket(s, server_hostname=host)
    s.sendall(b"GET / HTTP/1.1\r\nHost: %s\r\nAuthorization: Bearer placeholder\r\nConnection: close\r\n\r\n" % (("[%s]:%d" if ":" in host else "%s:%d") % (host, port)).encode())
    data = b""
    while True:
        part = s.recv(4096)
        if not part: break
        data += part
    return b"true" in data.split(b"\r\n\r\n")[1]
s = socket.socket(family)
s.connect((host, port))
try:
    s.connect((host, port))
except OSError as e:
    print("again", errno.errorcode[e.errno])
print(ask(s))
s = socket.socket(family)
s.setblocking(False)
if s.connect_ex((host, port)) == errno.EINPROGRESS:
    select.select([], [s], [], 30)
print("error", s.getsockopt(socket.SOL_SOCKET, socket.SO_ERROR))
s.setblocking(True)
print(ask(s))
u = socket.socket(family, socket.SOCK_DGRAM)
print("datagrams", u.connect_ex((host, port)), u.getpeername()[1] == port)
`

// TestBroker runs a program that is confined, and whose connections to a host are led to a broker.
func TestBroker(t *testing.T) {
	t.Parallel()
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("NOT TESTED: no python3")
	}
	own := ownAddress(t, netip.Addr.Is4)
	for address, name := range map[string]string{"127.0.0.1": "127.0.0.1", "[::1]": "::1", own.String(): "example.com"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l, err := net.Listen("tcp", address+":0")
			if err != nil {
				t.Skipf("NOT TESTED: %v", err)
			}
			server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				_, _ = fmt.Fprint(w, r.Header.Get("Authorization") == "Bearer real-secret")
			}))
			_ = server.Listener.Close()
			server.Listener, server.Config.ErrorLog = l, log.New(io.Discard, "", 0)
			server.StartTLS()
			t.Cleanup(server.Close)
			_, port, _ := net.SplitHostPort(l.Addr().String())
			hosts, _ := network.ParseHosts([]string{net.JoinHostPort(name, port)})
			lookup := func(context.Context, string) ([]netip.Addr, error) { return []netip.Addr{own}, nil }
			b, err := broker.New(broker.Options{
				Transport: server.Client().Transport.(*http.Transport).Clone(), Lookup: lookup,
				Credentials: []broker.Credential{{Hosts: hosts, Placeholder: "placeholder", Secret: func(context.Context, string) (broker.Secret, error) {
					return broker.Secret{Text: "real-secret"}, nil
				}}},
			})
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = b.Close() })
			work := t.TempDir()
			if err := os.WriteFile(filepath.Join(work, "ca.pem"), b.Authority(), 0o600); err != nil {
				t.Fatal(err)
			}
			isHeld := name == "example.com" // until a person has allowed it
			s, err := sandbox.New(sandbox.Options{Dirs: func() []string { return nil }, Lookup: lookup, Profile: func([]string) sandbox.Profile {
				return sandbox.Profile{
					Write: []string{work}, Devices: []string{os.DevNull, "/dev/urandom"}, Network: network.Policy{Off: isHeld, NamesHosts: isHeld},
				}
			}})
			if err != nil {
				t.Skipf("NOT TESTED: %v", err)
			}
			if gap := sandbox.Gap(); gap != "" {
				t.Skip("NOT TESTED: " + gap)
			}
			t.Cleanup(s.Close)
			var out bytes.Buffer
			ctx := sandbox.WithAsk(sandbox.WithBroker(t.Context(), b), func(_ context.Context, h network.Host) sandbox.Answer {
				if h.Name == name {
					return sandbox.Allowed
				}
				return sandbox.Refused
			})
			_, err = process.NewLauncher(s.Confine).Run(ctx, &process.Command{
				Pause: &process.Pause{},
				For:   process.Purpose{Kind: process.KindShell, Origin: process.OriginModel}, Path: python, Dir: work, Env: []string{"PATH=" + os.Getenv("PATH")},
				Args: []string{"-c", asking, name, port, filepath.Join(work, "ca.pem")}, Stdout: &out, Stderr: &out,
			})
			if want := "again EISCONN\nTrue\nerror 0\nTrue\ndatagrams 0 True\n"; err != nil || out.String() != want {
				t.Errorf("the program prints %q, want %q: %v", out.String(), want, err)
			}
		})
	}
}
