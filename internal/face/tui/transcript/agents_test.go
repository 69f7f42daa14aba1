package transcript

import (
	"fmt"
	"testing"
	"time"

	"pollux/agent"
	"pollux/agent/agenttest"
	"pollux/tool"
)

func TestAgents(t *testing.T) {
	t.Parallel()
	c := &agent.ToolCall{ID: "1", Name: "invoke_agent", Args: []byte(`{"agent_name":"worker","prompt":"Look"}`)}
	work := func(state tool.AgentState) *tool.AgentDisplay {
		d := &tool.AgentDisplay{Agent: "worker", State: state}
		for i := range 7 {
			d.Activity = append(d.Activity, tool.Activity{Type: "tool_call", Content: "read_file", DisplayName: "ReadFile", Description: fmt.Sprint(i), Status: tool.AgentCompleted})
		}
		d.Activity = append(d.Activity, tool.Activity{Type: "thought", Content: "Hm\x1b[1m", Status: tool.AgentRunning}, tool.Activity{Type: "tool_call", Content: "replace", Status: tool.AgentRunning})
		return d
	}
	tr := newTranscript().run(began(c, tool.KindAgent, "Delegating to agent 'worker': Look"))
	check(t, "before", joined(tr.Pending(20, start)), "⊷ worker  Look\n")
	tr.run(agent.ToolUpdated{Call: c, Status: agent.Executing, Output: work(tool.AgentRunning)})
	check(t, "running", joined(tr.Pending(20, start.Add(65*time.Second))), "⊷ worker  Look  (1m 5s)\n  ✓ ReadFile  4\n  ✓ ReadFile  5\n  ✓ ReadFile  6\n  💭 Hm\n  ⊷ Edit\n")
	result := work(tool.AgentCompleted)
	result.Result = `{"summary":"All is well.","files":["a","b"]}`
	tr.run(done(c, &tool.Result{Display: result, Summary: "Completed successfully"}))
	check(t, "done", joined(tr.Take()), "✓ worker  Look  → Completed successfully\n  Summary: All is well.\n\n  Files:\n  - a\n  - b\n")
	check(t, "cancelled", joined(newTranscript().run(done(c, &tool.Result{Display: &tool.AgentDisplay{Agent: "worker", State: tool.AgentCancelled}, Summary: "cancelled"})).Take()), "- worker  → cancelled\n")
	failing := work(tool.AgentError)
	failing.Activity = failing.Activity[6:8]
	check(t, "failed", joined(newTranscript().run(done(c, &tool.Result{Display: failing, Summary: "failed: x", Problem: "p"})).Take()), "x worker  → failed: x\n  ✓ ReadFile  6\n  💭 Hm\n")
}

// TestNested checks the calls of an agent inside a call of another tool.
func TestNested(t *testing.T) {
	t.Parallel()
	c := callOf("investigate", "1")
	tr := newTranscript().run(began(c, tool.KindOther, "the case"))
	for i := range 6 {
		inside := agenttest.Finished(callOf("read_file", fmt.Sprint(i)), agent.Success, &tool.Result{Summary: fmt.Sprint(i, " lines")})
		tr.run(agent.Nested{Call: c, Event: agent.Text{Text: "hidden"}}, agent.Nested{Call: c, Event: inside})
	}
	check(t, "", joined(tr.Pending(3, start)), "⊷ investigate  the case\n  ✓ ReadFile  → 4 lines\n  ✓ ReadFile  → 5 lines\n")
	check(t, "whole", joined(tr.Pending(9, start)), "⊷ investigate  the case\n  ✓ ReadFile  → 1 lines\n  ✓ ReadFile  → 2 lines\n  ✓ ReadFile  → 3 lines\n  ✓ ReadFile  → 4 lines\n  ✓ ReadFile  → 5 lines\n")
}
