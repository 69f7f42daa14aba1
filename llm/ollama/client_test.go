package ollama_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"pollux/llm"
	"pollux/llm/catalog"
	"pollux/llm/httpwire"
	"pollux/llm/llmtest"
	"pollux/llm/ollama"
)

// recordedRequest is a request as the server received it.
type recordedRequest struct {
	path   string
	header http.Header
	body   string
}

const hi = `{"model":"m","message":{"role":"assistant","content":"hi"},"done":true,"done_reason":"stop","prompt_eval_count":5,"eval_count":1}`

// listen starts a server that responds with the results of answer. all returns
// the requests received so far for a path.
func listen(t *testing.T, answer func(a recordedRequest) (status int, body string)) (url string, all func(path string) []recordedRequest) {
	t.Helper()
	var mu sync.Mutex
	var seen []recordedRequest
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Errorf("read the request: %v", err)
		}
		a := recordedRequest{r.URL.Path, r.Header, string(body)}
		mu.Lock()
		seen = append(seen, a)
		mu.Unlock()
		status, text := answer(a)
		w.WriteHeader(status)
		_, _ = io.WriteString(w, text)
	}))
	t.Cleanup(s.Close)
	return s.URL, func(path string) []recordedRequest {
		mu.Lock()
		defer mu.Unlock()
		return slices.DeleteFunc(slices.Clone(seen), func(a recordedRequest) bool { return !strings.HasSuffix(a.path, path) })
	}
}

// withDescription returns a handler that describes every model as about and
// passes other requests to chat.
func withDescription(about string, chat func(a recordedRequest) (int, string)) func(a recordedRequest) (int, string) {
	return func(a recordedRequest) (int, string) {
		if strings.HasSuffix(a.path, "/api/show") {
			return 200, about
		}
		return chat(a)
	}
}

func ok(recordedRequest) (int, string) { return 200, hi }

func refusal(message string) string { return string(show(map[string]string{"error": message})) }

func request(model string) *llm.Request {
	return &llm.Request{Model: model, Contents: []*llm.Content{llm.User(llm.Text("hello"))}}
}

// stream is llmtest.Ask for a given request, and returns the error.
func stream(t *testing.T, g llm.Generator, req *llm.Request) (a llmtest.Answer, end error) {
	t.Helper()
	for chunk, err := range g.Stream(t.Context(), req) {
		if end = err; err == nil {
			a.Add(chunk)
		}
	}
	return a, end
}

func kindOf(t *testing.T, err error) llm.ErrorKind {
	t.Helper()
	var e *llm.Error
	if !errors.As(err, &e) {
		t.Fatalf("error %v (%T)", err, err)
	}
	return e.Kind
}

func TestRequests(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name    string
		options ollama.Options
		base    string // after the server's address
		header  map[string]string
	}{
		{"bare", ollama.Options{}, "", map[string]string{"Content-Type": "application/json", "User-Agent": "Pollux", "Authorization": "-"}},
		{"v1", ollama.Options{}, "/v1/", nil},
		{"key with a line end", ollama.Options{APIKey: " k\r\n"}, "/api", map[string]string{"Authorization": "Bearer k"}},
		{"own headers win", ollama.Options{APIKey: "k", HTTP: httpwire.Options{UserAgent: "P {model}", Header: http.Header{"authorization": {"mine"}}}}, "", map[string]string{"Authorization": "mine", "User-Agent": "P a/b:7b"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			url, all := listen(t, withDescription(fullDescription, ok))
			c.options.BaseURL = url + c.base
			g := newClient(t, c.options)
			for range 3 {
				if a, err := stream(t, g, request("a/b:7b")); err != nil || a.Text != "hi" || a.Usage.Total != 6 {
					t.Errorf("%+v, %v", a, err)
				}
			}
			shows, chats := all("/api/show"), all("/api/chat")
			if len(shows) != 1 || len(chats) != 3 || shows[0].body != `{"model":"a/b:7b"}` || chats[0].path != "/api/chat" {
				t.Errorf("asked %d times about the model, and %d times: %v", len(shows), len(chats), chats)
			}
			for k, want := range c.header {
				for _, a := range []recordedRequest{shows[0], chats[0]} {
					got, there := a.header[k]
					if there != (want != "-") || there && strings.Join(got, ",") != want {
						t.Errorf("%s: %q, want %q", k, got, want)
					}
				}
			}
		})
	}
}

// TestUnreadableImage checks that an image that the server cannot read takes none of the later ones with it.
func TestUnreadableImage(t *testing.T) {
	t.Parallel()
	url, all := listen(t, withDescription(fullDescription, func(a recordedRequest) (int, string) {
		if strings.Contains(a.body, "iVBORw0KGgoBAA==") {
			return 500, refusal("failed to process inputs: png: invalid format: invalid checksum")
		}
		return ok(a)
	}))
	g := newClient(t, ollama.Options{BaseURL: url})
	picture := func(data string) llm.Part {
		return llm.Part{InlineData: &llm.Blob{MIMEType: "image/png", Data: []byte("\x89PNG\r\n\x1a\n" + data), DisplayName: "a.png"}}
	}
	req := request("m")
	req.Contents[0].Parts = append(req.Contents[0].Parts, picture("\x01\x00"), picture("\x02"))
	for i := range 2 {
		if i > 0 {
			seen := llm.Output("1", "f", "x")
			seen.Parts = []llm.Part{picture("\x03")}
			req.Contents = append(req.Contents, llm.Model(llm.Part{FunctionCall: &llm.FunctionCall{ID: "1", Name: "f"}}), llm.User(llm.Part{FunctionResponse: seen}))
		}
		if a, err := stream(t, g, req); err != nil || a.Text != "hi" {
			t.Fatal(a, err)
		}
	}
	chats := all("/api/chat")
	if len(chats) != 3 {
		t.Fatalf("%d requests", len(chats))
	}
	for i, has := range []string{"", `[image/png a.png left out: the server could not read this image, or another one]`, `"images":["iVBORw0KGgoD"]`} {
		if !strings.Contains(chats[i].body, has) || i > 0 && strings.Contains(chats[i].body, "iVBORw0KGgoC") {
			t.Errorf("request %d: %s", i, chats[i].body)
		}
	}
}

func TestBadOptions(t *testing.T) {
	t.Parallel()
	for want, o := range map[string]ollama.Options{
		"Invalid custom base URL: ftp://x": {BaseURL: "ftp://x"},
		"contains a space, a line break":   {APIKey: "a\nb"},
	} {
		if _, err := ollama.New(o); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
}

// TestLessons checks that the client omits parameters that a model rejects from all
// later requests, and logs it.
func TestLessons(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name    string
		about   string // description of the model
		refused string // part of the first request
		status  int
		message string
		then    string // part of the second request
	}{
		{"thinking", `{}`, `"think"`, 400, `"m" does not support thinking`, `"options"`},
		{"level", `{"details":{"family":"gptoss"}}`, `"think":"low"`, 400, `think value "low" is not supported for this model`, `"think":true`},
		{"images", `{}`, `"images"`, 500, `this model is missing data required for image input`, `image/png left out`},
		{"images, in the stream", `{}`, `"images"`, 200, `failed to process inputs: image: unknown format`, `image/png left out`},
		{"schema", fullDescription, `"format":{`, 400, `invalid JSON schema in format`, `"format":"json"`},
		{"schema, grammar", fullDescription, `"format":{`, 500, `failed to load model vocabulary required for format`, `It has to fit this JSON schema`},
		{"memory", fullDescription, `"num_ctx":32768`, 500, `model requires more system memory (24.0 GiB) than is available (9.3 GiB)`, `"num_ctx":16384`},
		{"memory of the card", fullDescription, `"num_ctx":32768`, 500, `llama runner process has terminated: cudaMalloc failed: out of memory`, `"num_ctx":16384`},
	} {
		for _, streamed := range []bool{true, false} {
			t.Run(fmt.Sprint(c.name, " streamed ", streamed), func(t *testing.T) {
				t.Parallel()
				url, all := listen(t, withDescription(c.about, func(a recordedRequest) (int, string) {
					if strings.Contains(a.body, c.refused) {
						return c.status, refusal(c.message)
					}
					return ok(a)
				}))
				var logged []string
				g := newClient(t, ollama.Options{BaseURL: url, Log: func(m string) { logged = append(logged, m) }})
				req := request("m")
				req.Contents[0].Parts = append(req.Contents[0].Parts, llm.Part{InlineData: &llm.Blob{MIMEType: "image/png", Data: []byte("\x89PNG\r\n\x1a\n")}})
				req.Config.ResponseJSONSchema = json.RawMessage(`{"type":"object"}`)
				req.Config.Thinking = &llm.Thinking{Budget: new(9)}
				for range 2 {
					text := ""
					if streamed {
						a, err := stream(t, g, req)
						if text = a.Text; err != nil {
							t.Fatal(err)
						}
					} else {
						r, err := g.Generate(t.Context(), req)
						if text = r.Text(); err != nil {
							t.Fatal(err)
						}
					}
					if text != "hi" {
						t.Errorf("text %q", text)
					}
				}
				chats := all("/api/chat")
				if len(chats) != 3 || !strings.Contains(chats[1].body, c.then) || !strings.Contains(chats[2].body, c.then) {
					t.Errorf("%d requests, no %s in %s", len(chats), c.then, chats[len(chats)-1].body)
				}
				if len(logged) != 1 || !strings.Contains(logged[0], ": m: ") {
					t.Errorf("logged %q", logged)
				}
			})
		}
	}
}

// TestNoEndlessLessons checks that the client stops retrying if a server
// rejects everything.
func TestNoEndlessLessons(t *testing.T) {
	t.Parallel()
	url, all := listen(t, withDescription(fullDescription, func(recordedRequest) (int, string) { return 500, refusal("out of memory") }))
	g := newClient(t, ollama.Options{BaseURL: url})
	_, err := g.Generate(t.Context(), request("m"))
	if n := len(all("/api/chat")); n != 3 || kindOf(t, err) != llm.KindOther || !strings.Contains(err.Error(), "a smaller model") {
		t.Errorf("%d requests, %v", n, err)
	}
	if m, err := g.Model(t.Context(), "m"); err != nil || m.Input != 8192 {
		t.Errorf("%+v, %v", m, err)
	}
}

// TestToolsRefused checks that a model without tool support gives KindNoTools.
func TestToolsRefused(t *testing.T) {
	t.Parallel()
	for about, want := range map[string]int{`{}`: 1, `{"capabilities":["completion"]}`: 0} {
		url, all := listen(t, withDescription(about, func(recordedRequest) (int, string) {
			return 400, refusal("registry.ollama.ai/library/gemma:2b does not support tools")
		}))
		g := newClient(t, ollama.Options{BaseURL: url})
		req := request("gemma:2b")
		req.Config.Tools = []*llm.ToolSet{{Functions: []llm.FunctionDeclaration{{Name: "ls"}}}}
		for range 2 {
			if _, err := stream(t, g, req); kindOf(t, err) != llm.KindNoTools {
				t.Errorf("error %v", err)
			}
		}
		if n := len(all("/api/chat")); n != want {
			t.Errorf("%s: %d requests, want %d", about, n, want)
		}
	}
}

// TestTooLarge checks that the client does not send a prompt that Ollama would
// silently cut.
func TestTooLarge(t *testing.T) {
	t.Parallel()
	url, all := listen(t, withDescription(fullDescription, func(a recordedRequest) (int, string) {
		if !strings.Contains(a.body, `"truncate":false`) {
			t.Errorf("it may be cut: %.100s", a.body)
		}
		return 400, refusal("the input length exceeds the context length")
	}))
	g := newClient(t, ollama.Options{BaseURL: url, Window: func(string) int { return 10_000 }})
	for size, sent := range map[int]int{30_000: 1, 60_000: 0} {
		before := len(all("/api/chat"))
		req := request("m")
		req.Contents = append(req.Contents, llm.Model(llm.Text("ok")), llm.User(llm.Text(strings.Repeat("x", size))))
		_, err := stream(t, g, req)
		if n := len(all("/api/chat")) - before; kindOf(t, err) != llm.KindContextWindow || n != sent {
			t.Errorf("%d bytes: %d requests, %v", size, n, err)
		}
		var e *llm.Error
		if _ = errors.As(err, &e); sent == 0 && (!e.Size.Exceeds() || e.Size.Window != 10_000) {
			t.Errorf("%d bytes: the size is %+v", size, e.Size)
		}
	}
}

func TestErrors(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		status int
		header http.Header
		body   string
		kind   llm.ErrorKind
		text   string
	}{
		{404, nil, refusal(`model "m" not found, try pulling it first`), llm.KindModelNotFound, `model "m" not found. Download the model with: ollama pull m`},
		{404, nil, refusal(`model 'm' not found`), llm.KindModelNotFound, "ollama pull m"},
		{400, nil, refusal(`"m" does not support chat`), llm.KindBadRequest, "does not support chat"},
		{400, nil, refusal("invalid options: num_ctx"), llm.KindBadRequest, ""},
		{400, nil, `{"error":{"message":"in an object"}}`, llm.KindBadRequest, "in an object"},
		{401, nil, `{"error":"unauthorized","signin_url":"https://ollama.com/connect?x"}`, llm.KindUnauthorized, "ollama signin"},
		{402, nil, refusal("upgrade"), llm.KindQuota, ""},
		{429, nil, refusal("you've reached your hourly usage limit, please upgrade to continue"), llm.KindQuota, ""},
		{429, nil, refusal("too many requests"), llm.KindRateLimit, ""},
		{429, http.Header{"Retry-After": {"3600"}}, refusal("too many requests"), llm.KindQuota, ""},
		{500, nil, refusal("llama runner process has terminated: exit status 2"), llm.KindServer, ""},
		{503, nil, refusal("server busy, please try again.  maximum pending requests exceeded"), llm.KindServer, ""},
		{502, nil, "<html>Bad Gateway</html>", llm.KindServer, "sent an HTML page instead of JSON (status 502)"},
		{413, nil, "", llm.KindContextWindow, ""},
		{302, http.Header{"Location": {"https://login.example"}}, "", llm.KindOther, "redirects to https://login.example"},
		{200, nil, "<!doctype html><p>Log in", llm.KindOther, "HTML page"},
		{200, nil, `{"message":{"con`, llm.KindIncomplete, "Incomplete JSON segment"},
	} {
		// The same errors from either method.
		for _, where := range []string{"/api/show", "/api/chat"} {
			s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				_, _ = io.Copy(io.Discard, r.Body)
				if r.URL.Path != where {
					_, _ = io.WriteString(w, fullDescription)
					return
				}
				for k, v := range c.header {
					w.Header()[k] = v
				}
				w.WriteHeader(c.status)
				_, _ = io.WriteString(w, c.body)
			}))
			g := newClient(t, ollama.Options{BaseURL: s.URL})
			_, whole := g.Generate(t.Context(), request("m"))
			_, streamed := stream(t, g, request("m"))
			for _, err := range []error{whole, streamed} {
				if kindOf(t, err) != c.kind || !strings.Contains(err.Error(), c.text) {
					t.Errorf("%s: %d %s: kind %v: %v", where, c.status, c.body, kindOf(t, err), err)
				}
			}
			s.Close()
		}
	}
}

// TestSimilarServer checks that a server that cannot describe its models gets
// the default window, and that a server of another protocol is an error.
func TestSimilarServer(t *testing.T) {
	t.Parallel()
	url, all := listen(t, func(a recordedRequest) (int, string) {
		if a.path == "/api/chat" {
			return 200, hi
		}
		return 404, "404 page not found"
	})
	if a, err := stream(t, newClient(t, ollama.Options{BaseURL: url}), request("m")); err != nil || a.Text != "hi" {
		t.Errorf("%+v, %v", a, err)
	}
	if body := all("/api/chat")[0].body; !strings.Contains(body, fmt.Sprintf(`"num_ctx":%d`, ollama.DefaultWindow)) || strings.Contains(body, `"think"`) {
		t.Error(body)
	}
	url, _ = listen(t, func(recordedRequest) (int, string) { return 404, "404 page not found" })
	if _, err := stream(t, newClient(t, ollama.Options{BaseURL: url}), request("m")); kindOf(t, err) != llm.KindOther || !strings.Contains(err.Error(), "Check that an Ollama server") {
		t.Error(err)
	}
}

func TestConnectionRefused(t *testing.T) {
	t.Parallel()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	_ = l.Close() // the port is unlikely to be reused soon
	g := newClient(t, ollama.Options{BaseURL: l.Addr().String()})
	_, streamed := stream(t, g, request("m"))
	_, listed := g.Models(t.Context())
	for _, err := range []error{streamed, listed} {
		var e *llm.Error
		if !errors.As(err, &e) || e.Kind != llm.KindNoServer || e.Code != "ECONNREFUSED" {
			t.Errorf("error %#v", err)
		}
	}
}

// TestDropped checks a connection that breaks inside a call.
func TestDropped(t *testing.T) {
	t.Parallel()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		_, _ = io.WriteString(w, `{"message":{"content":"a"},"done":false}`+"\n"+`{"message":{"tool_calls":[{"function":{"name":"f","argum`)
		w.(http.Flusher).Flush()
		panic(http.ErrAbortHandler)
	}))
	t.Cleanup(s.Close)
	g := newClient(t, ollama.Options{BaseURL: s.URL})
	if err := g.Know("m", fullDescription); err != nil {
		t.Fatal(err)
	}
	a, err := stream(t, g, request("m"))
	if a.Text != "a" || len(a.Calls) > 0 || kindOf(t, err) != llm.KindNetwork {
		t.Errorf("%+v, %v", a, err)
	}
}

// TestOpenedThought checks that the client asks again when a response begins
// inside a thought, that it decodes the next response correctly, and that it
// recovers if this was wrong.
func TestOpenedThought(t *testing.T) {
	t.Parallel()
	text := "I think.</think>yes"
	url, _ := listen(t, withDescription(`{}`, func(recordedRequest) (int, string) {
		return 200, fmt.Sprintf("{\"message\":{\"content\":\"I \"}}\n{\"message\":{\"content\":%q}}\n{\"done\":true}\n", text[2:])
	}))
	g := newClient(t, ollama.Options{BaseURL: url})
	again := func() {
		t.Helper()
		if _, err := stream(t, g, request("deepseek-r1")); kindOf(t, err) != llm.KindIncomplete {
			t.Errorf("error %v", err)
		}
	}
	again()
	if a, err := stream(t, g, request("deepseek-r1")); err != nil || a.Text != "yes" || a.Thoughts != "I think." {
		t.Errorf("%+v, %v", a, err)
	}
	text = "I say so."
	again()
	if a, err := stream(t, g, request("m")); err != nil || a.Text != "I say so." {
		t.Errorf("%+v, %v", a, err)
	}
}

func TestModels(t *testing.T) {
	t.Parallel()
	about := map[string]string{
		"qwen3:8b":     fullDescription,
		"gpt-oss:20b":  `{"details":{"family":"gptoss"},"model_info":{"gptoss.context_length":131072},"capabilities":["completion","tools","thinking"]}`,
		"nomic:latest": `{"capabilities":["embedding"]}`,
		"old:7b":       `{"model_info":{"llama.context_length":4096}}`,
		"bert:latest":  `{}`,
		"broken:1b":    `{"model_info":7}`,
	}
	tags := `{"models":[{"name":"qwen3:8b"},{"name":""},{"name":"gpt-oss:20b"},{"name":"nomic:latest"},{"name":"old:7b"},{"name":"bert:latest","details":{"family":"nomic-bert"}},{"name":"broken:1b"},{"name":"all-embed:1b"},{"name":"gone:1b"}]}`
	var now, most atomic.Int32
	url, _ := listen(t, func(a recordedRequest) (int, string) {
		if a.path == "/api/tags" {
			return 200, tags
		}
		defer now.Add(-1)
		for n := now.Add(1); ; {
			if old := most.Load(); old >= n || most.CompareAndSwap(old, n) {
				break
			}
		}
		var q struct{ Model string }
		if err := json.Unmarshal([]byte(a.body), &q); err != nil {
			t.Error(err)
		}
		if about[q.Model] == "" {
			return 404, refusal("model not found")
		}
		return 200, about[q.Model]
	})
	g := newClient(t, ollama.Options{BaseURL: url, Window: func(model string) int { return map[string]int{"gpt-oss:20b": 65536}[model] }})
	all, err := g.Models(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	const yes, no, unknown = catalog.Yes, catalog.No, catalog.Unknown
	want := []catalog.Model{
		{Name: "qwen3:8b", Input: 32768, Tools: yes, Thinking: yes, Images: yes, PDF: no, Audio: no, Video: no},
		{Name: "gpt-oss:20b", Input: 65536, Tools: yes, Thinking: yes, Efforts: []string{"low", "medium", "high"}, Images: no, PDF: no, Audio: no, Video: no},
		{Name: "old:7b", Input: 4096, Tools: unknown, PDF: no, Audio: no, Video: no},
		{Name: "broken:1b"},
		{Name: "gone:1b"},
	}
	if got := fmt.Sprintf("%+v", all); got != fmt.Sprintf("%+v", want) {
		t.Errorf("got  %s\nwant %+v", got, want)
	}
	if n := most.Load(); n > 8 {
		t.Errorf("%d at once", n)
	}
	if m, err := g.Model(t.Context(), "gpt-oss:20b"); err != nil || m.Input != 65536 {
		t.Errorf("%+v, %v", m, err)
	}
	tags = `{"models":`
	if _, err := g.Models(t.Context()); kindOf(t, err) != llm.KindIncomplete {
		t.Error(err)
	}
}

// TestModelsCancelled checks that Models returns when its context is cancelled.
func TestModelsCancelled(t *testing.T) {
	t.Parallel()
	escape := errors.New("escape")
	ctx, cancel := context.WithCancelCause(t.Context())
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		if r.URL.Path == "/api/tags" {
			_, _ = io.WriteString(w, `{"models":[{"name":"a"},{"name":"b"}]}`)
			return
		}
		cancel(escape)
		<-r.Context().Done()
	}))
	t.Cleanup(s.Close)
	if all, err := newClient(t, ollama.Options{BaseURL: s.URL}).Models(ctx); !errors.Is(err, escape) {
		t.Errorf("%v, %v", all, err)
	}
}

func TestEmbed(t *testing.T) {
	t.Parallel()
	url, all := listen(t, func(recordedRequest) (int, string) {
		return 200, `{"embeddings":[[1,2.5],[3,4]],"prompt_eval_count":2}`
	})
	g := newClient(t, ollama.Options{BaseURL: url})
	got, err := g.Embed(t.Context(), "e", []string{"a", "b"})
	if err != nil || fmt.Sprint(got) != "[[1 2.5] [3 4]]" || all("/api/embed")[0].body != `{"model":"e","input":["a","b"]}` {
		t.Errorf("%v, %v, %v", got, err, all(""))
	}
	if _, err := g.Embed(t.Context(), "e", []string{"a"}); kindOf(t, err) != llm.KindServer {
		t.Error(err)
	}
	if got, err := g.Embed(t.Context(), "e", nil); got != nil || err != nil {
		t.Error(got, err)
	}
	if _, err := g.CountTokens(t.Context(), request("m")); err == nil {
		t.Error("it counts")
	}
}

// TestOneConnection checks that a response that was read to its end leaves its
// connection to the next request.
func TestOneConnection(t *testing.T) {
	t.Parallel()
	remotes := map[string]bool{}
	var mu sync.Mutex
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		remotes[r.RemoteAddr] = true
		mu.Unlock()
		_, _ = io.Copy(io.Discard, r.Body)
		_, _ = io.WriteString(w, hi)
	}))
	t.Cleanup(s.Close)
	g := newClient(t, ollama.Options{BaseURL: s.URL})
	for range 5 {
		llmtest.Ask(t, g, "hello")
	}
	if len(remotes) != 1 {
		t.Errorf("%d connections for 5 answers", len(remotes))
	}
}

// TestSilence checks that the client gives up on a server that stops inside a
// response.
func TestSilence(t *testing.T) {
	t.Parallel()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		_, _ = io.WriteString(w, "{\"message\":{\"content\":\"a\"}}\n")
		w.(http.Flusher).Flush()
		<-r.Context().Done()
	}))
	t.Cleanup(s.Close)
	g := newClient(t, ollama.Options{BaseURL: s.URL, HTTP: httpwire.Options{Timeouts: httpwire.Timeouts{Idle: 50 * time.Millisecond}}})
	if err := g.Know("m", fullDescription); err != nil {
		t.Fatal(err)
	}
	if a, err := stream(t, g, request("m")); a.Text != "a" || kindOf(t, err) != llm.KindNetwork {
		t.Errorf("%+v, %v", a, err)
	}
}
