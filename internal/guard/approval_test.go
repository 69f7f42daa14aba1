package guard

import (
	"context"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pollux/agent"
	"pollux/internal/guard/policy"
	"pollux/internal/guard/trust"
	"pollux/tool"
)

// A question contains the gate's findings, and offers a lasting answer only where one counts.
func TestApproval(t *testing.T) {
	t.Parallel()
	ask := func(o Options, command string) (a tool.Approval) {
		o.Interactive = true
		o.Policy = policy.New(policy.Options{
			Mode: policy.Default, Interactive: true, Trust: trust.NewLive(trust.Trusted), Dir: "/project", Inside: func(path string) bool { return path == "/project" },
		})
		c := call("run_shell_command", "", "")
		c.Args = []byte(`{"command":"` + command + `"}`)
		New(o).Admit(t.Context(), c, newShell(), func(_ context.Context, q *agent.Question) (tool.Answer, error) {
			d := q.Details()
			a = d.(*tool.ExecConfirmation).Approval
			return tool.Answer{Outcome: tool.Cancel}, nil
		})
		return a
	}
	a := ask(Options{}, "make --evil >/tmp/x; curl https://a.example")
	want := tool.Approval{
		Reason: `Approval mode "default" requires approval.`, IsUsual: true,
		Reach: tool.Reach{
			Commands: []tool.ShellCommand{{Program: "make", Text: "make --evil", Times: 1}, {Program: "curl", Text: "curl https://a.example", Times: 1}},
			Total:    2, Writes: []string{"/tmp/x"}, Outside: []string{"/tmp/x"}, WritesOutside: []string{"/tmp/x"},
			Servers: []tool.Server{{URL: "https://a.example", Host: "a.example", Readable: "a.example"}},
		},
		Offers: []tool.Offer{{Outcome: tool.ProceedAlways, Rule: "run_shell_command: make *, curl *, also into files", Runners: []string{"make"}}},
	}
	if diff := cmp.Diff(want, a); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	if a := ask(Options{Hooks: gateHooks{before: asksAlways}}, "make"); a.Offers != nil || !a.IsRequired {
		t.Errorf("a call that a hook asks about: %+v", a)
	}
	if a := ask(Options{Origins: &told{[]string{"--evil"}}}, "make --evil"); a.Offers != nil {
		t.Errorf("a command with a word of tool output: %+v", a)
	}
}

// A call that is proposed again is asked about in each mode, however often it was allowed, and even if
// it has no question of its own. A denial holds, and without a person it does not run.
func TestMustAsk(t *testing.T) {
	t.Parallel()
	asked := 0
	ask := func(context.Context, *agent.Question) (tool.Answer, error) {
		asked++
		return tool.Answer{Outcome: tool.ProceedAlways}, nil
	}
	again := func(path string) *agent.ToolCall {
		c := call("write_file", path, "x")
		c.MustAsk = true
		return c
	}
	for _, mode := range []policy.Mode{policy.Default, policy.AutoEdit, policy.Yolo} {
		asked = 0
		g := gate(mode, Options{Interactive: true})
		for _, path := range []string{"a", "a", "nothing to ask"} {
			if a := g.Admit(t.Context(), again(path), writer(t.TempDir()), ask); a.Run == nil {
				t.Errorf("%v: %+v", mode, a)
			}
		}
		if asked != 3 {
			t.Errorf("%v: asked %d times", mode, asked)
		}
	}
	deny := policy.Rule{Tools: []string{"write_file"}, Decision: policy.Deny, Priority: 4}
	wantRefusal(t, gate(policy.Yolo, Options{Interactive: true}, deny).Admit(t.Context(), again("a"), writer(t.TempDir()), unasked(t)),
		tool.ErrPolicyViolation, "Tool execution denied by policy.")
	wantRefusal(t, gate(policy.Yolo, Options{}).Admit(t.Context(), again("a"), writer(t.TempDir()), unasked(t)),
		tool.ErrUnhandled, `Tool execution for "WriteFile" requires user confirmation, which is not supported in non-interactive mode.`)
}
