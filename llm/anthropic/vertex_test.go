package anthropic

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"os"
	"reflect"
	"strings"
	"testing"

	"pollux/llm"
	"pollux/llm/llmtest"
)

func onVertex(t testing.TB, url string) *Client {
	return newClient(t, Options{
		Vertex: &Vertex{Project: "my-project", Location: "us-east5"}, BaseURL: url,
		Credentials: func(context.Context) (string, error) { return "token", nil },
	})
}

// TestVertexLikeSDK compares requests with recorded ones of the vendor's SDK (its
// package vertex at v1.84.0, which has too many dependencies to import it).
func TestVertexLikeSDK(t *testing.T) {
	t.Parallel()
	data, err := os.ReadFile("testdata/vertex_sdk.json")
	if err != nil {
		t.Fatal(err)
	}
	var recorded []struct {
		Target, Authorization, Betas string
		Body                         json.RawMessage
	}
	if err := json.Unmarshal(data, &recorded); err != nil {
		t.Fatal(err)
	}
	s := newStrict(t, answerStream, `{"input_tokens":42}`)
	c := onVertex(t, s.URL)
	req := fullRequest()
	if _, err := ask(t, c, req); err != nil {
		t.Fatal(err)
	}
	if n, err := c.CountTokens(t.Context(), req); n != 42 || err != nil {
		t.Fatal(n, err)
	}
	for i, want := range recorded {
		if s.paths[i] != want.Target || s.headers[i].Get("Authorization") != want.Authorization {
			t.Errorf("%s as %s\nwant %s", s.paths[i], s.headers[i].Get("Authorization"), want.Target)
		}
		if betas := s.headers[i].Get(betaHeader); betas != want.Betas && i == 0 {
			t.Errorf("betas %s, want %s", betas, want.Betas)
		}
		if got, want := listed(t, s.raw[i]), listed(t, want.Body); !reflect.DeepEqual(got, want) {
			t.Errorf("got  %s\nwant %s", show(got), show(want))
		}
	}
}

// listed decodes a request and replaces results that are a string by a list, as the
// SDK sends them.
func listed(t *testing.T, data []byte) map[string]any {
	t.Helper()
	var body map[string]any
	if err := json.Unmarshal(data, &body); err != nil {
		t.Fatal(err)
	}
	listResults(body)
	return body
}

func TestVertexAddresses(t *testing.T) {
	t.Parallel()
	for at, want := range map[[3]string]string{
		{"", "", "claude-opus-4-6"}:                                              "https://aiplatform.googleapis.com/v1/projects/p/locations/global/publishers/anthropic/models/claude-opus-4-6:rawPredict",
		{"", "eu", "claude-sonnet-4-5-20250929"}:                                 "https://aiplatform.eu.rep.googleapis.com/v1/projects/p/locations/eu/publishers/anthropic/models/claude-sonnet-4-5@20250929:rawPredict",
		{"", "us", "claude-sonnet-4-5@20250929"}:                                 "https://aiplatform.us.rep.googleapis.com/v1/projects/p/locations/us/publishers/anthropic/models/claude-sonnet-4-5@20250929:rawPredict",
		{"", "asia-east1", "publishers/anthropic/models/x"}:                      "https://asia-east1-aiplatform.googleapis.com/v1/projects/p/locations/asia-east1/publishers/anthropic/models/x:rawPredict",
		{"https://gate.example/a/v1/", "us-east5", "anthropic/claude-opus-5"}:    "https://gate.example/a/v1/projects/p/locations/us-east5/publishers/anthropic/models/claude-opus-5:rawPredict",
		{"http://gate.example", "../x?", "claude-opus-5#"}:                       "http://gate.example/v1/projects/p/locations/..%2Fx%3F/publishers/anthropic/models/claude-opus-5%23:rawPredict",
		{"https://gate.example", "us-east5", "claude-3-5-sonnet-v2@20241022"}:    "https://gate.example/v1/projects/p/locations/us-east5/publishers/anthropic/models/claude-3-5-sonnet-v2@20241022:rawPredict",
		{"https://gate.example/vertex-ai/v1", "global", "claude-opus-4-6-12345"}: "https://gate.example/vertex-ai/v1/projects/p/locations/global/publishers/anthropic/models/claude-opus-4-6-12345:rawPredict",
	} {
		v, err := newVertex(Options{Vertex: &Vertex{Project: "p", Location: at[1]}, BaseURL: at[0]}, nil)
		if err != nil {
			t.Fatal(err)
		}
		if got := aimed(t, v, methodGenerate, at[2]); got != want {
			t.Errorf("%v:\n%s, want\n%s", at, got, want)
		}
	}
	for _, o := range []Options{{Vertex: &Vertex{Location: "us"}, APIKey: "k"}, {Vertex: &Vertex{Project: "p"}, BaseURL: "ftp://x"}, {Vertex: &Vertex{Project: "p", Location: "elsewhere.example/x"}}} {
		if _, err := New(o); err == nil {
			t.Errorf("%+v is enough", o.Vertex)
		}
	}
	c := onVertex(t, "http://127.0.0.1:1")
	for _, model := range []string{"", "..", "a/", "a b", "a\n"} {
		if _, err := c.Generate(t.Context(), &llm.Request{Model: model, Contents: llmtest.Prompt("hi").Contents}); asError(t, err).Kind != llm.KindBadRequest {
			t.Errorf("%q: %v", model, err)
		}
	}
}

// TestVertexTokens checks that each request gets a token unless the caller
// authenticates requests.
func TestVertexTokens(t *testing.T) {
	t.Parallel()
	s := newStrict(t, answerStream)
	asked := 0
	o := Options{Vertex: &Vertex{Project: "p"}, BaseURL: s.URL, APIKey: "google's", Credentials: func(context.Context) (string, error) {
		asked++
		return "fresh", nil
	}}
	for want, change := range map[string]func(*Options){
		"Bearer fresh": func(*Options) {},
		"Bearer given": func(o *Options) { o.AuthToken = " given\n" },
		"Basic x":      func(o *Options) { o.HTTP.Header = http.Header{"authorization": {"Basic x"}} },
	} {
		o := o
		change(&o)
		if _, err := ask(t, newClient(t, o), llmtest.Prompt("hi")); err != nil {
			t.Fatal(err)
		}
		if h := s.headers[len(s.headers)-1]; h.Get("Authorization") != want || h.Get("X-Api-Key") != "" {
			t.Errorf("%s: %v", want, h)
		}
	}
	if asked != 1 {
		t.Errorf("%d tokens", asked)
	}
	no := errors.New("logged out")
	o.Credentials = func(context.Context) (string, error) { return "", no }
	_, err := ask(t, newClient(t, o), llmtest.Prompt("hi"))
	if e := asError(t, err); e.Kind != llm.KindUnauthorized || !errors.Is(err, no) || !strings.Contains(e.Message, "gcloud auth") {
		t.Error(err)
	}
}

// aimed returns the address of a question about a model.
func aimed(t *testing.T, s service, m method, model string) string {
	t.Helper()
	r, err := prepared(t, s, m, model)
	if err != nil {
		t.Fatal(err)
	}
	return r.URL.String()
}
