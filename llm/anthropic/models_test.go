package anthropic

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"reflect"
	"strings"
	"testing"

	"pollux/llm"
	"pollux/llm/catalog"
)

// serving returns a client of a server that sends the same response to all requests.
func serving(t *testing.T, answer http.HandlerFunc) string {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		answer(w, r)
	}))
	t.Cleanup(s.Close)
	return s.URL
}

// servingPages returns the address of a service that lists its models in several pages.
func servingPages(t *testing.T) (url string) {
	yes, no := map[string]any{"supported": true}, map[string]any{"supported": false}
	pages := map[string]any{
		"": map[string]any{"has_more": true, "first_id": "claude-opus-5", "last_id": "claude-haiku-4-5", "data": []any{
			map[string]any{
				"type": "model", "id": "claude-opus-5", "display_name": "Claude Opus 5", "created_at": "2026-07-01T00:00:00Z",
				"max_input_tokens": 1_000_000, "max_tokens": 128_000,
				"capabilities": map[string]any{
					"image_input": yes, "pdf_input": no, "thinking": map[string]any{"supported": true, "types": map[string]any{"adaptive": yes}},
					"effort": map[string]any{"supported": true, "low": yes, "medium": yes, "high": yes, "xhigh": no, "max": yes},
				},
			},
			map[string]any{"type": "model", "id": "claude-haiku-4-5", "max_input_tokens": nil, "capabilities": nil},
		}},
		"claude-haiku-4-5": map[string]any{"has_more": false, "last_id": "old", "data": []any{map[string]any{"id": "old", "max_input_tokens": -1}, map[string]any{}}},
	}
	return serving(t, func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodGet || r.URL.Path != "/v1/models" || r.Header.Get("X-Api-Key") != "k" || r.Header.Get("Anthropic-Version") == "" {
			t.Errorf("%s %s %v", r.Method, r.URL, r.Header)
		}
		if r.Header.Get("User-Agent") == "Pollux" && r.FormValue("limit") != "1000" {
			t.Errorf("asked for %s", r.URL.RawQuery)
		}
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write(encode(pages[r.FormValue("after_id")]))
	})
}

func TestModels(t *testing.T) {
	t.Parallel()
	got, err := newClient(t, Options{APIKey: "k", BaseURL: servingPages(t)}).Models(t.Context())
	want := []catalog.Model{
		{Name: "claude-opus-5", Input: 1_000_000, Output: 128_000, Thinking: catalog.Yes, Images: catalog.Yes, PDF: catalog.No, Efforts: []string{"low", "medium", "high", "max"}},
		{Name: "claude-haiku-4-5"},
		{Name: "old"},
	}
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%+v, %v\nwant %+v", got, err, want)
	}
}

func TestNoModels(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		status      int
		body        string
		kind        llm.ErrorKind
		unsupported bool
	}{
		"no list":       {404, "Not Found", llm.KindModelNotFound, true},
		"not allowed":   {405, "", llm.KindOther, true},
		"no key":        {401, `{"error":{"type":"authentication_error","message":"invalid x-api-key"}}`, llm.KindUnauthorized, false},
		"a web page":    {200, "<html>", llm.KindOther, false},
		"another thing": {200, `{"models":[]}`, llm.KindServer, false},
		"a list":        {200, `[]`, llm.KindServer, false},
		"odd numbers":   {200, `{"data":[{"id":"m","max_tokens":"many"}]}`, llm.KindServer, false},
	} {
		url := serving(t, func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(c.status)
			_, _ = io.WriteString(w, c.body)
		})
		models, err := newClient(t, Options{APIKey: "k", BaseURL: url}).Models(t.Context())
		if e := asError(t, err); e.Kind != c.kind || errors.Is(err, errors.ErrUnsupported) != c.unsupported || models != nil {
			t.Errorf("%s: %v %v: %v", name, models, e.Kind, err)
		}
	}
	// The number of pages is limited.
	pages := 0
	url := serving(t, func(w http.ResponseWriter, _ *http.Request) {
		pages++
		_, _ = fmt.Fprintf(w, `{"data":[{"id":"m"}],"has_more":true,"last_id":"%d"}`, pages)
	})
	models, err := newClient(t, Options{BaseURL: url}).Models(t.Context())
	if err != nil || len(models) != maxPages || pages != maxPages {
		t.Errorf("%d models of %d pages, %v", len(models), pages, err)
	}
}

func TestModelsBearer(t *testing.T) {
	t.Parallel()
	url := serving(t, func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "Bearer k" || r.Header.Get("X-Api-Key") != "" {
			t.Error(r.Header)
		}
		_, _ = io.WriteString(w, `{"data":[]}`)
	})
	for _, o := range []Options{{Quirks: Quirks{Bearer: true}}, {ForModel: func(_ string, q *Quirks) { q.Bearer = true }}} {
		o.APIKey, o.BaseURL = "k", url
		if models, err := newClient(t, o).Models(t.Context()); len(models) != 0 || err != nil {
			t.Error(models, err)
		}
	}
}

// TestNoCount checks that a service without token counts returns
// errors.ErrUnsupported.
func TestNoCount(t *testing.T) {
	t.Parallel()
	url := serving(t, func(w http.ResponseWriter, _ *http.Request) { http.NotFound(w, nil) })
	_, err := newClient(t, Options{APIKey: "k", BaseURL: url}).CountTokens(t.Context(), fullRequest())
	if !errors.Is(err, errors.ErrUnsupported) || !strings.Contains(err.Error(), "404") {
		t.Error(err)
	}
}
