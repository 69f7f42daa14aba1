//go:build unix

package acceptance

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"pollux/internal/process/processtest"
	"pollux/internal/scriptmodel"
	"pollux/internal/scriptmodel/scripttest"
)

// TestHostilePages fetches hostile pages. They come through a proxy, because the program fetches
// nothing from the local machine.
func TestHostilePages(t *testing.T) {
	t.Parallel()
	var sent, private atomic.Int64
	flood := func(w http.ResponseWriter, r *http.Request) {
		block := []byte(strings.Repeat("flood ", 10_000))
		for r.Context().Err() == nil && sent.Load() < 1<<30 {
			n, err := w.Write(block)
			sent.Add(int64(n))
			if err != nil {
				return
			}
		}
	}
	proxy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Host != "8.8.8.8" {
			private.Add(1)
			return
		}
		switch r.URL.Path {
		case "/link-local":
			http.Redirect(w, r, "http://169.254.169.254/latest/meta-data/", http.StatusFound)
		case "/loopback":
			http.Redirect(w, r, "http://127.0.0.1:1/", http.StatusFound)
		case "/mapped":
			http.Redirect(w, r, "http://[::ffff:10.0.0.1]/", http.StatusFound)
		case "/file":
			http.Redirect(w, r, "file:///etc/passwd", http.StatusFound)
		case "/charset":
			w.Header().Set("Content-Type", "text/html; charset=utf-8")
			_, _ = io.WriteString(w, "<p>caf\xe9 <b>\xff\xfe</b>")
		case "/latin":
			w.Header().Set("Content-Type", "text/plain; charset=iso-8859-1")
			_, _ = io.WriteString(w, "caf\xe9")
		case "/big":
			w.Header().Set("Content-Length", "1073741824")
			flood(w, r)
		default:
			w.Header().Set("Content-Type", "text/html")
			flood(w, r)
		}
	}))
	defer proxy.Close()
	var asks, expects strings.Builder
	for i, page := range []struct{ path, expect string }{
		{"link-local", "error % 169.254.169.254 is on a private network or this machine"},
		{"loopback", "error % 127.0.0.1 is on a private network or this machine"},
		{"mapped", "error % is on a private network or this machine"},
		{"file", "error % file"},
		{"charset", "result % café **ÿþ**"}, // decoded as intended, although the page claims to be UTF-8
		{"latin", "result % café"},
		{"big", "result % [Content truncated due to size limit]"},
		{"endless", "result % [Content truncated due to size limit]"},
	} {
		id := "web_fetch_" + string(rune('1'+i))
		asks.WriteString("  call web_fetch {\"url\": \"http://8.8.8.8/" + page.path + "\"}\n")
		expects.WriteString("  expect " + strings.Replace(page.expect, "%", id, 1) + "\n")
	}
	var peak atomic.Int64 // KiB
	started := make(chan int, 1)
	server := scripttest.Serve(t, "turn\n"+asks.String()+"turn\n"+expects.String()+"  text Read.\n", scriptmodel.Options{
		Wires: everyWire(), Wire: "gemini",
		Validate: func(string, []byte) error { // the last request is sent when all pages have been read
			pid := <-started
			started <- pid
			peak.Store(int64(processtest.PeakMemory(t, pid)))
			return nil
		},
	})
	p := newPerson(t)
	p.write(".gemini/settings.json", `{"experimental": {"directWebFetch": true}}`)
	p.environ = append(p.environ, "GEMINI_API_KEY=test-key", "GOOGLE_GEMINI_BASE_URL="+server.URL(), "HTTPS_PROXY="+proxy.URL)
	cmd := p.command("pollux", "-m", "gemini-2.5-flash", "--yolo", "-p", "Read them.")
	var out strings.Builder
	cmd.Stdout = &out
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	started <- cmd.Process.Pid
	if err := cmd.Wait(); err != nil || out.String() != "Read.\n" {
		t.Errorf("it said %q, %v", out.String(), err)
	}
	if err := server.Check(); err != nil {
		t.Error(err)
	}
	if n := private.Load(); n > 0 {
		t.Errorf("%d hosts were asked that are not to be", n)
	}
	if n := sent.Load(); n > 200<<20 {
		t.Errorf("%d MB were read of two pages", n>>20)
	}
	if n := peak.Load(); n > 200<<10 && !processtest.HasRaceDetector() { // which takes memory of its own
		t.Errorf("it took %d MB", n>>10)
	}
}
