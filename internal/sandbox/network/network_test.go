package network_test

import (
	"net/netip"
	"testing"

	"pollux/internal/sandbox/network"
)

func TestAllows(t *testing.T) {
	t.Parallel()
	for address, want := range map[string]bool{
		"127.0.0.1:8080":           true,
		"127.255.255.254:1":        true,
		"[::1]:8080":               true,
		"[::ffff:127.0.0.1]:8080":  true,
		"0.0.0.0:8080":             true,
		"[::]:8080":                true,
		"127.0.0.53:53":            false,
		"[::1]:853":                false,
		"[::ffff:127.0.0.53]:53":   false,
		"8.8.8.8:53":               false,
		"128.0.0.1:80":             false,
		"126.255.255.255:80":       false,
		"10.0.0.1:80":              false,
		"169.254.169.254:80":       false,
		"255.255.255.255:80":       false,
		"224.0.0.1:80":             false,
		"[::ffff:8.8.8.8]:80":      false,
		"[::127.0.0.1]:80":         false,
		"[64:ff9b::7f00:1]:80":     false,
		"[2002:7f00:1::]:80":       false,
		"[fe80::1]:80":             false,
		"[fd00:ec2::254]:80":       false,
		"[2001:4860:4860::8888]:1": false,
		"[::2]:80":                 false,
	} {
		to := netip.MustParseAddrPort(address)
		if got := (network.Policy{Off: true}).Allows(to); got != want {
			t.Errorf("off: %s is allowed: %v, want %v", address, got, want)
		}
		if !(network.Policy{}).Allows(to) {
			t.Errorf("open: %s is not allowed", address)
		}
	}
}
