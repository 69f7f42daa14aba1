package policy

import (
	"fmt"
	"testing"

	"pollux/internal/guard/trust"
)

// Cached rules of a tool do not apply to another call.
func TestRulesOfTools(t *testing.T) {
	t.Parallel()
	e := engine(t, Options{Mode: Default, Interactive: true, Trust: trust.NewLive(trust.Trusted), Rules: []Rule{
		{Tools: []string{"mcp_a_b_*"}, Decision: Deny, Priority: 4.1},
		{Tools: []string{"helper"}, Decision: Deny, Priority: 4.2},
		{Tools: []string{"OldName"}, Decision: Deny, Priority: 4.3},
	}})
	for range 2 { // the first time, and when it is known
		for _, tt := range []struct {
			call Call
			want Decision
		}{
			{Call{Name: "mcp_a_b_t", Server: "a"}, Ask},
			{Call{Name: "mcp_a_b_t"}, Deny},
			{Call{Name: "mcp_a_b_t", Server: "a_b"}, Deny},
			{call(agentTool, "agent_name", "other"), Allow},
			{call(agentTool, "agent_name", "helper"), Deny},
			{Call{Name: "replace"}, Ask},
			{Call{Name: "replace", Aliases: []string{"OldName"}}, Deny},
		} {
			if got := e.Check(tt.call).Decision; got != tt.want {
				t.Errorf("%+v: %v, want %v", tt.call, got, tt.want)
			}
		}
	}
}

// Rules for a program are found however its name is written, among many others.
func TestProgramsOfRules(t *testing.T) {
	t.Parallel()
	var rules []Rule
	for i := range 200 {
		rules = append(rules, Rule{Tools: []string{shellTool}, Decision: Deny, Priority: 4.1, Prefixes: []string{fmt.Sprintf("p%d", i), fmt.Sprintf("q%d run", i)}})
	}
	e := engine(t, Options{Rules: rules, Mode: Yolo, Trust: trust.NewLive(trust.Trusted)})
	for i := range 200 {
		for _, c := range []string{"p%d", "p%d x", `p%d"x"`, `"p%d" x`, `'p%d'`, `p"%d"`, "A=1 p%d", "ls; p%d", "q%d run", "q%d  run x", `q%d "run"`, `bash -c "p%d x"`, "time p%d"} {
			if c := fmt.Sprintf(c, i); e.Check(command(c)).Decision != Deny {
				t.Errorf("%s is not denied", c)
			}
		}
		for _, c := range []string{"q%d", "p%dx", "q%d runs", "-p%d"} {
			if c := fmt.Sprintf(c, i); e.Check(command(c)).Decision != Allow {
				t.Errorf("%s is denied", c)
			}
		}
	}
}
