package acp_test

import (
	"strings"
	"testing"

	"pollux/internal/process/processtest"
)

// TestCancel cancels a turn at each of its stages. It ends as cancelled, once, no call stays open, and the session goes on.
func TestCancel(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		script string
		until  string // something that the server sends; "" is the first request, or at once if there is none
		times  int
	}{
		"before the first byte":  {"turn\n  hang\n", "", 1},
		"at once":                {"", "", 1},
		"in the text":            {"turn\n  text Hm.\n  hang\n", "agent_message_chunk Hm.", 1},
		"twice":                  {"turn\n  text Hm.\n  hang\n", "agent_message_chunk Hm.", 2},
		"in a question":          {"turn\n  call run_shell_command {\"command\": \"echo never > word.txt\"}\n", "session/request_permission", 1},
		"in a command":           {"turn\n  call run_shell_command {\"command\": \"echo begun; sleep 100\"}\n", "tool_call_update in_progress", 1},
		"before another attempt": {"turn\n  fail 503\n", "", 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			settings := ""
			if name == "in a command" {
				settings = `{"tools": {"sandbox": false, "allowed": ["run_shell_command"]}}`
			}
			e := newEditor(t, setup{script: tt.script + "turn\n  times always\n  text Back.\n", settings: settings})
			e.onAsk = func(string, map[string]any) any { return hang }
			id := e.open()
			wait := e.begin("session/prompt", prompt(id, "Go"))
			if tt.until != "" {
				e.await(tt.until)
			} else if tt.script != "" {
				processtest.WaitUntil(t, "the request", func() bool { return len(e.model.Requests()) > 0 })
			}
			for range max(1, tt.times) {
				e.notify("session/cancel", map[string]any{"sessionId": id})
			}
			result, err := wait()
			if err != nil || result["stopReason"] != "cancelled" {
				t.Fatalf("%v, %v", result, err)
			}
			if result["_meta"] != nil {
				t.Errorf("a cancelled turn has %v", result["_meta"])
			}
			open := map[any]bool{}
			for _, kind := range []string{"tool_call", "tool_call_update"} {
				for _, u := range e.kinds(kind) {
					open[u["toolCallId"]] = u["status"] != "failed"
				}
			}
			for call, isOpen := range open {
				if isOpen {
					t.Errorf("the call %v stays open", call)
				}
			}
			e.notify("session/cancel", map[string]any{"sessionId": id})
			e.notify("session/cancel", map[string]any{"sessionId": "unknown"})
			e.takeSeen()
			if stop := e.ask(id, "Again"); stop != "end_turn" || !strings.HasSuffix(e.said(), "Back.") {
				t.Errorf("the next turn ends with %s: %s", stop, e.said())
			}
			if e.file("word.txt") == "never\n" {
				t.Error("the command ran")
			}
		})
	}
}

// TestNextPrompt checks that a prompt during a turn ends that turn, and that of two that wait only the last one runs.
func TestNextPrompt(t *testing.T) {
	t.Parallel()
	e := newEditor(t, setup{script: "turn\n  expect prompt One\n  text Hm.\n  hang\nturn\n  expect prompt Three\n  text Done.\n"})
	id := e.open()
	first := e.begin("session/prompt", prompt(id, "One"))
	e.await("agent_message_chunk Hm.")
	second := e.begin("session/prompt", prompt(id, "Two"))
	third := e.begin("session/prompt", prompt(id, "Three"))
	for i, wait := range []func() (map[string]any, error){first, second, third} {
		want := "cancelled"
		if i == 2 {
			want = "end_turn"
		}
		if result, err := wait(); err != nil || result["stopReason"] != want {
			t.Errorf("prompt %d: %v, %v", i, result, err)
		}
	}
}

// TestCancelRequest checks that a prompt can also be cancelled as a request, and that the question of its call is withdrawn.
func TestCancelRequest(t *testing.T) {
	t.Parallel()
	e := newEditor(t, setup{script: "turn\n  call run_shell_command {\"command\": \"echo > a.txt\"}\n"})
	e.onAsk = func(string, map[string]any) any { return hang }
	id := e.open()
	wait := e.begin("session/prompt", prompt(id, "Go"))
	e.await("session/request_permission")
	e.notify("$/cancel_request", map[string]any{"requestId": e.lastRequest()})
	if result, err := wait(); err != nil || result["stopReason"] != "cancelled" {
		t.Errorf("%v, %v", result, err)
	}
	e.await("withdrawn")
}

// TestEndOfInput checks that the server ends with its input, in the middle of work.
func TestEndOfInput(t *testing.T) {
	t.Parallel()
	for name, script := range map[string]string{
		"an answer":  "turn\n  text Hm.\n  hang\n",
		"a question": "turn\n  text Hm.\n  call run_shell_command {\"command\": \"echo > a.txt\"}\n",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := newEditor(t, setup{script: script})
			e.onAsk = func(string, map[string]any) any { return hang }
			id, other := e.open(), e.open()
			e.begin("session/prompt", prompt(id, "Go"))
			e.await("agent_message_chunk Hm.")
			_ = other
			e.end()
		})
	}
}
