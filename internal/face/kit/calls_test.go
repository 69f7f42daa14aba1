package kit

import (
	"testing"

	"pollux/agent"
	"pollux/agent/agenttest"
	"pollux/tool"
)

// TestCalls checks the state of the calls of a run, and that it learns once of each call that begins.
func TestCalls(t *testing.T) {
	t.Parallel()
	var calls Calls
	one, two := &agent.ToolCall{ID: "1", Name: "read_file"}, &agent.ToolCall{ID: "2", Name: "ask_user"}
	hook := &agent.ToolCall{ID: "1", Name: "run_shell_command", Requested: "read_file"}
	next := agenttest.Question(hook, &tool.ExecConfirmation{}).About()[0]
	runs := agent.ToolUpdated{Call: one, Status: agent.Executing, Summary: "a.txt\x1b[2J"}
	for i, step := range []struct {
		e       agent.Event
		begins  bool
		running int
	}{
		{agent.ToolRequested{Call: one}, false, 0},
		{agent.ToolRequested{Call: two}, false, 0},
		{agent.ToolUpdated{Call: one, Status: agent.Scheduled}, false, 0},
		{runs, true, 1},
		{runs, false, 1},
		{agent.ToolUpdated{Call: one, Status: agent.Executing, Output: tool.TextDisplay("out")}, false, 1},
		{agent.ToolUpdated{Call: one, Status: agent.Executing, Running: next}, true, 1},
		{agent.ToolUpdated{Call: one, Status: agent.Executing, Running: next}, false, 1},
		{agent.ToolAsked{Call: two, Question: agenttest.Question(two, &tool.QuestionConfirmation{})}, false, 1},
		{agent.ToolUpdated{Call: two, Status: agent.Executing}, false, 1},
		{agent.ToolAsked{Call: hook, Within: []*agent.ToolCall{one}, Question: agenttest.Question(hook, &tool.ExecConfirmation{})}, false, 1},
		{agenttest.Finished(one, agent.Success, nil), false, 0},
	} {
		if begins := calls.Observe(step.e); begins != step.begins || len(calls.Running()) != step.running {
			t.Errorf("step %d: begins is %v, running %d", i, begins, len(calls.Running()))
		}
	}
	first, second := calls.Get(one), calls.Get(two)
	if first.Output != tool.TextDisplay("out") || first.Continued != next || first.WasAsked || first.Label(nil) != "read_file: a.txt" {
		t.Errorf("%+v", first)
	}
	if !second.WasAsked || !second.IsQuestion || second.HasBegun {
		t.Errorf("%+v", second)
	}
}
