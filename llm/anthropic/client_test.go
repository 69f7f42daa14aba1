package anthropic

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"pollux/llm"
	"pollux/llm/httpwire"
	"pollux/llm/llmtest"
)

// answer is a short answer in both forms.
var (
	answerStream = ev(`{"type":"message_start","message":{"id":"m","model":"x","usage":{"input_tokens":3,"output_tokens":1}}}`) +
		ev(`{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"Yes."}}`) +
		ev(`{"type":"message_delta","delta":{"stop_reason":"end_turn"},"usage":{"output_tokens":2}}`) + ev(`{"type":"message_stop"}`)
	answerWhole = `{"id":"m","type":"message","content":[{"type":"text","text":"Yes."}],"stop_reason":"end_turn","usage":{"input_tokens":3,"output_tokens":2}}`
)

// ask streams an answer to req.
func ask(t testing.TB, c *Client, req *llm.Request) (llmtest.Answer, error) {
	t.Helper()
	var a llmtest.Answer
	for chunk, err := range c.Stream(t.Context(), req) {
		if err != nil {
			return a, err
		}
		a.Add(chunk)
	}
	return a, nil
}

func asError(t testing.TB, err error) *llm.Error {
	t.Helper()
	var e *llm.Error
	if !errors.As(err, &e) {
		t.Fatalf("error %v", err)
	}
	return e
}

func TestAddresses(t *testing.T) {
	t.Parallel()
	s := newStrict(t, answerStream)
	for _, base := range []string{"", "/", "/v1", "/v1/", "/v1/messages", "/gate", "/gate/v1/"} {
		if _, err := ask(t, newClient(t, Options{APIKey: "k", BaseURL: s.URL + base}), llmtest.Prompt("hi")); err != nil {
			t.Fatalf("%s: %v", base, err)
		}
		want := "/v1/messages"
		if strings.HasPrefix(base, "/gate") {
			want = "/gate/v1/messages"
		}
		if got := s.paths[len(s.paths)-1]; got != want {
			t.Errorf("%s: asked at %s", base, got)
		}
	}
	for _, bad := range []string{"ftp://x", "nowhere", "http://", ":"} {
		if _, err := New(Options{APIKey: "k", BaseURL: bad}); err == nil || err.Error() != "Invalid custom base URL: "+bad {
			t.Errorf("%s: %v", bad, err)
		}
	}
	if _, err := New(Options{}); err == nil {
		t.Error("no key is needed")
	}
	for _, o := range []Options{{APIKey: "k\x00"}, {AuthToken: "tökén", BaseURL: "https://gate.invalid"}} {
		if _, err := New(o); err == nil || !strings.Contains(err.Error(), "contains a space, a line break") {
			t.Errorf("%+v: %v", o, err)
		}
	}
}

// TestNames checks the names of models on each service.
func TestNames(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		"claude-sonnet-4-5@20250929": "claude-sonnet-4-5-20250929", "claude-sonnet-4-5-20250929": "claude-sonnet-4-5-20250929",
		"claude-x@latest": "claude-x@latest", "other@20250929": "other@20250929", "@20250929": "@20250929",
	} {
		if got := anthropicName(name); got != want {
			t.Errorf("%s is sent as %s", name, got)
		}
	}
}

func TestHeaders(t *testing.T) {
	t.Parallel()
	s := newStrict(t, answerStream)
	c := newClient(t, Options{
		APIKey: " key\n", AuthToken: "token\r\n", BaseURL: s.URL,
		HTTP: httpwire.Options{
			UserAgent: "Pollux/1 ({model})", Header: http.Header{"anthropic-beta": {"a, b", "b,,c"}, "X-Mine": {"1"}},
		},
	})
	req := fullRequest() // which thinks between calls
	for range 2 {
		if _, err := ask(t, c, req); err != nil {
			t.Fatal(err)
		}
	}
	for _, h := range s.headers {
		for name, want := range map[string]string{
			"X-Api-Key": "key", "Authorization": "Bearer token", "Anthropic-Version": "2023-06-01", "X-Mine": "1",
			"User-Agent": "Pollux/1 (claude-sonnet-4-5-20250929)", "Anthropic-Beta": "a,b,c," + interleavedBeta, "Content-Type": "application/json",
		} {
			if got := strings.Join(h.Values(name), "|"); got != want {
				t.Errorf("%s: %q, want %q", name, got, want)
			}
		}
	}
}

// TestOneConnection checks that requests reuse the connection of a finished response.
func TestOneConnection(t *testing.T) {
	t.Parallel()
	for name, client := range map[string]func(testing.TB, string) *Client{
		"direct":  func(t testing.TB, url string) *Client { return newClient(t, Options{APIKey: "k", BaseURL: url}) },
		"Bedrock": onBedrock,
	} {
		s := newStrict(t, answerStream)
		c := client(t, s.URL)
		for range 3 {
			if _, err := ask(t, c, llmtest.Prompt("hi")); err != nil {
				t.Fatal(err)
			}
		}
		if slices.Sort(s.peers); len(slices.Compact(s.peers)) != 1 {
			t.Errorf("%s: 3 requests from %q", name, s.peers)
		}
	}
}

// TestAdapt checks that the client omits a refused setting, retries once, and omits
// the setting in later requests to the model.
func TestAdapt(t *testing.T) {
	t.Parallel()
	thinks := llm.Config{Thinking: &llm.Thinking{IncludeThoughts: true, Level: "HIGH"}}
	refuseMember := func(member, message string) func(map[string]any) string {
		return func(body map[string]any) string {
			if body[member] != nil {
				return message
			}
			return ""
		}
	}
	refuseThinking := func(kind, message string) func(map[string]any) string {
		return func(body map[string]any) string {
			if th, _ := body["thinking"].(map[string]any); th != nil && (kind == "" || th["type"] == kind) {
				return message
			}
			return ""
		}
	}
	for name, c := range map[string]struct {
		model   string
		config  llm.Config
		refuse  func(body map[string]any) string
		refused int
		has     string // in the request that is taken
	}{
		"enabled is no more": {
			"claude-opus-4-5", thinks, refuseThinking("enabled", "\"thinking.type.enabled\" is not supported for this model. Use \"thinking.type.adaptive\" and \"output_config.effort\" to control thinking behavior."),
			1, `"type":"adaptive"`,
		},
		"adaptive is not yet": {
			"claude-opus-4-6", thinks, refuseThinking("adaptive", "thinking: Input tag 'adaptive' found using 'type' does not match any of the expected tags: 'disabled', 'enabled'"),
			1, `"type":"enabled"`,
		},
		"no thinking at all": {"other", thinks, refuseThinking("", "this model does not support thinking"), 2, `"max_tokens"`},
		"always thinking":    {"claude-opus-4-6", llm.Config{Thinking: &llm.Thinking{Budget: new(0)}}, refuseThinking("disabled", "thinking.type.disabled is not supported for this model"), 1, `"max_tokens"`},
		"no effort":          {"claude-opus-4-6", thinks, refuseMember("output_config", "output_config: Extra inputs are not permitted"), 1, `"adaptive"`},
		"no display": {"claude-opus-4-6", thinks, func(body map[string]any) string {
			if strings.Contains(show(body), `"display"`) {
				return "thinking.adaptive.display: Extra inputs are not permitted"
			}
			return ""
		}, 1, `"adaptive"`},
		"no temperature": {"m", llm.Config{Temperature: new(0.0), TopK: new(3.0)}, refuseMember("temperature", "`temperature` is deprecated for this model."), 1, `"top_k"`},
		"no top_p":       {"m", llm.Config{TopP: new(0.5)}, refuseMember("top_p", "`top_p` is deprecated for this model. Use temperature."), 1, `"max_tokens"`},
		"neither": {"m", llm.Config{Temperature: new(0.0), TopK: new(3.0)}, func(body map[string]any) string {
			for _, m := range []string{"top_k", "temperature"} {
				if body[m] != nil {
					return "`" + m + "` is deprecated for this model."
				}
			}
			return ""
		}, 2, `"max_tokens"`},
		"a shorter answer": {"claude-opus-4-1", llm.Config{}, func(body map[string]any) string {
			if parseNumber(body["max_tokens"].(json.Number).String()) > 32000 {
				return "max_tokens: 65536 > 32000, which is the maximum allowed number of output tokens for claude-opus-4-1-20250805"
			}
			return ""
		}, 1, `"max_tokens":32000`},
		"Amazon's shorter answer": {"claude-opus-4-1", llm.Config{}, func(body map[string]any) string {
			if parseNumber(body["max_tokens"].(json.Number).String()) > 4096 {
				return "The maximum tokens you requested exceeds the model limit of 4096. Try again with a maximum tokens value that is lower than 4096."
			}
			return ""
		}, 1, `"max_tokens":4096`},
		"no forced call": {"claude-x", llm.Config{ResponseJSONSchema: []byte(`{"type":"object"}`)}, func(body map[string]any) string {
			if choice, _ := body["tool_choice"].(map[string]any); choice["type"] == "tool" {
				return "tool_choice: forced tool use is not supported for this model"
			}
			return ""
		}, 1, `"name":"answer"`},
		"no betas": {"claude-opus-4-5", llm.Config{Thinking: &llm.Thinking{}, Tools: []*llm.ToolSet{{Functions: []llm.FunctionDeclaration{{Name: "ls"}}}}}, func(body map[string]any) string {
			if betas := body["betas"]; betas != nil {
				return "invalid beta flag"
			}
			return ""
		}, 1, `"enabled"`},
		"no thinking, in FastAPI": {"other", thinks, refuseThinking("", `{"detail":[{"type":"extra_forbidden","loc":["body","thinking"],"msg":"Extra inputs are not permitted","input":{"type":"enabled"}}]}`), 2, `"max_tokens"`},
		"a plain instruction": {"m", llm.Config{SystemInstruction: llm.User(llm.Text("a"), llm.Text("b"))}, func(body map[string]any) string {
			if _, ok := body["system"].([]any); ok {
				return `{"detail":[{"type":"string_type","loc":["body","system"],"msg":"Input should be a valid string","input":[{"type":"text"}]}]}`
			}
			return ""
		}, 1, `"system":"a\n\nb"`},
		"a plain instruction in Go": {"m", llm.Config{SystemInstruction: llm.User(llm.Text("a"))}, func(body map[string]any) string {
			if _, ok := body["system"].([]any); ok {
				return "json: cannot unmarshal array into Go struct field MessagesRequest.system of type string"
			}
			return ""
		}, 1, `"system":"a"`},
		"no marks": {"m", llm.Config{}, func(body map[string]any) string {
			if strings.Contains(show(body), "cache_control") {
				return "messages.0.content.0.text.cache_control: Extra inputs are not permitted"
			}
			return ""
		}, 1, `"max_tokens"`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newStrict(t, answerStream)
			s.refuse = c.refuse
			var log bytes.Buffer
			client := newClient(t, Options{APIKey: "k", BaseURL: s.URL, Log: slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug}))})
			req := llmtest.Prompt("hi")
			req.Model, req.Config = c.model, c.config
			for range 2 {
				if _, err := ask(t, client, req); err != nil {
					t.Fatal(err)
				}
			}
			if len(s.refused) != c.refused || len(s.accepted) != 2 {
				t.Errorf("refused: %q", s.refused)
			}
			if got := show(s.accepted[1]); !strings.Contains(got, c.has) {
				t.Errorf("no %s in %s", c.has, got)
			}
			if n := strings.Count(log.String(), "\n"); n != c.refused {
				t.Errorf("%d lines of log: %s", n, log.String())
			}
		})
	}
}

// TestDropThoughts checks that the client stops sending thoughts that the service has
// rejected, but sends new ones.
func TestDropThoughts(t *testing.T) {
	t.Parallel()
	s := newStrict(t, answerStream)
	s.refuse = func(body map[string]any) string {
		if strings.Contains(show(body), `"stale"`) {
			return "messages.1.content.0: Invalid `signature` in `thinking` block"
		}
		return ""
	}
	c := newClient(t, Options{APIKey: "k", BaseURL: s.URL})
	req := llmtest.Prompt("hi")
	req.Model = "claude-opus-4-6"
	req.Contents = append(req.Contents, llm.Model(thought("hm", llm.Signed(vendor, "stale")), llm.Text("a")), llm.User(llm.Text("b")))
	for range 2 {
		if _, err := ask(t, c, req); err != nil {
			t.Fatal(err)
		}
		req.Contents = append(slices.Clip(req.Contents), llm.Model(thought("hm", llm.Signed(vendor, "fresh")), llm.Text("a")), llm.User(llm.Text("b")))
	}
	if len(s.refused) != 1 || !strings.Contains(show(s.accepted[1]), `"fresh"`) {
		t.Errorf("%d refused, then %s", len(s.refused), show(s.accepted[1]))
	}
}

// TestTokensLeft checks that the client shortens a response that does not fit into
// the context window, and fails if too little is left.
func TestTokensLeft(t *testing.T) {
	t.Parallel()
	for input, kind := range map[string]llm.ErrorKind{"150000": llm.KindOther, "199000": llm.KindContextWindow} {
		s := newStrict(t, answerStream)
		s.refuse = func(body map[string]any) string {
			if parseNumber(body["max_tokens"].(json.Number).String())+parseNumber(input) > 200000 {
				return "input length and `max_tokens` exceed context limit: " + input + " + 65536 > 200000, decrease input length or `max_tokens` and try again"
			}
			return ""
		}
		req := llmtest.Prompt("hi")
		req.Model = "claude-3-7-sonnet"
		req.Config.MaxOutputTokens = 65536
		_, err := ask(t, newClient(t, Options{APIKey: "k", BaseURL: s.URL}), req)
		if kind == llm.KindOther && err != nil || kind != llm.KindOther && asError(t, err).Kind != kind {
			t.Errorf("%s: %v", input, err)
		}
	}
}

// TestPause checks that a paused response is one response to the caller.
func TestPause(t *testing.T) {
	t.Parallel()
	first := ev(`{"type":"message_start","message":{"id":"m","usage":{"input_tokens":3,"output_tokens":1}}}`) +
		ev(`{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"I search. "}}`) + ev(`{"type":"content_block_stop","index":0}`) +
		ev(`{"type":"content_block_start","index":1,"content_block":{"type":"server_tool_use","id":"srvtoolu_1","name":"web_search","input":{}}}`) +
		ev(`{"type":"content_block_delta","index":1,"delta":{"type":"input_json_delta","partial_json":"{\"query\":\"x\"}"}}`) + ev(`{"type":"content_block_stop","index":1}`) +
		ev(`{"type":"message_delta","delta":{"stop_reason":"pause_turn"},"usage":{"output_tokens":7}}`) + ev(`{"type":"message_stop"}`)
	s := newStrict(t, first, answerStream)
	req := llmtest.Prompt("hi")
	req.Config.Tools = []*llm.ToolSet{{GoogleSearch: true}}
	a, err := ask(t, newClient(t, Options{APIKey: "k", BaseURL: s.URL}), req)
	if err != nil {
		t.Fatal(err)
	}
	if a.Text != "I search. Yes." || a.Finish != llm.FinishStop || a.Usage.Candidates != 9 {
		t.Errorf("answer %+v, %+v", a, a.Usage)
	}
	const want = `{"content":[{"text":"I search.","type":"text"},{"id":"srvtoolu_1","input":{"query":"x"},"name":"web_search","type":"server_tool_use"}],"role":"assistant"}`
	if got := show(array(s.accepted[1]["messages"])[1]); got != want {
		t.Errorf("sent back %s", got)
	}

	s = newStrict(t, strings.Replace(answerWhole, "end_turn", "pause_turn", 1), answerWhole)
	r, err := newClient(t, Options{APIKey: "k", BaseURL: s.URL}).Generate(t.Context(), llmtest.Prompt("hi"))
	if err != nil || r.Text() != "Yes.Yes." || r.Usage.Candidates != 4 {
		t.Errorf("generated %s, %v", show(r), err)
	}
	s = newStrict(t, first)
	if _, err := ask(t, newClient(t, Options{APIKey: "k", BaseURL: s.URL}), req); asError(t, err).Kind != llm.KindServer {
		t.Error(err)
	}
}

// TestIncomplete checks that a stream without its end is an error that can be
// retried.
func TestIncomplete(t *testing.T) {
	t.Parallel()
	whole := callStream(`{}`, `{"a":`, `1}`) + stopStream
	for cut := 1; cut < len(whole)-len(ev(`{"type":"message_stop"}`)); cut += 7 {
		s := newStrict(t, whole[:cut])
		_, err := ask(t, newClient(t, Options{APIKey: "k", BaseURL: s.URL}), llmtest.Prompt("hi"))
		if e := asError(t, err); e.Kind != llm.KindIncomplete {
			t.Fatalf("cut at %d: %v, %v", cut, e.Kind, e)
		}
		s.Close()
	}
}

// TestErrorBeforeText checks that a stream that starts with an error yields no chunk,
// so that the request can be retried.
func TestErrorBeforeText(t *testing.T) {
	t.Parallel()
	s := newStrict(t, ev(`{"type":"message_start","message":{"usage":{"input_tokens":3}}}`)+ev(`{"type":"ping"}`)+
		ev(`{"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}`)+
		ev(`{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}`))
	a, err := ask(t, newClient(t, Options{APIKey: "k", BaseURL: s.URL}), llmtest.Prompt("hi"))
	if e := asError(t, err); e.Kind != llm.KindServer || e.Status != statusOverloaded || e.Code != "overloaded_error" || a.Chunks != 0 {
		t.Errorf("%d chunks, then %#v", a.Chunks, e)
	}
}

// TestUntypedError checks that an error that a gateway sends without a type is reported, not
// an incomplete response.
func TestUntypedError(t *testing.T) {
	t.Parallel()
	for body, want := range map[string]llm.ErrorKind{
		`{"error":{"message":"prompt is too long","type":"invalid_request_error"}}`: llm.KindContextWindow,
		`{"error":{"code":"1302","message":"too many requests"},"request_id":"r"}`:  llm.KindServer,
	} {
		s := newStrict(t, "event: error\ndata: "+body+"\n\n")
		_, err := ask(t, newClient(t, Options{APIKey: "k", BaseURL: s.URL}), llmtest.Prompt("hi"))
		if e := asError(t, err); e.Kind != want || !strings.Contains(body, e.Message) {
			t.Errorf("%s: %v, %#v", body, e.Kind, e)
		}
	}
}

func TestCountTokens(t *testing.T) {
	t.Parallel()
	s := newStrict(t, `{"input_tokens":42}`)
	c := newClient(t, Options{APIKey: "k", BaseURL: s.URL})
	req := fullRequest()
	if n, err := c.CountTokens(t.Context(), req); n != 42 || err != nil {
		t.Error(n, err)
	}
	if got := show(s.accepted[0]); s.paths[0] != "/v1/messages/count_tokens" || strings.Contains(got, "cache_control") || strings.Contains(got, "max_tokens") {
		t.Error(s.paths[0], got)
	}
	if n, err := c.CountTokens(t.Context(), &llm.Request{Model: "m"}); n != 0 || err != nil || len(s.accepted) != 1 {
		t.Error(n, err)
	}
	s.answers[0] = `{"tokens":1}`
	if _, err := c.CountTokens(t.Context(), req); asError(t, err).Kind != llm.KindServer {
		t.Error(err)
	}
	if _, err := c.Embed(t.Context(), "m", []string{"a"}); asError(t, err).Retryable() {
		t.Error(err)
	}
}

func TestNotAnAnswer(t *testing.T) {
	t.Parallel()
	for _, body := range []string{"<!DOCTYPE html><title>Sign in", "", "{}x", `{"type":"error","error":{"type":"api_error","message":"down"}}`} {
		s := newStrict(t, body)
		c := newClient(t, Options{APIKey: "k", BaseURL: s.URL})
		_, err := c.Generate(t.Context(), llmtest.Prompt("hi"))
		e := asError(t, err)
		_, err = ask(t, c, llmtest.Prompt("hi"))
		if e2 := asError(t, err); body != "" && e2.Kind != e.Kind {
			t.Errorf("%q: %v, streamed %v", body, e, e2)
		}
	}
}

func TestErrors(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 8, 1, 12, 0, 0, 0, time.UTC)
	for _, c := range []struct {
		status int
		header http.Header
		body   string
		kind   llm.ErrorKind
		wait   time.Duration
		says   string
	}{
		{529, nil, `{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}`, llm.KindServer, 0, "Overloaded"},
		{413, nil, `{"type":"error","error":{"type":"request_too_large","message":"Request exceeds the maximum size"}}`, llm.KindContextWindow, 0, "maximum size"},
		{400, nil, `{"type":"error","error":{"type":"invalid_request_error","message":"prompt is too long: 210000 tokens > 200000 maximum"}}`, llm.KindContextWindow, 0, "too long"},
		{400, nil, `{"type":"error","error":{"type":"invalid_request_error","message":"Your credit balance is too low to access the Anthropic API."}}`, llm.KindQuota, 0, "credit"},
		{402, nil, `{"type":"error","error":{"type":"billing_error","message":"pay"}}`, llm.KindQuota, 0, "pay"},
		{429, http.Header{"Retry-After": {"12"}}, `{"type":"error","error":{"type":"rate_limit_error","message":"slow"}}`, llm.KindRateLimit, 12 * time.Second, "slow"},
		{429, http.Header{"Retry-After": {"4000"}}, `{"type":"error","error":{"type":"rate_limit_error","message":"slow"}}`, llm.KindQuota, 4000 * time.Second, "slow"},
		{
			429,
			http.Header{
				"Anthropic-Ratelimit-Requests-Remaining": {"5"}, "Anthropic-Ratelimit-Requests-Reset": {"2026-08-01T13:00:00Z"},
				"Anthropic-Ratelimit-Input-Tokens-Remaining": {"0"}, "Anthropic-Ratelimit-Input-Tokens-Reset": {"2026-08-01T12:00:30Z"},
			},
			`{"type":"error","error":{"type":"rate_limit_error","message":"slow"}}`, llm.KindRateLimit, 30 * time.Second, "slow",
		},
		{401, nil, `{"error":"who are you"}`, llm.KindUnauthorized, 0, "who are you"},
		{403, nil, `{"error":{"code":7}}`, llm.KindForbidden, 0, "host.example returned status 403 (Forbidden)"},
		{404, nil, "<html>Not Found</html>", llm.KindModelNotFound, 0, "404"},
		{307, http.Header{"Location": {"https://elsewhere"}}, "", llm.KindOther, 0, "elsewhere"},
		{502, nil, "\xff\x00", llm.KindServer, 0, "502"},
		{400, nil, `{"error":null,"message":1}`, llm.KindBadRequest, 0, "400"},
		{400, nil, `{"type":"error","error":{"type":"invalid_request_error","message":"input length and ` + "`max_tokens`" + ` exceed context limit: 199000 + 8192 > 200000"}}`, llm.KindContextWindow, 0, "context limit"},
		{400, nil, `{"type":"error","error":{"type":"invalid_request_error","message":"You have reached your specified API usage limits. You will regain access on 2026-09-01 at 00:00 UTC."}}`, llm.KindQuota, 0, "regain"},
		{400, nil, `{"type":"error","error":{"type":"invalid_request_error","message":"This organization has been disabled."}}`, llm.KindSuspended, 0, "disabled"},
		{400, nil, `{"error":{"message":"m does not support tools"}}`, llm.KindNoTools, 0, "tools"},
		{500, nil, `{"error":{"message":"tools param requires --jinja flag"}}`, llm.KindNoTools, 0, "jinja"},
		{403, nil, `{"type":"error","error":{"type":"permission_error","message":"no"}}`, llm.KindForbidden, 0, "no"},
		{504, nil, `{"type":"error","error":{"type":"timeout_error","message":"slow"}}`, llm.KindServer, 0, "slow"},
		{529, http.Header{"Retry-After": {"3"}}, `{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}`, llm.KindServer, 3 * time.Second, "Overloaded"},
		{429, http.Header{"Anthropic-Ratelimit-Unified-Status": {"rejected"}, "Anthropic-Ratelimit-Unified-Reset": {strconv.FormatInt(now.Unix()+60, 10)}}, `{"error":{"type":"rate_limit_error","message":"slow"}}`, llm.KindRateLimit, time.Minute, "slow"},
		{429, http.Header{"Anthropic-Ratelimit-Unified-Status": {"rejected"}, "Anthropic-Ratelimit-Unified-Reset": {strconv.FormatInt(now.Unix()+7200, 10)}}, `{"error":{"type":"rate_limit_error","message":"slow"}}`, llm.KindQuota, 2 * time.Hour, "slow"},
		{429, http.Header{"Anthropic-Ratelimit-Unified-Status": {"rejected"}, "Anthropic-Ratelimit-Unified-Reset": {"soon"}}, `{"error":{"message":"slow"}}`, llm.KindRateLimit, 0, "slow"},
		{429, nil, `{"error":{"type":"exceeded_current_quota_error","message":"Your account is suspended, please check your plan"}}`, llm.KindQuota, 0, "plan"},
		{429, nil, `{"error":{"message":"You exceeded your current quota"}}`, llm.KindQuota, 0, "quota"},
		{429, http.Header{"Retry-After": {"20"}}, `{"error":{"message":"You exceeded your current quota"}}`, llm.KindRateLimit, 20 * time.Second, "quota"},
		// Amazon's
		{400, amazon("ValidationException"), `{"message":"Input is too long for requested model."}`, llm.KindContextWindow, 0, "too long"},
		{400, amazon("ValidationException"), `{"message":"The provided model identifier is invalid."}`, llm.KindModelNotFound, 0, "identifier"},
		{400, amazon("ValidationException:http://internal"), `{"message":"Invocation of model ID x with on-demand throughput isn't supported."}`, llm.KindBadRequest, 0, "on-demand"},
		{400, amazon("ServiceQuotaExceededException"), `{"message":"no more"}`, llm.KindQuota, 0, "no more"},
		{403, amazon("AccessDeniedException"), `{"Message":"You don't have access to the model"}`, llm.KindForbidden, 0, "access"},
		{403, amazon("UnrecognizedClientException"), `{"message":"The security token included in the request is invalid."}`, llm.KindUnauthorized, 0, "token"},
		{403, amazon("ExpiredTokenException"), `{"message":"expired"}`, llm.KindUnauthorized, 0, "expired"},
		{404, amazon("ResourceNotFoundException"), `{"message":"end of its life"}`, llm.KindModelNotFound, 0, "life"},
		{408, amazon("ModelTimeoutException"), `{"message":"slow"}`, llm.KindServer, 0, "slow"},
		{424, amazon("ModelErrorException"), `{"message":"broke"}`, llm.KindServer, 0, "broke"},
		{429, amazon("ThrottlingException"), `{"message":"Too many tokens, please wait before trying again."}`, llm.KindRateLimit, 0, "wait"},
		{429, amazon("ThrottlingException"), `{"message":"Too many tokens per day, please wait before trying again."}`, llm.KindQuota, 0, "per day"},
		{503, amazon("ServiceUnavailableException"), `{"message":"busy"}`, llm.KindServer, 0, "busy"},
		{400, amazon("x"), `{"__type":"com.amazon.coral.service#ValidationException"}`, llm.KindBadRequest, 0, "400"},
		// Google's
		{429, nil, `[{"error":{"code":429,"message":"Quota exceeded for online_prediction_input_tokens_per_minute_per_base_model","status":"RESOURCE_EXHAUSTED"}}]`, llm.KindRateLimit, 0, "per_minute"},
		{404, nil, `{"error":{"code":404,"message":"Publisher Model claude-x was not found","status":"NOT_FOUND"}}`, llm.KindModelNotFound, 0, "not found"},
		{401, nil, `{"error":{"code":401,"message":"invalid authentication credentials","status":"UNAUTHENTICATED"}}`, llm.KindUnauthorized, 0, "invalid"},
		{403, nil, `[{"error":{"code":403,"message":"Permission denied","status":"PERMISSION_DENIED"}}]`, llm.KindForbidden, 0, "denied"},
		// Others who speak the protocol
		{400, nil, `{"error":{"message":"Your request exceeded model token limit: 262144"}}`, llm.KindContextWindow, 0, "limit"},
		{400, nil, `{"type":"error","error":{"type":"invalid_request_error","message":"invalid params, context window exceeds limit (2013)"}}`, llm.KindContextWindow, 0, "limit"},
		{500, nil, `{"error":{"message":"insufficient balance (1008)"}}`, llm.KindQuota, 0, "balance"},
	} {
		e := statusError("host.example", c.status, c.header, []byte(c.body), now)
		if e.Kind != c.kind || e.RetryAfter != c.wait || !strings.Contains(e.Message, c.says) || e.Status != c.status {
			t.Errorf("%d %s: %v after %v: %s", c.status, c.body, e.Kind, e.RetryAfter, e.Message)
		}
	}
}

func amazon(name string) http.Header { return http.Header{"X-Amzn-Errortype": {name}} }

// TestRefusedForever checks that retries against a service that refuses everything are
// limited.
func TestRefusedForEver(t *testing.T) {
	t.Parallel()
	for _, why := range []string{
		"thinking", "thinking display effort temperature top_p top_k", "Invalid signature in thinking", "max_tokens: 5 > 4", "1 + 2 > 100000 max_tokens",
		"cache_control", "prefill", "max_tokens: 99999999999999999999 > 99999999999999999999",
	} {
		s := newStrict(t, answerStream)
		s.refuse = func(map[string]any) string { return why }
		req := fullRequest()
		if _, err := ask(t, newClient(t, Options{APIKey: "k", BaseURL: s.URL}), req); asError(t, err).Message != why {
			t.Errorf("%s: %v", why, err)
		}
		if n := len(s.refused); n > 4 {
			t.Errorf("%s: asked %d times", why, n)
		}
	}
}

// TestNamedTool checks that a refusal with the number of a tool has its name, too.
func TestNamedTool(t *testing.T) {
	t.Parallel()
	req := llmtest.Prompt("hi")
	req.Config.Tools = []*llm.ToolSet{
		{Functions: []llm.FunctionDeclaration{{Name: "read_file"}, {Name: "glob"}}},
		{Functions: []llm.FunctionDeclaration{{Name: "mcp_db.query"}}},
	}
	for _, c := range [][2]string{
		{"tools.2.custom.input_schema: JSON schema is invalid. It must match JSON Schema draft 2020-12.", "draft 2020-12. This is about the tool mcp_db.query"},
		{"tools.0.custom.description: too long", "too long. This is about the tool read_file"},
		{"tools.9.custom.name: too long", "too long"},
		{"tools: Too many", "Too many"},
	} {
		why, want := c[0], c[1]
		s := newStrict(t, answerStream)
		s.refuse = func(map[string]any) string { return why }
		if _, err := ask(t, newClient(t, Options{APIKey: "k", BaseURL: s.URL}), req); !strings.HasSuffix(asError(t, err).Message, want) {
			t.Errorf("%s: %v", why, err)
		}
	}
}

// TestKeyStaysHere checks that the client follows no redirect and that no error
// contains the key.
func TestKeyStaysHere(t *testing.T) {
	t.Parallel()
	elsewhere := newStrict(t, answerStream)
	s := newStrict(t, answerStream)
	s.Config.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		http.Redirect(w, r, elsewhere.URL, http.StatusTemporaryRedirect)
	})
	_, err := ask(t, newClient(t, Options{APIKey: "secret", BaseURL: s.URL}), llmtest.Prompt("hi"))
	if err == nil || strings.Contains(err.Error(), "secret") || len(elsewhere.paths) > 0 {
		t.Error(err, elsewhere.paths)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := newClient(t, Options{APIKey: "k", BaseURL: s.URL}).Embed(ctx, "m", nil); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}
