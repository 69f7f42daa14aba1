package gemini_test

import (
	"context"
	"encoding/pem"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"pollux/llm"
	"pollux/llm/gemini"
	"pollux/llm/httpwire"
)

// received is a request as the server received it.
type received struct {
	path, query string
	header      http.Header
	body        string
}

// listen starts a server that responds to all requests with answer. It returns the
// last request.
func listen(t *testing.T, answer string) (*httptest.Server, *received) {
	t.Helper()
	last := new(received)
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Errorf("read the request: %v", err)
		}
		*last = received{r.URL.EscapedPath(), r.URL.RawQuery, r.Header, string(body)}
		_, _ = io.WriteString(w, answer)
	}))
	t.Cleanup(s.Close)
	return s, last
}

const hello = `{"candidates":[{"content":{"role":"model","parts":[{"text":"hi"}]},"finishReason":"STOP"}]}`

func request(model string) *llm.Request {
	return &llm.Request{Model: model, Contents: []*llm.Content{llm.User(llm.Text("hello"))}}
}

func TestAddressAndHeaders(t *testing.T) {
	t.Parallel()
	vertex := &gemini.Vertex{Project: "p 1", Location: "us-central1"}
	token := func(context.Context) (string, error) { return "tok", nil }
	for _, c := range []struct {
		name, model string
		options     gemini.Options
		base        string // behind the server's address
		path        string
		header      map[string]string // "-" for absent
	}{
		{
			"key", "gemini-2.5-pro",
			gemini.Options{APIKey: "k"},
			"", "/v1beta/models/gemini-2.5-pro:generateContent",
			map[string]string{"X-Goog-Api-Key": "k", "Authorization": "-", "Content-Type": "application/json", "User-Agent": "Pollux"},
		},
		{
			"bearer", "m",
			gemini.Options{APIKey: " k\r\n", Bearer: true},
			"", "/v1beta/models/m:generateContent",
			map[string]string{"X-Goog-Api-Key": "k", "Authorization": "Bearer k"},
		},
		{
			"gateway", "m",
			gemini.Options{Gateway: true},
			"/gw/", "/gw/v1beta/models/m:generateContent",
			map[string]string{"X-Goog-Api-Key": "", "Authorization": "-"},
		},
		{
			"version", "models/m", gemini.Options{APIKey: "k", APIVersion: "v1"}, "", "/v1/models/m:generateContent", nil,
		},
		{"base with version", "m", gemini.Options{APIKey: "k"}, "/x/v1beta//", "/x/v1beta/models/m:generateContent", nil},
		{"base with another version", "m", gemini.Options{APIKey: "k"}, "/v1", "/v1/v1beta/models/m:generateContent", nil},
		{"tuned", "tunedModels/a", gemini.Options{APIKey: "k"}, "", "/v1beta/tunedModels/a:generateContent", nil},
		{"odd name", "a/b?c#d%2f", gemini.Options{APIKey: "k"}, "", "/v1beta/models/a/b%3Fc%23d%252f:generateContent", nil},
		{
			"vertex", "m",
			gemini.Options{Vertex: vertex, Credentials: token},
			"", "/v1beta1/projects/p%201/locations/us-central1/publishers/google/models/m:generateContent",
			map[string]string{"Authorization": "Bearer tok", "X-Goog-Api-Key": "-"},
		},
		{
			"vertex, another publisher", "anthropic/claude",
			gemini.Options{Vertex: vertex, Credentials: token},
			"",
			"/v1beta1/projects/p%201/locations/us-central1/publishers/anthropic/models/claude:generateContent", nil,
		},
		{
			"vertex, an endpoint", "endpoints/123",
			gemini.Options{Vertex: vertex, Credentials: token},
			"", "/v1beta1/projects/p%201/locations/us-central1/endpoints/123:generateContent", nil,
		},
		{
			"vertex, an endpoint in full", "projects/9/locations/us-east1/endpoints/123",
			gemini.Options{Vertex: vertex, Credentials: token},
			"/gw", "/gw/v1beta1/projects/9/locations/us-east1/endpoints/123:generateContent", nil,
		},
		{
			"express", "m",
			gemini.Options{APIKey: "k", Vertex: &gemini.Vertex{}},
			"", "/v1beta1/publishers/google/models/m:generateContent",
			map[string]string{"X-Goog-Api-Key": "k", "Authorization": "-"},
		},
		{
			"own headers win", "m",
			gemini.Options{
				APIKey: "k", HTTP: httpwire.Options{
					UserAgent: "Pollux/1 {model}", Header: http.Header{"user-agent": {"mine"}, "X-A": {"1"}, "X-Goog-Api-Key": {"other"}},
				},
			},
			"", "/v1beta/models/m:generateContent",
			map[string]string{"User-Agent": "mine", "X-A": "1", "X-Goog-Api-Key": "other"},
		},
		{
			"user agent", "m",
			gemini.Options{APIKey: "k", HTTP: httpwire.Options{UserAgent: "Pollux-tui/1.2/{model} (linux; x64; terminal)"}},
			"", "/v1beta/models/m:generateContent",
			map[string]string{"User-Agent": "Pollux-tui/1.2/m (linux; x64; terminal)"},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s, last := listen(t, hello)
			c.options.BaseURL = s.URL + c.base
			g, err := gemini.New(c.options)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := g.Generate(t.Context(), request(c.model)); err != nil {
				t.Fatal(err)
			}
			if last.path != c.path || last.query != "" {
				t.Errorf("path %s?%s, want %s", last.path, last.query, c.path)
			}
			for k, want := range c.header {
				got, there := last.header[k]
				if there != (want != "-") || there && strings.Join(got, ",") != want {
					t.Errorf("%s: %q, want %q", k, got, want)
				}
			}
		})
	}
}

func TestBadOptions(t *testing.T) {
	t.Parallel()
	for want, o := range map[string]gemini.Options{
		"API key":                        {APIKey: " "},
		"contains a space, a line break": {APIKey: "k\x00"},
		"project and a location":         {Vertex: &gemini.Vertex{Location: "us"}},
		`"elsewhere.example/x" is not the name of a location of Google Cloud's`: {Vertex: &gemini.Vertex{Project: "p", Location: "elsewhere.example/x"}},
		"Invalid custom base URL: localhost":                                    {APIKey: "k", BaseURL: "localhost"},
		"Invalid custom base URL: ftp://x":                                      {APIKey: "k", BaseURL: "ftp://x"},
		"Invalid custom base URL: http://%":                                     {APIKey: "k", BaseURL: "http://%"},
	} {
		if _, err := gemini.New(o); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
	g := newClient(t, "http://127.0.0.1:1")
	for _, model := range []string{"../x", "a//b", "./m", "", "a b", "a\nb", "models/"} {
		var e *llm.Error
		if _, err := g.Generate(t.Context(), request(model)); !errors.As(err, &e) || e.Kind != llm.KindBadRequest {
			t.Errorf("model %q: %v", model, err)
		}
	}
}

func TestCountAndEmbed(t *testing.T) {
	t.Parallel()
	s, last := listen(t, `{"totalTokens": 31, "promptTokensDetails": []}`)
	if n, err := newClient(t, s.URL).CountTokens(t.Context(), request("m")); n != 31 || err != nil {
		t.Errorf("count %d, %v", n, err)
	}
	if want := `{"contents":[{"role":"user","parts":[{"text":"hello"}]}]}`; last.path != "/v1beta/models/m:countTokens" || last.body != want {
		t.Errorf("%s %s", last.path, last.body)
	}

	s, last = listen(t, `{"embeddings":[{"values":[0.5,1]},{"values":[]}]}`)
	v, err := newClient(t, s.URL).Embed(t.Context(), "e", []string{"a", "\"b\""})
	if want := [][]float32{{0.5, 1}, {}}; !reflect.DeepEqual(v, want) || err != nil {
		t.Errorf("embed %v, %v", v, err)
	}
	if want := `{"requests":[{"model":"models/e","content":{"parts":[{"text":"a"}]}},{"model":"models/e","content":{"parts":[{"text":"\"b\""}]}}]}`; last.path != "/v1beta/models/e:batchEmbedContents" || last.body != want {
		t.Errorf("%s %s", last.path, last.body)
	}
	if _, err := newClient(t, s.URL).Embed(t.Context(), "e", []string{"a"}); err == nil {
		t.Error("two vectors for one text")
	}

	s, last = listen(t, `{"predictions":[{"embeddings":{"values":[0.5],"statistics":{}}}]}`)
	vertex, err := gemini.New(gemini.Options{APIKey: "k", Vertex: &gemini.Vertex{}, BaseURL: s.URL})
	if err != nil {
		t.Fatal(err)
	}
	if v, err := vertex.Embed(t.Context(), "e", []string{"a", "b"}); len(v) != 2 || err != nil {
		t.Errorf("embed on Vertex: %v, %v", v, err)
	}
	if last.path != "/v1beta1/publishers/google/models/e:predict" || last.body != `{"instances":[{"content":"b"}]}` {
		t.Errorf("%s %s", last.path, last.body)
	}
}

// TestStreams tests bodies under status 200 that are not plain event streams.
func TestStreams(t *testing.T) {
	t.Parallel()
	const failed = `{"error":{"code":503,"message":"busy","status":"UNAVAILABLE"}}`
	for _, c := range []struct {
		name, body string
		text       string // of the chunks before the end
		kind       llm.ErrorKind
		message    string // contained in the error; "" for none
	}{
		{"chunks", "data: " + hello + "\n\ndata: " + hello + "\r\n\r\n", "hihi", 0, ""},
		{"no candidates", "data: {\"usageMetadata\":{\"totalTokenCount\":1}}\n\ndata: " + hello + "\n\n", "hi", 0, ""},
		{"several data lines", "data: {\"candidates\":[\ndata: {\"content\":{\"parts\":[{\"text\":\"hi\"}]}}\ndata: ]}\n\n", "hi", 0, ""},
		{"goodbye", "data: " + hello + "\n\ndata: [DONE]\n\n", "hi", 0, ""},
		{"empty", "", "", 0, ""},
		{"framed error", "data: " + failed + "\n\n", "", llm.KindServer, "busy"},
		{"framed error later", "data: " + hello + "\n\ndata: " + failed + "\n\n", "hi", llm.KindServer, "busy"},
		{"unframed error", failed, "", llm.KindServer, "got status: UNAVAILABLE. busy"},
		{"unframed error, indented", "\n[{\n  \"error\": {\n    \"code\": 429,\n    \"message\": \"slow\",\n    \"status\": \"RESOURCE_EXHAUSTED\"\n  }\n}\n]", "", llm.KindRateLimit, "got status: RESOURCE_EXHAUSTED. slow"},
		{"unframed error later", "data: " + hello + "\n\n" + failed + "\n", "hi", llm.KindServer, "got status: UNAVAILABLE. busy"},
		{"a JSON array", "[" + hello + ",\n" + hello + "]", "hihi", 0, ""},
		{"a JSON object", hello, "hi", 0, ""},
		{"a web page", "<!DOCTYPE html><title>Log in</title>", "", llm.KindOther, "HTML page"},
		{"text", "upstream connect error", "", llm.KindOther, "instead of a model's response"},
		{"cut JSON", `{"candidates":[`, "", llm.KindIncomplete, "Incomplete JSON segment"},
		{"cut frame", "data: " + hello + "\n\ndata: {\"cand", "hi", llm.KindIncomplete, "Incomplete JSON segment"},
		{"no blank line", "data: " + hello + "\n\ndata: " + hello + "\n", "hi", llm.KindIncomplete, "Incomplete JSON segment"},
		{"malformed", "data: " + hello + "\n\ndata: {oops}\n\n", "hi", llm.KindServer, "malformed chunk"},
		{"wrong type", "data: {\"candidates\":7}\n\n", "", llm.KindServer, "malformed chunk"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s, last := listen(t, c.body)
			var text string
			var end error
			for chunk, err := range newClient(t, s.URL).Stream(t.Context(), request("m")) {
				if end != nil {
					t.Error("something behind the error")
				}
				if end = err; err == nil {
					text += chunk.Text()
				}
			}
			if last.path != "/v1beta/models/m:streamGenerateContent" || last.query != "alt=sse" {
				t.Errorf("asked %s?%s", last.path, last.query)
			}
			if text != c.text {
				t.Errorf("text %q, want %q", text, c.text)
			}
			if c.message == "" {
				if end != nil {
					t.Errorf("error %v", end)
				}
				return
			}
			var e *llm.Error
			if !errors.As(end, &e) || e.Kind != c.kind || !strings.Contains(e.Message, c.message) {
				t.Errorf("error %v, want kind %v and %q", end, c.kind, c.message)
			}
		})
	}
}

// TestAnswers tests bodies of responses that are not streamed.
func TestAnswers(t *testing.T) {
	t.Parallel()
	for body, want := range map[string]llm.ErrorKind{
		"\n<html>Log in": llm.KindOther,
		"":               llm.KindServer,
		"{oops":          llm.KindServer,
		`[{"error":{"code":400,"message":"prompt is too long"}}]`: llm.KindContextWindow,
	} {
		s, _ := listen(t, body)
		g := newClient(t, s.URL)
		_, failure := g.Generate(t.Context(), request("m"))
		_, count := g.CountTokens(t.Context(), request("m"))
		_, embed := g.Embed(t.Context(), "m", []string{"a"})
		for _, err := range []error{failure, count, embed} {
			var e *llm.Error
			if !errors.As(err, &e) || e.Kind != want {
				t.Errorf("%q: %v", body, err)
			}
		}
	}
}

// TestChunksStayValid checks that a chunk does not change when the stream continues.
func TestChunksStayValid(t *testing.T) {
	t.Parallel()
	var body strings.Builder
	for i := range 2000 {
		body.WriteString("data: " + strings.Replace(hello, "hi", strings.Repeat(string(rune('a'+i%26)), 50), 1) + "\n\n")
	}
	s, _ := listen(t, body.String())
	var all []*llm.Response
	for chunk, err := range newClient(t, s.URL).Stream(t.Context(), request("m")) {
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, chunk)
	}
	for i, chunk := range all {
		if want := strings.Repeat(string(rune('a'+i%26)), 50); chunk.Text() != want {
			t.Fatalf("chunk %d is %q", i, chunk.Text())
		}
	}
}

func TestRedirect(t *testing.T) {
	t.Parallel()
	other, last := listen(t, hello)
	s := httptest.NewServer(http.RedirectHandler(other.URL, http.StatusTemporaryRedirect))
	t.Cleanup(s.Close)
	if _, err := newClient(t, s.URL).Generate(t.Context(), request("m")); err == nil || !strings.Contains(err.Error(), other.URL) {
		t.Errorf("error %v", err)
	}
	if last.header != nil {
		t.Error("the key went to where the answer pointed")
	}
}

func TestProxy(t *testing.T) {
	t.Parallel()
	proxy, last := listen(t, hello)
	u, err := url.Parse(proxy.URL)
	if err != nil {
		t.Fatal(err)
	}
	g, err := gemini.New(gemini.Options{APIKey: "k", BaseURL: "http://model.invalid", HTTP: httpwire.Options{Proxy: u}})
	if err != nil {
		t.Fatal(err)
	}
	if res, err := g.Generate(t.Context(), request("m")); err != nil || res.Text() != "hi" {
		t.Errorf("%v, %v", res, err)
	}
	if last.path != "/v1beta/models/m:generateContent" {
		t.Errorf("the proxy saw %q", last.path)
	}

	// Connections to this machine and to the hosts in NoProxy use no proxy.
	direct, _ := listen(t, hello)
	last.path = ""
	for _, o := range []gemini.Options{
		{APIKey: "k", BaseURL: direct.URL, HTTP: httpwire.Options{Proxy: u}},
		{APIKey: "k", BaseURL: "http://model.invalid", HTTP: httpwire.Options{Proxy: u, NoProxy: "other.invalid, .invalid"}},
	} {
		g, err := gemini.New(o)
		if err != nil {
			t.Fatal(err)
		}
		_, err = g.Generate(t.Context(), request("m"))
		if last.path != "" {
			t.Errorf("%s with NO_PROXY=%q: the proxy saw %q", o.BaseURL, o.HTTP.NoProxy, last.path)
		}
		if reached := o.BaseURL == direct.URL; reached != (err == nil) {
			t.Errorf("%s: %v", o.BaseURL, err)
		}
	}
}

func TestRootCAs(t *testing.T) {
	t.Parallel()
	s := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, hello) }))
	s.EnableHTTP2 = true
	s.Config.ErrorLog = nil
	s.StartTLS()
	t.Cleanup(s.Close)
	dir := t.TempDir()
	good, bad := filepath.Join(dir, "ca.pem"), filepath.Join(dir, "bad.pem")
	cert := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: s.Certificate().Raw})
	if err := errors.Join(os.WriteFile(good, cert, 0o600), os.WriteFile(bad, []byte("no"), 0o600)); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		files []string
		want  string
	}{
		{[]string{good}, ""},
		{nil, "certificate"},
		{[]string{bad}, "bad.pem contains no PEM certificate"},
		{[]string{filepath.Join(dir, "none")}, "cannot read the CA certificates"},
	} {
		g, err := gemini.New(gemini.Options{APIKey: "k", BaseURL: s.URL, HTTP: httpwire.Options{RootCAs: c.files}})
		if err != nil {
			t.Fatal(err)
		}
		_, err = g.Generate(t.Context(), request("m"))
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%v: %v, want %q", c.files, err, c.want)
		}
		var e *llm.Error
		if err != nil && (!errors.As(err, &e) || e.Retryable()) {
			t.Errorf("%v: would be tried again: %v", c.files, err)
		}
	}
}

func TestCredentialsFail(t *testing.T) {
	t.Parallel()
	s, last := listen(t, hello)
	no := errors.New("no login")
	g, err := gemini.New(gemini.Options{
		Vertex: &gemini.Vertex{Project: "p", Location: "global"}, BaseURL: s.URL,
		Credentials: func(context.Context) (string, error) { return "", no },
	})
	if err != nil {
		t.Fatal(err)
	}
	_, err = g.Generate(t.Context(), request("m"))
	var e *llm.Error
	if !errors.As(err, &e) || e.Kind != llm.KindUnauthorized || !errors.Is(err, no) || !strings.HasPrefix(e.Message, "Could not load the default credentials. ") {
		t.Errorf("error %v", err)
	}
	if last.header != nil {
		t.Error("asked without credentials")
	}
}
