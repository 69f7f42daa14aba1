package acp_test

import (
	"fmt"
	"strings"
	"testing"
)

const allowsShell = `{"tools": {"sandbox": false, "allowed": ["run_shell_command"]}}`

// TestOutput checks that a command shows its output while it runs, and at the end its last part.
func TestOutput(t *testing.T) {
	t.Parallel()
	e := newEditor(t, setup{settings: allowsShell, script: `
turn
  call run_shell_command {"command": "echo begun; until test -e go; do sleep 0.05; done; seq 1 200000"}
turn
  text Done.
`})
	shown := make(chan struct{})
	isShown := false
	e.onEvent = func(u map[string]any) {
		if u["sessionUpdate"] == "tool_call_update" && strings.Contains(fmt.Sprint(u["content"]), "begun") && !isShown {
			isShown = true
			close(shown)
		}
	}
	id := e.open()
	wait := e.begin("session/prompt", prompt(id, "Go"))
	<-shown
	e.write(e.dir+"/go", "")
	if _, err := wait(); err != nil {
		t.Fatal(err)
	}
	updates := e.kinds("tool_call_update")
	end := updates[len(updates)-1]
	output := end["rawOutput"].(map[string]any)["output"].(string)
	if !strings.HasPrefix(output, "[") || !strings.HasSuffix(output, "\n200000") || len(output) > 33<<10 || end["title"] == "" {
		t.Errorf("%d bytes: %.100s", len(output), output)
	}
	text := end["content"].([]any)[0].(map[string]any)["content"].(map[string]any)["text"].(string)
	if !strings.HasPrefix(text, "```\n[") || !strings.HasSuffix(text, "\n200000\n```") {
		t.Errorf("%.100s", text)
	}
}

// TestSubagent checks that calls of a subagent are announced with the call in which they run, and that a question about one names the
// subagent.
func TestSubagent(t *testing.T) {
	t.Parallel()
	e := newEditor(t, setup{script: `
turn
  call invoke_agent {"agent_name": "generalist", "prompt": "Write a word"}
turn
  call run_shell_command {"command": "echo heron > word.txt"}
turn
  call complete_task {"response": "Written."}
turn
  text Done.
`})
	var asked map[string]any
	e.onAsk = func(_ string, params map[string]any) any {
		asked = params["toolCall"].(map[string]any)
		return selects("proceed_once")
	}
	if stop := e.ask(e.open(), "Go"); stop != "end_turn" || e.file("word.txt") != "heron\n" {
		t.Errorf("%s; %s", stop, e.takeSeen())
	}
	begun := e.kinds("tool_call")
	if len(begun) < 2 {
		t.Fatalf("the calls are %v", begun)
	}
	outer, inner := begun[0], begun[1]
	if meta, _ := inner["_meta"].(map[string]any); meta["parentToolCallId"] != outer["toolCallId"] || asked["toolCallId"] != inner["toolCallId"] {
		t.Errorf("the calls are %v, asked about %v", begun, asked)
	}
	if title, _ := asked["title"].(string); !strings.HasPrefix(title, "generalist: echo heron") {
		t.Errorf("the title is %q", title)
	}
}

// TestNoForms checks that the model has no tool that asks for text.
func TestNoForms(t *testing.T) {
	t.Parallel()
	e := newEditor(t, setup{script: "turn\n  expect tool replace run_shell_command write_todos\n  expect not tool ask_user\n  text Hi.\n"})
	e.ask(e.open(), "Hi")
}
