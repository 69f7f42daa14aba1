package guard

import (
	"context"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pollux/internal/guard/policy"
	"pollux/tool"
)

// A question contains what a person should know, and offers a lasting answer only where one counts.
func TestApproval(t *testing.T) {
	t.Parallel()
	ask := func(o Options, command string) (a tool.Approval) {
		o.Interactive = true
		o.Policy = policy.New(policy.Options{
			Mode: policy.Default, Interactive: true, Trusted: true, Dir: "/project", Inside: func(path string) bool { return path == "/project" },
		})
		c := call("run_shell_command", "", "")
		c.Args = []byte(`{"command":"` + command + `"}`)
		New(o).Admit(t.Context(), c, newShell(), func(_ context.Context, d tool.Confirmation) (tool.Answer, error) {
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
			Total:    2, Writes: []string{"/tmp/x"}, Outside: []string{"/tmp/x"},
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
