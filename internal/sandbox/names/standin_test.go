package names_test

import (
	"errors"
	"fmt"
	"net/netip"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/net/dns/dnsmessage"

	"pollux/internal/sandbox/names"
	"pollux/internal/sandbox/network"
)

// waiting returns a server for which a.example is listed and wait.example is not, and the names that its programs were refused.
func waiting(t *testing.T, resolvers string) (*names.Server, *zone, *network.Log) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "resolv.conf")
	if err := os.WriteFile(path, []byte(resolvers), 0o600); err != nil {
		t.Fatal(err)
	}
	z := &zone{addrs: map[string][]string{
		"a.example": {"192.0.2.1"}, "inner.example": {"10.0.0.1"}, "wait.example": {"192.0.2.2", "2001:db8::2", "127.0.0.1"}, "home.example": {"10.0.0.2"},
	}}
	hosts, _ := network.ParseHosts([]string{"a.example", "inner.example"})
	return names.New(names.Options{Hosts: hosts, Lookup: z.lookup, File: os.DevNull, Resolvers: path}), z, new(network.Log)
}

// TestStandIn checks which names get stand-ins, which lead to the names again, and that no resolver is asked for them.
func TestStandIn(t *testing.T) {
	t.Parallel()
	own, err := os.Hostname()
	if own = strings.ToLower(own); err != nil || !network.IsName(own) {
		own = "own.localhost"
	}
	s, z, log := waiting(t, "search corp.example. LAN # for short names\nnameserver 192.0.2.53\n")
	ask := func(name string, kind dnsmessage.Type) (dnsmessage.RCode, string) {
		code, addrs := answer(t, s.Answer(t.Context(), question(t, name, kind), names.Client{Log: log, CanWait: true}))
		if len(addrs) != 1 {
			return code, ""
		}
		return code, addrs[0]
	}
	for _, test := range []struct {
		name    string
		standIn string // the name that the addresses stand in for, "" if they are none
	}{
		{"wait.example.", "wait.example"},
		{"WAIT.example.", "wait.example"},
		{"inner.example.", "inner.example"}, // in the list, but private
		{"short.", "short"},
		{"a.example.", ""},
		{"wait.example.corp.example.", ""},
		{"git.lan.", ""},
		{"corp.example.", "corp.example"}, // the domain itself
		{"a b.example.", ""},
		{"app.localhost.", ""},
		{"no-host.invalid.", ""},
		{"metadata.google.internal.", ""},
		{own + ".", ""},
	} {
		for _, kind := range []dnsmessage.Type{dnsmessage.TypeA, dnsmessage.TypeAAAA} {
			code, got := ask(test.name, kind)
			named := ""
			if a, err := netip.ParseAddr(got); err == nil {
				named = s.NameOf(a)
				if a.Is4() != (kind == dnsmessage.TypeA) || s.Allows(netip.AddrPortFrom(a, 443)) != (test.name == "a.example.") {
					t.Errorf("%s: %s", test.name, a)
				}
			}
			if named != test.standIn || (code == dnsmessage.RCodeSuccess) != (test.standIn != "" || test.name == "a.example.") {
				t.Errorf("%s %v: %v %s stands in for %q", test.name, kind, code, got, named)
			}
		}
	}
	if code, _ := ask("wait.example.", dnsmessage.TypeTXT); code != dnsmessage.RCodeSuccess { // else programs would take it for a name that does not exist
		t.Errorf("other records of it: %v", code)
	}
	if got := strings.Join(log.Refused(), " "); !strings.HasPrefix(got, "wait.example private:inner.example short git.lan corp.example app.localhost") {
		t.Errorf("refused are %s", got)
	}
	if slices.ContainsFunc(z.asked, func(name string) bool { return name != "a.example" && name != "inner.example" }) {
		t.Errorf("the resolver was asked for %v", z.asked)
	}
	for _, other := range []string{"198.19.0.0", "198.19.255.255", "198.18.0.1", "fd70:6f6c:6c75:7800:1::1", "fd00::1", "192.0.2.1", "::1"} {
		if name := s.NameOf(netip.MustParseAddr(other)); name != "" {
			t.Errorf("%s stands in for %s", other, name)
		}
	}
}

// TestStandInsAreBounded checks that a program which makes up names does not fill the memory, that each name keeps stand-ins of its own, and that these are
// no real addresses.
func TestStandInsAreBounded(t *testing.T) {
	t.Parallel()
	z := &zone{addrs: map[string][]string{"home.example": {"198.19.0.1"}, "late.example": {"198.19.0.3", "192.0.2.7"}}}
	hosts, _ := network.ParseHosts([]string{"private:home.example", "private:late.example", "198.19.0.2", "198.19.0.5:22"})
	s := names.New(names.Options{Hosts: hosts, Lookup: z.lookup, File: os.DevNull})
	if _, err := s.Addresses(t.Context(), "home.example"); err != nil {
		t.Fatal(err)
	}
	seen := map[netip.Addr]bool{netip.MustParseAddr("198.19.0.1"): true, netip.MustParseAddr("198.19.0.2"): true, netip.MustParseAddr("198.19.0.5"): true}
	given := 0
	for i := range 20_000 {
		name := fmt.Sprintf("n%d.example", i)
		list := s.StandIn(name)
		if given += len(list) / 2; !slices.Equal(list, s.StandIn(name)) {
			t.Fatalf("%s gets others", name)
		}
		for _, a := range list {
			if seen[a] || s.NameOf(a) != name {
				t.Fatalf("%s of %s stands in for %s", a, name, s.NameOf(a))
			}
			seen[a] = true
		}
	}
	if given < 16_000 || given > 1<<14 {
		t.Errorf("%d names have stand-ins", given)
	}
	if got, err := s.Addresses(t.Context(), "late.example"); err != nil || fmt.Sprint(got) != "[192.0.2.7]" {
		t.Errorf("a name gets an address that stands in for another one: %v, %v", got, err)
	}
	if s.ListedAt(netip.MustParseAddr("198.19.0.1")) != "home.example" || s.ListedAt(netip.MustParseAddr("198.19.0.9")) != "" {
		t.Error("the name of an address is another one")
	}
}

// TestAddressesOf checks that an address which one program may reach is none for others.
func TestAddressesOf(t *testing.T) {
	t.Parallel()
	s, z, _ := waiting(t, "")
	for range 2 {
		got, err := s.AddressesOf(t.Context(), network.Host{Name: "wait.example"})
		if err != nil || fmt.Sprint(got) != "[192.0.2.2 2001:db8::2]" {
			t.Errorf("%v, %v", got, err)
		}
	}
	if len(z.asked) != 1 {
		t.Errorf("asked for %v", z.asked)
	}
	home := network.Host{Name: "home.example"}
	if _, err := s.AddressesOf(t.Context(), home); !errors.Is(err, names.ErrPrivate) {
		t.Errorf("a private address: %v", err)
	}
	home.MayBePrivate = true
	if got, err := s.AddressesOf(t.Context(), home); err != nil || fmt.Sprint(got) != "[10.0.0.2]" {
		t.Errorf("an allowed private address: %v, %v", got, err)
	}
	for _, address := range []string{"192.0.2.2:443", "10.0.0.2:443"} {
		if s.Allows(netip.MustParseAddrPort(address)) {
			t.Errorf("other programs reach %s", address)
		}
	}
	if _, addrs := answer(t, s.Answer(t.Context(), question(t, "wait.example.", dnsmessage.TypeA), names.Client{})); addrs != nil {
		t.Errorf("another program gets %v", addrs)
	}
}
