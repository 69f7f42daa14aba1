package schema

import (
	"encoding/json"
	"time"
)

// NewRequest are the parameters of [New], and, with a session, of [Load] and [Resume].
type NewRequest struct {
	SessionID   string      `json:"sessionId"`
	Dir         string      `json:"cwd"`
	Servers     []MCPServer `json:"mcpServers"`
	Directories []string    `json:"additionalDirectories"`
}

// MCPServer is an MCP server of the client. Type is "" for a program, which has Command, Args and Env.
type MCPServer struct {
	Type    string   `json:"type"`
	Name    string   `json:"name"`
	Command string   `json:"command"`
	Args    []string `json:"args"`
	Env     []Pair   `json:"env"`
	URL     string   `json:"url"`
	Headers []Pair   `json:"headers"`
}

// Pair is a name with a value.
type Pair struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// SessionState is the result of [New], [Load] and [Resume]. SessionID is only in the first one.
type SessionState struct {
	SessionID string   `json:"sessionId,omitempty"`
	Modes     *Modes   `json:"modes"`
	Models    *Models  `json:"models"`
	Options   []Option `json:"configOptions"`
}

// Modes are the approval modes of a session.
type Modes struct {
	Current   string `json:"currentModeId"`
	Available []Mode `json:"availableModes"`
}

// Mode is an approval mode.
type Mode struct {
	ID          string `json:"id"`
	Name        string `json:"name"`
	Description string `json:"description,omitempty"`
}

// Models are the models of a session, for clients from before [Option].
type Models struct {
	Current   string  `json:"currentModelId"`
	Available []Model `json:"availableModels"`
}

// Model is a model.
type Model struct {
	ID          string `json:"modelId"`
	Name        string `json:"name"`
	Description string `json:"description,omitempty"`
}

// Option is a choice that the person has in a session.
type Option struct {
	ID          string  `json:"id"`
	Name        string  `json:"name"`
	Description string  `json:"description,omitempty"`
	Category    string  `json:"category,omitempty"`
	Type        string  `json:"type"`
	Current     string  `json:"currentValue"`
	Values      []Value `json:"options"`
}

// Value is a value of an [Option].
type Value struct {
	Value       string `json:"value"`
	Name        string `json:"name"`
	Description string `json:"description,omitempty"`
}

// Options is the result of [SetOption].
type Options struct {
	Options []Option `json:"configOptions"`
}

// OfSession are the parameters of the methods about a session, each of which reads its own fields.
type OfSession struct {
	SessionID string          `json:"sessionId"`
	ModeID    string          `json:"modeId"`
	ModelID   string          `json:"modelId"`
	OptionID  string          `json:"configId"`
	Value     json.RawMessage `json:"value"`
}

// ListRequest are the parameters of [List].
type ListRequest struct {
	Dir    *string `json:"cwd"`
	Cursor *string `json:"cursor"`
}

// ListResponse is the result of [List].
type ListResponse struct {
	Sessions []SessionInfo `json:"sessions"`
	Next     string        `json:"nextCursor,omitempty"`
}

// SessionInfo describes a recorded session.
type SessionInfo struct {
	SessionID string    `json:"sessionId"`
	Dir       string    `json:"cwd"`
	Title     string    `json:"title,omitempty"`
	Updated   time.Time `json:"updatedAt,omitzero"`
}

// PromptRequest are the parameters of [Prompt].
type PromptRequest struct {
	SessionID string          `json:"sessionId"`
	Prompt    []Block         `json:"prompt"`
	Meta      json.RawMessage `json:"_meta"`
}

// Trace returns the field traceparent of _meta, as W3C defines it; "" if there is none. What else is there is no error.
func (p *PromptRequest) Trace() string {
	var meta struct {
		Trace string `json:"traceparent"`
	}
	if json.Unmarshal(p.Meta, &meta) != nil {
		return ""
	}
	return meta.Trace
}

// PromptResponse is the result of [Prompt].
type PromptResponse struct {
	StopReason StopReason `json:"stopReason"`
	Meta       Meta       `json:"_meta,omitempty"`
}

// StopReason is why a turn has ended.
type StopReason string

// The reasons. There are no others.
const (
	EndTurn         StopReason = "end_turn"
	MaxTokens       StopReason = "max_tokens"
	MaxTurnRequests StopReason = "max_turn_requests"
	Refusal         StopReason = "refusal"
	WasCancelled    StopReason = "cancelled"
)
