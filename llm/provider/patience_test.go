package provider

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"pollux/llm/httpwire"
)

func TestIsPrivate(t *testing.T) {
	t.Parallel()
	for address, want := range map[string]bool{
		"http://127.0.0.1:8080/v1":             true,
		"http://127.8.9.1":                     true,
		"http://[::1]:11434":                   true,
		"http://0.0.0.0:1234/v1":               true,
		"http://10.1.2.3":                      true,
		"http://172.16.0.1":                    true,
		"http://172.32.0.1":                    false,
		"http://192.168.1.7:8000/v1":           true,
		"http://169.254.3.4":                   true,
		"http://100.100.1.2":                   true, // Tailscale
		"http://100.128.0.1":                   false,
		"http://[fd12:3456::1]:8080":           true,
		"http://[fe80::1%25eth0]:8080":         true,
		"http://[::ffff:192.168.1.7]":          true,
		"http://[2001:db8::1]":                 false,
		"http://8.8.8.8":                       false,
		"http://localhost:1234/v1":             true,
		"http://LOCALHOST.:1234":               true,
		"http://gpu:8080/v1":                   true,
		"http://gpu.local:8080":                true,
		"http://app.localhost":                 true,
		"http://host.docker.internal:11434":    true,
		"http://host.containers.internal":      true,
		"http://box.home.arpa":                 true,
		"https://api.openai.com/v1":            false,
		"https://local.example.com/v1":         false,
		"https://localhost.example.com":        false,
		"https://10.1.2.3.example.com":         false,
		"https://{model}.example.com/v1":       false,
		"http://user:pass@192.168.1.7/{model}": true,
		"":                                     false,
		"gpu":                                  false,
		"http://%zz":                           false,
	} {
		if got := IsPrivate(address); got != want {
			t.Errorf("%q: %v", address, got)
		}
	}
}

// The profile's own timeouts win over those for all providers, which win over the patience
// with private addresses.
func TestTimeouts(t *testing.T) {
	t.Parallel()
	const public, private = "https://models.example.com/v1", "http://192.168.1.7:8080/v1"
	for _, tt := range []struct {
		entry string
		n     httpwire.Timeouts
		want  httpwire.Timeouts
	}{
		{`{"baseUrl": "` + public + `"}`, httpwire.Timeouts{}, httpwire.Timeouts{}},
		{`{"baseUrl": "` + private + `"}`, httpwire.Timeouts{Idle: 5}, httpwire.Timeouts{Start: 30 * time.Minute, Idle: 5}},
		{`{"baseUrl": "` + private + `"}`, httpwire.Timeouts{Start: 7}, httpwire.Timeouts{Start: 7}},
		{`{"baseUrl": "` + private + `", "startTimeout": 0.5}`, httpwire.Timeouts{Start: 7}, httpwire.Timeouts{Start: 500 * time.Millisecond}},
		{
			`{"baseUrl": "` + public + `", "startTimeout": 600, "idleTimeout": 900}`,
			httpwire.Timeouts{Start: 7, Idle: 8},
			httpwire.Timeouts{Start: 10 * time.Minute, Idle: 15 * time.Minute},
		},
	} {
		table := Builtin()
		if errs := table.Add(map[string]json.RawMessage{"own": json.RawMessage(tt.entry)}); errs != nil {
			t.Fatal(errs)
		}
		a, _ := table.Find("own").Access(func(string) string { return "" })
		if got := a.timeouts(tt.n); got != tt.want {
			t.Errorf("%s, %v: %v, want %v", tt.entry, tt.n, got, tt.want)
		}
	}
	for _, entry := range []string{`{"startTimeout": -1}`, `{"idleTimeout": 1e9}`} {
		errs := Builtin().Add(map[string]json.RawMessage{"openai": json.RawMessage(entry)})
		if len(errs) != 1 || !strings.Contains(errs[0].Error(), "(a week)") {
			t.Errorf("%s: %v", entry, errs)
		}
	}
}
