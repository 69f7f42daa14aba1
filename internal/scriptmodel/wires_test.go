package scriptmodel_test

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"pollux/internal/scriptmodel"
	"pollux/internal/scriptmodel/protocol"
)

// dialect writes the requests of a test in one protocol.
type dialect struct {
	wire, path string
	header     map[string]string
	// body makes a request of a model, the turns of a conversation and more fields.
	body func(stream bool, turns []turn, more string) string
	said func(t *testing.T, body string, stream bool) said
}

// turn is a message of the user or the model.
type turn struct {
	user    string
	calls   []string // "id name", the model's
	results []string // "id text", the user's
}

// said is a parsed answer.
type said struct {
	text, thought, finish string
	calls                 []string // "id name {args}"
	prompt, completion    float64
}

var dialects = []dialect{
	{
		wire: "openai", path: "/v1/chat/completions", header: map[string]string{"Authorization": "Bearer k"},
		body: chatBody, said: chatSaid,
	},
	{
		wire: "responses", path: "/v1/responses", header: map[string]string{"Authorization": "Bearer k"},
		body: responsesBody, said: responsesSaid,
	},
	{
		wire: "anthropic", path: "/v1/messages", header: map[string]string{"x-api-key": "k", "anthropic-version": "2023-06-01"},
		body: anthropicBody, said: anthropicSaid,
	},
}

// send sends a request in a dialect.
func (d *dialect) send(t *testing.T, s *scriptmodel.Server, body string) (*http.Response, string, error) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), "POST", s.URL()+d.path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	for name, value := range d.header {
		req.Header.Set(name, value)
	}
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	resp, err := client.Do(req)
	if err != nil {
		return nil, "", err
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	return resp, string(b), err
}

// do sends a request that must succeed.
func do(t *testing.T, req *http.Request) (int, string) {
	t.Helper()
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	resp, err := client.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode, string(b)
}

func parsed(s string) map[string]any {
	var v map[string]any
	if err := json.Unmarshal([]byte(s), &v); err != nil {
		panic(fmt.Sprintf("%s: %v", s, err))
	}
	return v
}

// with adds fields to a body.
func with(body map[string]any, more string) string {
	if more != "" {
		for name, v := range parsed("{" + more + "}") {
			body[name] = v
		}
	}
	return string(protocol.MustJSON(body))
}

func chatBody(streamed bool, turns []turn, more string) string {
	messages := []any{map[string]any{"role": "system", "content": "be brief"}}
	for _, u := range turns {
		if u.user != "" {
			messages = append(messages, map[string]any{"role": "user", "content": u.user})
		}
		var calls []any
		for _, c := range u.calls {
			id, name, _ := strings.Cut(c, " ")
			calls = append(calls, map[string]any{
				"id": id, "type": "function", "function": map[string]any{"name": name, "arguments": "{}"},
			})
		}
		if calls != nil {
			messages = append(messages, map[string]any{"role": "assistant", "content": "", "tool_calls": calls})
		}
		for _, r := range u.results {
			id, text, _ := strings.Cut(r, " ")
			messages = append(messages, map[string]any{"role": "tool", "tool_call_id": id, "content": text})
		}
	}
	body := map[string]any{
		"model": "m", "messages": messages,
		"tools": []any{map[string]any{"type": "function", "function": map[string]any{"name": "f"}}},
	}
	if streamed {
		body["stream"], body["stream_options"] = true, map[string]any{"include_usage": true}
	}
	return with(body, more)
}

func responsesBody(streamed bool, turns []turn, more string) string {
	items := []any{}
	for _, u := range turns {
		if u.user != "" {
			items = append(items, map[string]any{"role": "user", "content": u.user})
		}
		for _, c := range u.calls {
			id, name, _ := strings.Cut(c, " ")
			items = append(items, map[string]any{"type": "function_call", "call_id": id, "name": name, "arguments": "{}"})
		}
		for _, r := range u.results {
			id, text, _ := strings.Cut(r, " ")
			items = append(items, map[string]any{"type": "function_call_output", "call_id": id, "output": text})
		}
	}
	body := map[string]any{
		"model": "gpt-5", "input": items, "instructions": "be brief", "store": false,
		"include": []any{"reasoning.encrypted_content"}, "reasoning": map[string]any{"summary": "auto"},
		"tools": []any{map[string]any{"type": "function", "name": "f", "strict": false, "parameters": map[string]any{"type": "object"}}},
	}
	if streamed {
		body["stream"] = true
	}
	return with(body, more)
}

func anthropicBody(streamed bool, turns []turn, more string) string {
	messages := []any{}
	for _, u := range turns {
		if u.user != "" {
			messages = append(messages, map[string]any{"role": "user", "content": u.user})
		}
		var calls, results []any
		for _, c := range u.calls {
			id, name, _ := strings.Cut(c, " ")
			calls = append(calls, map[string]any{"type": "tool_use", "id": id, "name": name, "input": map[string]any{}})
		}
		for _, r := range u.results {
			id, text, _ := strings.Cut(r, " ")
			results = append(results, map[string]any{"type": "tool_result", "tool_use_id": id, "content": text})
		}
		if calls != nil {
			messages = append(messages, map[string]any{"role": "assistant", "content": calls})
		}
		if results != nil {
			messages = append(messages, map[string]any{"role": "user", "content": results})
		}
	}
	body := map[string]any{
		"model": "claude-sonnet-4-6", "max_tokens": 4096, "system": "be brief", "messages": messages,
		"tools": []any{map[string]any{"name": "f", "input_schema": map[string]any{"type": "object"}}},
	}
	if streamed {
		body["stream"] = true
	}
	return with(body, more)
}

// events returns the data of a stream's frames with their names.
func events(t *testing.T, body string) (names []string, data []string) {
	t.Helper()
	name := ""
	lines := bufio.NewScanner(strings.NewReader(body))
	lines.Buffer(nil, 4<<20)
	for lines.Scan() {
		line := strings.TrimSuffix(lines.Text(), "\r")
		if rest, ok := strings.CutPrefix(line, "event: "); ok {
			name = rest
		}
		if rest, ok := strings.CutPrefix(line, "data: "); ok {
			names, data, name = append(names, name), append(data, rest), ""
		}
	}
	return names, data
}

func get(v any, path ...any) any {
	for _, p := range path {
		switch p := p.(type) {
		case string:
			m, _ := v.(map[string]any)
			v = m[p]
		case int:
			l, _ := v.([]any)
			if p >= len(l) {
				return nil
			}
			v = l[p]
		}
	}
	return v
}

func str1(v any) string { s, _ := v.(string); return s }
func num(v any) float64 { n, _ := v.(float64); return n }

func chatSaid(t *testing.T, body string, streamed bool) said {
	t.Helper()
	var out said
	usage := func(v any) {
		if u := get(v, "usage"); u != nil {
			out.prompt, out.completion = num(get(u, "prompt_tokens")), num(get(u, "completion_tokens"))
		}
	}
	if !streamed {
		v := parsed(body)
		m := get(v, "choices", 0, "message")
		out.text, out.thought = str1(get(m, "content")), str1(get(m, "reasoning_content"))
		out.finish = str1(get(v, "choices", 0, "finish_reason"))
		for _, c := range protocol.AsList(get(m, "tool_calls")) {
			out.calls = append(out.calls, fmt.Sprint(get(c, "id"), " ", get(c, "function", "name"), " ", get(c, "function", "arguments")))
		}
		usage(v)
		return out
	}
	_, data := events(t, body)
	if data[len(data)-1] != "[DONE]" {
		t.Errorf("the stream does not end with [DONE]: %s", body)
	}
	for _, d := range data[:len(data)-1] {
		v := parsed(d)
		delta := get(v, "choices", 0, "delta")
		out.text += str1(get(delta, "content"))
		out.thought += str1(get(delta, "reasoning_content"))
		out.finish += str1(get(v, "choices", 0, "finish_reason"))
		if c := get(delta, "tool_calls", 0); c != nil {
			i := int(num(get(c, "index")))
			if i == len(out.calls) {
				out.calls = append(out.calls, fmt.Sprint(get(c, "id"), " ", get(c, "function", "name"), " "))
			}
			out.calls[i] += str1(get(c, "function", "arguments"))
		}
		usage(v)
	}
	return out
}

func responsesSaid(t *testing.T, body string, streamed bool) said {
	t.Helper()
	var out said
	var final any = map[string]any{}
	streamedText := ""
	if streamed {
		names, data := events(t, body)
		for i, d := range data {
			v := parsed(d)
			if names[i] != v["type"] || num(v["sequence_number"]) != float64(i) {
				t.Errorf("event %d is named %s: %s", i, names[i], d)
			}
			switch names[i] {
			case "response.output_text.delta":
				streamedText += str1(v["delta"])
			case "response.completed", "response.incomplete":
				final = v["response"]
			}
		}
	} else {
		final = parsed(body)
	}
	out.finish = str1(get(final, "status"))
	for _, item := range protocol.AsList(get(final, "output")) {
		switch get(item, "type") {
		case "message":
			out.text += str1(get(item, "content", 0, "text"))
		case "reasoning":
			out.thought += str1(get(item, "summary", 0, "text"))
		case "function_call":
			out.calls = append(out.calls, fmt.Sprint(get(item, "call_id"), " ", get(item, "name"), " ", get(item, "arguments")))
		}
	}
	if streamed && streamedText != out.text {
		t.Errorf("streamed %q, finally %q", streamedText, out.text)
	}
	out.prompt, out.completion = num(get(final, "usage", "input_tokens")), num(get(final, "usage", "output_tokens"))
	return out
}

func anthropicSaid(t *testing.T, body string, streamed bool) said {
	t.Helper()
	var out said
	blocks := []any{}
	if !streamed {
		v := parsed(body)
		blocks = protocol.AsList(v["content"])
		out.finish = str1(v["stop_reason"])
		out.prompt, out.completion = num(get(v, "usage", "input_tokens")), num(get(v, "usage", "output_tokens"))
	} else {
		names, data := events(t, body)
		args := map[int]string{}
		for i, d := range data {
			v := parsed(d)
			if names[i] != v["type"] {
				t.Errorf("event %d is named %s: %s", i, names[i], d)
			}
			n := int(num(v["index"]))
			switch names[i] {
			case "message_start":
				out.prompt = num(get(v, "message", "usage", "input_tokens"))
			case "content_block_start":
				if n != len(blocks) {
					t.Errorf("block %d is numbered %d", len(blocks), n)
				}
				blocks = append(blocks, v["content_block"])
			case "content_block_delta":
				b := blocks[n].(map[string]any)
				for from, to := range map[string]string{"text": "text", "thinking": "thinking", "signature": "signature"} {
					if s, ok := get(v, "delta", from).(string); ok {
						b[to] = str1(b[to]) + s
					}
				}
				args[n] += str1(get(v, "delta", "partial_json"))
			case "message_delta":
				out.finish = str1(get(v, "delta", "stop_reason"))
				out.completion = num(get(v, "usage", "output_tokens"))
			}
		}
		if len(names) == 0 || names[len(names)-1] != "message_stop" {
			t.Errorf("the stream does not end with message_stop: %s", body)
		}
		for n, text := range args {
			if b := blocks[n].(map[string]any); text != "" {
				b["input"] = parsed(text)
			}
		}
	}
	for _, b := range blocks {
		out.text += str1(get(b, "text"))
		out.thought += str1(get(b, "thinking"))
		if get(b, "type") == "tool_use" {
			out.calls = append(out.calls, fmt.Sprintf("%v %v %s", get(b, "id"), get(b, "name"), protocol.MustJSON(get(b, "input"))))
		}
	}
	return out
}

// openAIJudge returns a check against the vendor's schema, or nil if that is not beside the
// checkout.
func openAIJudge(t *testing.T) func(string, []byte) error {
	t.Helper()
	j, err := readOpenAISchema()
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		t.Fatal(err)
	}
	return j
}

// readOpenAISchema reads the schema once for all tests, because it is large.
var readOpenAISchema = sync.OnceValues(func() (func(string, []byte) error, error) {
	return scriptmodel.Schema(filepath.Join("..", "..", "..", "shared", "wire", "openai.json"))
})

// TestOneScriptForAll runs one script on all protocols, streamed and not.
func TestOneScriptForAll(t *testing.T) {
	t.Parallel()
	const script = `
turn
  expect prompt hi
  expect system be brief
  expect messages 1
  expect tool f
  think Hm, let me
  think  see
  text Hello,
  text " wörld"
  usage prompt=9 candidates=3 cached=2 thoughts=1
turn
  call f {"path": "{{DIR}}/some longer text for a few deltas"}
  call f {}
turn
  expect result f_1 forty
  expect result f_2
  expect messages 3
  text got {{f_1 /forty-(\w+)/}}
  finish MAX_TOKENS
`
	finishes := map[string][3]string{
		"openai":    {"stop", "tool_calls", "length"},
		"responses": {"completed", "completed", "incomplete"},
		"anthropic": {"end_turn", "tool_use", "max_tokens"},
	}
	for _, d := range dialects {
		for _, streamed := range []bool{true, false} {
			t.Run(fmt.Sprint(d.wire, " streamed ", streamed), func(t *testing.T) {
				t.Parallel()
				s := serve(t, script, scriptmodel.Options{Vars: map[string]string{"DIR": `/tmp/"x"`}, Validate: openAIJudge(t)})
				more := ""
				if d.wire == "anthropic" {
					more = `"thinking":{"type":"adaptive"}`
				}
				ask := func(turns ...turn) said {
					resp, body, err := d.send(t, s, d.body(streamed, turns, more))
					if err != nil || resp.StatusCode != 200 {
						t.Fatal(err, body)
					}
					if kind := resp.Header.Get("Content-Type"); strings.HasPrefix(kind, "text/event-stream") != streamed {
						t.Errorf("Content-Type %s", kind)
					}
					return d.said(t, body, streamed)
				}
				got := ask(turn{user: "hi"})
				if got.text != "Hello, wörld" || got.thought != "Hm, let me see" || got.finish != finishes[d.wire][0] {
					t.Errorf("%+v", got)
				}
				if want := map[string]float64{"anthropic": 7}[d.wire]; got.completion != 4 || want != 0 && got.prompt != want || want == 0 && got.prompt != 9 {
					t.Errorf("usage: %+v", got)
				}
				got = ask(turn{user: "hi"})
				if fmt.Sprintf("%q", got.calls) != `["f_1 f {\"path\":\"/tmp/\\\"x\\\"/some longer text for a few deltas\"}" "f_2 f {}"]` || got.finish != finishes[d.wire][1] {
					t.Errorf("%+v", got)
				}
				got = ask(turn{user: "hi"}, turn{calls: []string{"f_1 f", "f_2 f"}, results: []string{"f_1 forty-two", "f_2 x"}})
				if got.text != "got two" || got.finish != finishes[d.wire][2] {
					t.Errorf("%+v", got)
				}
				if err := s.Check(); err != nil {
					t.Error(err)
				}
				if r := s.Requests()[0]; r.Wire != d.wire || streamed != (r.Verb == "streamGenerateContent") || r.Model == "" {
					t.Errorf("noted %s %s %s", r.Wire, r.Verb, r.Model)
				}
			})
		}
	}
}
