package web

import (
	"net/netip"
	"testing"
)

func TestPublic(t *testing.T) {
	t.Parallel()
	for addr, want := range map[string]bool{
		"8.8.8.8": true, "93.184.216.34": true, "1.1.1.1": true, "172.15.0.1": true, "172.32.0.1": true, "100.63.255.255": true,
		"100.128.0.1": true, "169.253.0.1": true, "198.17.0.1": true, "198.20.0.1": true, "223.255.255.255": true, "::ffff:8.8.8.8": true,
		"2606:4700::1111": true, "2a00:1450:4001::64": true, "64:ff9b::8.8.8.8": true, "2001:200::1": true,

		"127.0.0.1": false, "127.255.255.254": false, "0.0.0.0": false, "0.1.2.3": false, "10.0.0.1": false, "172.16.0.1": false,
		"172.31.255.255": false, "192.168.1.1": false, "169.254.169.254": false, "100.64.0.1": false, "100.127.255.255": false,
		"100.100.100.200": false, "168.63.129.16": false, "192.0.0.1": false, "192.0.2.1": false, "192.88.99.1": false,
		"198.18.0.1": false, "198.19.255.255": false, "198.51.100.1": false, "203.0.113.1": false, "224.0.0.1": false,
		"239.255.255.250": false, "240.0.0.1": false, "255.255.255.255": false,

		"::": false, "::1": false, "fe80::1": false, "fe80::1%eth0": false, "fec0::1": false, "fc00::1": false, "fd00:ec2::254": false, "ff02::1": false,
		"::ffff:127.0.0.1": false, "::ffff:10.0.0.1": false, "::ffff:169.254.169.254": false, "::127.0.0.1": false, "::8.8.8.8": false,
		"64:ff9b::127.0.0.1": false, "64:ff9b::10.1.2.3": false, "64:ff9b:1::8.8.8.8": false, "100::1": false, "2001:db8::1": false,
		"2001::1": false, "2001:0:53aa:64c::1": false, "2002:7f00:1::": false, "2002:808:808::1": false, "3fff::1": false, "5f00::1": false, "4000::1": false,
	} {
		if got := isPublic(netip.MustParseAddr(addr)); got != want {
			t.Errorf("public(%s) = %v", addr, got)
		}
	}
	if isPublic(netip.Addr{}) {
		t.Error("no address is public")
	}
}

func TestLiteral(t *testing.T) {
	t.Parallel()
	for host, want := range map[string]string{
		"127.0.0.1": "127.0.0.1", "127.1": "127.0.0.1", "127.0.1": "127.0.0.1", "2130706433": "127.0.0.1", "0x7f000001": "127.0.0.1",
		"0x7F.1": "127.0.0.1", "0177.0.0.01": "127.0.0.1", "017700000001": "127.0.0.1", "127.0.0.1.": "127.0.0.1", "0": "0.0.0.0", "0x": "0.0.0.0",
		"::1": "::1", "::ffff:10.0.0.1": "::ffff:10.0.0.1", "fe80::1%eth0": "fe80::1%eth0",
		"256.1.1.1": "error", "1.2.3.4.5": "error", "1.2.3.256": "error", "4294967296": "error", "example.1": "error", "1..2": "error", "a:b": "error",
		"example.com": "", "1.example": "", "localhost": "", "a.b-1": "", "0xg": "", "1e3": "", "-1": "", "1_000": "", "": "",
	} {
		addr, ok, err := literal(host)
		got := ""
		switch {
		case err != nil:
			got = "error"
		case ok:
			got = addr.String()
		}
		if got != want {
			t.Errorf("literal(%q) = %q, not %q", host, got, want)
		}
	}
}

func TestPrivateName(t *testing.T) {
	t.Parallel()
	for host, want := range map[string]bool{
		"localhost": true, "LocalHost.": true, "a.localhost": true, "printer.local": true, "metadata.google.internal": true, "metadata": true,
		"x.internal..": true, "nas.home.arpa": true, "metadata.goog": true,
		"intranet": true, "wiki.corp": true, "a.metadata.goog": false, "localhost.example.com": false, "x.notlocalhost": false, "local.dev": false, "internal.org": false, "example.com": false,
	} {
		if isPrivateName(host) != want {
			t.Errorf("%s: %v", host, !want)
		}
	}
}
