package openai_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"reflect"
	"strings"
	"sync"
	"testing"
	"time"

	sdk "github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"

	"pollux/llm"
	"pollux/llm/llmtest"
	"pollux/llm/openai"
)

// asked is a request as a server sees it.
type asked struct {
	path, query string
	header      http.Header
	body        string
}

const hello = `{"id":"i","object":"chat.completion","created":1,"model":"m","choices":[{"index":0,"message":{"role":"assistant","content":"hi"},"finish_reason":"stop"}]}`

// listen serves what answer returns and keeps the requests.
func listen(t *testing.T, answer func(a asked) (status int, body string)) (url string, all func() []asked) {
	t.Helper()
	var mu sync.Mutex
	var seen []asked
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Errorf("read the request: %v", err)
		}
		a := asked{r.URL.EscapedPath(), r.URL.RawQuery, r.Header, string(body)}
		mu.Lock()
		seen = append(seen, a)
		mu.Unlock()
		status, text := answer(a)
		w.WriteHeader(status)
		_, _ = io.WriteString(w, text)
	}))
	t.Cleanup(s.Close)
	return s.URL, func() []asked {
		mu.Lock()
		defer mu.Unlock()
		return seen
	}
}

func ok(asked) (int, string) { return 200, hello }

func request(model string) *llm.Request {
	return &llm.Request{Model: model, Contents: []*llm.Content{llm.User(llm.Text("hello"))}}
}

func TestAddressAndHeaders(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name    string
		options openai.Options
		base    string // behind the server's address
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
		{"own headers win", openai.Options{UserAgent: "P {model}", Header: http.Header{"authorization": {"mine"}, "X-Title": {"t"}}}, "", "/v1/chat/completions?", map[string]string{"Authorization": "mine", "X-Title": "t", "User-Agent": "P a/b"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			url, all := listen(t, ok)
			c.options.BaseURL = url + c.base
			_, _ = newClient(t, c.options).Generate(t.Context(), request("a/b")) // Responses does not understand it
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

// TestAzure: the address of a resource is enough, in either form of Azure's.
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
	// What is about no deployment has its place above them, as the vendor's SDK has it.
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
		"a character that no key has":        {APIKey: "a\nb"},
	} {
		if _, err := openai.New(o); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
	if c, err := openai.New(openai.Options{RootCAs: []string{"/does/not/exist"}}); c == nil || err != nil {
		t.Error(err)
	}
}

// refusal is an error body as OpenAI writes it.
func refusal(message, param string) string {
	return string(show(map[string]any{"error": map[string]any{"message": message, "type": "invalid_request_error", "param": param, "code": nil}}))
}

// TestLessons: what a service refuses is left out, once and for all, and said.
func TestLessons(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, model string
		options     openai.Options
		refused     string // in a request
		status      int
		body        string
		then        string // in the second request
	}{
		{"stream_options", "m", openai.Options{}, `"stream_options"`, 400, refusal("Unknown parameter: 'stream_options'.", "stream_options"), `"stream":true`},
		{"stream_options, pydantic", "m", openai.Options{}, `"stream_options"`, 422, `{"detail":[{"type":"extra_forbidden","loc":["body","stream_options"],"msg":"Extra inputs are not permitted"}]}`, `"stream":true`},
		{"stream_options, bare", "m", openai.Options{}, `"stream_options"`, 400, `{"object":"error","message":"json: unknown field \"stream_options\"","code":400}`, `"stream":true`},
		{"temperature", "m", openai.Options{}, `"temperature"`, 400, refusal("Unsupported value: 'temperature' does not support 0.5 with this model. Only the default (1) value is supported.", "temperature"), `"max_tokens":9`},
		{"max_tokens", "m", openai.Options{}, `"max_tokens"`, 400, refusal("Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.", "max_tokens"), `"max_completion_tokens":9`},
		{"max_completion_tokens", "o3", openai.Options{}, `"max_completion_tokens"`, 400, `{"message":"Extra field max_completion_tokens is not allowed"}`, `"max_tokens":9`},
		{"tool_choice", "m", openai.Options{}, `"tool_choice"`, 400, refusal("tool_choice is not supported by this model", ""), `"tools"`},
		{"system role", "m", openai.Options{}, `"system"`, 400, refusal("System role not supported", ""), `"content":"Be brief.\n\nhello"`},
		{"system role, said by OpenAI", "m", openai.Options{}, `"system"`, 400, refusal("Unsupported value: 'messages[0].role' does not support 'system' with this model.", "messages[0].role"), `"content":"Be brief.\n\nhello"`},
		{"developer", "m", openai.Options{Quirks: openai.Quirks{SystemRole: "developer"}}, `"developer"`, 400, refusal("messages[0].role: unknown variant `developer`, expected one of `system`, `user`", ""), `"role":"system"`},
		{"schema", "m", openai.Options{}, `"json_schema"`, 400, refusal("This response_format type is unavailable now", ""), `"response_format":{"type":"json_object"}`},
		{"effort", "m", openai.Options{}, `"reasoning_effort"`, 400, refusal("Unrecognized request argument supplied: reasoning_effort", ""), `"max_tokens":9`},
		{"effort, as xAI names it", "m", openai.Options{}, `"reasoning_effort"`, 400, `{"code":"Client specified an invalid argument","error":"Model m does not support parameter reasoningEffort."}`, `"max_tokens":9`},
		{"no thinking, as Ollama says it", "m", openai.Options{Quirks: openai.Quirks{Thinking: openai.ThinkingType}}, `"thinking"`, 400, refusal(`"m" does not support thinking`, ""), `"max_tokens":9`},
		{"enable_thinking", "m", openai.Options{Quirks: openai.Quirks{Thinking: openai.ThinkingEnable}}, `"enable_thinking"`, 400, refusal("The model does not support the parameter enable_thinking.", ""), `"max_tokens":9`},
		{"thinking type", "m", openai.Options{Quirks: openai.Quirks{Thinking: openai.ThinkingType}}, `"thinking"`, 422, `{"detail":[{"type":"extra_forbidden","loc":["body","thinking"],"msg":"Extra inputs are not permitted"}]}`, `"max_tokens":9`},
		{"thinking object", "m", openai.Options{Quirks: openai.Quirks{Thinking: openai.ThinkingObject}}, `"reasoning"`, 400, refusal("Unknown parameter: 'reasoning'.", "reasoning"), `"max_tokens":9`},
		{"thinking in the template", "m", openai.Options{Quirks: openai.Quirks{Thinking: openai.ThinkingTemplate}}, `"chat_template_kwargs"`, 400, refusal("Unrecognized request argument supplied: chat_template_kwargs", ""), `"max_tokens":9`},
		{"an extra", "m", openai.Options{Quirks: openai.Quirks{Extra: map[string]json.RawMessage{"reasoning_format": json.RawMessage(`"parsed"`)}}}, `"reasoning_format"`, 400, refusal("reasoning_format is not supported with this model", ""), `"max_tokens":9`},
		{"short ids", "m", openai.Options{}, `call_a_long_id`, 400, `{"object":"error","message":"Tool call id was call_a_long_id but must be a-z, A-Z, 0-9, with a length of 9.","type":"invalid_request_error","code":3280}`, `"tool_call_id":"`},
		{"an answer behind results", "m", openai.Options{}, `"found"},{"role":"user"`, 400, `{"object":"error","message":"Unexpected role 'user' after role 'tool'","type":"invalid_request_message_order","code":"3230"}`, `"role":"assistant","content":"I have the results."`},
		{"thoughts missing", "m", openai.Options{}, `"role":"assistant","content":null,"tool_calls"`, 400, refusal("thinking is enabled but reasoning_content is missing in assistant tool call message at index 2", ""), `"reasoning_content":" ","tool_calls"`},
		{"thoughts to be passed back", "m", openai.Options{Quirks: openai.Quirks{ReasoningOut: "reasoning_content"}}, `"role":"assistant","content":null,"tool_calls"`, 400, refusal("The `reasoning_content` in the thinking mode must be passed back to the API.", ""), `"reasoning_content":" ","tool_calls"`},
		{"responses, reasoning", "m", openai.Options{Quirks: openai.Quirks{Protocol: openai.Responses}}, `"reasoning":`, 400, refusal("Unsupported parameter: 'reasoning' is not supported with this model.", "reasoning"), `"store":false`},
		{"responses, encrypted content", "o3", openai.Options{Quirks: openai.Quirks{Protocol: openai.Responses}}, `"include"`, 400, refusal("Encrypted content is not supported with this model.", "include"), `"store":false`},
		{"responses, summary", "o3", openai.Options{Quirks: openai.Quirks{Protocol: openai.Responses}}, `"summary":"auto"`, 400, refusal("Your organization must be verified to generate reasoning summaries.", "reasoning.summary"), `"reasoning":{"effort":"low"}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			answer := "data: " + strings.Replace(hello, "message", "delta", 1) + "\n\ndata: [DONE]\n\n"
			if c.options.Quirks.Protocol == openai.Responses {
				answer = "data: {\"type\":\"response.completed\",\"response\":{\"status\":\"completed\",\"output\":[{\"type\":\"message\",\"content\":[{\"type\":\"output_text\",\"text\":\"hi\"}]}]}}\n\n"
			}
			url, all := listen(t, func(a asked) (int, string) {
				if strings.Contains(a.body, c.refused) {
					return c.status, c.body
				}
				return 200, answer
			})
			var told []string
			c.options.BaseURL = url
			c.options.Log = func(m string) { told = append(told, m) }
			g := newClient(t, c.options)
			req := request(c.model)
			req.Contents = append(req.Contents, llm.Model(llm.Part{FunctionCall: &llm.FunctionCall{ID: "call_a_long_id", Name: "ls"}}),
				llm.User(llm.Part{FunctionResponse: llm.Output("call_a_long_id", "ls", "found")}), llm.User(llm.Text("go on")))
			req.Config = llm.Config{
				SystemInstruction: llm.User(llm.Text("Be brief.")), Temperature: new(0.5), MaxOutputTokens: 9,
				Tools:              []*llm.ToolSet{{Functions: []llm.FunctionDeclaration{{Name: "ls"}}}},
				ToolConfig:         &llm.ToolConfig{Mode: "AUTO"},
				ResponseJSONSchema: []byte(`{"type":"object"}`), Thinking: &llm.Thinking{IncludeThoughts: true, Budget: new(9)},
			}
			for range 2 {
				var a llmtest.Answer
				for chunk, err := range g.Stream(t.Context(), req) {
					if err != nil {
						t.Fatal(err)
					}
					a.Add(chunk)
				}
				if a.Text != "hi" {
					t.Errorf("text %q", a.Text)
				}
			}
			if n := len(all()); n != 3 {
				t.Errorf("%d requests, want 3", n)
			}
			if last := all()[len(all())-1].body; !strings.Contains(last, c.then) {
				t.Errorf("no %s in %s", c.then, last)
			}
			if len(told) != 1 || !strings.Contains(told[0], c.model) {
				t.Errorf("told %q", told)
			}
		})
	}
}

// TestToolsRefused: a model that cannot be given tools is one that is asked in
// words by who knows how.
func TestToolsRefused(t *testing.T) {
	t.Parallel()
	for _, body := range []string{
		refusal("registry.ollama.ai/library/gemma:2b does not support tools", ""),
		refusal("Unsupported parameter: 'tools' is not supported with this model.", "tools"),
		`{"object":"error","message":"\"auto\" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set","type":"BadRequestError","code":400}`,
		`{"error":{"message":"tools param requires --jinja flag","code":500}}`,
	} {
		url, all := listen(t, func(asked) (int, string) {
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

// TestOtherProtocol: a model that is not spoken to with one protocol is spoken to
// with the other, once that was found out; one that is not there is just not there.
func TestOtherProtocol(t *testing.T) {
	t.Parallel()
	const done = `{"id":"r","status":"completed","output":[{"type":"message","content":[{"type":"output_text","text":"hi"}]}]}`
	responses := openai.Quirks{Protocol: openai.Responses}
	for _, c := range []struct {
		quirks openai.Quirks
		status int
		body   string
		paths  string // of two requests
	}{
		{responses, 404, "404 page not found", "/v1/responses /v1/chat/completions /v1/chat/completions"},
		{responses, 404, `{"detail":"Not Found"}`, "/v1/responses /v1/chat/completions /v1/chat/completions"},
		{responses, 404, `{"error":{"code":404,"message":"File Not Found","type":"not_found_error"}}`, "/v1/responses /v1/chat/completions /v1/chat/completions"},
		{responses, 405, `{"detail":"Method Not Allowed"}`, "/v1/responses /v1/chat/completions /v1/chat/completions"},
		{responses, 400, refusal("Azure OpenAI Responses API is enabled only for api-version 2025-03-01-preview and later", ""), "/v1/responses /v1/chat/completions /v1/chat/completions"},
		{responses, 400, refusal("The model 'm' is not supported in the v1/responses endpoint.", "model"), "/v1/responses /v1/chat/completions /v1/chat/completions"},
		{responses, 404, refusal("The model 'm' does not exist or you do not have access to it.", ""), "/v1/responses /v1/responses"},
		{responses, 404, `{"error":{"code":"DeploymentNotFound","message":"The API deployment for this resource does not exist."}}`, "/v1/responses /v1/responses"},
		{responses, 401, refusal("You may not use the Responses API: it is not allowed for this key.", ""), "/v1/responses /v1/responses"},
		{responses, 500, refusal("oops", ""), "/v1/responses /v1/responses"},
		{openai.Quirks{}, 404, refusal("This model is only supported in v1/responses and not in v1/chat/completions.", "model"), "/v1/chat/completions /v1/responses /v1/responses"},
		{openai.Quirks{}, 400, refusal("Function tools with reasoning_effort are not supported for m in /v1/chat/completions. Please use /v1/responses instead.", "reasoning_effort"), "/v1/chat/completions /v1/responses /v1/responses"},
		{openai.Quirks{}, 404, "404 page not found", "/v1/chat/completions /v1/chat/completions"},
	} {
		first := ""
		url, all := listen(t, func(a asked) (int, string) {
			if first == "" {
				first = a.path
			}
			switch {
			case a.path == first:
				return c.status, c.body
			case a.path == "/v1/responses":
				return 200, done
			}
			return 200, hello
		})
		var told []string
		g := newClient(t, openai.Options{BaseURL: url, Quirks: c.quirks, Log: func(m string) { told = append(told, m) }})
		var paths []string
		learns := strings.Count(c.paths, " ") == 2
		for range 2 {
			req := request("m")
			req.Contents = append(req.Contents, llm.Model(llm.Part{FunctionCall: &llm.FunctionCall{ID: "1", Name: "ls"}}), llm.User(llm.Part{FunctionResponse: llm.Output("1", "ls", "x")}))
			if r, err := g.Generate(t.Context(), req); (err == nil) != learns || learns && r.Text() != "hi" {
				t.Errorf("%d %s: %+v, %v", c.status, c.body, r, err)
			}
		}
		for _, a := range all() {
			paths = append(paths, a.path)
			if strings.Contains(a.body, `"messages":`) != strings.HasSuffix(a.path, "chat/completions") || strings.Contains(a.body, `"tool_call_id"`) != strings.HasSuffix(a.path, "chat/completions") {
				t.Errorf("%s was sent %s", a.path, a.body)
			}
		}
		if got := strings.Join(paths, " "); got != c.paths || (len(told) == 1) != learns {
			t.Errorf("%d %s: %s, want %s; told %q", c.status, c.body, got, c.paths, told)
		}
	}
}

// TestForModel: a model's own ways come on top of the service's, and do not
// become those of another one.
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
		_, _ = g.Generate(t.Context(), request(m)) // the answer is not one of Responses
	}
	if a := all(); a[0].path != "/v1/responses" || !strings.Contains(a[0].body, `"a":1,"b":2`) || strings.Contains(a[0].body, "store") ||
		a[1].path != "/v1/chat/completions" || strings.Contains(a[1].body, `"b"`) {
		t.Errorf("%+v", a)
	}
}

func TestQuirksInJSON(t *testing.T) {
	t.Parallel()
	const all = `{"protocol":"responses","systemRole":"developer","maxTokens":"max_tokens","drop":["seed"],"extra":{"a":{"b":1}},"topK":true,"sampling":true,"noTools":true,` +
		`"strictSchema":true,"schema":"words","streamOnly":true,"thinking":"template","effortOff":"none","efforts":["low","high"],"reasoningOut":"reasoning_content","reasoningKeep":true,"reasoningFill":true,` +
		`"untagged":true,"opened":true,"shortIds":true,"emptyContent":true,"answerAfterTool":true,"noImages":true,"noPDF":true,"noAudio":true}`
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

// TestStreamOnly: a model that answers in streams alone gives whole answers, too.
func TestStreamOnly(t *testing.T) {
	t.Parallel()
	url, all := listen(t, func(a asked) (int, string) {
		if !strings.Contains(a.body, `"stream":true`) {
			return 400, refusal("This model only support stream mode, please enable the stream parameter to access the model. ", "")
		}
		return 200, "data: {\"id\":\"i\",\"choices\":[{\"delta\":{\"reasoning_content\":\"h\"}}]}\n\ndata: {\"choices\":[{\"delta\":{\"content\":\"a\"}}]}\n\ndata: {\"choices\":[{\"delta\":{\"content\":\"b\"}}]}\n\n" +
			"data: {\"choices\":[{\"delta\":{},\"finish_reason\":\"stop\"}],\"usage\":{\"prompt_tokens\":1,\"completion_tokens\":2}}\n\ndata: [DONE]\n\n"
	})
	g := newClient(t, openai.Options{BaseURL: url, Quirks: openai.Quirks{Thinking: openai.ThinkingEnable}})
	for range 2 {
		r, err := g.Generate(t.Context(), request("qwq"))
		if err != nil || r.Text() != "ab" || r.FinishReason() != llm.FinishStop || r.Usage == nil || r.Usage.Total != 3 || r.ResponseID != "i" || !r.Parts()[0].Thought {
			t.Errorf("%+v, %v", r, err)
		}
	}
	if a := all(); len(a) != 3 || !strings.Contains(a[0].body, `"enable_thinking":false`) || strings.Contains(a[2].body, "enable_thinking") {
		t.Errorf("%+v", a)
	}
}

// TestTooManyTools: none is left out in silence, and a model that takes so many
// and no more is not one that takes none.
func TestTooManyTools(t *testing.T) {
	t.Parallel()
	url, all := listen(t, func(asked) (int, string) {
		return 400, refusal("Invalid 'tools': array too long. Expected an array with maximum length 128, but got an array with length 129 instead.", "tools")
	})
	req := request("m")
	set := &llm.ToolSet{}
	for i := range 129 {
		set.Functions = append(set.Functions, llm.FunctionDeclaration{Name: fmt.Sprint("f", i)})
	}
	req.Config.Tools = []*llm.ToolSet{set}
	_, err := newClient(t, openai.Options{BaseURL: url}).Generate(t.Context(), req)
	var e *llm.Error
	if !errors.As(err, &e) || e.Kind != llm.KindBadRequest || !strings.Contains(e.Message, "length 129") || !strings.Contains(e.Message, "turn some off") || len(all()) != 1 {
		t.Errorf("%d requests, %#v", len(all()), err)
	}
}

// TestNoEndlessLessons: a service that refuses everything is believed in the end.
func TestNoEndlessLessons(t *testing.T) {
	t.Parallel()
	names := []string{"temperature", "top_p", "seed", "presence_penalty", "frequency_penalty", "stop", "max_tokens", "stream_options"}
	url, all := listen(t, func(a asked) (int, string) {
		for _, n := range names {
			if strings.Contains(a.body, `"`+n+`"`) {
				return 400, refusal("unsupported parameter "+n, n)
			}
		}
		return 400, refusal("bad", "")
	})
	req := request("m")
	req.Config = llm.Config{Temperature: new(0.5), TopP: new(0.5), Seed: new(1), PresencePenalty: new(0.1), FrequencyPenalty: new(0.1), StopSequences: []string{"x"}, MaxOutputTokens: 3}
	if _, err := newClient(t, openai.Options{BaseURL: url}).Generate(t.Context(), req); err == nil || len(all()) != 5 {
		t.Errorf("%d requests, %v", len(all()), err)
	}
}

// TestFumbledCall: a call that the server itself could not read is asked for again.
func TestFumbledCall(t *testing.T) {
	t.Parallel()
	for times, want := range map[int]int{1: 2, 9: 2} {
		n := 0
		url, all := listen(t, func(asked) (int, string) {
			if n++; n <= times {
				return 400, `{"error":{"message":"Failed to call a function.","type":"invalid_request_error","code":"tool_use_failed","failed_generation":"<function"}}`
			}
			return 200, hello
		})
		_, err := newClient(t, openai.Options{BaseURL: url}).Generate(t.Context(), request("m"))
		if len(all()) != want || (err != nil) != (times > 1) {
			t.Errorf("%d requests, %v", len(all()), err)
		}
	}
}

// TestOpenedThought: an answer that begins in the middle of a thought is asked
// for again, and the next one is understood; should that be wrong, it is unlearned.
func TestOpenedThought(t *testing.T) {
	t.Parallel()
	text := "I think.</think>yes"
	url, _ := listen(t, func(asked) (int, string) {
		return 200, fmt.Sprintf("data: {\"choices\":[{\"delta\":{\"content\":\"I \"}}]}\n\ndata: {\"choices\":[{\"delta\":{\"content\":%q},\"finish_reason\":\"stop\"}]}\n\n", text[2:])
	})
	g := newClient(t, openai.Options{BaseURL: url})
	ask := func() (a llmtest.Answer, end error) {
		for chunk, err := range g.Stream(t.Context(), request("m")) {
			if end = err; err == nil {
				a.Add(chunk)
			}
		}
		return a, end
	}
	again := func(err error) {
		t.Helper()
		var e *llm.Error
		if !errors.As(err, &e) || e.Kind != llm.KindIncomplete {
			t.Errorf("error %v", err)
		}
	}
	_, err := ask()
	again(err)
	if a, err := ask(); err != nil || a.Text != "yes" || a.Thoughts != "I think." {
		t.Errorf("%+v, %v", a, err)
	}
	text = "I say so."
	_, err = ask()
	again(err)
	if a, err := ask(); err != nil || a.Text != "I say so." {
		t.Errorf("%+v, %v", a, err)
	}
}

func TestErrors(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		status int
		header http.Header
		body   string
		kind   llm.ErrorKind
		code   string
		delay  time.Duration
		text   string
	}{
		{400, nil, `{"error":{"message":"This model's maximum context length is 8192 tokens.","type":"invalid_request_error","param":"messages","code":"context_length_exceeded"}}`, llm.KindContextWindow, "context_length_exceeded", 0, "maximum context length"},
		{400, nil, `{"error":{"code":400,"message":"the request exceeds the available context size","type":"exceed_context_size_error","n_ctx":4096}}`, llm.KindContextWindow, "exceed_context_size_error", 0, ""},
		{413, nil, `{"error":{"message":"Request too large","type":"tokens","code":"rate_limit_exceeded"}}`, llm.KindContextWindow, "rate_limit_exceeded", 0, ""},
		{429, nil, `{"error":{"message":"You exceeded your current quota, please check your plan.","type":"insufficient_quota","code":"insufficient_quota"}}`, llm.KindQuota, "insufficient_quota", 0, ""},
		{402, nil, `{"error":{"message":"Insufficient Balance","type":"unknown_error","code":"invalid_request_error"}}`, llm.KindQuota, "", 0, "Insufficient Balance"},
		{429, nil, `{"error":{"message":"Rate limit reached. Please try again in 1m2.5s.","code":"rate_limit_exceeded"}}`, llm.KindRateLimit, "", 62500 * time.Millisecond, ""},
		{429, http.Header{"X-Ratelimit-Remaining-Requests": {"5"}, "X-Ratelimit-Reset-Requests": {"1h"}, "X-Ratelimit-Remaining-Tokens": {"0"}, "X-Ratelimit-Reset-Tokens": {"6m0s"}}, `{"error":{"message":"slow"}}`, llm.KindQuota, "", 6 * time.Minute, ""},
		{429, http.Header{"X-Ratelimit-Remaining-Tokens": {"0"}, "X-Ratelimit-Reset-Tokens": {"17ms"}}, `{"error":{"message":"slow"}}`, llm.KindRateLimit, "", 17 * time.Millisecond, ""},
		{404, nil, `{"error":{"message":"The model 'x' does not exist","code":"model_not_found"}}`, llm.KindModelNotFound, "model_not_found", 0, ""},
		{400, nil, `{"error":{"message":"no such model","code":"model_not_found"}}`, llm.KindModelNotFound, "model_not_found", 0, ""},
		{529, nil, `{"error":{"message":"busy"}}`, llm.KindCapacity, "", 0, ""},
		{500, nil, `{"error":"string"}`, llm.KindServer, "", 0, "string"},
		{422, nil, `{"object":"error","message":"bad things","type":"x","code":"3"}`, llm.KindBadRequest, "x", 0, "bad things"},
		{400, nil, `{"error":{"message":"Provider returned error","code":400,"metadata":{"raw":"{\"error\":{\"message\":\"prompt is too long\"}}","provider_name":"p"}}}`, llm.KindContextWindow, "", 0, "Provider returned error: prompt is too long"},
		{401, nil, `{"code":"InvalidApiKey","message":"Invalid API-key provided."}`, llm.KindUnauthorized, "InvalidApiKey", 0, "Invalid API-key"},
		{502, nil, "<html>\nBad", llm.KindServer, "", 0, "got status: 502 Bad Gateway: <html> Bad"},
		{307, http.Header{"Location": {"http://x"}}, "", llm.KindOther, "", 0, "a redirect to http://x"},
	} {
		s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			for k, v := range c.header {
				w.Header()[k] = v
			}
			w.WriteHeader(c.status)
			_, _ = io.WriteString(w, c.body)
		}))
		t.Cleanup(s.Close)
		_, err := newClient(t, openai.Options{BaseURL: s.URL}).Generate(t.Context(), request("m"))
		var e *llm.Error
		if !errors.As(err, &e) || e.Kind != c.kind || e.Status != c.status || e.RetryAfter != c.delay || c.code != "" && e.Code != c.code || !strings.Contains(e.Message, c.text) {
			t.Errorf("%d %s: %#v", c.status, c.body, e)
		}
	}
}

// TestTooLong: every vendor's words for a request that is too long are understood,
// whether they come as an answer of their own or inside a stream.
func TestTooLong(t *testing.T) {
	t.Parallel()
	for _, message := range []string{
		"context_length_exceeded", "Error: prompt is too long: 210000 tokens > 200000 maximum", "This model's maximum context length is 8192 tokens.",
		"Your input exceeds the context window of this model.", "The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).",
		"Too many tokens: 9 > 8", "input length and max_tokens exceed context limit: 1 + 2 > 2", "slot: n_ctx = 4096 exceeded", "the request exceeds the available context size",
		"Range of input length should be [1, 98304]", "This model's maximum prompt length is 131072 but the request contains 200000 tokens.",
		"Prompt exceeds max length", "invalid params, context window exceeds limit", "Your request exceeded model token limit: 262144",
		"Input is too long for requested model.", "Please reduce the length of the messages or completion.",
		"Prompt contains 40000 tokens and 0 draft tokens, too large for model with 32768 maximum context length",
		"The input (9000 tokens) is longer than the model's context length (4096 tokens).",
		"The number of tokens to keep from the initial prompt is greater than the context length.",
	} {
		for _, status := range []int{400, 413, 422, 500, 200} {
			body := refusal(message, "messages")
			if status == 200 {
				body = "data: " + body + "\n\n"
			}
			url, _ := listen(t, func(asked) (int, string) { return status, body })
			var end error
			for _, err := range newClient(t, openai.Options{BaseURL: url}).Stream(t.Context(), request("m")) {
				end = err
			}
			var e *llm.Error
			if !errors.As(end, &e) || e.Kind != llm.KindContextWindow {
				t.Errorf("%d %s: %v", status, message, end)
			}
		}
	}
}

// TestQuota tells what no wait brings back from what is over soon.
func TestQuota(t *testing.T) {
	t.Parallel()
	header := func(fields ...string) http.Header {
		h := http.Header{}
		for i := 0; i < len(fields); i += 2 {
			h.Set(fields[i], fields[i+1])
		}
		return h
	}
	failure := func(message, code string) string {
		return string(show(map[string]any{"error": map[string]any{"message": message, "code": code}}))
	}
	for _, c := range []struct {
		status int
		header http.Header
		body   string
		kind   llm.ErrorKind
		delay  time.Duration
	}{
		{429, nil, failure("You exceeded your current quota, please check your plan and billing details.", "insufficient_quota"), llm.KindQuota, 0},
		{429, header("Retry-After", "2"), failure("You exceeded your current quota, please check your plan and billing details.", "insufficient_quota"), llm.KindQuota, 2 * time.Second},
		{429, nil, failure("You exceeded your current quota.", ""), llm.KindQuota, 0},
		{429, header("Retry-After", "2"), failure("You exceeded your current quota.", ""), llm.KindRateLimit, 2 * time.Second},
		{429, nil, `[{"error":{"code":429,"message":"You exceeded your current quota, please check your plan and billing details. Please retry in 34.07s.","status":"RESOURCE_EXHAUSTED"}}]`, llm.KindRateLimit, 34070 * time.Millisecond},
		{429, nil, failure("Your account is not active, please check your billing details on our website.", "billing_not_active"), llm.KindQuota, 0},
		{403, nil, failure("There is no valid billing account.", ""), llm.KindQuota, 0},
		{400, nil, failure("Your credit balance is too low to access the API.", ""), llm.KindQuota, 0},
		{400, nil, `{"code":"Arrearage","message":"Access denied, please make sure your account is in good standing."}`, llm.KindQuota, 0},
		{429, nil, `{"error":{"message":"Your account is suspended, please check your plan","type":"exceeded_current_quota_error"}}`, llm.KindQuota, 0},
		{403, nil, `{"code":"x","error":"Your team has either used all available credits or reached its monthly spending limit."}`, llm.KindQuota, 0},
		{429, nil, failure("Insufficient balance or no resource package. Please recharge.", "1113"), llm.KindQuota, 0},
		{402, nil, failure("Insufficient Balance", "invalid_request_error"), llm.KindQuota, 0},
		{403, nil, failure("No.", ""), llm.KindForbidden, 0},

		{429, header("Retry-After", "7"), failure("slow", "rate_limit_exceeded"), llm.KindRateLimit, 7 * time.Second},
		{429, header("Retry-After-Ms", "1500", "Retry-After", "7"), failure("slow", ""), llm.KindRateLimit, 1500 * time.Millisecond},
		{429, header("Retry-After", "301"), failure("slow", ""), llm.KindQuota, 301 * time.Second},
		{429, header("X-Ratelimit-Reset-Requests", "120ms"), failure("slow", ""), llm.KindRateLimit, 120 * time.Millisecond},
		{429, header("X-Ratelimit-Reset-Requests", "1s", "X-Ratelimit-Reset-Tokens", "2m3.5s"), failure("slow", ""), llm.KindRateLimit, 123500 * time.Millisecond},
		{429, header("X-Ratelimit-Remaining-Requests", "3", "X-Ratelimit-Reset-Requests", "6m0s", "X-Ratelimit-Remaining-Tokens", "0", "X-Ratelimit-Reset-Tokens", "9"), failure("slow", ""), llm.KindRateLimit, 9 * time.Second},
		{429, header("X-Ratelimit-Reset-Requests", "soon"), failure("slow", ""), llm.KindRateLimit, 0},
		{429, header("X-Ratelimit-Reset", "1"), failure("slow", ""), llm.KindRateLimit, time.Second},
		{429, header("X-Ratelimit-Reset", "1500000000"), failure("slow", ""), llm.KindRateLimit, 0},
		{429, header("X-Ratelimit-Reset", "99999999999999"), failure("slow", ""), llm.KindQuota, 365 * 24 * time.Hour},
		{429, nil, failure("Rate limit reached. Please try again in 6m0s. Visit us.", ""), llm.KindQuota, 6 * time.Minute},
		{429, nil, failure("Try again in 20ms.", ""), llm.KindRateLimit, 20 * time.Millisecond},
		{429, nil, failure("Please retry after 26 seconds.", ""), llm.KindRateLimit, 26 * time.Second},
		{429, nil, failure("Please retry after 2 minutes.", ""), llm.KindRateLimit, 2 * time.Minute},
		{429, nil, failure("Please retry after 250 milliseconds.", ""), llm.KindRateLimit, 250 * time.Millisecond},
		{429, nil, `{"error":{"message":"Rate limit exceeded: free-models-per-min.","code":429,"metadata":{"headers":{"X-RateLimit-Limit":"20","X-RateLimit-Remaining":"0","X-RateLimit-Reset":"30"}}}}`, llm.KindRateLimit, 30 * time.Second},
		{529, nil, `{"error":{"type":"overloaded_error","message":"Overloaded"}}`, llm.KindCapacity, 0},
		{503, header("Retry-After", "3"), failure("busy", ""), llm.KindServer, 3 * time.Second},
	} {
		s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			for k, v := range c.header {
				w.Header()[k] = v
			}
			w.WriteHeader(c.status)
			_, _ = io.WriteString(w, c.body)
		}))
		t.Cleanup(s.Close)
		_, err := newClient(t, openai.Options{BaseURL: s.URL}).Generate(t.Context(), request("m"))
		var e *llm.Error
		if !errors.As(err, &e) || e.Kind != c.kind || e.RetryAfter != c.delay {
			t.Errorf("%d %v %s: %#v", c.status, c.header, c.body, e)
		}
	}
}

// TestAnswers is about bodies of answers that are not streamed.
func TestAnswers(t *testing.T) {
	t.Parallel()
	for body, want := range map[string]llm.ErrorKind{
		"\n<html>Log in": llm.KindOther, "": llm.KindIncomplete, "{oops": llm.KindIncomplete, "[]": llm.KindServer, "{}": llm.KindServer,
		`{"error":{"message":"prompt is too long","code":400}}`: llm.KindContextWindow,
	} {
		url, _ := listen(t, func(asked) (int, string) { return 200, body })
		_, err := newClient(t, openai.Options{BaseURL: url}).Generate(t.Context(), request("m"))
		var e *llm.Error
		if !errors.As(err, &e) || e.Kind != want {
			t.Errorf("%q: %v", body, err)
		}
	}
}

func TestEmbed(t *testing.T) {
	t.Parallel()
	url, all := listen(t, func(asked) (int, string) {
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
	if _, err := g.CountTokens(t.Context(), request("m")); err == nil {
		t.Error("it counts")
	}
}

// TestSDKAgrees lets the vendor's SDK and Pollux read the same stream.
func TestSDKAgrees(t *testing.T) {
	t.Parallel()
	var stream strings.Builder
	for _, c := range []string{
		`{"index":0,"delta":{"role":"assistant","content":"I "},"finish_reason":null}`, `{"index":0,"delta":{"content":"look."},"finish_reason":null}`,
		`{"index":0,"delta":{"tool_calls":[{"index":0,"id":"c","type":"function","function":{"name":"ls","arguments":""}}]},"finish_reason":null}`,
		`{"index":0,"delta":{"tool_calls":[{"index":0,"function":{"arguments":"{\"a\":"}}]},"finish_reason":null}`, `{"index":0,"delta":{"tool_calls":[{"index":0,"function":{"arguments":"[1]}"}}]},"finish_reason":null}`,
		`{"index":0,"delta":{},"finish_reason":"tool_calls"}`, ``,
	} {
		usage := "null"
		if c == "" {
			usage = `{"prompt_tokens":3,"completion_tokens":2,"total_tokens":5}`
		}
		fmt.Fprintf(&stream, "data: {\"id\":\"i\",\"object\":\"chat.completion.chunk\",\"created\":1,\"model\":\"m\",\"choices\":[%s],\"usage\":%s}\n\n", c, usage)
	}
	stream.WriteString("data: [DONE]\n\n")
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = io.WriteString(w, stream.String())
	}))
	t.Cleanup(s.Close)
	ours := llmtest.Ask(t, newClient(t, openai.Options{BaseURL: s.URL}), "hello")

	client := sdk.NewClient(option.WithBaseURL(s.URL+"/v1"), option.WithAPIKey("k"))
	theirs := client.Chat.Completions.NewStreaming(t.Context(), sdk.ChatCompletionNewParams{Model: "m", Messages: []sdk.ChatCompletionMessageParamUnion{sdk.UserMessage("hello")}})
	var acc sdk.ChatCompletionAccumulator
	for theirs.Next() {
		acc.AddChunk(theirs.Current())
	}
	if err := theirs.Err(); err != nil {
		t.Fatal(err)
	}
	m := acc.Choices[0].Message
	if ours.Text != m.Content || len(ours.Calls) != 1 || ours.Calls[0].ID != m.ToolCalls[0].ID || string(ours.Calls[0].Args) != m.ToolCalls[0].Function.Arguments || ours.Usage.Total != int(acc.Usage.TotalTokens) {
		t.Errorf("understood %+v, the SDK %+v", ours, acc)
	}
}

// TestOneConnection: answers read to their end leave the connection for the next.
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

// TestHangsOn: a server that has said its goodbye but stays is not waited for.
func TestHangsOn(t *testing.T) {
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

func TestResponsesConformance(t *testing.T) {
	t.Parallel()
	llmtest.Run(t, llmtest.Vendor{
		New: func(t *testing.T, url string) llm.Generator {
			return newClient(t, openai.Options{BaseURL: url, Quirks: openai.Quirks{Protocol: openai.Responses}})
		},
		Stream: func(chunks []*llm.Response) [][]byte {
			var pieces [][]byte
			n := 0
			for i, c := range chunks {
				var data []byte
				for _, item := range outputItems(c) {
					n++
					switch item["type"] {
					case "reasoning":
						data = event(data, "response.reasoning_summary_text.delta", map[string]any{"output_index": 0, "summary_index": 0, "delta": item["text"]})
					case "message":
						data = event(data, "response.output_text.delta", map[string]any{"output_index": 1, "delta": item["text"]})
					default:
						args := item["arguments"]
						item["arguments"] = ""
						data = event(data, "response.output_item.added", map[string]any{"output_index": n + 1, "item": item})
						data = event(data, "response.function_call_arguments.delta", map[string]any{"output_index": n + 1, "delta": args})
						item["arguments"] = args
						data = event(data, "response.output_item.done", map[string]any{"output_index": n + 1, "item": item})
					}
				}
				if i == len(chunks)-1 {
					r := responseObject(c, nil)
					data = event(data, "response."+r["status"].(string), map[string]any{"response": r})
				}
				pieces = append(pieces, data)
			}
			return pieces
		},
		Answer: func(r *llm.Response) []byte {
			items := outputItems(r)
			for _, item := range items {
				item["content"] = []any{map[string]any{"type": "output_text", "text": item["text"]}}
			}
			return show(responseObject(r, items))
		},
		Error: errorBody,
	})
}

func event(data []byte, kind string, members map[string]any) []byte {
	members["type"] = kind
	return fmt.Appendf(data, "event: %s\ndata: %s\n\n", kind, show(members))
}

func outputItems(r *llm.Response) []map[string]any {
	var items []map[string]any
	for _, p := range r.Parts() {
		switch {
		case p.Thought:
			items = append(items, map[string]any{"type": "reasoning", "text": p.Text})
		case p.FunctionCall != nil:
			items = append(items, map[string]any{"type": "function_call", "call_id": p.FunctionCall.ID, "name": p.FunctionCall.Name, "arguments": string(p.FunctionCall.Args)})
		default:
			items = append(items, map[string]any{"type": "message", "text": p.Text})
		}
	}
	return items
}

func responseObject(r *llm.Response, items []map[string]any) map[string]any {
	o := map[string]any{"id": "r", "model": "m", "status": "completed", "error": nil, "output": items}
	switch r.FinishReason() {
	case llm.FinishMaxTokens:
		o["status"], o["incomplete_details"] = "incomplete", map[string]any{"reason": "max_output_tokens"}
	case llm.FinishSafety:
		o["status"], o["incomplete_details"] = "incomplete", map[string]any{"reason": "content_filter"}
	}
	if u := r.Usage; u != nil {
		o["usage"] = json.RawMessage(fmt.Sprintf(`{"input_tokens":%d,"output_tokens":%d,"total_tokens":%d}`, u.Prompt, u.Candidates, u.Total))
	}
	return o
}
