package scriptmodel_test

import (
	"encoding/json"
	"strings"
	"testing"

	"pollux/internal/scriptmodel"
)

// TestWords checks the protocol for models without tool support.
func TestWords(t *testing.T) {
	t.Parallel()
	s := serve(t, `
turn
  expect wire text
  expect tool f g
  text I look.
  call f {"a": "b"}
  call g {}
turn
  expect messages 3
  expect result f_1 "x\nResult of g:"
  expect error g_1 no
  text ok
turn
  expect result f_1
  expect error g_1
  call args=broken f {"a": "b"}
turn
  call args=empty f
`, scriptmodel.Options{Wire: "text"})
	d := dialects[0]
	d.header = map[string]string{"Authorization": "Bearer k"}
	_, body, err := d.send(t, s, d.body(true, []turn{{user: "hi"}}, ""))
	if err != nil || !strings.Contains(body, `does not support tools`) {
		t.Fatalf("%v %s", err, body)
	}
	quote := func(text string) string {
		b, _ := json.Marshal(text) // a string always can be
		return string(b)
	}
	const calls = "I look.\n```json\n{\"tool_call\": {\"name\": \"f\", \"arguments\": {\"a\":\"b\"}}}\n```\n\n```json\n{\"tool_call\": {\"name\": \"g\", \"arguments\": {}}}\n```\n"
	ask := func(messages string) string {
		t.Helper()
		request := `{"model":"m","stream":true,"messages":[{"role":"system","content":` + quote("Tools.\n**f**: does.\n**g**: does too.") + `},
			{"role":"user","content":"hi"}` + messages + `]}`
		resp, body, err := d.send(t, s, request)
		if err != nil || resp.StatusCode != 200 {
			t.Fatalf("%v %s", err, body)
		}
		return d.said(t, body, true).text
	}
	if got := ask(""); got != calls {
		t.Errorf("%q", got)
	}
	said := `,{"role":"assistant","content":` + quote(calls) + `},{"role":"user","content":`
	results := "Result of f:\n````\nx\nResult of g:\n```\n````\n\nError from g:\n```\nno\n```"
	if got := ask(said + quote(results) + `}`); got != "ok" {
		t.Errorf("%q", got)
	}
	if got := ask(said + quote(results) + `}`); !strings.HasSuffix(got, "\"arguments\": {\"a\":\n```\n") {
		t.Errorf("%q", got)
	}
	if got := ask(""); !strings.Contains(got, `"arguments": ""}}`) {
		t.Errorf("%q", got)
	}
	if err := s.Check(); err != nil {
		t.Error(err)
	}
	for want, text := range map[string]string{"g was called and has no result": "Result of f:\n```\nx\n```", "not called, or not in this place": "Result of g:\n```\nx\n```"} {
		request := `{"model":"m","messages":[{"role":"user","content":"hi"}` + said + quote(text) + `}]}`
		if resp, body, err := d.send(t, s, request); err != nil || resp.StatusCode != 400 || !strings.Contains(body, want) {
			t.Errorf("%v %s", err, body)
		}
	}
}

// TestMediaAndSize checks the expectations about media and request size.
func TestMediaAndSize(t *testing.T) {
	t.Parallel()
	const png = `data:image/png;base64,AAAA`
	for _, c := range []struct{ wire, more string }{
		{"openai", `"messages":[{"role":"user","content":[{"type":"image_url","image_url":{"url":"` + png + `"}}]}]`},
		{"responses", `"input":[{"role":"user","content":"x"},{"type":"function_call","call_id":"c1","name":"f","arguments":"{}"},
			{"type":"function_call_output","call_id":"c1","output":[{"type":"input_image","detail":"auto","image_url":"` + png + `"}]}]`},
		{"anthropic", `"messages":[{"role":"user","content":"x"},{"role":"assistant","content":[{"type":"tool_use","id":"c1","name":"f","input":{}}]},
			{"role":"user","content":[{"type":"tool_result","tool_use_id":"c1","content":[{"type":"image","source":{"type":"base64","media_type":"image/png","data":"AAAA"}}]}]}]`},
	} {
		for _, d := range dialects {
			if d.wire != c.wire {
				continue
			}
			s := serve(t, "turn\n expect media image/png\n expect not media image/gif\n expect smaller 4KB\n expect not smaller 9\n text x", scriptmodel.Options{})
			if resp, body, err := d.send(t, s, d.body(true, []turn{{user: "hi"}}, c.more)); err != nil || resp.StatusCode != 200 {
				t.Errorf("%s: %v %s", c.wire, err, body)
			}
		}
	}
	if _, err := scriptmodel.Parse("turn\n expect smaller x\n text x"); err == nil {
		t.Error("no size")
	}
}
