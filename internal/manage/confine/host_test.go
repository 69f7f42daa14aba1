package confine

import (
	"testing"
)

func TestParseHost(t *testing.T) {
	t.Parallel()
	for word, want := range map[string]host{
		"example.org":            {"example.org", 0},
		"example.org:443":        {"example.org", 443},
		"https://example.org/a":  {"example.org", 0},
		"http://intranet:81/":    {"intranet", 81},
		"localhost":              {"localhost", 0},
		"localhost:8080":         {"localhost", 8080},
		"127.0.0.53:53":          {"127.0.0.53", 53},
		"::1":                    {"::1", 0},
		"[::1]":                  {"::1", 0},
		"[::1]:80":               {"::1", 80},
		"src":                    {},
		"./example.org":          {},
		"/etc/hosts":             {},
		"..":                     {},
		"example.org:99999":      {},
		"dir/example.org":        {},
		"file name with a space": {},
	} {
		got, ok := parseHost(word)
		if ok != (want != host{}) || ok && got != want {
			t.Errorf("%q: got %v, %v, want %v", word, got, ok, want)
		}
	}
}
