package a2a

import (
	"bytes"
	"cmp"
	"encoding/json"
	"strings"

	"pollux/internal/a2a/protocol"
)

// The kinds of events.
const (
	taskEvent     = protocol.TaskEvent
	messageEvent  = protocol.MessageEvent
	statusEvent   = protocol.StatusEvent
	artifactEvent = protocol.ArtifactEvent
)

// event is one message from an agent: a task, a message, a change of the state of a task, or a part of its
// result. One type has the members of all four, in the forms of the versions 0.3 and 1.0 and of protobuf's
// JSON.
type event struct {
	Kind      string `json:"kind"`
	ID        string `json:"id"` // of a task
	TaskID    string `json:"taskId"`
	ContextID string `json:"contextId"`

	// Of a message.
	Role    string `json:"role"`
	Parts   []part `json:"parts"`
	Content []part `json:"content"` // the parts, in protobuf's JSON of 0.3

	// Of a task and a change of its state.
	Status struct {
		State   string `json:"state"`
		Message *event `json:"message"`
	} `json:"status"`
	Final     bool       `json:"final"`
	Artifacts []artifact `json:"artifacts"`
	History   []event    `json:"history"`

	// Of a part of the result.
	Artifact *artifact `json:"artifact"`
	Append   bool      `json:"append"`

	// An event without a kind is a member named like it.
	Task           *event `json:"task"`
	Message        *event `json:"message"`
	Msg            *event `json:"msg"`
	StatusUpdate   *event `json:"statusUpdate"`
	ArtifactUpdate *event `json:"artifactUpdate"`
}

// artifact is a part of the result, with a name.
type artifact struct {
	ID    string `json:"artifactId"`
	Name  string `json:"name"`
	Parts []part `json:"parts"`
}

// part is a piece of a message or an artifact.
type part struct {
	Kind string          `json:"kind"` // "" in 1.0
	Text string          `json:"text"`
	Data json.RawMessage `json:"data"`
	File *struct {
		Name  string `json:"name"`
		URI   string `json:"uri"`
		OfURI string `json:"fileWithUri"`
	} `json:"file"`
	// A file in 1.0.
	Raw      json.RawMessage `json:"raw"`
	URL      string          `json:"url"`
	Filename string          `json:"filename"`
}

// parseEvent reads an event. Its kind is "" if it is of no kind that the package knows. Errors contain nothing
// of the text.
func parseEvent(data []byte) (*event, error) {
	var e *event
	if err := json.Unmarshal(data, &e); err != nil || e == nil {
		return nil, decodeError("an event of the agent", err)
	}
	if e.Kind != "" {
		return e, nil
	}
	for _, one := range []struct {
		kind  string
		inner *event
	}{{taskEvent, e.Task}, {messageEvent, e.Message}, {messageEvent, e.Msg}, {statusEvent, e.StatusUpdate}, {artifactEvent, e.ArtifactUpdate}} {
		if one.inner != nil {
			one.inner.Kind = one.kind
			return one.inner, nil
		}
	}
	return e, nil
}

// state returns the state of the task as version 0.3 writes it, such as input-required.
func (e *event) state() string { return protocol.State(e.Status.State) }

func (e *event) isTerminal() bool {
	switch e.state() {
	case "completed", "failed", "canceled", "rejected":
		return e.Kind == taskEvent || e.Kind == statusEvent
	}
	return false
}

// isRunning reports whether it is a task that the agent works on.
func (e *event) isRunning() bool {
	state := e.state()
	return e.Kind == taskEvent && (state == "submitted" || state == "working")
}

// isLast reports whether the agent has announced that no event follows.
func (e *event) isLast() bool { return e.Kind == statusEvent && (e.Final || e.isTerminal()) }

// role returns agent or user.
func (e *event) role() string { return protocol.Role(e.Role) }

func (e *event) text() string {
	if e.Parts == nil {
		return partsText(e.Content)
	}
	return partsText(e.Parts)
}

func partsText(parts []part) string {
	var b strings.Builder
	for i := range parts {
		b.WriteString(parts[i].String())
	}
	return b.String()
}

// String returns a part as text, "" for one of an unknown kind.
func (p *part) String() string {
	switch {
	case p.Kind == "text":
		return p.Text
	case p.Kind == "data", p.Kind == "" && p.Data != nil:
		return "Data: " + p.json()
	case p.Kind == "file", p.Kind == "" && (p.File != nil || p.Raw != nil || p.URL != ""):
		return "File: " + p.file()
	case p.Kind == "":
		return p.Text
	}
	return ""
}

// json returns the data of a part. Protobuf's JSON of 0.3 has it in another member data.
func (p *part) json() string {
	data := p.Data
	var inner map[string]json.RawMessage
	if p.Kind == "" && json.Unmarshal(data, &inner) == nil && len(inner) == 1 && bytes.HasPrefix(inner["data"], []byte("{")) {
		data = inner["data"]
	}
	var b bytes.Buffer
	if json.Compact(&b, data) != nil {
		return "null"
	}
	return b.String()
}

func (p *part) file() string {
	name := cmp.Or(p.Filename, p.URL)
	if p.File != nil {
		name = cmp.Or(p.File.Name, p.File.URI, p.File.OfURI)
	}
	return cmp.Or(name, "[binary/unnamed]")
}
