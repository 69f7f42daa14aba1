package confine

import (
	"slices"
	"testing"
)

// TestParseProxy checks the addresses of proxies as people and programs write them.
func TestParseProxy(t *testing.T) {
	t.Parallel()
	for address, want := range map[string][]string{
		"http://proxy.example:3128":             {"proxy.example:3128"},
		"HTTP://10.0.0.1:3128/":                 {"10.0.0.1:3128"},
		"proxy.example:3128":                    {"proxy.example:3128"},
		`http://DOM\me:pass@10.0.0.1:3128`:      {"10.0.0.1:3128"},
		"http://me:p%s^@|{}@proxy.example:3128": {"proxy.example:3128"},
		"http://me:a/b@proxy.example:3128/":     {"proxy.example:3128"},
		"http://[2001:db8::1]:3128":             {"[2001:db8::1]:3128"},
		"http://localhost:8877":                 {"127.0.0.1:8877", "[::1]:8877"},
		"http://proxy.example":                  {"proxy.example:80", "proxy.example:1080"},
		"http://[2001:db8::1]":                  {"[2001:db8::1]:80", "[2001:db8::1]:1080"},
		"socks5://proxy.example:1080":           nil,
		"https://proxy.example:3128":            nil,
		"http://":                               nil,
		"http://proxy.example:port":             nil,
		"http://proxy.example:0":                nil,
	} {
		var got []string
		for _, h := range parseProxy(address) {
			got = append(got, h.String())
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", address, got, want)
		}
	}
}
