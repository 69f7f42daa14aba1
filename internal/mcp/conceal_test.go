package mcp

import (
	"errors"
	"strings"
	"testing"

	"pollux/internal/process"
	"pollux/tool"
)

// Nothing that people see of a server has the secrets of its entry.
func TestConceal(t *testing.T) {
	t.Parallel()
	script := func(text string, args ...string) Config {
		return Config{Command: "/bin/sh", Args: append([]string{"-c", text, "sh"}, args...), Env: map[string]string{"NOTE": "SECRET123"}}
	}
	for name, c := range map[string]Config{
		"address":  {URL: "http://user:SECRET123@127.0.0.1:1/mcp?token=SECRET123", Type: "http"},
		"no URL":   {URL: "ftp://user:SECRET123 @host/?SECRET123"},
		"variable": script("echo bad $NOTE >&2; exit 1"),
		"cut":      script("printf '%0295d' 0 >&2; echo $NOTE >&2; exit 1"),
		"flag":     script("echo bad $2 >&2; exit 1", "--api-key", "SECRET123"),
	} {
		c.Name = "toy"
		s, _, warned := run(t, Options{Configs: []Config{c}, Launcher: process.NewLauncher()})
		st := s.Status()[0]
		if w := warned(); len(w) != 1 || strings.Contains(w[0], "SECR") || name != "address" && !strings.Contains(w[0], "[R") {
			t.Errorf("%s: warnings: %q", name, w)
		}
		if text := st.Err.Error() + st.Config.Target(); strings.Contains(text, "SECR") {
			t.Errorf("%s: status: %s", name, text)
		}
	}
}

// An error is still the same without its secrets.
func TestConcealedError(t *testing.T) {
	t.Parallel()
	s := newServer(New(Options{Registry: tool.NewRegistry()}), Config{Name: "toy"})
	if err := s.conceal(&unauthorized{server: "toy"}); !errors.Is(err, ErrUnauthorized) || s.conceal(nil) != nil {
		t.Errorf("%v is another error", err)
	}
}
