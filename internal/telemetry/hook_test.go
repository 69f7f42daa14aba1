package telemetry

import (
	"encoding/json"
	"errors"
	"path/filepath"
	"testing"
	"time"

	"pollux/internal/records"
	"pollux/internal/secret"
)

// A hook is recorded with its input and output only together with prompts.
func TestHooks(t *testing.T) {
	t.Parallel()
	for _, prompts := range []bool{true, false} {
		path := filepath.Join(t.TempDir(), "t.log")
		var s warnings
		o := options(path, &s)
		o.LogPrompts = prompts
		o.Clean = secret.NewEraser([]string{"sk-secret-key"})
		tel := Start(o)
		tel.Record(records.HookRun{
			Event: "BeforeTool", Kind: "command", Name: "/home/me/bin/lint.sh --key sk-secret-key", Took: 12 * time.Millisecond,
			Input: []byte(`{"tool_name":"x"}`), Stderr: "err", Output: func() json.RawMessage { return json.RawMessage(`{"decision":"allow"}`) },
		})
		tel.Record(records.HookRun{Event: "AfterTool", Kind: "runtime", Name: "go", Failed: true, Err: errors.New("boom")})
		tel.Close()
		all := split(t, path)
		found := find(all, "gemini_cli.hook_call")
		if len(found) != 2 {
			t.Fatalf("%d events", len(found))
		}
		want := map[string]any{
			"hook_event_name": "BeforeTool", "hook_type": "command", "hook_name": "lint.sh", "duration_ms": 12.0, "success": true, "exit_code": 0.0,
			"hook_input": nil, "hook_output": nil, "stdout": nil, "stderr": nil, "error": nil,
		}
		if prompts {
			want["hook_name"] = "/home/me/bin/lint.sh --key " + secret.Redacted
			want["hook_input"], want["hook_output"] = "{\n  \"tool_name\": \"x\"\n}", "{\n  \"decision\": \"allow\"\n}"
			want["stdout"], want["stderr"] = "", "err" // as Gemini CLI writes them
		}
		for key, value := range want {
			if got := found[0].Attributes[key]; got != value {
				t.Errorf("prompts %v: %s is %v, want %v", prompts, key, got, value)
			}
		}
		if a := found[1].Attributes; a["success"] != false || a["error"] != "boom" || a["hook_name"] != "go" {
			t.Errorf("failed: %v", a)
		}
		points, _ := metric(all, "gemini_cli.hook_call.count")
		if len(points) != 2 || points[0]["hook_name"] != "lint.sh" || points[0]["success"] != true || points[0]["hook_event_name"] != "BeforeTool" {
			t.Errorf("count: %v", points)
		}
		if points, _ := metric(all, "gemini_cli.hook_call.latency"); len(points) != 2 {
			t.Errorf("latency: %v", points)
		}
	}
}
