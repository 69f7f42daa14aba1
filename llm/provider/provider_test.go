package provider

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"pollux/llm/catalog"
	"pollux/llm/openai"
)

// TestBuiltin checks the built-in profiles like the user's, and that each name belongs to one
// provider.
func TestBuiltin(t *testing.T) {
	t.Parallel()
	names := map[string]string{}
	for p := range Builtin().All() {
		if err := p.check(); err != nil {
			t.Errorf("%s: %v", p.ID, err)
		}
		for _, name := range append([]string{p.ID}, p.Aliases...) {
			if other := names[name]; other != "" {
				t.Errorf("%s is a name of %s and of %s", name, p.ID, other)
			}
			names[name] = p.ID
		}
		if p.Name == "" {
			t.Errorf("%s has no name for people", p.ID)
		}
		rows := slices.Collect(catalog.Models(p.ID))
		for _, model := range []string{p.Model, p.SmallModel} {
			listed := slices.ContainsFunc(rows, func(m catalog.Model) bool { return m.Name == model })
			if model != "" && len(rows) > 0 && !listed && p.Protocol != Gemini && p.Protocol != Vertex && !p.Router && p.ID != "alibaba-us" {
				t.Errorf("%s: its default %s is not in the catalog", p.ID, model)
			}
		}
		if p.Local == nil && p.Model == "" && p.Protocol != Gemini && p.Protocol != Vertex {
			t.Errorf("%s has no model to ask", p.ID)
		}
	}
	for _, id := range strings.Fields("gemini openai anthropic azure openrouter deepseek qwen dashscope mistral groq xai moonshot zhipu together " +
		"fireworks ollama lmstudio llamacpp vllm sglang vertexai bedrock") {
		if Builtin().Find(id) == nil {
			t.Errorf("no provider is named %s", id)
		}
	}
}

func TestAdd(t *testing.T) {
	t.Parallel()
	table := Builtin()
	errs := table.Add(map[string]json.RawMessage{
		"mine": json.RawMessage(`{"baseUrl": "http://127.0.0.1:9/v1", "keyless": true, "model": "m",
			"quirks": {"systemRole": "user"}, "models": [{"match": "m*", "window": 9000, "quirks": {"maxTokens": "max_tokens"}}, {"match": "deaf", "quirks": {"noTools": true}}]}`),
		"deepseek": json.RawMessage(`{"keyVars": "MY_KEY", "models": [{"match": "deepseek-v4-pro", "price": {"input": 9, "output": 9}}]}`),
		"openai":   json.RawMessage(`{"baseUrl": "http://127.0.0.1:8/v1"}`),
	})
	if len(errs) > 0 {
		t.Fatal(errs)
	}
	mine := table.Find("mine")
	q, err := decodeQuirks[openai.Quirks](mine, mine.rules("m1"))
	if err != nil || q.SystemRole != "user" || q.MaxTokens != "max_tokens" || mine.Describe("m1", catalog.Model{}).Input != 9000 || !mine.CustomAddress {
		t.Errorf("mine: %+v %v", mine, err)
	}
	if mine.Describe("m1", catalog.Model{}).Tools != catalog.Unknown || mine.Describe("deaf", catalog.Model{}).Tools != catalog.No {
		t.Error("the quirk noTools is not known of the model")
	}
	if q, _ = decodeQuirks[openai.Quirks](mine, mine.rules("n")); q.MaxTokens != "" {
		t.Error("a rule holds for a model that it does not match")
	}
	deepseek := table.Find("deepseek")
	if deepseek.BaseURL != "https://api.deepseek.com/v1" || deepseek.KeyVars[0] != "MY_KEY" || len(deepseek.Quirks) == 0 {
		t.Errorf("what was not given has changed: %+v", deepseek)
	}
	if p := deepseek.Describe("deepseek-v4-pro", catalog.Model{}).Price; p == nil || p.Input != 9 {
		t.Errorf("the user's price is %+v", p)
	}
	if got := table.Find("openai").ProtocolFor("gpt-5.2"); got != Chat {
		t.Errorf("at another address OpenAI's models are spoken to by %s", got)
	}
	if got := Builtin().Find("openai").ProtocolFor("gpt-5.2"); got != Responses {
		t.Errorf("OpenAI's models are spoken to by %s", got)
	}
}

func TestAddErrors(t *testing.T) {
	t.Parallel()
	for entry, want := range map[string]string{
		`[]`:                      "it may not be a JSON array",
		`{"baseURl": 7}`:          "baseUrl may not be a JSON number",
		`{"url": "http://x"}`:     `unknown field "url"`,
		`{"baseUrl": "nonsense"}`: `"nonsense" is not a URL`,
		`{"keyless": true}`:       "it has no baseUrl",
		`{"baseUrl": "http://x", "protocol": "smtp"}`:                                      `unknown protocol "smtp"`,
		`{"baseUrl": "http://x", "quirks": {"a": 1}}`:                                      `unknown field "a"`,
		`{"baseUrl": "http://x", "models": [{}]}`:                                          "models[0] has no match",
		`{"baseUrl": "http://x", "models": [{"match": "["}]}`:                              "is not a valid pattern",
		`{"baseUrl": "http://x", "models": [{"match": "m", "quirks": {"schema": "xml"}}]}`: "xml",
	} {
		table := Builtin()
		errs := table.Add(map[string]json.RawMessage{"mine": json.RawMessage(entry)})
		if len(errs) != 1 || !strings.Contains(errs[0].Error(), want) || !strings.HasPrefix(errs[0].Error(), "modelProviders.mine is ignored: ") {
			t.Errorf("%s: %v, want %s", entry, errs, want)
		}
		if table.Find("mine") != nil {
			t.Errorf("%s was added", entry)
		}
	}
	if errs := Builtin().Add(map[string]json.RawMessage{"a/b": json.RawMessage(`{"baseUrl": "http://x"}`)}); len(errs) != 1 {
		t.Errorf("a name with a slash: %v", errs)
	}
}

func TestAccess(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		id, env, base, key, token, from, model string
		found                                  bool
	}{
		{"openai", "", "https://api.openai.com/v1", "", "", "", "gpt-5.6-sol", false},
		{"openai", "OPENAI_API_KEY= k\n", "https://api.openai.com/v1", "k", "", "OPENAI_API_KEY", "gpt-5.6-sol", true},
		{"openai", "OPENAI_BASE_URL=http://h", "http://h", "", "", "OPENAI_BASE_URL", "", true},
		{"openai", "OPENAI_BASE_URL=https://api.openai.com|OPENAI_API_KEY=k", "https://api.openai.com", "k", "", "OPENAI_API_KEY", "gpt-5.6-sol", true},
		{"openai", "OPENAI_BASE_URL=http://h|OPENAI_MODEL=m", "http://h", "", "", "OPENAI_BASE_URL", "m", true},
		{"anthropic", "ANTHROPIC_AUTH_TOKEN=t|ANTHROPIC_BASE_URL=http://h", "http://h", "", "t", "ANTHROPIC_AUTH_TOKEN", "claude-sonnet-4-6", true},
		{"azure", "AZURE_OPENAI_ENDPOINT=https://r.openai.azure.com/|AZURE_OPENAI_API_KEY=k", "https://r.openai.azure.com/openai/v1", "k", "", "AZURE_OPENAI_API_KEY", "gpt-5", true},
		{"azure", "AZURE_OPENAI_ENDPOINT=https://r.x/openai/deployments/{model}?api-version=2|AZURE_OPENAI_AD_TOKEN=t", "https://r.x/openai/deployments/{model}?api-version=2", "", "t", "AZURE_OPENAI_AD_TOKEN", "gpt-5", true},
		{"alibaba-singapore", "DASHSCOPE_API_KEY=k", "https://dashscope-intl.aliyuncs.com/compatible-mode/v1", "k", "", "DASHSCOPE_API_KEY", "qwen3.6-plus", true},
		{"ollama", "OLLAMA_HOST=10.0.0.7:1", "10.0.0.7:1", "", "", "OLLAMA_HOST", "", true},
		{"vllm", "", "http://127.0.0.1:8000/v1", "", "", "", "", false},
	} {
		env := map[string]string{}
		for pair := range strings.SplitSeq(c.env, "|") {
			name, value, _ := strings.Cut(pair, "=")
			env[name] = value
		}
		a, found := Builtin().Find(c.id).Access(func(name string) string { return env[name] })
		got := []string{a.BaseURL, a.APIKey, a.AuthToken, a.From, a.Model, strconv.FormatBool(found)}
		want := []string{c.base, c.key, c.token, c.from, c.model, strconv.FormatBool(c.found)}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s with %s (-want +got):\n%s", c.id, c.env, diff)
		}
	}
}

func TestServing(t *testing.T) {
	t.Parallel()
	for address, want := range map[string]string{
		"https://api.deepseek.com/v1":  "deepseek",
		"https://api.deepseek.com":     "deepseek",
		"https://openrouter.ai/api/v1": "openrouter",
		"http://127.0.0.1:8080":        "",
		"https://example.org/v1":       "",
		"::":                           "",
	} {
		got := ""
		if p := Builtin().FindByAddress(address); p != nil {
			got = p.ID
		}
		if got != want {
			t.Errorf("%s is served by %q, want %q", address, got, want)
		}
	}
}

// TestDiscover looks for servers where two answer, one is silent, one is another
// program, and one does not exist.
func TestDiscover(t *testing.T) {
	t.Parallel()
	ollama := serve(t, map[string]string{"/api/version": `{"version": "0.12"}`})
	studio := serve(t, map[string]string{"/api/v0/models": `{"data": [
		{"id": "idle", "type": "llm", "state": "not-loaded", "max_context_length": 4096},
		{"id": "text-embedding", "type": "embeddings", "state": "loaded"},
		{"id": "eyes", "type": "vlm", "state": "loaded", "max_context_length": 131072, "loaded_context_length": 8192, "capabilities": ["tool_use"]}]}`})
	other := serve(t, map[string]string{"/v1/models": `<html>`})
	silent := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }))
	t.Cleanup(silent.Close)
	table := &Table{}
	errs := table.Add(map[string]json.RawMessage{
		"a-ollama": local(ollama, "/api/version", "version"),
		"b-studio": local(studio, "/api/v0/models", "data"),
		"c-other":  local(other, "/v1/models", "data"),
		"d-silent": local(silent, "/v1/models", "data"),
		"e-absent": json.RawMessage(`{"baseUrl": "http://127.0.0.1:1", "keyless": true, "local": {"port": 1, "probe": "/", "says": "data"}}`),
		"f-remote": json.RawMessage(`{"baseUrl": "http://192.0.2.1", "keyless": true}`),
	})
	if len(errs) > 0 {
		t.Fatal(errs)
	}
	var got []string
	found := table.Discover(t.Context(), 3*time.Second) // for a busy machine; the silent one takes it all
	for _, a := range found {
		got = append(got, a.ID)
	}
	if diff := cmp.Diff([]string{"a-ollama", "b-studio"}, got); diff != "" {
		t.Fatalf("found (-want +got):\n%s", diff)
	}
	c, err := Open(found[1], Network{})
	if err != nil {
		t.Fatal(err)
	}
	models, err := c.Models(t.Context())
	if err != nil || len(models) != 2 || models[0].Name != "eyes" || models[0].Input != 8192 || models[0].Tools != catalog.Yes || models[0].Images != catalog.Yes {
		t.Errorf("its models are %+v, %v", models, err)
	}
	if m := c.Describe(t.Context(), "idle"); m.Input != 4096 {
		t.Errorf("idle takes %d tokens", m.Input)
	}
}

func TestWindow(t *testing.T) {
	t.Parallel()
	server := serve(t, map[string]string{
		"/v1/models": `{"object": "list", "data": [{"id": "m"}]}`,
		"/props":     `{"default_generation_settings": {"n_ctx": 12288}}`,
	})
	table := &Table{}
	if errs := table.Add(map[string]json.RawMessage{"l": json.RawMessage(`{"baseUrl": "` + server.URL + `/v1", "keyless": true,
		"local": {"port": 1, "probe": "/", "says": "x", "window": "/props", "windowAt": "default_generation_settings.n_ctx"}}`)}); len(errs) > 0 {
		t.Fatal(errs)
	}
	a, _ := table.Find("l").Access(func(string) string { return "" })
	c, err := Open(a, Network{})
	if err != nil {
		t.Fatal(err)
	}
	if m := c.Describe(t.Context(), "m"); m.Input != 12288 {
		t.Errorf("it takes %d tokens", m.Input)
	}
}

func local(s *httptest.Server, probe, says string) json.RawMessage {
	u, _ := url.Parse(s.URL)
	return json.RawMessage(`{"baseUrl": "` + s.URL + `/v1", "keyless": true, "local": {"port": ` + u.Port() + `, "probe": "` + probe +
		`", "says": "` + says + `", "list": "/api/v0/models"}}`)
}

func serve(t *testing.T, pages map[string]string) *httptest.Server {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		page, ok := pages[r.URL.Path]
		if !ok {
			http.NotFound(w, r)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write([]byte(page))
	}))
	t.Cleanup(s.Close)
	return s
}

// FuzzAdd checks that Add returns an error for a wrong entry, and that a provider that it
// accepts can be opened or returns an error.
func FuzzAdd(f *testing.F) {
	f.Add("mine", `{"baseUrl": "http://127.0.0.1:9/v1", "keyless": true, "models": [{"match": ["a*", "b"], "quirks": {}}]}`)
	f.Add("openai", `{"protocol": "responses", "headers": {"X": "y"}}`)
	f.Add("vertexai", `{"models": [{"match": "x", "protocol": "openai", "quirks": {"topK": true}}]}`)
	f.Add("mine", `{"baseUrl": "http://x/v1", "quirks": null, "models": null, "headers": null, "local": null}`)
	f.Fuzz(func(t *testing.T, id, entry string) {
		table := Builtin()
		errs := table.Add(map[string]json.RawMessage{id: json.RawMessage(entry)})
		table.Add(map[string]json.RawMessage{id: json.RawMessage(`{"quirks": {"systemRole": "user"}, "headers": {"X": "y"}}`)}) // over it
		p := table.Find(id)
		if p == nil {
			if len(errs) == 0 {
				t.Fatalf("%q was neither taken nor refused", entry)
			}
			return
		}
		a, _ := p.Access(func(string) string { return "" })
		c, err := Open(a, Network{})
		if err != nil {
			return
		}
		if _, err := c.For("a"); err == nil {
			p.Describe("a", catalog.Model{})
		}
	})
}

func BenchmarkFind(b *testing.B) {
	for b.Loop() {
		Builtin().Find("gemini")
	}
}

func BenchmarkAll(b *testing.B) {
	for b.Loop() {
		for range Builtin().All() {
		}
	}
}
