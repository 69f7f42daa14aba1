package guard

import (
	"context"
	"encoding/json"
	"testing"

	"pollux/agent"
	"pollux/internal/guard/policy"
	"pollux/internal/guard/trust"
	"pollux/tool"
)

// A command that runs only because it is harmless is marked, so that it gets no keys; one that a
// person, a rule or the mode has allowed is not.
func TestUnasked(t *testing.T) {
	t.Parallel()
	rules := []policy.Rule{{Tools: []string{"run_shell_command"}, Decision: policy.Allow, Priority: 4.1, Prefixes: []string{"ls"}}}
	for _, tt := range []struct {
		name, command string
		opts          policy.Options
		fromClient    bool
		want          bool
	}{
		{"harmless", "ls", policy.Options{Mode: policy.Default}, false, true},
		{"asked", "make", policy.Options{Mode: policy.Default}, false, false},
		{"by a rule", "ls", policy.Options{Mode: policy.Default, Rules: rules}, false, false},
		{"by the mode", "ls", policy.Options{Mode: policy.Yolo}, false, false},
		{"by a command of the user", "ls", policy.Options{Mode: policy.Default}, true, false},
	} {
		o := tt.opts
		o.Interactive, o.Trust, o.Dir, o.Inside = true, trust.NewLive(trust.Trusted), "/project", func(string) bool { return true }
		got := false
		shell := &realTool{spec: tool.Spec{Name: "run_shell_command", Kind: tool.KindExecute, Schema: json.RawMessage(`{"type":"object","properties":{"command":{"type":"string"}}}`)}}
		shell.run = func(_ context.Context, _ map[string]any, host tool.Host) *tool.Result {
			got = host.Unasked
			return tool.Text("ran")
		}
		g := New(Options{Policy: policy.New(o), Interactive: true})
		args, _ := json.Marshal(map[string]string{"command": tt.command})
		call := &agent.ToolCall{ID: "1", Name: "run_shell_command", Args: args, FromClient: tt.fromClient}
		a := g.Admit(t.Context(), call, shell, answers(t, tool.Answer{Outcome: tool.ProceedOnce}))
		if a.Run == nil {
			t.Errorf("%s: not run: %+v", tt.name, a.Record.Result)
			continue
		}
		if a.Run(t.Context(), agent.Host{}); got != tt.want {
			t.Errorf("%s: unasked is %v", tt.name, got)
		}
	}
}
