package policy

import (
	"testing"

	"pollux/internal/guard/trust"
	"pollux/tool"
)

// Each call of a remote agent needs an answer of its own, and an answer about another agent is none.
func TestRemoteAgents(t *testing.T) {
	t.Parallel()
	far, near := call(agentTool, "agent_name", "far", "prompt", "x"), call(agentTool, "agent_name", "near", "prompt", "x")
	ask := Rule{Tools: []string{agentTool}, Decision: Ask, Priority: 4.1, Modes: In(Default, AutoEdit)}
	for name, rules := range map[string][]Rule{"no rule": nil, "a rule of the user's that asks": {ask}} {
		e := engine(t, Options{Mode: Default, Interactive: true, Trust: trust.NewLive(trust.Trusted), Rules: rules})
		e.SetAgentRules(AgentRules{Remote: []string{"far"}})
		if got := e.Offers(far); len(got) != 0 {
			t.Errorf("%s: offers %+v", name, got)
		}
		for _, answer := range []tool.Outcome{tool.ProceedAlways, tool.ProceedAlwaysAndSave, tool.ProceedAlwaysTool} {
			if e.Remember(far, answer) {
				t.Errorf("%s: remembers %v", name, answer)
			}
		}
		if !e.Remember(near, tool.ProceedAlways) {
			t.Errorf("%s: does not remember an answer about a local agent", name)
		}
		if got := e.Check(far).Decision; got != Ask {
			t.Errorf("%s: far: %v", name, got)
		}
	}
	own := Rule{Tools: []string{"far"}, Decision: Allow, Priority: 4.1, Modes: In(Default)}
	e := engine(t, Options{Mode: Default, Interactive: true, Trust: trust.NewLive(trust.Trusted), Rules: []Rule{own}})
	e.SetAgentRules(AgentRules{Remote: []string{"far"}})
	if got := e.Check(far).Decision; got != Allow {
		t.Errorf("with a rule of the user's: %v", got)
	}
}
