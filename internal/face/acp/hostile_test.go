package acp_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
)

// TestHostile sends each method parameters of every wrong form. Each gets an answer, and the connection goes on.
func TestHostile(t *testing.T) {
	t.Parallel()
	e := newEditor(t, setup{script: "turn\n  text Hi.\n"})
	id := e.open()
	values := []any{
		nil, true, 7, -1.5, "", "x", "\x00", strings.Repeat("x", 100_000),
		[]any{},
		[]any{nil, 7},
		map[string]any{},
		map[string]any{"type": 7},
		[]any{map[string]any{"type": "text", "text": 7}},
		[]any{map[string]any{"type": "resource", "resource": []any{}}},
		[]any{map[string]any{}},
	}
	for _, method := range []string{
		"initialize", "authenticate", "session/new", "session/load", "session/resume", "session/list", "session/prompt", "session/set_mode", "session/set_model",
		"session/set_config_option", "session/close", "session/delete", "_vendor/x", "",
	} {
		for _, field := range []string{"", "sessionId", "cwd", "mcpServers", "additionalDirectories", "prompt", "modeId", "modelId", "configId", "value", "methodId", "_meta", "cursor", "protocolVersion", "clientCapabilities"} {
			for _, value := range values {
				params := map[string]any{"sessionId": id, "cwd": e.dir + "/none", "mcpServers": []any{}, field: value}
				if method == "session/close" || method == "session/delete" {
					params["sessionId"] = fmt.Sprint("not ", id)
				}
				if method == "session/prompt" && field != "prompt" {
					params["prompt"] = value
				}
				_, err := e.call(method, params)
				if f, isAnswer := errors.AsType[*failure](err); err != nil && (!isAnswer || f.Message == "" || len(f.Message) > 2000) {
					t.Fatalf("%s %s %v: %.3000v", method, field, value, err)
				}
			}
		}
	}
	for _, line := range []string{`{"jsonrpc":"2.0","method":"session/cancel","params":[]}`, `{"method":"session/cancel"}`, `{"method":"unknown","params":{}}`, `{"id":77,"result":{}}`} {
		e.line(line)
	}
	if stop := e.ask(id, "Hi"); stop != "end_turn" {
		t.Error(stop)
	}
}
