package tool

import "encoding/json"

// AgentDisplay is the work of a subagent: its progress while it runs, then its result.
type AgentDisplay struct {
	Agent string
	State AgentState
	// Activity lists the latest actions of the subagent, the newest at the end.
	Activity []Activity
	// Result is the subagent's result, and Reason why it ended, such as "GOAL". Both are "" while
	// it runs.
	Result, Reason string
}

// AgentState is the state of a subagent or of one of its activities. The values appear in JSON.
type AgentState string

// The states.
const (
	AgentRunning   AgentState = "running"
	AgentCompleted AgentState = "completed"
	AgentError     AgentState = "error"
	AgentCancelled AgentState = "cancelled"
)

// Activity is a thought or a tool call of a subagent.
type Activity struct {
	ID   string `json:"id"`
	Type string `json:"type"` // "thought" or "tool_call"
	// Content is the text of the thought, or the name of the tool.
	Content string `json:"content"`
	// DisplayName, Description and Args are those of a tool call. Args is JSON.
	DisplayName string     `json:"displayName,omitempty"`
	Description string     `json:"description,omitempty"`
	Args        string     `json:"args,omitempty"`
	Status      AgentState `json:"status"`
}

// MarshalJSON writes the display in the form of Gemini CLI, for records and hooks.
func (d *AgentDisplay) MarshalJSON() ([]byte, error) {
	activity := d.Activity
	if activity == nil {
		activity = []Activity{}
	}
	return json.Marshal(struct {
		IsProgress bool       `json:"isSubagentProgress"`
		Agent      string     `json:"agentName"`
		Activity   []Activity `json:"recentActivity"`
		State      AgentState `json:"state"`
		Result     string     `json:"result,omitempty"`
		Reason     string     `json:"terminateReason,omitempty"`
	}{true, d.Agent, activity, d.State, d.Result, d.Reason})
}

func (*AgentDisplay) display() {}
