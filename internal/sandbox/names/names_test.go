package names_test

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"

	"golang.org/x/net/dns/dnsmessage"

	"pollux/internal/sandbox/names"
	"pollux/internal/sandbox/network"
)

// zone has the names of a test, and keeps those that were asked for.
type zone struct {
	addrs map[string][]string

	mu    sync.Mutex
	asked []string
}

func (z *zone) lookup(_ context.Context, name string) (list []netip.Addr, err error) {
	z.mu.Lock()
	defer z.mu.Unlock()
	z.asked = append(z.asked, name)
	if name == "broken.example" {
		return nil, errors.New("timeout")
	}
	for _, a := range z.addrs[name] {
		list = append(list, netip.MustParseAddr(a))
	}
	if list == nil {
		err = &net.DNSError{Err: "no such host", Name: name, IsNotFound: true}
	}
	return list, err
}

// open returns a server for these hosts.
func open(t testing.TB, z *zone, file string, hosts ...string) *names.Server {
	t.Helper()
	list, bad := network.ParseHosts(hosts)
	if len(bad) > 0 {
		t.Fatal(bad)
	}
	path := filepath.Join(t.TempDir(), "hosts")
	if err := os.WriteFile(path, []byte(file), 0o600); err != nil {
		t.Fatal(err)
	}
	return names.New(names.Options{Hosts: list, Lookup: z.lookup, File: path})
}

// question packs a question.
func question(t testing.TB, name string, kind dnsmessage.Type) []byte {
	t.Helper()
	m := dnsmessage.Message{
		Header:    dnsmessage.Header{ID: 9, RecursionDesired: true},
		Questions: []dnsmessage.Question{{Name: dnsmessage.MustNewName(name), Type: kind, Class: dnsmessage.ClassINET}},
	}
	b, err := m.Pack()
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// answer returns the code and the addresses of a reply.
func answer(t testing.TB, reply []byte) (code dnsmessage.RCode, addrs []string) {
	t.Helper()
	var m dnsmessage.Message
	if err := m.Unpack(reply); err != nil {
		t.Fatal(err)
	}
	for _, r := range m.Answers {
		switch body := r.Body.(type) {
		case *dnsmessage.AResource:
			addrs = append(addrs, netip.AddrFrom4(body.A).String())
		case *dnsmessage.AAAAResource:
			addrs = append(addrs, netip.AddrFrom16(body.AAAA).String())
		default:
			t.Errorf("a reply has %T", body)
		}
	}
	return m.RCode, addrs
}

// TestAnswer checks that only names in the list are asked for, which addresses they may have, and which names programs learn to be refused.
func TestAnswer(t *testing.T) {
	t.Parallel()
	z := &zone{addrs: map[string][]string{
		"allowed.example": {"192.0.2.1", "2001:db8::1"}, "a.b.sub.example": {"192.0.2.2"}, "mixed.example": {"10.0.0.1", "192.0.2.3", "127.0.0.1", "::1"},
		"inner.example": {"10.0.0.1"}, "own.example": {"10.0.0.2", "169.254.169.254", "127.0.0.2"}, "listed.example": {"10.9.9.9"},
		"file.example": {"10.1.2.3"}, "cloud.example": {"169.254.169.254", "fd00:ec2::254"}, "loop.example": {"127.0.0.1"},
	}}
	s := open(t, z, "10.1.2.3 file.example # by the administrator\n127.0.0.1 localhost\n10.1.2.4 unlisted.example\nbroken line\n", "allowed.example",
		"*.sub.example", "mixed.example:443", "inner.example", "private:own.example", "listed.example", "10.9.9.0/24", "file.example",
		"private:cloud.example", "broken.example", "gone.example", "loop.example")
	const ok, none = dnsmessage.RCodeSuccess, dnsmessage.RCodeNameError
	for _, test := range []struct {
		name    string
		kind    dnsmessage.Type
		code    dnsmessage.RCode
		addrs   []string
		refused string
	}{
		{"allowed.example.", dnsmessage.TypeA, ok, []string{"192.0.2.1"}, ""},
		{"ALLOWED.Example.", dnsmessage.TypeAAAA, ok, []string{"2001:db8::1"}, ""},
		{"allowed.example.", dnsmessage.TypeTXT, ok, nil, ""},
		{"allowed.example.", dnsmessage.TypeHTTPS, ok, nil, ""},
		{"a.b.sub.example.", dnsmessage.TypeA, ok, []string{"192.0.2.2"}, ""},
		{"a.b.sub.example.", dnsmessage.TypeAAAA, ok, nil, ""},
		{"sub.example.", dnsmessage.TypeA, none, nil, "sub.example"},
		{"data.allowed.example.", dnsmessage.TypeA, none, nil, "data.allowed.example"},
		{"evil.example.", dnsmessage.TypeA, none, nil, "evil.example"},
		{"evil.example.", dnsmessage.TypeTXT, none, nil, ""},
		{"1.2.0.192.in-addr.arpa.", dnsmessage.TypePTR, none, nil, ""},
		{"a b.sub.example.", dnsmessage.TypeA, none, nil, ""},
		{".", dnsmessage.TypeNS, none, nil, ""},
		{"mixed.example.", dnsmessage.TypeA, ok, []string{"192.0.2.3"}, ""},
		{"inner.example.", dnsmessage.TypeA, none, nil, "private:inner.example"},
		{"own.example.", dnsmessage.TypeA, ok, []string{"10.0.0.2"}, ""},
		{"listed.example.", dnsmessage.TypeA, ok, []string{"10.9.9.9"}, ""},
		{"file.example.", dnsmessage.TypeA, ok, []string{"10.1.2.3"}, ""},
		{"cloud.example.", dnsmessage.TypeA, none, nil, ""},
		{"loop.example.", dnsmessage.TypeA, none, nil, ""},
		{"broken.example.", dnsmessage.TypeA, dnsmessage.RCodeServerFailure, nil, ""},
		{"gone.example.", dnsmessage.TypeA, none, nil, ""},
	} {
		log := new(network.Log)
		code, addrs := answer(t, s.Answer(t.Context(), question(t, test.name, test.kind), names.Client{Log: log}))
		if code != test.code || !slices.Equal(addrs, test.addrs) {
			t.Errorf("%s %v: %v %v, want %v %v", test.name, test.kind, code, addrs, test.code, test.addrs)
		}
		if got := fmt.Sprint(log.Refused()); got != "["+test.refused+"]" {
			t.Errorf("%s %v: %s is refused, want %s", test.name, test.kind, got, test.refused)
		}
	}
	for _, name := range z.asked {
		if len(z.addrs[name]) == 0 && name != "broken.example" && name != "gone.example" {
			t.Errorf("%q was asked for", name)
		}
	}
	for address, want := range map[string]bool{
		"192.0.2.1:80": true, "[::ffff:192.0.2.1]:80": true, "192.0.2.1:53": false, "[2001:db8::1]:443": true, "192.0.2.2:1": true,
		"192.0.2.3:443": true, "192.0.2.3:80": false, "10.0.0.1:443": false, "10.0.0.2:80": true, "169.254.169.254:80": false,
		"10.1.2.3:22": true, "10.1.2.4:22": false, "192.0.2.99:80": false, "127.0.0.2:80": false,
	} {
		if got := s.Allows(netip.MustParseAddrPort(address)); got != want {
			t.Errorf("%s is allowed: %v, want %v", address, got, want)
		}
	}
}

// TestShared checks that programs which ask for a name at the same time cause one question, and that its answer counts for a while.
func TestShared(t *testing.T) {
	t.Parallel()
	z := &zone{addrs: map[string][]string{"allowed.example": {"192.0.2.1"}}}
	s := open(t, z, "", "allowed.example")
	var group sync.WaitGroup
	for range 50 {
		group.Go(func() {
			if _, addrs := answer(t, s.Answer(t.Context(), question(t, "allowed.example.", dnsmessage.TypeA), names.Client{})); len(addrs) != 1 {
				t.Errorf("got %v", addrs)
			}
		})
	}
	group.Wait()
	if len(z.asked) != 1 {
		t.Errorf("asked %d times", len(z.asked))
	}
}

// TestBounds checks that a program cannot fill the memory with names and addresses, and that a reply stays small.
func TestBounds(t *testing.T) {
	t.Parallel()
	n := 0
	s := names.New(names.Options{
		Hosts: network.Hosts{{Name: "sub.example", Subdomains: true}}, File: os.DevNull,
		Lookup: func(context.Context, string) (list []netip.Addr, err error) {
			for range 40 {
				n++
				list = append(list, netip.AddrFrom4([4]byte{20, byte(n >> 16), byte(n >> 8), byte(n)}), netip.AddrFrom16([16]byte{0x20, 1, 0x0d, 0xb8, 14: byte(n >> 8), 15: byte(n)}))
			}
			return list, nil
		},
	})
	for i := range 1000 {
		reply := s.Answer(t.Context(), question(t, fmt.Sprintf("n%d.sub.example.", i), dnsmessage.TypeAAAA), names.Client{})
		if len(reply) > 512 {
			t.Fatalf("a reply has %d bytes", len(reply))
		}
	}
	if s.Allows(netip.MustParseAddrPort("20.0.0.1:80")) {
		t.Error("the oldest address is kept")
	}
	reply := s.Answer(t.Context(), question(t, "n999.sub.example.", dnsmessage.TypeA), names.Client{})
	if _, addrs := answer(t, reply); len(addrs) == 0 || !s.Allows(netip.MustParseAddrPort(addrs[0]+":80")) {
		t.Error("the latest address is not allowed")
	}
}

// TestServers checks which resolvers programs expect replies of.
func TestServers(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "resolv.conf")
	if err := os.WriteFile(path, []byte("# nameserver 192.0.2.9\nnameserver 192.0.2.53\nnameserver fe80::1%eth0\noptions ndots:5\nnameserver x\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if got := fmt.Sprint(names.Servers(path)); got != "[192.0.2.53 fe80::1]" {
		t.Error(got)
	}
	if got := fmt.Sprint(names.Servers(path + "x")); got != "[127.0.0.1]" {
		t.Error(got)
	}
}

// FuzzAnswer checks that no message makes the server ask for a name that the list does not have, or reply with something that is no
// reply to it.
func FuzzAnswer(f *testing.F) {
	for _, name := range []string{"allowed.example.", "x.sub.example.", "evil.example.", "ALLOWED.example."} {
		for _, kind := range []dnsmessage.Type{dnsmessage.TypeA, dnsmessage.TypeAAAA, dnsmessage.TypeTXT, dnsmessage.TypeALL} {
			f.Add(question(f, name, kind))
		}
	}
	f.Add([]byte{})
	f.Add([]byte("\x00\x01\x01\x00\x00\x01\x00\x00\x00\x00\x00\x00\xc0\x0c\x00\x01\x00\x01"))
	z := &zone{addrs: map[string][]string{"allowed.example": {"192.0.2.1", "2001:db8::1"}}}
	s := open(f, z, "", "allowed.example", "*.sub.example")
	f.Fuzz(func(t *testing.T, query []byte) {
		log := new(network.Log)
		reply := s.Answer(t.Context(), query, names.Client{Log: log, CanWait: len(query)%2 == 0})
		for _, name := range append(z.asked, log.Refused()...) {
			if !network.IsName(name) {
				t.Fatalf("%q is no name", name)
			}
		}
		z.mu.Lock()
		defer z.mu.Unlock()
		for _, name := range z.asked {
			if len((network.Hosts{{Name: "allowed.example"}, {Name: "sub.example", Subdomains: true}}).Named(name)) == 0 {
				t.Fatalf("%q was asked for", name)
			}
		}
		z.asked = nil
		if reply == nil {
			return
		}
		var m dnsmessage.Message
		if err := m.Unpack(reply); err != nil || !m.Response || len(reply) > 600 || string(reply[:2]) != string(query[:2]) {
			t.Errorf("%x: the reply is %x, %v", query, reply, err)
		}
	})
}
