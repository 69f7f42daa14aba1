package network_test

import (
	"net/netip"
	"strings"
	"testing"

	"pollux/internal/sandbox/network"
)

func TestParseHost(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"example.org": "example.org", " Example.ORG. ": "example.org", "example.org:443": "example.org:443", "*.example.org:22": "*.example.org:22",
		"private:git.corp:80": "private:git.corp:80", "localnet": "localnet", "xn--bcher-kva.example": "xn--bcher-kva.example", "_a.example": "_a.example",
		"192.0.2.1": "192.0.2.1", "192.0.2.1:80": "192.0.2.1:80", "192.0.2.9/24": "192.0.2.0/24", "10.0.0.0/8:22": "10.0.0.0/8:22",
		"2001:db8::1": "2001:db8::1", "[2001:db8::1]": "2001:db8::1", "[2001:db8::1]:443": "[2001:db8::1]:443", "[2001:db8::/32]:1": "[2001:db8::/32]:1",
		"::ffff:192.0.2.1": "192.0.2.1",
		"":                 "", "*": "", "*.": "", "a.*.org": "", "https://example.org": "", "example.org/": "", "example.org:": "", "example.org:0": "",
		"example.org:70000": "", "example.org:53": "", "192.0.2.1:53": "", "0.0.0.0/0": "", "::/0": "", "bücher.example": "", "a..b": "", "-a.org": "",
		"1.2.3": "", "300.1.1.1": "", "private:10.0.0.1": "", "fe80::1%eth0": "", "a b": "", strings.Repeat("a", 64) + ".org": "", ".": "",
	} {
		h, err := network.ParseHost(text)
		if (err != nil) != (want == "") || err == nil && h.String() != want {
			t.Errorf("%q is %q, %v, want %q", text, h, err, want)
		}
		if again, errAgain := network.ParseHost(h.String()); err == nil && (errAgain != nil || again != h) {
			t.Errorf("%q is read as %+v, %v", h, again, errAgain)
		}
	}
	hosts, bad := network.ParseHosts([]string{"a.example", "A.example", "*", "b.example"})
	if len(hosts) != 2 || len(bad) != 1 || !strings.Contains(bad[0].Error(), `"*": `) {
		t.Errorf("got %v, %v", hosts, bad)
	}
}

func TestNamed(t *testing.T) {
	t.Parallel()
	hosts, _ := network.ParseHosts([]string{"example.org", "*.example.org:443", "192.0.2.0/24:80", "2001:db8::1"})
	for name, want := range map[string]int{"example.org": 1, "a.example.org": 1, "a.b.example.org": 1, "notexample.org": 0, "org": 0, "": 0, ".example.org": 1} {
		if got := hosts.Named(name); len(got) != want {
			t.Errorf("%q has %v", name, got)
		}
	}
	policy := network.Policy{Off: true, Hosts: hosts}
	for address, want := range map[string]bool{
		"192.0.2.1:80": true, "192.0.2.1:81": false, "192.0.3.1:80": false, "[::ffff:192.0.2.1]:80": true, "[2001:db8::1]:1": true,
		"[2001:db8::1]:53": false, "[2001:db8::2]:1": false, "127.0.0.1:80": true, "127.0.0.1:53": false,
	} {
		if got := policy.Allows(netip.MustParseAddrPort(address)); got != want {
			t.Errorf("%s is allowed: %v, want %v", address, got, want)
		}
	}
}

func TestAllowResolved(t *testing.T) {
	t.Parallel()
	plain, private := network.Hosts{{Name: "a"}}, network.Hosts{{Name: "a", MayBePrivate: true}}
	for address, want := range map[string]string{
		"8.8.8.8": "both", "2606:4700::1111": "both", "::ffff:8.8.8.8": "both", "64:ff9b::808:808": "both",
		"10.1.1.1": "private", "172.16.0.1": "private", "172.32.0.1": "both", "192.168.1.1": "private", "100.64.0.1": "private", "fd12::1": "private",
		"::ffff:10.0.0.1": "private",
		"127.0.0.1":       "none", "::1": "none", "0.0.0.0": "none", "::": "none", "169.254.169.254": "none", "fe80::1": "none", "224.0.0.1": "none",
		"ff02::1": "none", "255.255.255.255": "none", "240.0.0.1": "none", "198.18.0.1": "private", "192.0.0.192": "none", "fd00:ec2::254": "none",
		"100.100.100.200": "none", "168.63.129.16": "none", "64:ff9b::a00:1": "none", "64:ff9b::7f00:1": "none", "64:ff9b::a9fe:a9fe": "none",
		"2002:a00:1::": "none", "2001::1": "none", "::7f00:1": "none", "::ffff:127.0.0.1": "none", "fec0::1": "none",
	} {
		a := netip.MustParseAddr(address)
		got := "none"
		switch {
		case plain.AllowResolved(a) && private.AllowResolved(a):
			got = "both"
		case private.AllowResolved(a):
			got = "private"
		case plain.AllowResolved(a):
			got = "only without private:"
		}
		if got != want {
			t.Errorf("%s: %s, want %s", address, got, want)
		}
	}
}

// FuzzParseHost checks that each entry is read as it is written.
func FuzzParseHost(f *testing.F) {
	for _, s := range []string{"example.org", "*.a:1", "private:a.b", "[::1]:80", "10.0.0.0/8:1", "::ffff:1.2.3.4/100", "a:b:c"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		h, err := network.ParseHost(text)
		if err != nil {
			return
		}
		if again, err := network.ParseHost(h.String()); err != nil || again != h {
			t.Errorf("%q is %+v, written as %q, and then %+v, %v", text, h, h, again, err)
		}
	})
}

func TestLog(t *testing.T) {
	t.Parallel()
	var none *network.Log
	none.Add("a")
	if none.Refused() != nil {
		t.Error("a log that is nil has hosts")
	}
	l := new(network.Log)
	for _, host := range []string{"b.example.corp.lan", "b.example", "a.example", "b.example", "a.example.corp"} {
		l.Add(host)
	}
	if got := strings.Join(l.Refused(), " "); got != "b.example a.example" {
		t.Error(got)
	}
	for i := range 500 {
		l.Add(strings.Repeat("x", i+1))
	}
	if n := len(l.Refused()); n > 60 {
		t.Errorf("it has %d hosts", n)
	}
}
