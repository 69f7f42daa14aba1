package gemini_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pollux/llm"
	"pollux/llm/catalog"
	"pollux/llm/gemini"
)

// serve starts a server with this handler and returns a client of it.
func serve(t *testing.T, o gemini.Options, handle http.HandlerFunc) *gemini.Client {
	t.Helper()
	s := httptest.NewServer(handle)
	t.Cleanup(s.Close)
	o.BaseURL = s.URL + o.BaseURL
	c, err := gemini.New(o)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestModels(t *testing.T) {
	t.Parallel()
	pages := map[string]string{
		"": `{"models":[
			{"name":"models/gemini-3-pro-preview","version":"3","displayName":"Gemini 3 Pro","inputTokenLimit":1048576,"outputTokenLimit":65536,"supportedGenerationMethods":["generateContent","countTokens"],"thinking":true,"temperature":1},
			{"name":"models/gemini-embedding-001","inputTokenLimit":2048,"outputTokenLimit":1,"supportedGenerationMethods":["embedContent"]},
			{"name":"models/gemma-4-31b-it","inputTokenLimit":"256000","supportedGenerationMethods":["generateContent"]}],"nextPageToken":"p/2="}`,
		"p/2=": `{"models":[
			{"name":"models/gemini-3-pro-preview","supportedGenerationMethods":["generateContent"]},
			{"name":"models/odd","inputTokenLimit":-7,"outputTokenLimit":1e400,"supportedGenerationMethods":["generateContent"],"thinking":false},
			{"name":"models/\u001b[2Jbad","supportedGenerationMethods":["generateContent"]},
			{"name":"models/","supportedGenerationMethods":["generateContent"]},
			{"name":"..","supportedGenerationMethods":["generateContent"]},
			{"name":"models/` + strings.Repeat("x", 300) + `","supportedGenerationMethods":["generateContent"]},
			{"supportedGenerationMethods":["generateContent"]},{}]}`,
	}
	var received []string
	c := serve(t, gemini.Options{APIKey: "k", BaseURL: "/gw"}, func(w http.ResponseWriter, r *http.Request) {
		received = append(received, r.Method+" "+r.URL.String())
		if r.Header.Get("X-Goog-Api-Key") != "k" || r.Header.Get("User-Agent") != "Pollux" || r.Header["Content-Type"] != nil {
			t.Errorf("headers %v", r.Header)
		}
		_, _ = io.WriteString(w, pages[r.URL.Query().Get("pageToken")])
	})
	got, err := c.Models(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	want := []catalog.Model{
		{Name: "gemini-3-pro-preview", Input: 1_048_576, Output: 65_536, Thinking: catalog.Yes},
		{Name: "gemma-4-31b-it", Input: 256_000},
		{Name: "odd", Thinking: catalog.No},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("models (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"GET /gw/v1beta/models?pageSize=1000", "GET /gw/v1beta/models?pageSize=1000&pageToken=p%2F2%3D"}, received); diff != "" {
		t.Errorf("asked (-want +got):\n%s", diff)
	}
}

func TestVertexModels(t *testing.T) {
	t.Parallel()
	token := func(context.Context) (string, error) { return "tok", nil }
	for name, o := range map[string]gemini.Options{
		"project": {Vertex: &gemini.Vertex{Project: "p", Location: "us-central1"}, Credentials: token},
		"express": {Vertex: &gemini.Vertex{}, APIKey: "k"},
		"version": {Vertex: &gemini.Vertex{Project: "p", Location: "us-central1"}, Credentials: token, APIVersion: "v1"},
	} {
		var path string
		var header http.Header
		c := serve(t, o, func(w http.ResponseWriter, r *http.Request) {
			path, header = r.URL.Path, r.Header
			_, _ = io.WriteString(w, `{"publisherModels":[
				{"name":"publishers/google/models/gemini-2.5-flash","versionId":"default","launchStage":"GA"},
				{"name":"publishers/google/models/gemini-embedding-001"},
				{"name":"publishers/google/models/gemini-live-2.5-flash"},
				{"name":"publishers/google/models/gemini-2.0-flash-live-preview"},
				{"name":"publishers/google/models/imagen-4.0-generate-001"}]}`)
		})
		got, err := c.Models(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff([]catalog.Model{{Name: "gemini-2.5-flash"}}, got); diff != "" {
			t.Errorf("%s: models (-want +got):\n%s", name, diff)
		}
		if path != "/v1beta1/publishers/google/models" {
			t.Errorf("%s: asked %s", name, path)
		}
		if key, auth := header.Get("X-Goog-Api-Key"), header.Get("Authorization"); (name == "express") != (key == "k") || (name == "express") != (auth == "") {
			t.Errorf("%s: key %q, authorization %q", name, key, auth)
		}
	}
}

func TestModelsBadAnswers(t *testing.T) {
	t.Parallel()
	write := func(status int, body string) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			w.WriteHeader(status)
			_, _ = io.WriteString(w, body)
		}
	}
	for _, c := range []struct {
		name   string
		handle http.HandlerFunc
		kind   llm.ErrorKind
		says   string
	}{
		{"HTML page", write(200, "\n<!doctype html><title>Welcome</title>"), llm.KindOther, "HTML page"},
		{"no key", write(401, string(errorBody(401, "API key not valid."))), llm.KindUnauthorized, "API key not valid."},
		{"not allowed", write(403, string(errorBody(403, "Not for you."))), llm.KindForbidden, "Not for you."},
		{"too many", write(429, string(errorBody(429, "Slow down."))), llm.KindRateLimit, "Slow down."},
		{"no list here", write(404, "nothing"), llm.KindModelNotFound, "status 404 (Not Found): nothing"},
		{"redirect", func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "https://example.org/login", http.StatusFound)
		}, llm.KindOther, "redirects"},
		{"error under 200", write(200, string(errorBody(503, "Overloaded."))), llm.KindServer, "Overloaded."},
		{"half a list", write(200, `{"models":[{"name":"models/a"`), llm.KindServer, "list of models"},
		{"nothing", write(200, ""), llm.KindServer, "list of models"},
		{"wrong types", write(200, `{"models":{"name":7}}`), llm.KindServer, "list of models"},
		{"huge page", func(w http.ResponseWriter, r *http.Request) {
			piece := []byte(`{"models":[` + strings.Repeat(`{"name":"models/x"},`, 1000))
			for {
				if _, err := w.Write(piece); err != nil {
					return
				}
			}
		}, llm.KindServer, "more than 2 MB"},
		{"broken off", func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Length", "1000")
			_, _ = io.WriteString(w, `{"models":[`)
			_ = http.NewResponseController(w).Flush()
			panic(http.ErrAbortHandler)
		}, llm.KindNetwork, "Lost the connection"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			models, err := serve(t, gemini.Options{APIKey: "k"}, c.handle).Models(t.Context())
			var e *llm.Error
			if !errors.As(err, &e) || e.Kind != c.kind || !strings.Contains(e.Error(), c.says) || models != nil {
				t.Errorf("%v, %+v", models, err)
			}
		})
	}
}

func TestModelsWithoutEnd(t *testing.T) {
	t.Parallel()
	for name, next := range map[string]func(page int) string{
		"new tokens":    func(page int) string { return fmt.Sprint(page) },
		"the same one":  func(int) string { return "again" },
		"a token of MB": func(int) string { return strings.Repeat("t", 1<<20) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			n := 0
			c := serve(t, gemini.Options{APIKey: "k"}, func(w http.ResponseWriter, r *http.Request) {
				n++
				_, _ = fmt.Fprintf(w, `{"models":[{"name":"models/m%d","supportedGenerationMethods":["generateContent"]}],"nextPageToken":%q}`, n, next(n))
			})
			models, err := c.Models(t.Context())
			want := map[string]int{"new tokens": 20, "the same one": 2, "a token of MB": 1}[name]
			if err != nil || n != want || len(models) != want {
				t.Errorf("%d pages, %d models, %v", n, len(models), err)
			}
		})
	}
}

func TestModelsTooMany(t *testing.T) {
	t.Parallel()
	n := 0
	c := serve(t, gemini.Options{APIKey: "k"}, func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.WriteString(w, `{"models":[{}`)
		for range 1000 {
			n++
			_, _ = fmt.Fprintf(w, `,{"name":"models/m%d","supportedGenerationMethods":["generateContent"]}`, n)
		}
		_, _ = fmt.Fprintf(w, `],"nextPageToken":"%d"}`, n)
	})
	if models, err := c.Models(t.Context()); err != nil || len(models) != 5000 {
		t.Errorf("%d models, %v", len(models), err)
	}
}

func TestModelsCancelled(t *testing.T) {
	t.Parallel()
	why := errors.New("the user left")
	ctx, cancel := context.WithCancelCause(t.Context())
	c := serve(t, gemini.Options{APIKey: "k"}, func(w http.ResponseWriter, r *http.Request) {
		cancel(why)
		<-r.Context().Done()
	})
	if _, err := c.Models(ctx); !errors.Is(err, why) {
		t.Error(err)
	}
}
