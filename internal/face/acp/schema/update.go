package schema

import "encoding/json"

// Notification are the parameters of [Update]. Its update is one of the types of this file.
type Notification struct {
	SessionID string `json:"sessionId"`
	Update    any    `json:"update"`
}

// Kind is the kind of an update.
type Kind string

// The kinds of updates.
const (
	UserChunk     Kind = "user_message_chunk"
	AgentChunk    Kind = "agent_message_chunk"
	ThoughtChunk  Kind = "agent_thought_chunk"
	CallBegan     Kind = "tool_call"
	CallChanged   Kind = "tool_call_update"
	PlanChanged   Kind = "plan"
	CommandsKnown Kind = "available_commands_update"
	ModeChanged   Kind = "current_mode_update"
	OptionsKnown  Kind = "config_option_update"
	InfoChanged   Kind = "session_info_update"
	UsageChanged  Kind = "usage_update"
)

// Chunk is a piece of a message.
type Chunk struct {
	Kind      Kind   `json:"sessionUpdate"`
	MessageID string `json:"messageId,omitempty"`
	Content   any    `json:"content"` // a block
}

// Call is a tool call, or a change of one: fields that are left out stay as they are.
type Call struct {
	Kind      Kind            `json:"sessionUpdate,omitempty"`
	ID        string          `json:"toolCallId"`
	Title     string          `json:"title,omitempty"`
	Name      string          `json:"name,omitempty"`
	Tool      ToolKind        `json:"kind,omitempty"`
	Status    Status          `json:"status,omitempty"`
	Content   []CallContent   `json:"content,omitzero"`
	Locations []Location      `json:"locations,omitzero"`
	Input     json.RawMessage `json:"rawInput,omitempty"`
	Output    any             `json:"rawOutput,omitempty"`
	Meta      Meta            `json:"_meta,omitempty"`
}

// Location is a place in a file, whose first line is 1; 0 is the whole file.
type Location struct {
	Path string `json:"path"`
	Line int    `json:"line,omitempty"`
}

// ToolKind is the kind of a tool.
type ToolKind string

// The kinds of tools. There are no others.
const (
	ToolRead       ToolKind = "read"
	ToolEdit       ToolKind = "edit"
	ToolDelete     ToolKind = "delete"
	ToolMove       ToolKind = "move"
	ToolSearch     ToolKind = "search"
	ToolExecute    ToolKind = "execute"
	ToolThink      ToolKind = "think"
	ToolFetch      ToolKind = "fetch"
	ToolSwitchMode ToolKind = "switch_mode"
	ToolOther      ToolKind = "other"
)

// Status is the state of a tool call.
type Status string

// The states. There are no others.
const (
	Pending    Status = "pending"
	InProgress Status = "in_progress"
	Completed  Status = "completed"
	Failed     Status = "failed"
)

// Plan is the list of tasks of the model, all of it.
type Plan struct {
	Kind    Kind        `json:"sessionUpdate"`
	Entries []PlanEntry `json:"entries"`
}

// PlanEntry is a task. Its status is that of a tool call, but never [Failed].
type PlanEntry struct {
	Content  string `json:"content"`
	Priority string `json:"priority"`
	Status   Status `json:"status"`
}

// Commands are the commands that a prompt can begin with.
type Commands struct {
	Kind     Kind      `json:"sessionUpdate"`
	Commands []Command `json:"availableCommands"`
}

// Command is a command, without the slash.
type Command struct {
	Name        string `json:"name"`
	Description string `json:"description"`
	Input       *Hint  `json:"input,omitempty"`
}

// Hint describes the arguments of a command.
type Hint struct {
	Hint string `json:"hint"`
}

// ModeUpdate is the approval mode from now on.
type ModeUpdate struct {
	Kind    Kind   `json:"sessionUpdate"`
	Current string `json:"currentModeId"`
}

// OptionsUpdate are the choices that the person has from now on.
type OptionsUpdate struct {
	Kind    Kind     `json:"sessionUpdate"`
	Options []Option `json:"configOptions"`
}

// InfoUpdate is the title of a session.
type InfoUpdate struct {
	Kind  Kind   `json:"sessionUpdate"`
	Title string `json:"title"`
}

// Usage is how full the context window is, in tokens, and the cost of the session.
type Usage struct {
	Kind Kind  `json:"sessionUpdate"`
	Used int   `json:"used"`
	Size int   `json:"size"`
	Cost *Cost `json:"cost,omitempty"`
}

// Cost is an amount of money.
type Cost struct {
	Amount   float64 `json:"amount"`
	Currency string  `json:"currency"`
}
