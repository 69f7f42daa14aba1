package stats_test

import (
	"testing"

	"pollux/agent"
	"pollux/agent/agenttest"
	"pollux/internal/records"
	"pollux/internal/stats"
)

// The calls of an agent that runs inside a call count, however deep it is.
func TestNestedCalls(t *testing.T) {
	t.Parallel()
	s := stats.New()
	call := &agent.ToolCall{Name: "delegate"}
	inner := agenttest.Finished(&agent.ToolCall{Name: "look"}, agent.Success, nil)
	s.Record(&records.AgentEvent{Event: agent.Nested{Call: call, Event: agent.Nested{Call: call, Event: inner}}})
	s.Record(&records.AgentEvent{Event: agent.Nested{Call: call, Event: agent.Text{Text: "x"}}})
	if got := s.Snapshot().Tools.Calls; got != 1 {
		t.Errorf("%d calls, want 1", got)
	}
}
