package scriptmodel_test

import (
	"encoding/json"
	"errors"
	"net/http"
	"slices"
	"strings"
	"testing"

	"pollux/llm"
	client "pollux/llm/ollama"

	"pollux/internal/scriptmodel"
	"pollux/internal/scriptmodel/ollama"
)

const (
	ollamaPath = "/api/chat"
	ollamaUser = `{"role":"user","content":"hi"}`
	ollamaUse  = `{"role":"assistant","content":"","tool_calls":[{"id":"c1","function":{"name":"f","arguments":{}}}]}`
	ollamaTool = `{"role":"tool","content":"x","tool_name":"f","tool_call_id":"c1"}`
	ollamaPNG  = "iVBORw0KGgo="
)

// ollamaBody returns a request body with these messages and fields.
func ollamaBody(messages, more string) string {
	if more != "" {
		more = "," + more
	}
	return `{"model":"m","messages":[` + messages + `],"options":{"num_ctx":32768},"tools":[{"type":"function","function":{"name":"f","parameters":{"type":"object","properties":{}}}}]` + more + `}`
}

func ollamaAsk(t *testing.T, s *scriptmodel.Server, method, path, body string) (int, string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, s.URL()+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	return do(t, req)
}

// TestOllamaIsStrict checks that invalid requests are refused with the errors of the real server.
func TestOllamaIsStrict(t *testing.T) {
	t.Parallel()
	image := func(data string) string { return `{"role":"user","content":"x","images":["` + data + `"]}` }
	tools := func(parameters string) string {
		return ollamaBody(ollamaUser, `"tools":[{"type":"function","function":{"name":"f","parameters":`+parameters+`}}]`)
	}
	for _, c := range []struct {
		name, body string
		status     int
		want       string
	}{
		{"not JSON", `{"model`, 400, "invalid request"},
		{"no model", `{"messages":[` + ollamaUser + `]}`, 400, "model is required"},
		{"empty model", `{"model":"","messages":[` + ollamaUser + `]}`, 400, "model is required"},
		{"no messages", ollamaBody("", ""), 400, "messages"},
		{"unknown field", ollamaBody(ollamaUser, `"tool_choice":"auto"`), 400, `unknown field \"tool_choice\"`},
		{"unknown option", ollamaBody(ollamaUser, `"options":{"max_tokens":1}`), 400, `unknown field \"options.max_tokens\"`},
		{"option of another type", ollamaBody(ollamaUser, `"options":{"top_k":0.5}`), 400, "options.top_k"},
		{"role", ollamaBody(`{"role":"model","content":"x"}`, ""), 400, "invalid messages[0].role: model"},
		{"developer", ollamaBody(`{"role":"developer","content":"x"}`, ""), 400, "invalid messages[0].role"},
		{"content in parts", ollamaBody(`{"role":"user","content":[{"type":"text","text":"x"}]}`, ""), 400, "cannot unmarshal an array"},
		{"nothing said", ollamaBody(`{"role":"user","content":""}`, ""), 400, "says nothing"},
		{"system late", ollamaBody(ollamaUser+`,{"role":"system","content":"x"}`, ""), 400, "before all others"},
		{"two users", ollamaBody(ollamaUser+`,`+ollamaUser, ""), 400, "must alternate"},
		{"assistant first", ollamaBody(`{"role":"assistant","content":"x"},`+ollamaUser, ""), 400, "must begin with"},
		{"assistant last", ollamaBody(ollamaUser+`,{"role":"assistant","content":"x"}`, ""), 400, "must end with"},
		{"assistant says nothing", ollamaBody(ollamaUser+`,{"role":"assistant","content":"","thinking":"x"},`+ollamaUser, ""), 400, "says nothing"},
		{"arguments in a string", ollamaBody(ollamaUser+`,`+strings.Replace(ollamaUse, `{}`, `"{}"`, 1)+`,`+ollamaTool, ""), 400, "cannot unmarshal a string"},
		{"a call of nothing", ollamaBody(ollamaUser+`,`+strings.Replace(ollamaUse, `"f"`, `""`, 1)+`,`+ollamaTool, ""), 400, "a call of nothing"},
		{"no result", ollamaBody(ollamaUser+`,`+ollamaUse+`,`+ollamaUser, ""), 400, "did not have response messages"},
		{"result of nothing", ollamaBody(ollamaUser+`,`+ollamaTool, ""), 400, "a result of no call"},
		{"two results", ollamaBody(ollamaUser+`,`+ollamaUse+`,`+ollamaTool+`,`+ollamaTool, ""), 400, "a result of no call"},
		{"result of another", ollamaBody(ollamaUser+`,`+ollamaUse+`,`+strings.Replace(ollamaTool, `"f"`, `"g"`, 1), ""), 400, `a result of \"g\" for a call of \"f\"`},
		{"result without a call", ollamaBody(ollamaUser+`,`+ollamaUse+`,{"role":"tool","content":"x"}`, ""), 400, "an unknown tool"},
		{"images", ollamaBody(image("%"), ""), 400, "illegal base64"},
		{"images of other kinds", ollamaBody(image("AAAA"), ""), 500, "unknown format"},
		{"images of a tool", ollamaBody(ollamaUser+`,`+ollamaUse+`,{"role":"tool","content":"x","tool_name":"f","images":[]}`, ""), 400, "unknown field"},
		{"tool twice", ollamaBody(ollamaUser, `"tools":[{"type":"function","function":{"name":"f","parameters":{"type":"object","properties":{}}}},{"type":"function","function":{"name":"f","parameters":{"type":"object","properties":{}}}}]`), 400, "declared twice"},
		{"tool without a schema", ollamaBody(ollamaUser, `"tools":[{"type":"function","function":{"name":"f"}}]`), 400, "parameters is required"},
		{"schema of types", tools(`{"type":["object"],"properties":{}}`), 400, "cannot unmarshal array"},
		{"schema of a property", tools(`{"type":"object","properties":{"a":true}}`), 400, "cannot unmarshal bool"},
		{"schema of nothing", tools(`{"type":"string"}`), 400, "not the schema of an object"},
		{"format", ollamaBody(ollamaUser, `"format":"yaml"`), 400, "invalid format: yaml"},
		{"think", ollamaBody(ollamaUser, `"think":"much"`), 400, "invalid think: much"},
		{"think in levels", ollamaBody(ollamaUser, `"think":"high"`), 400, `think value \"high\" is not supported`},
		{"the default window", ollamaBody(`{"role":"user","content":"`+strings.Repeat("x", 20_000)+`"}`, `"options":{}`), 400, "would be cut off"},
		{"the window", ollamaBody(`{"role":"user","content":"`+strings.Repeat("x", 20_000)+`"}`, `"options":{"num_ctx":1024},"truncate":false`), 400, "exceeds the context length"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s := serve(t, "turn\n text x", scriptmodel.Options{})
			// A field that is given twice counts the second time.
			status, body := ollamaAsk(t, s, "POST", ollamaPath, c.body)
			var e struct{ Error string }
			if status != c.status || !strings.Contains(body, c.want) || json.Unmarshal([]byte(body), &e) != nil || e.Error == "" {
				t.Errorf("%d %s, want %d %s", status, body, c.status, c.want)
			}
			if s.Check() == nil {
				t.Error("Check has nothing to say")
			}
		})
	}
}

func TestOllamaLetsIn(t *testing.T) {
	t.Parallel()
	for _, body := range []string{
		`{"model":"m","messages":[` + ollamaUser + `]}`,
		ollamaBody(`{"role":"system","content":"s"},{"role":"user","content":"","images":["`+ollamaPNG+`"]},
			{"role":"assistant","content":"a","thinking":"t","tool_calls":[{"function":{"name":"f","arguments":{"a":1}}},{"function":{"name":"f","arguments":{}}}]},
			{"role":"tool","content":"","tool_name":"f"},{"role":"tool","content":"y","tool_name":"f"},{"role":"user","content":"and?"}`,
			`"think":true,"truncate":false,"shift":false,"keep_alive":"5m","format":{"type":"object"},"stream":true`),
		ollamaBody(ollamaUser, `"model":"gpt-oss:20b","think":"low","format":"json","options":{"num_ctx":1,"num_predict":-1,"temperature":0.5,"top_p":1,"top_k":64,"seed":0,"stop":["x"]}`),
		ollamaBody(ollamaUser, `"tools":[{"type":"function","function":{"name":"g","description":"d","parameters":{"type":"object","properties":{"a":{"type":["string","null"],"enum":[1]}},"additionalProperties":false,"required":["a"]}}}]`),
	} {
		s := serve(t, "turn\n text x", scriptmodel.Options{})
		if status, answer := ollamaAsk(t, s, "POST", ollamaPath, body); status != 200 {
			t.Errorf("%s: %d %s", body, status, answer)
		}
		if err := s.Check(); err != nil {
			t.Error(err)
		}
	}
}

// TestOllamaMisbehaves checks the bytes of each misbehavior.
func TestOllamaMisbehaves(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		script string
		status int
		want   string
		not    string
	}{
		{"text a\ntext b", 200, `"message":{"content":"b","role":"assistant"}`, "data:"},
		{"text a", 200, `"done":true,"done_reason":"stop"`, ""},
		{"think hm\ntext a", 200, `"message":{"content":"","role":"assistant","thinking":"hm"}`, "<think>"},
		{"thoughts tags\nthink hm\ntext a", 200, `\u003cthink\u003ehm`, `"thinking"`},
		{"call f {\"a\": 1}\ncall g {}", 200, `"tool_calls":[{"function":{"arguments":{},"index":1,"name":"g"},"id":"g_1"}]`, ""},
		{"interleave\ncall f {\"a\": 1}\ncall g {}", 200, `"id":"f_1"},{"function":`, ""},
		{"call args=broken f {\"a\": 1}", 200, `"arguments":"{\"a\""`, ""},
		{"call args=empty f {\"a\": 1}", 200, `"arguments":""`, ""},
		{"call id=none f {}", 200, `{"function":{"arguments":{},"index":0,"name":"f"}}`, `"id"`},
		{"text a\nfinish MAX_TOKENS", 200, `"done_reason":"length"`, ""},
		{"finish load", 200, `"done_reason":"load"`, ""},
		{"text a\nfinish none", 200, `"a"`, `"done":true`},
		{"text a\nusage none", 200, `"done":true`, "eval_count"},
		{"text a\nusage prompt=9 candidates=3", 200, `"eval_count":3,"eval_duration":3000000,"load_duration":1000000,"message":{"content":"","role":"assistant"},"model":"m","prompt_eval_count":9`, ""},
		{"null\ntext a", 200, `"message":null`, ""},
		{"comment x\ntext a", 200, "\n\n{", "x"},
		{"fail 503", 503, `{"error":"server busy`, ""},
		{"fail 429 insufficient_quota", 429, "usage limit", ""},
		{"fail 400 context_length_exceeded", 400, "context length", ""},
		{"text a\nfail 500 it breaks", 200, "\n{\"error\":\"it breaks\"}\n", `"done":true`},
		{"html 200 <p>Log in", 200, "<p>Log in", "{"},
		{"frame {\"x\"", 200, "{\"x\"\n", ""},
		{"framing crlf\ntext a", 200, "\r\n", ""},
	} {
		s := serve(t, "turn\n"+c.script, scriptmodel.Options{})
		status, body := ollamaAsk(t, s, "POST", ollamaPath, ollamaBody(ollamaUser, ""))
		if c.script == "comment x\ntext a" {
			body = "\n" + body // a blank line before all
		}
		if status != c.status || !strings.Contains(body, c.want) || c.not != "" && strings.Contains(body, c.not) {
			t.Errorf("%q: %d %s", c.script, status, body)
		}
		if err := s.Check(); err != nil {
			t.Error(err)
		}
	}
	s := serve(t, "turn\n think hm\n text a\n call f {}", scriptmodel.Options{})
	_, body := ollamaAsk(t, s, "POST", ollamaPath, ollamaBody(ollamaUser, `"stream":false,"think":false`))
	if m := get(parsed(body), "message"); str1(get(m, "content")) != "a" || get(m, "thinking") != nil || str1(get(m, "tool_calls", 0, "id")) != "f_1" || parsed(body)["done"] != true {
		t.Error(body)
	}
}

// TestOllamaAside checks that the description of a model lacks refused capabilities.
func TestOllamaAside(t *testing.T) {
	t.Parallel()
	s := serve(t, "models big small\ncontext 9000\nrefuse tools\nrefuse images\nkey secret\nturn\n times always\n text x", scriptmodel.Options{})
	for _, c := range []struct {
		method, path, key, body string
		status                  int
		want                    string
	}{
		{"GET", "/api/version", "secret", "", 200, `{"version":"0.`},
		{"GET", "/api/tags", "secret", "", 200, `"name":"small"`},
		{"GET", "/api/tags", "", "", 401, `{"error":"unauthorized"}`},
		{"POST", "/api/show", "secret", `{"model":"m"}`, 200, `"capabilities":["completion","thinking"]`},
		{"POST", "/api/show", "secret", `{"model":"m"}`, 200, `"scripted.context_length":9000`},
		{"POST", "/api/show", "secret", `{"name":"m"}`, 400, `unknown field`},
		{"POST", "/api/embed", "secret", `{"model":"e","input":["a","b"]}`, 200, `"embeddings":[[`},
		{"POST", "/api/embed", "secret", `{"model":"e","input":"a"}`, 200, `"embeddings":[[`},
		{"POST", "/api/embed", "secret", `{"model":"e"}`, 400, `input is required`},
		{"POST", "/api/generate", "secret", `{}`, 404, ``},
		{"GET", "/api/chat", "secret", ``, 405, `not allowed`},
		{"POST", "/api/chat", "secret", ollamaBody(ollamaUser, ""), 400, `does not support tools`},
		{"POST", "/api/chat", "wrong", ollamaBody(ollamaUser, `"tools":[]`), 401, `unauthorized`},
		{"POST", "/api/chat", "secret", ollamaBody(`{"role":"user","content":"x","images":["`+ollamaPNG+`"]}`, `"tools":[]`), 500, `missing data required for image input`},
		{"POST", "/api/chat", "secret", ollamaBody(ollamaUser, `"tools":[],"think":true`), 200, `"x"`},
	} {
		req, err := http.NewRequestWithContext(t.Context(), c.method, s.URL()+c.path, strings.NewReader(c.body))
		if err != nil {
			t.Fatal(err)
		}
		if c.key != "" {
			req.Header.Set("Authorization", "Bearer "+c.key)
		}
		if status, body := do(t, req); status != c.status || !strings.Contains(body, c.want) {
			t.Errorf("%s %s %s: %d %s", c.method, c.path, c.body, status, body)
		}
	}
}

// TestOllamaClient checks that the server accepts the requests of Pollux's client, and that the client
// reads the whole answer.
func TestOllamaClient(t *testing.T) {
	t.Parallel()
	s := serve(t, `
models big
context 20000
turn
  expect wire ollama
  expect prompt hello
  expect system be brief
  expect media image/png
  expect tool f
  expect field options.num_ctx 20000
  think Hm
  call f {"a": 1}
  call f {}
turn
  expect messages 3
  expect result f_1 one
  expect result f_2 two
  expect field messages.2.thinking Hm
  text Hello,
  text " wörld"
  usage prompt=9 candidates=3
  finish MAX_TOKENS
`, scriptmodel.Options{})
	g, err := client.New(client.Options{BaseURL: s.URL()})
	if err != nil {
		t.Fatal(err)
	}
	req := &llm.Request{Model: "big", Contents: []*llm.Content{
		llm.User(llm.Text("hello"), llm.Part{InlineData: &llm.Blob{MIMEType: "image/png", Data: []byte("\x89PNG\r\n\x1a\n")}}),
	}}
	req.Config.SystemInstruction = llm.User(llm.Text("be brief"))
	req.Config.Tools = []*llm.ToolSet{{Functions: []llm.FunctionDeclaration{{Name: "f"}}}}
	model, user := llm.Model(), llm.User()
	for chunk, err := range g.Stream(t.Context(), req) {
		if err != nil {
			t.Fatal(err)
		}
		model.Parts = append(model.Parts, chunk.Parts()...)
	}
	for i, c := range model.FunctionCalls() {
		user.Parts = append(user.Parts, llm.Part{FunctionResponse: llm.Output(c.ID, c.Name, []string{"one", "two"}[i])})
	}
	req.Contents = append(req.Contents, model, user)
	r, err := g.Generate(t.Context(), req)
	if err != nil || r.Text() != "Hello, wörld" || r.FinishReason() != llm.FinishMaxTokens || r.Usage == nil || r.Usage.Total != 12 {
		t.Errorf("%+v, %v", r, err)
	}
	all, err := g.Models(t.Context())
	if err != nil || len(all) != 1 || all[0].Input != 20000 {
		t.Errorf("%+v, %v", all, err)
	}
	req.Contents = append(req.Contents, llm.Model(llm.Text("a")), llm.User(llm.Text(strings.Repeat("many words ", 9_000))))
	var e *llm.Error
	if _, err := g.Generate(t.Context(), req); !errors.As(err, &e) || e.Kind != llm.KindContextWindow {
		t.Errorf("error %v", err)
	}
}

// FuzzOllama checks any request body with checkReadable.
func FuzzOllama(f *testing.F) {
	f.Add([]byte(ollamaBody(ollamaUser+","+ollamaUse+","+ollamaTool, `"think":true`)))
	f.Add([]byte(ollamaBody(ollamaUser, `"stream":false,"format":"json"`)))
	f.Add([]byte(`{"model":"m","messages":[{"role":"user","content":"x","images":["` + ollamaPNG + `"]}],"options":null}`))
	f.Fuzz(func(t *testing.T, body []byte) {
		r, _ := http.NewRequest("POST", "http://x"+ollamaPath, nil)
		a, ok := ollama.Wire{}.Route(r)
		if !ok {
			t.Fatal("not routed")
		}
		checkReadable(t, ollama.Wire{}, &a, r, body)
		for _, m := range a.Messages {
			var ids []string
			for _, c := range m.Calls {
				if slices.Contains(ids, c.ID) {
					t.Errorf("two calls have the ID %s: %s", c.ID, body)
				}
				ids = append(ids, c.ID)
			}
		}
	})
}
