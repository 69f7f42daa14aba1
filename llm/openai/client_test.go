package openai_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"reflect"
	"strings"
	"sync"
	"testing"

	"pollux/llm"
	"pollux/llm/httpwire"
	"pollux/llm/llmtest"
	"pollux/llm/openai"
)

// recordedRequest is a request as the server received it.
type recordedRequest struct {
	path, query string
	header      http.Header
	body        string
}

const hello = `{"id":"i","object":"chat.completion","created":1,"model":"m","choices":[{"index":0,"message":{"role":"assistant","content":"hi"},"finish_reason":"stop"}]}`

// listen starts a server that responds with the results of answer. all returns
// the requests received so far.
func listen(t *testing.T, answer func(a recordedRequest) (status int, body string)) (url string, all func() []recordedRequest) {
	t.Helper()
	var mu sync.Mutex
	var seen []recordedRequest
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Errorf("read the request: %v", err)
		}
		a := recordedRequest{r.URL.EscapedPath(), r.URL.RawQuery, r.Header, string(body)}
		mu.Lock()
		seen = append(seen, a)
		mu.Unlock()
		status, text := answer(a)
		w.WriteHeader(status)
		_, _ = io.WriteString(w, text)
	}))
	t.Cleanup(s.Close)
	return s.URL, func() []recordedRequest {
		mu.Lock()
		defer mu.Unlock()
		return seen
	}
}

func ok(recordedRequest) (int, string) { return 200, hello }

func request(model string) *llm.Request {
	return &llm.Request{Model: model, Contents: []*llm.Content{llm.User(llm.Text("hello"))}}
}

func TestAddressAndHeaders(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name    string
		options openai.Options
		base    string // after the server's address
		path    string
		header  map[string]string // "-" for absent
	}{
		{"bare", openai.Options{}, "", "/v1/chat/completions?", map[string]string{"Authorization": "Bearer secret", "Content-Type": "application/json", "User-Agent": "Pollux"}},
		{"slash", openai.Options{}, "/", "/v1/chat/completions?", nil},
		{"v1", openai.Options{}, "/v1", "/v1/chat/completions?", nil},
		{"v1 and slash", openai.Options{}, "/v1/", "/v1/chat/completions?", nil},
		{"prefix", openai.Options{}, "/compatible-mode/v1", "/compatible-mode/v1/chat/completions?", nil},
		{"another version", openai.Options{}, "/api/paas/v4/", "/api/paas/v4/chat/completions?", nil},
		{"whole", openai.Options{}, "/x/chat/completions", "/x/chat/completions?", nil},
		{"whole, for responses", openai.Options{Quirks: openai.Quirks{Protocol: openai.Responses}}, "/v1/chat/completions", "/v1/responses?", nil},
		{"azure", openai.Options{KeyHeader: "api-key"}, "/openai/deployments/{model}/chat/completions?api-version=1", "/openai/deployments/a%2Fb/chat/completions?api-version=1", map[string]string{"Api-Key": "secret", "Authorization": "-"}},
		{"azure, now", openai.Options{KeyHeader: "api-key"}, "/openai/v1/", "/openai/v1/chat/completions?", map[string]string{"Api-Key": "secret", "Authorization": "-"}},
		{"azure, for responses", openai.Options{KeyHeader: "api-key", Quirks: openai.Quirks{Protocol: openai.Responses}}, "/openai?api-version=2025-04-01-preview", "/openai/responses?api-version=2025-04-01-preview", map[string]string{"Api-Key": "secret"}},
		{"azure, with a token", openai.Options{APIKey: " ", KeyHeader: "api-key", Credentials: func(context.Context) (string, error) { return "tok", nil }}, "/openai/v1", "/openai/v1/chat/completions?", map[string]string{"Authorization": "Bearer tok", "Api-Key": "-"}},
		{"key with a line end", openai.Options{APIKey: "k\r\n"}, "", "/v1/chat/completions?", map[string]string{"Authorization": "Bearer k"}},
		{"no key", openai.Options{APIKey: " "}, "", "/v1/chat/completions?", map[string]string{"Authorization": "-"}},
		{"token", openai.Options{APIKey: " ", Credentials: func(context.Context) (string, error) { return "tok", nil }}, "", "/v1/chat/completions?", map[string]string{"Authorization": "Bearer tok"}},
		{"own headers win", openai.Options{HTTP: httpwire.Options{UserAgent: "P {model}", Header: http.Header{"authorization": {"mine"}, "X-Title": {"t"}}}}, "", "/v1/chat/completions?", map[string]string{"Authorization": "mine", "X-Title": "t", "User-Agent": "P a/b"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			url, all := listen(t, ok)
			c.options.BaseURL = url + c.base
			_, _ = newClient(t, c.options).Generate(t.Context(), request("a/b")) // the response is not valid in Responses
			last := all()[0]
			if got := last.path + "?" + last.query; got != c.path {
				t.Errorf("path %s, want %s", got, c.path)
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

// TestAzure checks that the address of an Azure resource is a complete base
// URL, in both of Azure's forms.
func TestAzure(t *testing.T) {
	t.Parallel()
	const now, before = "/openai/v1/chat/completions", "/openai/deployments/gpt%205/chat/completions"
	for base, want := range map[string]string{
		"https://r.openai.azure.com":                                                           now,
		"https://r.openai.azure.com/":                                                          now,
		"https://r.openai.azure.com/openai":                                                    now,
		"https://r.openai.azure.com/openai/v1/":                                                now,
		"https://r.openai.azure.com/openai/v1?api-version=preview":                             now + "?api-version=preview",
		"https://r.cognitiveservices.azure.com":                                                now,
		"https://r.services.ai.azure.com/":                                                     now,
		"https://r.services.ai.azure.com/api/projects/p/openai/v1":                             "/api/projects/p" + now,
		"https://r.openai.azure.com?api-version=2024-10-21":                                    before + "?api-version=2024-10-21",
		"https://r.openai.azure.com/openai?api-version=2024-10-21":                             before + "?api-version=2024-10-21",
		"https://r.openai.azure.com/openai/deployments/{model}?api-version=2024-10-21":         before + "?api-version=2024-10-21",
		"https://r.openai.azure.com/openai/deployments/mine/chat/completions?api-version=2024": "/openai/deployments/mine/chat/completions?api-version=2024",
		"https://openai.azure.com.example.org":                                                 "/v1/chat/completions",
	} {
		u, err := url.Parse(base)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := openai.Address(base, "gpt 5", "chat/completions"); err != nil || got != "https://"+u.Host+want {
			t.Errorf("%s: %s, %v", base, got, err)
		}
	}
	// Methods without a deployment are outside /deployments, as in OpenAI's
	// SDK.
	for method, want := range map[string]string{
		"embeddings": "/openai/deployments/m/embeddings?api-version=2025-04-01-preview",
		"responses":  "/openai/responses?api-version=2025-04-01-preview",
		"models":     "/openai/models?api-version=2025-04-01-preview",
	} {
		if got, err := openai.Address("https://r.openai.azure.com/?api-version=2025-04-01-preview", "m", method); err != nil || got != "https://r.openai.azure.com"+want {
			t.Errorf("%s: %s, %v", method, got, err)
		}
	}
}

func TestBadOptions(t *testing.T) {
	t.Parallel()
	for want, o := range map[string]openai.Options{
		"Invalid custom base URL: localhost": {BaseURL: "localhost"},
		"Invalid custom base URL: ftp://x":   {BaseURL: "ftp://x"},
		"Invalid custom base URL: http://%":  {BaseURL: "http://%"},
		"contains a space, a line break":     {APIKey: "a\nb"},
	} {
		if _, err := openai.New(o); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
	if c, err := openai.New(openai.Options{HTTP: httpwire.Options{RootCAs: []string{"/does/not/exist"}}}); c == nil || err != nil {
		t.Error(err)
	}
}

// TestToolsRefused checks that a model without tool support gives KindNoTools.
func TestToolsRefused(t *testing.T) {
	t.Parallel()
	for _, body := range []string{
		refusal("registry.ollama.ai/library/gemma:2b does not support tools", ""),
		refusal("Unsupported parameter: 'tools' is not supported with this model.", "tools"),
		`{"object":"error","message":"\"auto\" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set","type":"BadRequestError","code":400}`,
		`{"error":{"message":"tools param requires --jinja flag","code":500}}`,
		`{"code":20037,"message":"Function call is not supported for this model.","data":null}`,
		refusal("`tool calling` is not supported with this model", ""),
	} {
		url, all := listen(t, func(recordedRequest) (int, string) {
			if strings.Contains(body, "500") {
				return 500, body
			}
			return 400, body
		})
		g := newClient(t, openai.Options{BaseURL: url})
		req := request("m")
		req.Config.Tools = []*llm.ToolSet{{Functions: []llm.FunctionDeclaration{{Name: "ls"}}}}
		_, err := g.Generate(t.Context(), req)
		var e *llm.Error
		if !errors.As(err, &e) || e.Kind != llm.KindNoTools || len(all()) != 1 {
			t.Errorf("error %#v, %d requests", err, len(all()))
		}
	}
}

// TestForModel checks that ForModel adjusts the service's quirks for one model
// only.
func TestForModel(t *testing.T) {
	t.Parallel()
	url, all := listen(t, ok)
	o := openai.Options{BaseURL: url, Quirks: openai.Quirks{Drop: make([]string, 0, 9), Extra: map[string]json.RawMessage{"a": []byte("1")}}}
	o.ForModel = func(model string, q *openai.Quirks) {
		if model == "o3" {
			if err := json.Unmarshal([]byte(`{"protocol":"responses","drop":["store"],"extra":{"b":2}}`), q); err != nil {
				t.Error(err)
			}
		}
	}
	g := newClient(t, o)
	for _, m := range []string{"o3", "m"} {
		_, _ = g.Generate(t.Context(), request(m)) // the response is not valid in Responses
	}
	if a := all(); a[0].path != "/v1/responses" || !strings.Contains(a[0].body, `"a":1,"b":2`) || strings.Contains(a[0].body, "store") ||
		a[1].path != "/v1/chat/completions" || strings.Contains(a[1].body, `"b"`) {
		t.Errorf("%+v", a)
	}
}

func TestQuirksInJSON(t *testing.T) {
	t.Parallel()
	const all = `{"protocol":"responses","systemRole":"developer","maxTokens":"max_tokens","drop":["seed"],"extra":{"a":{"b":1}},"topK":true,"sampling":true,"noTools":true,` +
		`"strictSchema":true,"schema":"words","streamOnly":true,"thinking":"template","effortOff":"none","noThink":"/no_think","efforts":["low","high"],"reasoningOut":"reasoning_content","reasoningKeep":true,"reasoningFill":true,` +
		`"untagged":true,"opened":true,"pairsOnly":true,"nameIds":true,"shortIds":true,"emptyContent":true,"answerAfterTool":true,"noImages":true,"noPDF":true,"noAudio":true}`
	var q openai.Quirks
	if err := json.Unmarshal([]byte(all), &q); err != nil {
		t.Fatal(err)
	}
	for v, i := reflect.ValueOf(q), 0; i < v.NumField(); i++ {
		if v.Field(i).IsZero() {
			t.Errorf("%s is not read", v.Type().Field(i).Name)
		}
	}
	if got := string(show(q)); got != all {
		t.Errorf("written as %s", got)
	}
	if got := string(show(openai.Quirks{})); got != "{}" {
		t.Errorf("none are written as %s", got)
	}
	for text, want := range map[string]string{
		`{"protocol":"grpc"}`:  `protocol cannot be "grpc": it is one of chat, responses`,
		`{"schema":""}`:        `schema cannot be "": it is one of json, object, words`,
		`{"thinking":"maybe"}`: `thinking cannot be "maybe": it is one of effort, enable, type, object, template, none`,
		`{"thinking":3}`:       `cannot unmarshal number`,
	} {
		if err := json.Unmarshal([]byte(text), new(openai.Quirks)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", text, err)
		}
	}
	if _, err := json.Marshal(openai.Quirks{Schema: 7}); err == nil {
		t.Error("a style that is none can be written")
	}
}

func TestEmbed(t *testing.T) {
	t.Parallel()
	url, all := listen(t, func(recordedRequest) (int, string) {
		return 200, `{"data":[{"index":1,"embedding":[]},{"index":0,"embedding":[0.5,1]}]}`
	})
	g := newClient(t, openai.Options{BaseURL: url})
	v, err := g.Embed(t.Context(), "e", []string{"a", "\"b\""})
	if want := [][]float32{{0.5, 1}, {}}; !reflect.DeepEqual(v, want) || err != nil {
		t.Errorf("%v, %v", v, err)
	}
	if a := all()[0]; a.path != "/v1/embeddings" || a.body != `{"model":"e","input":["a","\"b\""],"encoding_format":"float"}` {
		t.Errorf("%+v", a)
	}
	for _, texts := range [][]string{{"a"}, {"a", "b", "c"}} {
		if _, err := g.Embed(t.Context(), "e", texts); err == nil {
			t.Errorf("two vectors for %d texts", len(texts))
		}
	}
	req := request("m")
	if n, err := g.CountTokens(t.Context(), req); err != nil || n != llm.EstimateTokens(req.Contents[0].Parts) {
		t.Errorf("it counts %d, %v", n, err)
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
		_, _ = io.WriteString(w, "data: {\"choices\":[{\"delta\":{\"content\":\"a\"},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n")
	}))
	t.Cleanup(s.Close)
	g := newClient(t, openai.Options{BaseURL: s.URL})
	for range 5 {
		llmtest.Ask(t, g, "hello")
	}
	if len(remotes) != 1 {
		t.Errorf("%d connections for 5 answers", len(remotes))
	}
}

// TestOpenConnection checks that the client does not wait for a server that keeps the
// connection open after the end of the response.
func TestOpenConnection(t *testing.T) {
	t.Parallel()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		_, _ = io.WriteString(w, "data: {\"choices\":[{\"delta\":{\"content\":\"a\"},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n")
		w.(http.Flusher).Flush()
		<-r.Context().Done()
	}))
	t.Cleanup(s.Close)
	if a := llmtest.Ask(t, newClient(t, openai.Options{BaseURL: s.URL}), "hello"); a.Text != "a" || a.Finish != llm.FinishStop {
		t.Errorf("%+v", a)
	}
}
