package transcript

import (
	"fmt"
	"math"
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
	check(t, "done", joined(tr.Take()), "✓ worker  Look  → Summary: All is well.\n")
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

// TestSeveralAgents checks that agents that run side by side share a heading, and that each has two lines.
func TestSeveralAgents(t *testing.T) {
	t.Parallel()
	agentOf := func(id string) *agent.ToolCall {
		return &agent.ToolCall{ID: id, Name: "invoke_agent", Args: []byte(`{"agent_name":"` + id + `","prompt":"Look"}`)}
	}
	one, two := agentOf("one"), agentOf("two")
	tr := newTranscript().run(began(one, tool.KindAgent, "Look"), began(two, tool.KindAgent, "Look"))
	for i := range 20 {
		d := &tool.AgentDisplay{Agent: "one", State: tool.AgentRunning}
		for n := range i + 1 {
			d.Activity = append(d.Activity, tool.Activity{Type: "tool_call", DisplayName: "ReadFile", Description: fmt.Sprint(n), Status: tool.AgentCompleted})
		}
		tr.run(agent.ToolUpdated{Call: one, Status: agent.Executing, Output: d})
		check(t, "running", joined(tr.Pending(20, start.Add(9*time.Second))),
			"≡ Running 2 Agents... (ctrl+o to expand)\n⊷ one  Look  (9s)\n  ✓ ReadFile  "+fmt.Sprint(i)+"\n⊷ two  Look  (9s)\n")
	}
	tr.run(done(two, &tool.Result{Display: &tool.AgentDisplay{Agent: "two", State: tool.AgentCompleted, Result: "Good.\nAll of it."}}))
	check(t, "one has ended", joined(tr.Pending(20, start)),
		"≡ 2 Agents (1 running, 1 completed)... (ctrl+o to expand)\n⊷ one  Look\n  ✓ ReadFile  19\n✓ two  Look  → Good.\n")
	check(t, "low", joined(tr.Pending(1, start)), "≡ 2 Agents (1 running, 1 completed)... (ctrl+o to expand)\n")
	tr.run(done(one, &tool.Result{Display: &tool.AgentDisplay{Agent: "one", State: tool.AgentCompleted, Result: "Fine."}}))
	check(t, "all have ended", joined(tr.Take()), "✓ one  Look  → Fine.\n✓ two  Look  → Good.\n")
}

// TestProgress checks the line about the progress of a call.
func TestProgress(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		d    tool.ProgressDisplay
		want string
	}{
		{tool.ProgressDisplay{Done: 1, Total: 2, Message: "half"}, "██████████░░░░░░░░░░ 1/2  half"},
		{tool.ProgressDisplay{Done: 0.5, Total: 1}, "██████████░░░░░░░░░░ 50%"},
		{tool.ProgressDisplay{Done: 40, Total: 100}, "████████░░░░░░░░░░░░ 40%"},
		{tool.ProgressDisplay{Done: 9, Total: 8}, "████████████████████ 9/8"},
		{tool.ProgressDisplay{Done: -1, Total: 8}, "░░░░░░░░░░░░░░░░░░░░ 0%"},
		{tool.ProgressDisplay{Done: 7, Message: "a\x1b[31mb\nc"}, "7  ab c"},
		{tool.ProgressDisplay{Done: math.NaN(), Total: 2}, "NaN"},
		{tool.ProgressDisplay{Done: 1, Total: math.Inf(1)}, "░░░░░░░░░░░░░░░░░░░░ 0%"},
	} {
		x := callOf("index", "1")
		tr := newTranscript().run(began(x, tool.KindOther, "all"), agent.ToolUpdated{Call: x, Status: agent.Executing, Output: &c.d})
		check(t, c.want, joined(tr.Pending(20, start)), "⊷ index  all\n  "+c.want+"\n")
	}
}
