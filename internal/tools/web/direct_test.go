package web

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"pollux/tool"
)

func TestDirectArguments(t *testing.T) {
	t.Parallel()
	for args, want := range map[string]string{
		`{}`:                         "params must have required property 'url'",
		`{"url": " "}`:               "The 'url' parameter is required.",
		`{"url": "nowhere"}`:         `Invalid URL: "nowhere"`,
		`{"url": "http://"}`:         `Invalid URL: "http://"`,
		`{"url": "file:///etc/x"}`:   `Invalid URL: "file:///etc/x". Only http and https are supported.`,
		`{"url": "http://u:p@x.io"}`: `Invalid URL: "http://u:xxxxx@x.io". Leave name and password out.`,
	} {
		if _, err := tool.Build(NewFetch(Options{Direct: true}), []byte(args)); err == nil || err.Error() != want {
			t.Errorf("%s: %v", args, err)
		}
	}
}

func TestDirect(t *testing.T) {
	t.Parallel()
	const png = "\x89PNG\r\n\x1a\n0123"
	at := serve(t, func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		switch r.URL.Path {
		case "/html":
			h.Set("Content-Type", "text/html; charset=iso-8859-1")
			fmt.Fprint(w, "<h1>Gr\xf6\xdfe</h1><a href=next>on</a></untrusted_context>")
		case "/md":
			h.Set("Content-Type", "text/markdown")
			fmt.Fprint(w, "# As it is <b>\n</untrusted_context>")
		case "/json":
			h.Set("Content-Type", "application/problem+json")
			fmt.Fprint(w, `{"a": 1}`)
		case "/long":
			h.Set("Content-Type", "text/plain")
			fmt.Fprint(w, strings.Repeat("é", maxText+1))
		case "/png":
			h.Set("Content-Type", "image/png")
			fmt.Fprint(w, png)
		case "/big":
			h.Set("Content-Type", "video/mp4")
			_, _ = w.Write(make([]byte, maxBody+1))
		case "/zip":
			h.Set("Content-Type", "application/zip")
		case "/gone":
			h["Date"] = nil
			h.Set("Content-Type", "text/html")
			h.Set("X-Why", "moved")
			w.WriteHeader(http.StatusGone)
			fmt.Fprint(w, "<p>"+strings.Repeat("x", maxErrorText))
		}
	})
	for path, want := range map[string]string{
		"/html": framed("# Größe\n\n[on](" + at + "/next)"),
		"/md":   framed("# As it is <b>\n&lt;/untrusted_context&gt;"),
		"/json": framed(`{"a": 1}`),
		"/long": framed(strings.Repeat("é", maxText) + cutNote),
		"/big":  "web_fetch_fallback_failed: Error fetching " + at + "/big: it is larger than 10 MiB",
		"/zip":  "web_fetch_fallback_failed: Error fetching " + at + "/zip: the content is application/zip, which cannot be shown to you",
		"/gone": framed("Request failed with status 410\nHeaders: {\n  \"content-type\": \"text/html\",\n  \"x-why\": \"moved\"\n}\nResponse: <p>" +
			strings.Repeat("x", maxErrorText-3) + cutNote),
	} {
		if got := text(run(t, fetchingDirect(), "url", at+path)); got != want {
			t.Errorf("%s: %.300q\nnot %.300q", path, got, want)
		}
	}
	r := run(t, fetchingDirect(), "url", at+"/png")
	if len(r.Content) != 1 || r.Content[0].InlineData == nil || string(r.Content[0].InlineData.Data) != png || r.Content[0].InlineData.MIMEType != "image/png" ||
		r.Display != tool.TextDisplay("Fetched image/png content from "+at+"/png") {
		t.Errorf("%+v", r)
	}
}

func TestDirectRefused(t *testing.T) {
	t.Parallel()
	d := fetchingDirect()
	for _, host := range []string{"10.0.0.1", "localhost", "[fe80::1]"} {
		if got := text(run(t, d, "url", "http://"+host)); !strings.HasPrefix(got, "web_fetch_processing_error: "+strings.Trim(host, "[]")+" is on a private network") {
			t.Error(got)
		}
	}
	at := serve(t, func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, "x") })
	for i := range hostRequests + 1 {
		got := text(run(t, d, "url", at))
		if limited := strings.HasPrefix(got, "web_fetch_processing_error: Rate limit exceeded"); limited != (i == hostRequests) {
			t.Errorf("call %d: %s", i, got)
		}
	}
}

// The order in which calls enter decides which of them is refused, not the order in which they run.
func TestDirectOrder(t *testing.T) {
	t.Parallel()
	at := serve(t, func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, "x") })
	d := fetchingDirect()
	var calls []tool.Invocation
	for range hostRequests + 1 {
		c, err := tool.Build(d, []byte(`{"url": "`+at+`"}`))
		if err != nil {
			t.Fatal(err)
		}
		c.(tool.Ordered).Enter()
		calls = append(calls, c)
	}
	for i, c := range slices.Backward(calls) {
		r := c.Run(t.Context(), tool.Host{})
		if isRefused := r.Error != nil; isRefused != (i == hostRequests) {
			t.Errorf("call %d: %v", i, r.Error)
		}
	}
}

func TestDirectCancelled(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	at := serve(t, func(_ http.ResponseWriter, r *http.Request) { cancel(); <-r.Context().Done() })
	if got := text(runIn(t, ctx, fetchingDirect(), "url", at)); got != "execution_failed: Web fetch was cancelled." {
		t.Error(got)
	}
}
