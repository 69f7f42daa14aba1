package web

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"pollux/llm"
	"pollux/tool"
)

func TestFetchArguments(t *testing.T) {
	t.Parallel()
	for prompt, want := range map[string]string{
		" ":                            "The 'prompt' parameter cannot be empty and must contain URL(s) and instructions.",
		"no address":                   "The 'prompt' must contain at least one valid URL (starting with http:// or https://).",
		"ftp://a b":                    "Error(s) in prompt URLs:\n- Unsupported protocol in URL: \"ftp://a\". Only http and https are supported.",
		"http://[x ":                   "Error(s) in prompt URLs:\n- Malformed URL detected: \"http://[x\".",
		"://x http://":                 "Error(s) in prompt URLs:\n- Malformed URL detected: \"://x\".\n- Malformed URL detected: \"http://\".",
		"http://256.0.0.1/":            "Error(s) in prompt URLs:\n- Malformed URL detected: \"http://256.0.0.1/\".",
		"http://a%00b/":                "Error(s) in prompt URLs:\n- Malformed URL detected: \"http://a%00b/\".",
		"https://me:secret@a.example/": "Error(s) in prompt URLs:\n- Name or password in URL: \"https://me:xxxxx@a.example/\". Leave name and password out.",
	} {
		_, err := NewFetch(Options{}).Build(fmt.Appendf(nil, `{"prompt": %q}`, prompt))
		if err == nil || err.Error() != want {
			t.Errorf("%q: %v", prompt, err)
		}
	}
	if _, err := tool.Build(NewFetch(Options{}), []byte(`{}`)); err == nil || err.Error() != "params must have required property 'prompt'" {
		t.Error(err)
	}
}

func TestTargets(t *testing.T) {
	t.Parallel()
	for prompt, want := range map[string][]string{
		"compare HTTPS://Example.COM:443/a/ with http://example.com:80":            {"https://example.com/a", "http://example.com/"},
		"https://a.example/x https://A.example/x/ https://a.example/x#part":        {"https://a.example/x"},
		"see (https://a.example/b), <https://c.example>. \"https://d.example/e\"!": {"https://a.example/b", "https://c.example/", "https://d.example/e"},
		"[title](https://a.example/b_(c)) url=https://d.example/?q=a,b;":           {"https://a.example/b_(c)", "https://d.example/?q=a,b"},
		"http://0x7f.1/ http://[::FFFF:10.0.0.1]:8080/x http://2130706433":         {"http://127.0.0.1/", "http://10.0.0.1:8080/x"},
		"https://bücher.example/ü?q=ü https://a.example:8443":                      {"https://xn--bcher-kva.example/%C3%BC?q=ü", "https://a.example:8443/"},
		"比较https://a.example/b和https://c.example/d，以及“http://e.example”。":          {"https://a.example/b", "https://c.example/d", "http://e.example/"},
		"http://①②⑦.⓪.⓪.①/":                                                        {"http://127.0.0.1/"},
	} {
		found, wrong := targets(prompt)
		var got []string
		for _, t := range found {
			got = append(got, t.name)
		}
		if !slices.Equal(got, want) || wrong != nil {
			t.Errorf("%s:\n%q, %q", prompt, got, wrong)
		}
	}
}

func TestRaw(t *testing.T) {
	t.Parallel()
	for page, want := range map[string]string{
		"https://github.com/o/r/blob/main/a/b%20c.go?plain=1": "https://raw.githubusercontent.com/o/r/main/a/b%20c.go",
		"https://github.com/o/r/blob/main":                    "https://raw.githubusercontent.com/o/r/main",
		"https://github.com/o/r/tree/main/blob/x":             "https://github.com/o/r/tree/main/blob/x",
		"https://github.com/o/blob/x/y":                       "https://github.com/o/blob/x/y",
		"https://github.com.evil.example/o/r/blob/main/x":     "https://github.com.evil.example/o/r/blob/main/x",
	} {
		to, err := parseTarget(page)
		if err != nil {
			t.Fatal(err)
		}
		if got := raw(to.url).String(); got != want {
			t.Errorf("%s: %s", page, got)
		}
	}
}

func TestFetchConfirmation(t *testing.T) {
	t.Parallel()
	call, err := NewFetch(Options{}).Build([]byte(`{"prompt": "Sum up\nhttps://github.com/o/r/blob/main/x"}`))
	if err != nil {
		t.Fatal(err)
	}
	c, err := call.Confirmation(t.Context())
	info, _ := c.(*tool.InfoConfirmation)
	if err != nil || info == nil || info.Title != "Confirm Web Fetch" || info.Prompt != "Sum up\nhttps://github.com/o/r/blob/main/x" ||
		!slices.Equal(info.URLs, []string{"https://raw.githubusercontent.com/o/r/main/x"}) {
		t.Errorf("%+v, %v", c, err)
	}
	if s := call.Summary(); strings.Contains(s, "\n") {
		t.Error(s)
	}
}

func TestFetchHosted(t *testing.T) {
	t.Parallel()
	v := &vendor{hosted: true, answer: says("It is <small>.", `{"groundingChunks": [{"web": {"uri": "http://8.8.8.8/"}}, {"web": {"title": "B"}}],
		"groundingSupports": [{"segment": {"endIndex": 6}, "groundingChunkIndices": [1, 0]}]}`)}
	r := run(t, NewFetch(v.options()), "prompt", "Is a<b at http://8.8.8.8/ and http://10.0.0.1/x and http://localhost:80/y ?")
	want := framed("[Warning] The following URLs were skipped:\n[Blocked Host] http://10.0.0.1/x (only public addresses are fetched)\n[Blocked Host] http://localhost/y (only public addresses are fetched)\n\n" +
		"It is [2][1]<small>.\n\nSources:\n[1] Untitled (http://8.8.8.8/)\n[2] B (Unknown URI)")
	if text(r) != want || r.Display != tool.TextDisplay("Content processed from prompt.") {
		t.Errorf("%q, %q", text(r), r.Display)
	}
	if len(v.requests) != 1 {
		t.Fatalf("asked %d times", len(v.requests))
	}
	asked := v.requests[0]
	contains(t, asked.Contents[0].Text(), "Is a&lt;b at http", "<url>http://8.8.8.8/</url>\n</urls>")
	if asked.Model != "web-fetch" || !asked.Config.Tools[0].URLContext || asked.Config.SystemInstruction != nil || asked.Use != llm.UseTool {
		t.Errorf("asked %+v", asked)
	}
}

func TestFetchNothingAllowed(t *testing.T) {
	t.Parallel()
	v := &vendor{hosted: true}
	told := 0
	v.fellBack = func(reason string) {
		if told++; reason != Private {
			t.Errorf("the reported reason is %q", reason)
		}
	}
	r := run(t, NewFetch(v.options()), "prompt", "http://127.0.0.1:1/a http://metadata.google.internal/b http://[fd00::1]/c (only public addresses are fetched)")
	if got, want := text(r), "web_fetch_processing_error: All requested URLs were skipped: [Blocked Host] http://127.0.0.1:1/a (only public addresses are fetched), "+
		"[Blocked Host] http://metadata.google.internal/b (only public addresses are fetched), [Blocked Host] http://[fd00::1]/c (only public addresses are fetched)"; got != want || len(v.requests) != 0 {
		t.Error(got)
	}
	if told != 3 {
		t.Errorf("%d pages are reported, want 3", told)
	}
}

// Pollux fetches pages that the vendor could not read.
func TestFetchFallsBack(t *testing.T) {
	t.Parallel()
	at := serve(t, func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprintf(w, "<html><h1>Title</h1><p>Hello, <a href='/x'>%s</a><img src=y alt=z></html>", r.Header.Get("User-Agent"))
	})
	for name, hosted := range map[string]func() (*llm.Response, error){
		"not hosted": nil,
		"error":      func() (*llm.Response, error) { return nil, &llm.Error{Kind: llm.KindServer} },
		"no answer":  func() (*llm.Response, error) { return &llm.Response{}, nil },
		"unread": func() (*llm.Response, error) {
			return &llm.Response{Candidates: []llm.Candidate{{
				Content:            llm.Model(llm.Text("I could not read it.")),
				URLContextMetadata: []byte(`{"urlMetadata": [{"retrievedUrl": "x", "urlRetrievalStatus": "URL_RETRIEVAL_STATUS_ERROR"}]}`),
			}}}, nil
		},
	} {
		v := &vendor{hosted: hosted != nil}
		var why []string
		v.fellBack = func(reason string) { why = append(why, reason) }
		v.answer = func(r *llm.Request) (*llm.Response, error) {
			if r.Model == "web-fetch" {
				return hosted()
			}
			return echo(r)
		}
		r := run(t, fetching(v), "prompt", "What is at "+at+"/a/?")
		contains(t, text(r), "What is at "+at+"/a/?", "Page "+at+"/a:\n<untrusted_context>\n# Title\n\nHello, Mozilla/5.0 (compatible; Pollux)\n&lt;/untrusted_context")
		if r.Display != tool.TextDisplay("Content for 1 URL(s) processed using fallback fetch.") {
			t.Errorf("%s: %v", name, r.Display)
		}
		if tried := hosted != nil; tried != slices.Equal(why, []string{PrimaryFailed}) || tried != (len(why) > 0) {
			t.Errorf("%s: the reported reasons are %q", name, why)
		}
		if last := v.requests[len(v.requests)-1]; last.Model != "web-fetch-fallback" || last.Config.SystemInstruction != nil {
			t.Errorf("%s: %+v", name, last)
		}
	}
}

func TestFetchFailures(t *testing.T) {
	t.Parallel()
	at := serve(t, func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/ok":
			fmt.Fprint(w, "<p>fine")
		case "/pdf":
			w.Header().Set("Content-Type", "application/pdf")
		case "/away":
			http.Redirect(w, r, "http://192.168.0.1/", http.StatusFound)
		default:
			http.NotFound(w, r)
		}
	})
	v := &vendor{answer: echo}
	got := text(run(t, fetching(v), "prompt", fmt.Sprintf("%s/none %[1]s/pdf %[1]s/away", at)))
	want := fmt.Sprintf("web_fetch_fallback_failed: All fallback fetch attempts failed: %s/none: request failed with status 404, "+
		"%[1]s/pdf: the content is application/pdf, not text, %[1]s/away: 192.168.0.1 is on a private network or this machine, where nothing is fetched from", at)
	if got != want || len(v.requests) != 0 {
		t.Errorf("%s (asked %d times)", got, len(v.requests))
	}

	r := run(t, fetching(v), "prompt", fmt.Sprintf("%s/none %[1]s/ok", at))
	contains(t, text(r), "Page "+at+"/none could not be read: request failed with status 404\n", "Page "+at+"/ok:\n<untrusted_context>\nfine\n")
	if r.Display != tool.TextDisplay("Content for 1 URL(s) processed using fallback fetch.") {
		t.Error(r.Display)
	}

	for want, answer := range map[string]func(*llm.Request) (*llm.Response, error){
		"boom":              func(*llm.Request) (*llm.Response, error) { return nil, &llm.Error{Message: "boom"} },
		"it gave no answer": says(" ", ""),
	} {
		got := text(run(t, fetching(&vendor{answer: answer}), "prompt", at+"/ok"))
		if got != "web_fetch_fallback_failed: The pages were fetched, but the model could not be asked about them: "+want {
			t.Error(got)
		}
	}
}

// Long pages share the result's space, and a model with a small window gets less.
func TestFetchLongPages(t *testing.T) {
	t.Parallel()
	at := serve(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/plain")
		n := 400_000
		if r.URL.Path == "/small" {
			n = 50_000
		}
		fmt.Fprint(w, strings.Repeat(r.URL.Path[1:2], n))
	})
	window := maxText
	v := &vendor{}
	v.answer = func(r *llm.Request) (*llm.Response, error) {
		if len(r.Contents[0].Text()) > window+2000 {
			return nil, &llm.Error{Kind: llm.KindContextWindow, Message: "too long"}
		}
		return echo(r)
	}
	ask := func() string { return text(run(t, fetching(v), "prompt", fmt.Sprintf("%s/a %[1]s/small %[1]s/b", at))) }
	got := ask()
	contains(t, got, "\n"+strings.Repeat("a", 100_000)+cutNote, "\n"+strings.Repeat("b", 100_000)+cutNote, "\n"+strings.Repeat("s", 50_000)+"\n")
	if len(v.requests) != 1 {
		t.Errorf("asked %d times", len(v.requests))
	}
	window = maxText / 16
	got = ask()
	if n := maxText / 16 / 3; !strings.Contains(got, "\n"+strings.Repeat("s", n)+cutNote) || len(v.requests) != 4 {
		t.Errorf("asked %d times: %d characters", len(v.requests), len(got))
	}
	window = 0
	if got := ask(); !strings.HasSuffix(got, ": too long") {
		t.Errorf("%.200s", got)
	}
}

func TestFetchLimits(t *testing.T) {
	t.Parallel()
	v := &vendor{hosted: true, answer: says("ok", "")}
	f := NewFetch(v.options())
	var prompt, want strings.Builder
	for i := range hostRequests + 1 {
		fmt.Fprintf(&prompt, "http://8.8.8.8/%d ", i)
	}
	for i := range maxTargets {
		fmt.Fprintf(&prompt, "http://8.8.4.%d/ ", i)
	}
	fmt.Fprintf(&want, "\n[Rate limit exceeded] http://8.8.8.8/%d\n", hostRequests)
	fmt.Fprintf(&want, "[Too many URLs] http://8.8.4.%d/\n", maxTargets-hostRequests)
	got := text(run(t, f, "prompt", prompt.String()))
	contains(t, got, want.String())
	got = text(run(t, f, "prompt", "http://8.8.8.8/again"))
	if got != "web_fetch_processing_error: All requested URLs were skipped: [Rate limit exceeded] http://8.8.8.8/again" {
		t.Error(got)
	}
}

// The order in which calls enter decides which of them is refused, not the order in which they run.
func TestFetchOrder(t *testing.T) {
	t.Parallel()
	v := &vendor{hosted: true, answer: says("ok", "")}
	f := NewFetch(v.options())
	var calls []tool.Invocation
	for range hostRequests + 1 {
		c, err := tool.Build(f, []byte(`{"prompt": "http://8.8.8.8/"}`))
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

func TestLimiter(t *testing.T) {
	t.Parallel()
	l := newLimiter()
	now := time.Now()
	l.now = func() time.Time { return now }
	allowed := func() (n int) {
		for range 3 * hostRequests {
			if l.allow("a") {
				n++
			}
		}
		return n
	}
	if n := allowed(); n != hostRequests {
		t.Error(n)
	}
	now = now.Add(hostWindow - 1)
	if n := allowed(); n != 0 {
		t.Error(n)
	}
	now = now.Add(1)
	if n := allowed(); n != hostRequests || !l.allow("b") {
		t.Error(n)
	}
}

func TestFetchCancelled(t *testing.T) {
	t.Parallel()
	for _, hosted := range []bool{true, false} {
		ctx, cancel := context.WithCancel(t.Context())
		v := &vendor{hosted: hosted, answer: func(*llm.Request) (*llm.Response, error) { cancel(); return nil, context.Canceled }}
		at := serve(t, func(w http.ResponseWriter, r *http.Request) {
			if hosted {
				t.Error("a page was asked for after the end")
			}
			fmt.Fprint(w, "page")
		})
		if got := text(runIn(t, ctx, fetching(v), "prompt", at)); got != "execution_failed: Web fetch was cancelled." {
			t.Error(got)
		}
	}
}

func FuzzTargets(f *testing.F) {
	f.Add("see (https://a.example/b), http://0x7f.1 [t](http://[::1]:80/x%zz)")
	f.Fuzz(func(t *testing.T, prompt string) {
		found, _ := targets(prompt)
		for _, to := range found {
			host := to.url.Hostname()
			if host == "" || to.url.Scheme != "http" && to.url.Scheme != "https" || to.url.User != nil {
				t.Errorf("%q: %v", prompt, to.url)
			}
			// The checked address is the requested one.
			again, err := parseTarget(to.url.String())
			if err != nil || again.url.Host != to.url.Host || again.name != to.name {
				t.Errorf("%q: %v, then %v (%v)", prompt, to.url, again.url, err)
			}
			if addr, ok, err := literal(host); err != nil || ok && host != addr.String() {
				t.Errorf("%q: host %s, address %v (%v)", prompt, host, addr, err)
			}
			_ = raw(to.url)
		}
	})
}
