package scriptmodel_test

import (
	"fmt"
	"strings"
	"testing"

	"pollux/internal/scriptmodel"
	"pollux/internal/scriptmodel/protocol"
)

// TestMisbehaviourOnWires checks the bytes of each misbehavior on each protocol.
func TestMisbehaviourOnWires(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, script string
		status       int
		want         map[string]string // by wire
		not          string
	}{
		{"rate limit", "fail 429", 429, map[string]string{
			"openai":    `"code":"rate_limit_exceeded"`,
			"responses": `"code":"rate_limit_exceeded"`,
			"anthropic": `{"error":{"message":"This request would exceed your organization's rate limit of 50 requests per minute.","type":"rate_limit_error"},"request_id":"req_scripted","type":"error"}`,
		}, ""},
		{"Gemini's code", "fail 429 RESOURCE_EXHAUSTED slow down", 429, map[string]string{
			"openai":    `{"error":{"code":"rate_limit_exceeded","message":"slow down","param":null,"type":"requests"}}`,
			"responses": `"message":"slow down"`,
			"anthropic": `{"message":"slow down","type":"rate_limit_error"}`,
		}, "RESOURCE"},
		{"quota", "fail 429 insufficient_quota", 429, map[string]string{
			"openai":    `"type":"insufficient_quota"`,
			"responses": `"code":"insufficient_quota"`,
			"anthropic": `"Your credit balance is too low`,
		}, ""},
		{"too long", "fail 400 context_length_exceeded", 400, map[string]string{
			"openai":    `"code":"context_length_exceeded"`,
			"responses": `maximum context length`,
			"anthropic": `prompt is too long: 200001 tokens`,
		}, ""},
		{"overload", "fail 529", 529, map[string]string{
			"openai": `"type":"server_error"`, "responses": `"type":"server_error"`, "anthropic": `"type":"overloaded_error"`,
		}, ""},
		{"text without a code", "fail 500 nothing works", 500, map[string]string{
			"openai": `"message":"nothing works"`, "responses": `"message":"nothing works"`, "anthropic": `{"message":"nothing works","type":"api_error"}`,
		}, ""},
		{"error in the stream", "text a\nfail 503 UNAVAILABLE too busy", 200, map[string]string{
			"openai":    "data: {\"error\":{\"code\":null,\"message\":\"too busy\",\"param\":null,\"type\":\"server_error\"}}\n\n",
			"responses": "event: error\ndata: {\"code\":\"server_error\",\"message\":\"too busy\",\"param\":null,\"sequence_number\":5,\"type\":\"error\"}\n\n",
			"anthropic": "event: error\ndata: {\"error\":{\"message\":\"too busy\",\"type\":\"overloaded_error\"},\"type\":\"error\"}\n\n",
		}, ""},
		{"page", "html 200 <h1>Log in</h1>", 200, map[string]string{"": "<h1>Log in</h1>"}, "data:"},
		{"comments only", "comment keep-alive\ncomment OPENROUTER PROCESSING\nend", 200, map[string]string{
			"": ": keep-alive\n\n: OPENROUTER PROCESSING\n\n",
		}, "data:"},
		{"comment first", "comment x\ntext a", 200, map[string]string{"openai": ": x\n\ndata: {", "": ": x\n\nevent: "}, ""},
		{"end", "text a\nend", 200, map[string]string{"": `"a"`}, "_stop"},
		{"null", "null\ntext a", 200, map[string]string{"": `"delta":null`}, ""},
		{"frame", `frame {"type":"message_stop"}`, 200, map[string]string{
			"openai": "data: {\"type\":\"message_stop\"}\n\n", "": "event: message_stop\ndata: {\"type\":\"message_stop\"}\n\n",
		}, ""},
		{"1 MB line", "fill 1MB ab", 200, map[string]string{"": strings.Repeat("ab", 1<<19)}, ""},
		{"carriage returns", "framing crlf\nsplit 5\ntext ä", 200, map[string]string{"": "\"ä\""}, ""},
		{"object", `call args=object f {"a": 1}`, 200, map[string]string{
			"openai": `"arguments":{"a":1}`, "responses": `"arguments":{"a":1}`, "anthropic": `"input":{"a":1}`,
		}, "partial_json"},
		{"broken", `call args=broken f {"a": 1}`, 200, map[string]string{
			"openai": `"arguments":"{\"a\""`, "responses": `"arguments":"{\"a\""`, "anthropic": `"partial_json":"{\"a\""`,
		}, `\":1`},
		{"empty", `call args=empty f {"a": 1}`, 200, map[string]string{
			"openai": `"finish_reason":"tool_calls"`, "responses": `"arguments":""`, "anthropic": `"partial_json":""`,
		}, "a\\\""},
		{"no id", `call id=none f {}`, 200, map[string]string{
			"openai":    `{"function":{"arguments":"","name":"f"},"index":0,"type":"function"}`,
			"responses": `{"arguments":"{}","id":"fc_1_1","name":"f"`,
			"anthropic": `{"input":{},"name":"f","type":"tool_use"}`,
		}, ""},
		{"empty id", `call id="" f {}`, 200, map[string]string{
			"responses": `"call_id":""`, "": `"id":""`,
		}, ""},
		{"calls and stop", "call f {}\nfinish stop", 200, map[string]string{
			"openai": `"finish_reason":"stop"`, "responses": `"status":"completed"`, "anthropic": `"stop_reason":"stop"`,
		}, "tool_calls\"}"},
		{"no reason", "text a\nfinish none", 200, map[string]string{
			"openai": "data: [DONE]", "responses": "response.output_item.done", "anthropic": "message_stop",
		}, "end_turn"},
		{"no usage", "text a\nusage none", 200, map[string]string{"": "a"}, "_tokens"},
		{"blocked", "text a\nfinish SAFETY", 200, map[string]string{
			"openai": `"finish_reason":"content_filter"`, "responses": `"incomplete_details":{"reason":"content_filter"}`, "anthropic": `"stop_reason":"refusal"`,
		}, ""},
		{"another field", "thoughts reasoning\nthink hm\ntext a", 200, map[string]string{
			"openai": `{"reasoning":"hm"}`, "": `"hm"`,
		}, "reasoning_content"},
	} {
		for _, d := range dialects {
			t.Run(c.name+" "+d.wire, func(t *testing.T) {
				t.Parallel()
				s := serve(t, "turn\n"+c.script, scriptmodel.Options{})
				more := ""
				if d.wire == "anthropic" {
					more = `"thinking":{"type":"adaptive"}`
				}
				resp, body, err := d.send(t, s, d.body(true, []turn{{user: "hi"}}, more))
				status := c.status
				if c.name == "quota" && d.wire == "anthropic" {
					status = 400 // the status of Anthropic's quota error
				}
				if err != nil || resp.StatusCode != status {
					t.Fatalf("%v %v %s", err, resp, body)
				}
				want, ok := c.want[d.wire]
				if !ok {
					want = c.want[""]
				}
				if !strings.Contains(body, want) || c.not != "" && strings.Contains(body, c.not) {
					t.Errorf("want %.200q, not %q, in %.4000s", want, c.not, body)
				}
				if err := s.Check(); err != nil {
					t.Error(err)
				}
			})
		}
	}
}

// TestInterleaved checks that the interleaved deltas of two calls still form two calls.
func TestInterleaved(t *testing.T) {
	t.Parallel()
	for _, d := range dialects {
		s := serve(t, "turn\n interleave\n text a\n call f {\"path\": \"a long text for many deltas zzzzzzzzzzzzzzzz\"}\n call f {\"path\": \"another one of the kind\"}", scriptmodel.Options{})
		_, body, err := d.send(t, s, d.body(true, []turn{{user: "hi"}}, ""))
		if err != nil {
			t.Fatal(err)
		}
		if d.wire != "responses" { // its last event has the whole again
			if second, first := strings.LastIndex(body, "path"), strings.LastIndex(body, "zz"); second < 0 || first < second {
				t.Errorf("%s: one after the other: %s", d.wire, body)
			}
		}
		got := d.said(t, body, true)
		if want := `["f_1 f {\"path\":\"a long text for many deltas zzzzzzzzzzzzzzzz\"}" "f_2 f {\"path\":\"another one of the kind\"}"]`; fmt.Sprintf("%q", got.calls) != want {
			t.Errorf("%s: %q", d.wire, got.calls)
		}
	}
}

// TestSameID checks that an ID that the script uses twice is sent twice.
func TestSameID(t *testing.T) {
	t.Parallel()
	for _, d := range dialects {
		s := serve(t, "turn\n call f {}\n call id=same f {}", scriptmodel.Options{})
		_, body, err := d.send(t, s, d.body(false, []turn{{user: "hi"}}, ""))
		if got := d.said(t, body, false); err != nil || fmt.Sprint(got.calls) != "[f_1 f {} f_1 f {}]" {
			t.Errorf("%s: %v %v", d.wire, err, got.calls)
		}
	}
}

// TestThoughtsInTags checks thoughts that are written into the text.
func TestThoughtsInTags(t *testing.T) {
	t.Parallel()
	s := serve(t, "thoughts tags\nturn\n think hm\n think , yes\n text a\nturn\n think hm\n call f {}", scriptmodel.Options{})
	d := dialects[0]
	for _, want := range []string{"<think>hm, yes</think>a", "<think>hm</think>"} {
		_, body, err := d.send(t, s, d.body(true, []turn{{user: "hi"}}, ""))
		if got := d.said(t, body, true); err != nil || got.text != want {
			t.Errorf("%v %+v", err, got)
		}
	}
}

// TestRefuse checks that a refused parameter uses no turn, and that a request without the
// parameter is accepted.
func TestRefuse(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ wire, name, more, want string }{
		{"openai", "temperature", `"temperature":0.5`, `"code":"unsupported_value","message":"Unsupported value: 'temperature' does not support 0.5`},
		{"openai", "tools", "", "does not support tools"},
		{"openai", "stream_options", "", `"param":"stream_options"`},
		{"openai", "system", "", `'messages[0].role' does not support 'system'`},
		{"responses", "system", "", `'instructions' is not supported`},
		{"responses", "include", "", `"param":"include"`},
		{"anthropic", "temperature", `"temperature":0.5`, "`temperature` is deprecated for this model."},
		{"anthropic", "system", "", "system: Extra inputs are not permitted"},
		{"anthropic", "tools", "", "does not support tools"},
	} {
		for _, d := range dialects {
			if d.wire != c.wire {
				continue
			}
			s := serve(t, "refuse "+c.name+"\nrefuse seed no seeds here\nturn\n text x", scriptmodel.Options{})
			body := d.body(true, []turn{{user: "hi"}}, c.more)
			resp, answer, err := d.send(t, s, body)
			if err != nil || resp.StatusCode != 400 || !strings.Contains(answer, c.want) {
				t.Errorf("%s %s: %v %s", c.wire, c.name, err, answer)
			}
			without := parsed(body)
			delete(without, c.name)
			if c.name == "system" {
				delete(without, "instructions")
				if c.wire == "openai" {
					without["messages"] = protocol.AsList(without["messages"])[1:]
				}
			}
			if resp, answer, err := d.send(t, s, string(protocol.MustJSON(without))); err != nil || resp.StatusCode != 200 {
				t.Errorf("%s without %s: %v %s", c.wire, c.name, err, answer)
			}
			if err := s.Check(); err != nil {
				t.Error(err)
			}
		}
	}
	s := serve(t, "refuse system\nrefuse temperature too warm\nturn\n times always\n text x", scriptmodel.Options{})
	for want, body := range map[string]string{
		"Developer instruction is not enabled": `{"contents":[` + hi + `],"systemInstruction":{"parts":[{"text":"s"}]}}`,
		"too warm":                             `{"contents":[` + hi + `],"generationConfig":{"temperature":1}}`,
		`"text":"x"`:                           ask(hi),
	} {
		if _, answer, _ := post(t, s.URL()+streamPath, body); !strings.Contains(answer, want) {
			t.Errorf("%s: %s", want, answer)
		}
	}
}

// TestAccept checks that unknown fields are refused unless the script accepts them.
func TestAccept(t *testing.T) {
	t.Parallel()
	d := dialects[0]
	s := serve(t, "accept enable_thinking\nturn\n expect wire openai\n expect field enable_thinking false\n expect not field top_k\n expect field messages.0.role system\n text x", scriptmodel.Options{})
	if resp, answer, err := d.send(t, s, d.body(true, []turn{{user: "hi"}}, `"enable_thinking":false`)); err != nil || resp.StatusCode != 200 {
		t.Errorf("%v %s", err, answer)
	}
	if resp, answer, err := d.send(t, s, d.body(true, []turn{{user: "hi"}}, `"top_k":1`)); err != nil || resp.StatusCode != 400 {
		t.Errorf("%v %s", err, answer)
	}
}

// TestRetryAfter checks the time to wait: in a detail for Gemini, in a header for other vendors.
func TestRetryAfter(t *testing.T) {
	t.Parallel()
	for _, d := range dialects {
		s := serve(t, "turn\n fail 429 RESOURCE_EXHAUSTED\n detail {\"@type\": \"type.googleapis.com/google.rpc.RetryInfo\", \"retryDelay\": \"1.5s\"}", scriptmodel.Options{})
		resp, body, err := d.send(t, s, d.body(true, []turn{{user: "hi"}}, ""))
		if err != nil || resp.Header.Get("Retry-After") != "2" || strings.Contains(body, "googleapis") {
			t.Errorf("%s: %v %v %s", d.wire, err, resp.Header, body)
		}
	}
}

// TestCut checks that cut breaks the connection in the middle of the step before it.
func TestCut(t *testing.T) {
	t.Parallel()
	for _, d := range dialects {
		s := serve(t, "turn\n times always\n text one\n call f {\"a\": \"some longer text for the arguments of it\"}\n cut", scriptmodel.Options{})
		for _, stream := range []bool{true, false} {
			_, body, err := d.send(t, s, d.body(stream, []turn{{user: "hi"}}, ""))
			if err == nil || stream && !strings.Contains(body, "one") || stream && strings.Contains(body, "arguments of it") {
				t.Errorf("%s: %v %s", d.wire, err, body)
			}
		}
	}
	s := serve(t, "turn\n cut", scriptmodel.Options{})
	_, body, _ := dialects[0].send(t, s, dialects[0].body(true, []turn{{user: "hi"}}, ""))
	if !strings.Contains(body, "there is nothing to cut") {
		t.Error(body)
	}
}
