package gallery

import (
	"pollux/agent"
	"pollux/tool"
)

// agentScenes returns the scenes of agents that work for the model.
func agentScenes() []Scene {
	return []Scene{
		{"agent-running", func(s *stage) {
			c := agentCall("codebase_investigator")
			s.beginAgent(c, "codebase_investigator", "Find each place that reads the offset of a station")
			s.run(agent.ToolUpdated{Call: c, Output: investigation(tool.AgentRunning)})
			s.pend(65)
		}},
		{"agents-running", func(s *stage) {
			done, first, second := agentCall("tester"), agentCall("codebase_investigator"), agentCall("reviewer")
			s.beginAgent(first, "codebase_investigator", "Find each place that reads the offset of a station")
			s.beginAgent(second, "reviewer", "Review the change of the time zones")
			s.beginAgent(done, "tester", "Run the tests")
			s.run(agent.ToolUpdated{Call: first, Output: investigation(tool.AgentRunning)})
			s.run(ended(done, agent.Success, &tool.Result{Display: &tool.AgentDisplay{Agent: "tester", State: tool.AgentCompleted, Result: "All tests pass."}, Summary: "Completed successfully"}))
			s.pend(65)
		}},
		{"agent-calls", func(s *stage) {
			c := agentCall("reviewer")
			s.beginAgent(c, "reviewer", "Review the change of the time zones")
			s.run(agent.Nested{Call: c, Event: ended(callOf("read_file"), agent.Success, &tool.Result{Summary: "84 lines"})},
				agent.Nested{Call: c, Event: ended(callOf("run_shell_command"), agent.Success, &tool.Result{Summary: "12 lines"})})
			s.pend(31)
		}},
		{"agent-finished", func(s *stage) {
			d := investigation(tool.AgentCompleted)
			d.Result = `{"summary":"Two functions read the offset.","files":["internal/tide/load.go:31","internal/tide/station.go:9"]}`
			s.endAgent(d, "Completed successfully")
		}},
		{"agent-failed", func(s *stage) {
			s.endAgent(investigation(tool.AgentError), "Finished early: the time limit of 10 minutes")
		}},
		{"agent-cancelled", func(s *stage) {
			s.endAgent(&tool.AgentDisplay{Agent: "codebase_investigator", State: tool.AgentCancelled}, "cancelled")
		}},
	}
}

func agentCall(name string) *agent.ToolCall {
	return &agent.ToolCall{ID: name + "__1", Name: "invoke_agent", Args: []byte(`{"agent_name":"` + name + `","prompt":""}`)}
}

func (s *stage) beginAgent(c *agent.ToolCall, name, task string) {
	s.run(began(c, tool.KindAgent, "Delegating to agent '"+name+"': "+task))
}

// endAgent shows an agent that has ended.
func (s *stage) endAgent(d *tool.AgentDisplay, summary string) {
	c := agentCall(d.Agent)
	s.beginAgent(c, d.Agent, "Find each place that reads the offset of a station")
	s.run(ended(c, agent.Success, &tool.Result{Display: d, Summary: summary}))
}

// investigation returns the work of an agent in a state.
func investigation(state tool.AgentState) *tool.AgentDisplay {
	return &tool.AgentDisplay{Agent: "codebase_investigator", State: state, Activity: []tool.Activity{
		{Type: "tool_call", DisplayName: "ReadFolder", Description: "internal/tide", Status: tool.AgentCompleted},
		{Type: "tool_call", DisplayName: "SearchText", Description: "'Offset' in **/*.go", Status: tool.AgentCompleted},
		{Type: "tool_call", DisplayName: "ReadFile", Description: "internal/tide/zones.go", Status: tool.AgentError},
		{Type: "thought", Content: "The loader and the printer both know the offset.", Status: tool.AgentCompleted},
		{Type: "tool_call", DisplayName: "ReadFile", Description: "internal/tide/load.go", Status: state},
	}}
}
