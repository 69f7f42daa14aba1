package proxy

import (
	"context"
	"net"
	"net/url"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"pollux/internal/config"
	"pollux/internal/process"
	"pollux/internal/process/lastwords"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func from(pairs ...string) func(string) string {
	return func(name string) string { return process.Getenv(pairs, name) }
}

func TestAddress(t *testing.T) {
	t.Parallel()
	for pairs, want := range map[string]string{
		"":                                                    "http://localhost:8877",
		"HTTPS_PROXY=http://localhost:3128":                   "http://localhost:3128",
		"http_proxy=http://127.0.0.1:1":                       "http://127.0.0.1:1",
		"HTTPS_PROXY=http://corp.example:3128":                "http://localhost:8877", // which that proxy may use itself
		"HTTPS_PROXY=http://localhost":                        "http://localhost:80",
		"HTTPS_PROXY=localhost:3333":                          "http://localhost:3333",
		"https_proxy=http://LOCALHOST.:3333":                  "http://LOCALHOST.:3333",
		"HTTPS_PROXY=socks5://127.0.0.1":                      "socks5://127.0.0.1:1080",
		"HTTPS_PROXY=http://u:p@127.0.0.1:9":                  "http://u:p@127.0.0.1:9",
		"HTTPS_PROXY=http://localhost:53":                     "http://localhost:8877", // commands reach no resolver
		"HTTPS_PROXY=http://localhost:99999":                  "http://localhost:8877",
		"HTTPS_PROXY=localhost:x":                             "http://localhost:8877",
		"HTTPS_PROXY=http://corp:1 HTTP_PROXY=http://[::1]:2": "http://[::1]:2",
	} {
		if got := Address(from(strings.Fields(pairs)...)).String(); got != want {
			t.Errorf("%s: %s", pairs, got)
		}
	}
	u := Address(from())
	if got := strings.Join(Variables(u, from()), " "); got != "HTTPS_PROXY=http://localhost:8877 https_proxy=http://localhost:8877 HTTP_PROXY=http://localhost:8877 http_proxy=http://localhost:8877 NO_PROXY=localhost,127.0.0.1,::1 no_proxy=localhost,127.0.0.1,::1" {
		t.Error(got)
	}
	for without, want := range map[string]string{"a": "a,localhost,127.0.0.1,::1", "a,localhost": "a,localhost", "*": "*"} {
		if got := strings.Join(Variables(u, from("no_proxy="+without)), " "); !strings.HasSuffix(got, " NO_PROXY="+want+" no_proxy="+want) {
			t.Error(got)
		}
	}
	for _, c := range []struct {
		address, pairs string
		want           bool
	}{
		{"http://localhost:1", "HTTPS_PROXY=localhost:1 GEMINI_SANDBOX_PROXY_COMMAND=x", true},
		{"http://localhost:1", "HTTPS_PROXY=localhost:1", false},
		{"http://localhost:8877", "GEMINI_SANDBOX_PROXY_COMMAND=x", true},
		{"http://corp:8877", "HTTPS_PROXY=corp:8877 GEMINI_SANDBOX_PROXY_COMMAND=x", false},
	} {
		u, _ := url.Parse(c.address)
		if got := config.IsCommandProxy(u, from(strings.Fields(c.pairs)...)); got != c.want {
			t.Errorf("%+v: %v", c, got)
		}
	}
}

// program returns a proxy that is a script, with a listener of the test in its place. starts counts how often it has been started.
func program(t *testing.T, script string, starts func()) (*Program, string) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := l.Addr().String()
	_ = l.Close()
	p := &Program{
		Address: &url.URL{Scheme: "http", Host: address}, Conceal: func(line string) string { return strings.ReplaceAll(line, "secret", "***") },
		Start: func(words *lastwords.Tail) (*process.Process, error) {
			starts()
			return process.NewLauncher().Start(context.Background(), &process.Command{Path: "/bin/sh", Args: []string{"-c", script}, Dir: os.TempDir(), Stdout: words, Stderr: words})
		},
	}
	t.Cleanup(p.Close)
	return p, address
}

// TestReady checks that a proxy is started once for many programs, and again when it has ended.
func TestReady(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	count := 0
	var listener net.Listener
	var p *Program
	var address string
	p, address = program(t, "exec sleep 1000", func() {
		count++
		l, err := net.Listen("tcp", address) // in place of the program
		if err != nil {
			t.Error(err)
			return
		}
		mu.Lock()
		listener = l
		mu.Unlock()
	})
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			if err := p.Ready(t.Context()); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	if count != 1 {
		t.Errorf("started %d times", count)
	}
	_ = listener.Close()
	p.latest.running.Kill()
	<-p.latest.over
	for p.answers() { // a program that another test starts has the listener, too, until it runs
		time.Sleep(time.Millisecond)
	}
	if err := p.Ready(t.Context()); err != nil || count != 2 {
		t.Errorf("%v after %d starts", err, count)
	}
	_ = listener.Close()
}

func TestNotReady(t *testing.T) {
	t.Parallel()
	p, _ := program(t, "echo listening; echo 'cannot read secret' >&2; exit 3", func() {})
	if err := p.Ready(t.Context()); err == nil || err.Error() != "the proxy of GEMINI_SANDBOX_PROXY_COMMAND does not run: it ended with exit code 3: cannot read ***" {
		t.Error(err)
	}
	p, _ = program(t, "true", func() {})
	if err := p.Ready(t.Context()); err == nil || !strings.Contains(err.Error(), "foreground") {
		t.Error(err)
	}
	p, address := program(t, "exec sleep 1000", func() {})
	ctx, cancel := context.WithTimeoutCause(t.Context(), 50*time.Millisecond, os.ErrDeadlineExceeded)
	defer cancel()
	if err := p.Ready(ctx); err == nil || !strings.Contains(err.Error(), os.ErrDeadlineExceeded.Error()) {
		t.Errorf("%s: %v", address, err)
	}
}
