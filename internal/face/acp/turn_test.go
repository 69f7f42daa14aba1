package acp_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestTurn checks a turn with an edit that the person allows: the order and the texts of its messages.
func TestTurn(t *testing.T) {
	t.Parallel()
	e := newEditor(t, setup{script: `
turn
  expect prompt Rename it
  think **Look** I read it first.
  text I rename it.
  call replace {"file_path": "main.go", "instruction": "rename", "old_string": "old", "new_string": "new"}
turn
  expect result replace Successfully modified
  text Done.
`, files: map[string]string{"main.go": "package old\n"}})
	var asked map[string]any
	e.onAsk = func(method string, params map[string]any) any {
		asked = params
		return selects("proceed_once")
	}
	id := e.open()
	e.await("available_commands_update")
	result := e.ok("session/prompt", prompt(id, "Rename it"))
	if result["stopReason"] != "end_turn" || e.file("main.go") != "package new\n" {
		t.Errorf("%v, the file has %q", result, e.file("main.go"))
	}
	want := `agent_thought_chunk **Look**
I read it first.

agent_message_chunk I rename it.
tool_call pending
session/request_permission
tool_call_update in_progress
tool_call_update completed
agent_message_chunk Done.`
	if got := e.takeSeen(); got != want {
		t.Errorf("the messages are\n%s\nwant\n%s", got, want)
	}
	var options []string
	for _, o := range asked["options"].([]any) {
		o := o.(map[string]any)
		options = append(options, o["optionId"].(string)+" "+o["name"].(string)+" "+o["kind"].(string))
	}
	if got := strings.Join(options, ", "); got != "proceed_always Allow for this session allow_always, proceed_once Allow allow_once, cancel Reject reject_once" {
		t.Errorf("the options are %s", got)
	}
	begun := e.kinds("tool_call")[0]
	diff := begun["content"].([]any)[0].(map[string]any)
	if diff["type"] != "diff" || diff["path"] != e.dir+"/main.go" || diff["oldText"] != "package old\n" || diff["newText"] != "package new\n" {
		t.Errorf("the call shows %v", diff)
	}
	call := asked["toolCall"].(map[string]any)
	if call["toolCallId"] != begun["toolCallId"] || call["kind"] != "edit" || call["status"] != "pending" {
		t.Errorf("the question is about %v, and the call is %v", call, begun)
	}
	quota := result["_meta"].(map[string]any)["quota"].(map[string]any)
	if len(quota["model_usage"].([]any)) != 1 || quota["token_count"].(map[string]any)["input_tokens"].(float64) <= 0 {
		t.Errorf("the quota is %v", quota)
	}
	if usage := e.kinds("usage_update"); len(usage) != 2 || usage[0]["size"].(float64) != 1_048_576 {
		t.Errorf("the usage is %v", usage)
	}
	if titles := e.kinds("session_info_update"); len(titles) != 1 || titles[0]["title"] != "Rename it" {
		t.Errorf("the titles are %v", titles)
	}
}

// TestTrace checks that the telemetry of a prompt continues the trace of the client, and that other contents of _meta are no error.
func TestTrace(t *testing.T) {
	t.Parallel()
	const trace, span = "4bf92f3577b34da6a3ce929d0e0e4736", "00f067aa0ba902b7"
	e := newEditor(t, setup{
		script: "turn\n  times always\n  text Hi.\n", settings: `{"tools": {"sandbox": false}, "telemetry": {"enabled": true, "target": "local", "outfile": "~/telemetry.log"}}`,
	})
	id := e.open()
	p := prompt(id, "Hello")
	p["_meta"] = map[string]any{"traceparent": "00-" + trace + "-" + span + "-01", "editor.example/x": 1}
	e.ok("session/prompt", p)
	for _, meta := range []any{nil, "text", []any{1}, map[string]any{"traceparent": 5}, map[string]any{"traceparent": "00-bad"}} {
		p["_meta"] = meta
		e.ok("session/prompt", p)
	}
	e.end()
	data, err := os.ReadFile(filepath.Join(e.home, "telemetry.log"))
	if err != nil {
		t.Fatal(err)
	}
	text := string(data)
	if n := strings.Count(text, `"name": "user_prompt"`) + strings.Count(text, `"name":"user_prompt"`); n != 6 {
		t.Errorf("there are %d prompts: %.2000s", n, text)
	}
	if !strings.Contains(text, trace) || strings.Count(text, span) != 1 {
		t.Errorf("the trace is not continued once: %.2000s", text)
	}
}
