package openai

import (
	"context"
	"encoding/json"
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
	"pollux/llm/httpwire"
)

func TestModels(t *testing.T) {
	t.Parallel()
	const yes, no = catalog.Yes, catalog.No
	for _, c := range []struct {
		name, body string
		want       []catalog.Model
	}{
		{
			"OpenAI", `{"object":"list","data":[{"id":"gpt-5.6","object":"model","created":1,"owned_by":"openai"},{"id":"text-embedding-3-small"},{"id":"whisper-1"},
			{"id":"gpt-4o-mini-tts"},{"id":"gpt-image-1"},{"id":"dall-e-3"},{"id":"omni-moderation-latest"},{"id":"gpt-4o-transcribe"},{"id":"gpt-realtime"},{"id":"gpt-4o"},{"id":"gpt-4o"}]}`,
			[]catalog.Model{{Name: "gpt-5.6"}, {Name: "gpt-4o"}},
		},
		{
			"OpenRouter", `{"data":[{"id":"anthropic/claude-sonnet-4.6","name":"Anthropic: Claude","context_length":1000000,"architecture":{"modality":"text+image->text","input_modalities":["image","text","file"],"output_modalities":["text"]},
			"pricing":{"prompt":"0.000003","completion":"0.000015","request":"0","image":"0.0048","input_cache_read":"0.0000003","input_cache_write":"0.00000375"},
			"top_provider":{"context_length":200000,"max_completion_tokens":64000,"is_moderated":false},"per_request_limits":null,"supported_parameters":["max_tokens","reasoning","tools"]},
			{"id":"openrouter/auto","context_length":2000000,"pricing":{"prompt":"-1","completion":"-1"},"top_provider":{"context_length":null,"max_completion_tokens":null},"supported_parameters":[]},
			{"id":"a/b:free","context_length":null,"top_provider":{"context_length":4096},"pricing":{"prompt":"0","completion":"0"},"supported_parameters":["temperature"],"architecture":{"input_modalities":["text"]}},
			{"id":"x/painter","architecture":{"input_modalities":["text"],"output_modalities":["image"]}}]}`,
			[]catalog.Model{
				{Name: "anthropic/claude-sonnet-4.6", Input: 1000000, Output: 64000, Tools: yes, Thinking: yes, Images: yes, PDF: yes, Audio: no, Video: no, Price: &catalog.Price{Input: 3, Output: 15, CacheRead: new(0.3), CacheWrite: new(3.75)}},
				{Name: "openrouter/auto", Input: 2000000},
				{Name: "a/b:free", Input: 4096, Tools: no, Thinking: no, Images: no, PDF: no, Audio: no, Video: no, Price: &catalog.Price{}},
			},
		},
		{"vLLM", `{"object":"list","data":[{"id":"Qwen/Qwen3-32B","object":"model","max_model_len":40960,"permission":[{"id":"modelperm-1"}]}]}`, []catalog.Model{{Name: "Qwen/Qwen3-32B", Input: 40960}}},
		{"Groq", `{"data":[{"id":"qwen/qwen3-32b","active":true,"context_window":131072,"max_completion_tokens":40960},{"id":"old","active":false},{"id":"whisper-large-v3"},{"id":"playai-tts"},{"id":"meta-llama/llama-guard-4-12b"}]}`, []catalog.Model{{Name: "qwen/qwen3-32b", Input: 131072, Output: 40960}}},
		{
			"Mistral", `{"object":"list","data":[{"id":"mistral-medium-latest","capabilities":{"completion_chat":true,"function_calling":true,"vision":true,"reasoning":false},"name":"mistral-medium-2508","max_context_length":131072,"type":"base","aliases":["x"]},
			{"id":"mistral-embed","capabilities":{"completion_chat":false}},{"id":"m","capabilities":{"completion_chat":false}}]}`,
			[]catalog.Model{{Name: "mistral-medium-latest", Input: 131072, Tools: yes, Images: yes, Thinking: no}},
		},
		{
			"Together", `[{"id":"moonshotai/Kimi-K2.5","object":"model","type":"chat","context_length":262144,"pricing":{"hourly":0,"input":1.2,"output":4.5,"base":0}},
			{"id":"rented","type":"chat","pricing":{"hourly":0,"input":0,"output":0}},{"id":"BAAI/e","type":"embedding"},{"id":"flux","type":"image"},{"id":"x","type":"rerank"},{"id":"y","type":"moderation"},{"id":"z","type":"audio"}]`,
			[]catalog.Model{{Name: "moonshotai/Kimi-K2.5", Input: 262144, Price: &catalog.Price{Input: 1.2, Output: 4.5}}, {Name: "rented"}},
		},
		{
			"llama.cpp", `{"models":[{"name":"/models/a.gguf","model":"a","capabilities":["completion"]}],"object":"list","data":[{"id":"a.gguf","owned_by":"llamacpp","meta":{"vocab_type":2,"n_ctx_train":131072,"size":9}}]}`,
			[]catalog.Model{{Name: "a.gguf", Input: 131072}},
		},
		{"Moonshot", `{"data":[{"id":"kimi-k3","context_length":1048576,"supports_image_in":true,"supports_video_in":false,"supports_reasoning":true}]}`, []catalog.Model{{Name: "kimi-k3", Input: 1048576, Images: yes, Video: no, Thinking: yes}}},
		{"Fireworks", `{"data":[{"id":"accounts/f/models/a","kind":"HF_BASE_MODEL","supports_chat":true,"supports_image_input":false,"supports_tools":true,"context_length":262144},{"id":"b","supports_chat":false}]}`, []catalog.Model{{Name: "accounts/f/models/a", Input: 262144, Tools: yes, Images: no}}},
		{"other names", `{"models":[{"name":"a","capabilities":["tool_use","vision","thinking"]}]}`, []catalog.Model{{Name: "a", Tools: yes, Images: yes, Thinking: yes}}},
		{"none", `{"object":"list","data":null}`, []catalog.Model{}},
		{"nonsense", `{"data":["x",7,null,{"id":7},{"id":"a b"},{"id":"a\u0007"},{"id":"` + strings.Repeat("x", 300) + `"},{"id":""},
			{"id":"ok","context_length":-5,"max_completion_tokens":1e300,"pricing":{"prompt":"free","completion":[]},"architecture":7,"capabilities":"all","supported_parameters":{"tools":true},"top_provider":[],"type":{}}]}`, []catalog.Model{{Name: "ok"}}},
		{
			"odd prices", `{"data":[{"id":"a","pricing":{"prompt":1.5e-7,"completion":"NaN"}},{"id":"b","pricing":{"prompt":"1.5e-7","completion":0.0000006,"input_cache_read":"-1"}},{"id":"c","pricing":{"prompt":"9","completion":"1"}}]}`,
			[]catalog.Model{{Name: "a"}, {Name: "b", Price: &catalog.Price{Input: 0.15, Output: 0.6}}, {Name: "c"}},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			got, err := listModels(t, t.Context(), 200, strings.NewReader(c.body))
			if diff := cmp.Diff(c.want, got); diff != "" || err != nil {
				t.Errorf("%v\n%s", err, diff)
			}
		})
	}
}

// listModels returns the models of a server that responds with body.
func listModels(t *testing.T, ctx context.Context, status int, body io.Reader) ([]catalog.Model, error) {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodGet || r.URL.Path != "/x/v1/models" || r.Header.Get("Authorization") != "Bearer k" || r.Header.Get("X-Title") != "t" || r.Header["Content-Type"] != nil {
			t.Errorf("%s %s %v", r.Method, r.URL, r.Header)
		}
		w.WriteHeader(status)
		_, _ = io.Copy(w, body) // the client may have disconnected
	}))
	t.Cleanup(s.Close)
	c, err := New(Options{APIKey: "k", BaseURL: s.URL + "/x/v1", HTTP: httpwire.Options{Header: http.Header{"X-Title": {"t"}}}})
	if err != nil {
		t.Fatal(err)
	}
	return c.Models(ctx)
}

func TestNoModels(t *testing.T) {
	t.Parallel()
	many := `[` + strings.Repeat(`{},`, maxListedModels) + `{}]`
	for _, c := range []struct {
		status int
		body   io.Reader
		kind   llm.ErrorKind
		text   string
	}{
		{401, strings.NewReader(refusalText), llm.KindUnauthorized, "no key"},
		{404, strings.NewReader("404 page not found"), llm.KindModelNotFound, "404"},
		{200, strings.NewReader(refusalText), llm.KindServer, "no key"},
		{200, strings.NewReader("<html>"), llm.KindOther, "HTML page"},
		{200, strings.NewReader(`{"data":[{"id":"a"`), llm.KindIncomplete, "Incomplete"},
		{200, strings.NewReader(`{}`), llm.KindServer, "no list"},
		{200, strings.NewReader(`"a"`), llm.KindServer, "no list"},
		{200, strings.NewReader(many), llm.KindServer, "more than 20000"},
		{200, io.LimitReader(endless{}, 17<<20), llm.KindServer, "more than 16 MB"},
	} {
		_, err := listModels(t, t.Context(), c.status, c.body)
		var e *llm.Error
		if !errors.As(err, &e) || e.Kind != c.kind || !strings.Contains(e.Message, c.text) {
			t.Errorf("%d, %s: %#v", c.status, c.text, e)
		}
	}
	ctx, cancel := context.WithCancelCause(t.Context())
	mine := errors.New("mine")
	cancel(mine)
	if _, err := listModels(t, ctx, 200, strings.NewReader("{}")); !errors.Is(err, mine) {
		t.Errorf("cancelled: %v", err)
	}
}

const refusalText = `{"error":{"message":"no key","type":null}}`

type endless struct{}

func (endless) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = ' '
	}
	return len(p), nil
}

// FuzzModels checks that model names are printable and unique, and that numbers
// are in range, for any list that a service sends.
func FuzzModels(f *testing.F) {
	f.Add([]byte(`{"data":[{"id":"a","context_length":1,"pricing":{"prompt":"0.1","completion":"-0"},"supported_parameters":["tools"],"capabilities":{"vision":true}},{"name":"b","meta":{"n_ctx":1}}]}`))
	f.Add([]byte(`[{"id":"a","type":"chat","pricing":{"input":1,"output":"2e0"},"architecture":{"output_modalities":["text"]}}]`))
	f.Fuzz(func(t *testing.T, data []byte) {
		if !json.Valid(data) {
			return
		}
		models, err := parseModels(data)
		if err != nil {
			return
		}
		seen := map[string]bool{}
		for _, m := range models {
			if seen[m.Name] || !isUsableName(m.Name) || m.Input < 0 || m.Output < 0 || m.Input > 1<<30 || m.Output > 1<<30 {
				t.Fatalf("%+v", m)
			}
			seen[m.Name] = true
			if p := m.Price; p != nil && !(p.Input >= 0 && p.Output >= 0 && p.Input < 1e6 && p.Output < 1e6) {
				t.Fatalf("%+v", p)
			}
		}
	})
}

// BenchmarkModels measures decoding the longest known list of models.
func BenchmarkModels(b *testing.B) {
	var list strings.Builder
	for i := range 400 {
		fmt.Fprintf(&list, `,{"id":"vendor/model-%d","name":"A model","description":%q,"context_length":131072,"pricing":{"prompt":"0.000003","completion":"0.000015"},"supported_parameters":["tools","reasoning"]}`, i, strings.Repeat("words ", 100))
	}
	data := []byte(`{"data":[` + list.String()[1:] + `]}`)
	b.SetBytes(int64(len(data)))
	b.ReportAllocs()
	for b.Loop() {
		if models, err := parseModels(data); err != nil || len(models) != 400 {
			b.Fatal(len(models), err)
		}
	}
}
