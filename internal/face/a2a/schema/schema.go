// Package schema has the messages of the A2A server, in both versions of the protocol: a [Request] comes from a client, a [Task]
// and its events go to it. Values are made in the form of version 0.3; [NewEvent] returns the form of 1.0.
package schema

import (
	"encoding/json"
	"time"

	"pollux/internal/a2a/protocol"
)

// State is the state of a task.
type State string

// The states of tasks that the server reports.
const (
	Submitted     State = "submitted"
	Working       State = "working"
	InputRequired State = "input-required"
	Canceled      State = "canceled"
	Failed        State = "failed"
)

// IsTerminal reports whether a task in this state has ended.
func (s State) IsTerminal() bool { return s == Canceled || s == Failed }

// The roles of messages.
const (
	User  = "user"
	Agent = "agent"
)

// Metadata are additional members.
type Metadata map[string]any

// Task is a task as clients see it.
type Task struct {
	Kind      string     `json:"kind,omitempty"`
	ID        string     `json:"id"`
	ContextID string     `json:"contextId"`
	Status    Status     `json:"status"`
	History   []Message  `json:"history"`
	Artifacts []Artifact `json:"artifacts"`
	Metadata  Metadata   `json:"metadata,omitempty"`
}

// Status is the state of a task, with the message that explains it.
type Status struct {
	State     State     `json:"state"`
	Message   *Message  `json:"message,omitempty"`
	Timestamp time.Time `json:"timestamp"`
}

// Message is a message of the client or the agent.
type Message struct {
	Kind      string   `json:"kind,omitempty"`
	Role      string   `json:"role"`
	Parts     []Part   `json:"parts"`
	MessageID string   `json:"messageId"`
	TaskID    string   `json:"taskId,omitempty"`
	ContextID string   `json:"contextId,omitempty"`
	Metadata  Metadata `json:"metadata,omitempty"`
}

// Part is a text or data.
type Part struct {
	Kind string  `json:"kind,omitempty"`
	Text *string `json:"text,omitempty"`
	Data any     `json:"data,omitempty"`
}

// TextPart returns a part with a text.
func TextPart(text string) Part { return Part{Kind: "text", Text: &text} }

// DataPart returns a part with data.
func DataPart(data any) Part { return Part{Kind: "data", Data: data} }

// Artifact is a result of a task, such as the output of a tool.
type Artifact struct {
	ID    string `json:"artifactId"`
	Parts []Part `json:"parts"`
}

// StatusUpdate reports a new state of a task, or a message in the same state.
type StatusUpdate struct {
	Kind      string   `json:"kind,omitempty"`
	TaskID    string   `json:"taskId"`
	ContextID string   `json:"contextId"`
	Status    Status   `json:"status"`
	Final     *bool    `json:"final,omitempty"` // absent in version 1.0
	Metadata  Metadata `json:"metadata,omitempty"`
}

// IsFinal reports whether no event follows until the client sends another message.
func (u *StatusUpdate) IsFinal() bool { return u.Final != nil && *u.Final }

// ArtifactUpdate reports a part of an artifact.
type ArtifactUpdate struct {
	Kind      string   `json:"kind,omitempty"`
	TaskID    string   `json:"taskId"`
	ContextID string   `json:"contextId"`
	Artifact  Artifact `json:"artifact"`
	Append    bool     `json:"append"`
	LastChunk bool     `json:"lastChunk"`
}

// NewEvent returns a [*Task], a [*StatusUpdate] or a [*ArtifactUpdate] in the form of version 1.0, as a stream has it.
func NewEvent(e any) any {
	switch e := e.(type) {
	case *Task:
		return struct {
			Task *Task `json:"task"`
		}{e.Bare()}
	case *StatusUpdate:
		n := *e
		n.Kind, n.Final, n.Status = "", nil, e.Status.asNew()
		return struct {
			StatusUpdate *StatusUpdate `json:"statusUpdate"`
		}{&n}
	case *ArtifactUpdate:
		n := *e
		n.Kind, n.Artifact = "", e.Artifact.asNew()
		return struct {
			ArtifactUpdate *ArtifactUpdate `json:"artifactUpdate"`
		}{&n}
	}
	return nil
}

// Bare returns the task in the form of version 1.0, as the answer to a request for it.
func (t *Task) Bare() *Task {
	n := *t
	n.Kind, n.Status, n.History, n.Artifacts = "", t.Status.asNew(), nil, nil
	for i := range t.History {
		n.History = append(n.History, *t.History[i].asNew())
	}
	for _, a := range t.Artifacts {
		n.Artifacts = append(n.Artifacts, a.asNew())
	}
	return &n
}

func (s Status) asNew() Status {
	s.State, s.Message = State(protocol.NewState(string(s.State))), s.Message.asNew()
	return s
}

func (m *Message) asNew() *Message {
	if m == nil {
		return nil
	}
	n := *m
	n.Kind, n.Role, n.Parts = "", protocol.NewRole(m.Role), partsAsNew(m.Parts)
	return &n
}

func (a Artifact) asNew() Artifact {
	a.Parts = partsAsNew(a.Parts)
	return a
}

func partsAsNew(parts []Part) []Part {
	list := make([]Part, len(parts))
	for i, p := range parts {
		p.Kind = ""
		list[i] = p
	}
	return list
}

// Response is an answer of JSON-RPC.
type Response struct {
	Version string          `json:"jsonrpc"`
	ID      json.RawMessage `json:"id"`
	Result  any             `json:"result,omitempty"`
	Error   *Error          `json:"error,omitempty"`
}

// NewResponse returns the answer to a request with an id, "" or nil for none that is known.
func NewResponse(id json.RawMessage, result any, err *Error) Response {
	if len(id) == 0 {
		id = json.RawMessage("null")
	}
	return Response{"2.0", id, result, err}
}
