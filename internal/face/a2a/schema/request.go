package schema

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"pollux/internal/a2a/protocol"
	"pollux/internal/face/kit/jsonrpc"
	"pollux/internal/terminal"
)

// Error is an error of JSON-RPC.
type Error = jsonrpc.Error

// Errorf returns an error with a code. Its message is one line, whatever its arguments contain.
func Errorf(code int, format string, args ...any) *Error {
	return jsonrpc.Errorf(code, "%s", terminal.Cut(terminal.Line(fmt.Sprintf(format, args...)), maxMessage))
}

// maxMessage limits the message of an error, in bytes.
const maxMessage = 2 << 10

// Request is a request of JSON-RPC.
type Request struct {
	ID     json.RawMessage
	Method string
	Params json.RawMessage
}

// ParseRequest reads a request. The id is set if it could be read, also with an error.
func ParseRequest(body []byte) (r Request, err *Error) {
	if !json.Valid(body) {
		return r, Errorf(jsonrpc.ParseError, "The request is not valid JSON.")
	}
	var wire struct {
		Version any             `json:"jsonrpc"`
		ID      json.RawMessage `json:"id"`
		Method  any             `json:"method"`
		Params  json.RawMessage `json:"params"`
	}
	if body = bytes.TrimSpace(body); body[0] == '[' {
		return r, Errorf(jsonrpc.InvalidRequest, "Several requests in one are not supported. Send them one by one.")
	}
	if json.Unmarshal(body, &wire) != nil || body[0] != '{' {
		return r, Errorf(jsonrpc.InvalidRequest, "The request is not an object of JSON-RPC 2.0.")
	}
	if !isID(wire.ID) {
		return r, Errorf(jsonrpc.InvalidRequest, "The id of the request is neither a text nor an integer.")
	}
	r.ID, r.Params = wire.ID, wire.Params
	method, isText := wire.Method.(string)
	switch {
	case wire.Version != "2.0":
		return r, Errorf(jsonrpc.InvalidRequest, "The request is not one of JSON-RPC 2.0.")
	case !isText || method == "":
		return r, Errorf(jsonrpc.InvalidRequest, "The request has no method.")
	}
	r.Method = method
	return r, nil
}

// maxRequestID limits the id of a request, in bytes.
const maxRequestID = 1 << 10

// isID reports whether a value is an id of a request: a text or an integer.
func isID(id json.RawMessage) bool {
	if len(id) == 0 || len(id) > maxRequestID {
		return false
	}
	if id[0] == '"' {
		return true
	}
	return (id[0] == '-' || id[0] >= '0' && id[0] <= '9') && !bytes.ContainsAny(id, ".eE")
}

// SendParams are the parameters of the methods that send a message.
type SendParams struct {
	Message Sent
	// HistoryLength is the number of messages of the history that the client wants, nil for all.
	HistoryLength *int
	// IsDetached says that the client does not wait for the end of the turn.
	IsDetached bool
}

// Sent is a message of a client.
type Sent struct {
	MessageID, TaskID, ContextID string
	Parts                        []SentPart
	Settings                     *Settings // nil for none
	Metadata                     Metadata
}

// SentPart is a part of a message: a text or an answer to a question.
type SentPart struct {
	Text   string
	Data   json.RawMessage // of a data part
	Answer *Answer         // that a data part is, nil for none
}

// Answer is the answer to a question about a call.
type Answer struct {
	CallID     string  `json:"callId"`
	Outcome    string  `json:"outcome"`
	NewContent *string `json:"newContent"`
	Feedback   string  `json:"feedback"`
}

// Settings are the settings of a task, as clients of Gemini CLI send them.
type Settings struct {
	Kind          string `json:"kind"`
	WorkspacePath string `json:"workspacePath,omitempty"`
	AutoExecute   bool   `json:"autoExecute,omitempty"`
	IsTrusted     *bool  `json:"isTrusted,omitempty"`
}

// SettingsKind is the kind of [Settings].
const SettingsKind = "agent-settings"

// The limits of a message.
const (
	maxID    = 256 // bytes of an id
	maxParts = 1000
)

// ParseSend reads the parameters of a method that sends a message, in the form of either version.
func ParseSend(params json.RawMessage) (p SendParams, err *Error) {
	var wire struct {
		Message *struct {
			Kind      string `json:"kind"`
			Role      string `json:"role"`
			MessageID string `json:"messageId"`
			TaskID    string `json:"taskId"`
			ContextID string `json:"contextId"`
			Parts     []struct {
				Kind string          `json:"kind"`
				Text *string         `json:"text"`
				Data json.RawMessage `json:"data"`
				File json.RawMessage `json:"file"`
				Raw  json.RawMessage `json:"raw"`
				URL  json.RawMessage `json:"url"`
			} `json:"parts"`
			Metadata Metadata `json:"metadata"`
		} `json:"message"`
		Configuration struct {
			Blocking          *bool `json:"blocking"`
			ReturnImmediately bool  `json:"returnImmediately"`
			HistoryLength     *int  `json:"historyLength"`
		} `json:"configuration"`
	}
	if err := decode(params, &wire); err != nil {
		return p, err
	}
	m := wire.Message
	switch {
	case m == nil:
		return p, Errorf(jsonrpc.InvalidParams, "message is missing.")
	case m.Kind != "" && m.Kind != protocol.MessageEvent:
		return p, Errorf(jsonrpc.InvalidParams, "message.kind is not message.")
	case protocol.Role(m.Role) != User:
		return p, Errorf(jsonrpc.InvalidParams, "message.role is not user.")
	case m.MessageID == "":
		return p, Errorf(jsonrpc.InvalidParams, "message.messageId is missing.")
	case len(m.MessageID) > maxID || len(m.TaskID) > maxID || len(m.ContextID) > maxID:
		return p, Errorf(jsonrpc.InvalidParams, "An id of the message has more than %d bytes.", maxID)
	case len(m.Parts) == 0:
		return p, Errorf(jsonrpc.InvalidParams, "message.parts is empty.")
	case len(m.Parts) > maxParts:
		return p, Errorf(jsonrpc.InvalidParams, "The message has more than %d parts.", maxParts)
	}
	p.Message = Sent{MessageID: m.MessageID, TaskID: m.TaskID, ContextID: m.ContextID, Metadata: m.Metadata}
	for i, part := range m.Parts {
		switch {
		case part.File != nil, part.Raw != nil, part.URL != nil:
			return p, Errorf(protocol.BadContentType, "message.parts[%d] is a file. Only text and data are supported: name the path of the file in a text.", i)
		case part.Text != nil && part.Data == nil && (part.Kind == "" || part.Kind == "text"):
			p.Message.Parts = append(p.Message.Parts, SentPart{Text: *part.Text})
		case part.Data != nil && part.Text == nil && (part.Kind == "" || part.Kind == "data"):
			sent := SentPart{Data: part.Data}
			if sent.Answer, err = parseAnswer(part.Data, i); err != nil {
				return p, err
			}
			p.Message.Parts = append(p.Message.Parts, sent)
		default:
			return p, Errorf(jsonrpc.InvalidParams, "message.parts[%d] is neither a text nor data.", i)
		}
	}
	if p.Message.Settings, err = parseSettings(m.Metadata["coderAgent"]); err != nil {
		return p, err
	}
	p.HistoryLength, err = historyLength(wire.Configuration.HistoryLength)
	p.IsDetached = wire.Configuration.ReturnImmediately || wire.Configuration.Blocking != nil && !*wire.Configuration.Blocking
	return p, err
}

// parseAnswer returns the answer that data are, nil for other data.
func parseAnswer(data json.RawMessage, i int) (*Answer, *Error) {
	var marks struct {
		CallID  json.RawMessage `json:"callId"`
		Outcome json.RawMessage `json:"outcome"`
	}
	if json.Unmarshal(data, &marks) != nil || marks.CallID == nil || marks.Outcome == nil {
		return nil, nil
	}
	a := &Answer{}
	if json.Unmarshal(data, a) != nil || a.CallID == "" || a.Outcome == "" {
		return nil, Errorf(jsonrpc.InvalidParams, "message.parts[%d] is not an answer: callId, outcome, newContent and feedback are texts.", i)
	}
	return a, nil
}

// parseSettings returns the settings in a value, nil for other values.
func parseSettings(value any) (*Settings, *Error) {
	object, ok := value.(map[string]any)
	if !ok || object["kind"] != SettingsKind {
		return nil, nil
	}
	data, err := json.Marshal(object)
	s := &Settings{}
	if err != nil || json.Unmarshal(data, s) != nil {
		return nil, Errorf(jsonrpc.InvalidParams, "The agent settings are not valid: workspacePath is a text, autoExecute is true or false.")
	}
	return s, nil
}

// TaskParams are the parameters of the methods about a task.
type TaskParams struct {
	ID            string
	HistoryLength *int // nil for all
}

// ParseTask reads the parameters of a method about a task.
func ParseTask(params json.RawMessage) (p TaskParams, err *Error) {
	var wire struct {
		ID            string `json:"id"`
		HistoryLength *int   `json:"historyLength"`
	}
	if err := decode(params, &wire); err != nil {
		return p, err
	}
	if wire.ID == "" {
		return p, Errorf(jsonrpc.InvalidParams, "id is missing.")
	}
	p.ID = wire.ID
	p.HistoryLength, err = historyLength(wire.HistoryLength)
	return p, err
}

func historyLength(n *int) (*int, *Error) {
	if n != nil && *n < 0 {
		return nil, Errorf(jsonrpc.InvalidParams, "historyLength is less than 0.")
	}
	return n, nil
}

// ParseNewTask reads the body of a request that creates a task.
func ParseNewTask(body []byte) (contextID string, s *Settings, err *Error) {
	var wire struct {
		ContextID string `json:"contextId"`
		Settings  any    `json:"agentSettings"`
	}
	if err := decode(body, &wire); err != nil {
		return "", nil, err
	}
	if len(wire.ContextID) > maxID {
		return "", nil, Errorf(jsonrpc.InvalidParams, "contextId has more than %d bytes.", maxID)
	}
	s, err = parseSettings(wire.Settings)
	return wire.ContextID, s, err
}

// decode reads an object.
func decode(data []byte, v any) *Error {
	if data = bytes.TrimSpace(data); len(data) == 0 || data[0] != '{' {
		return Errorf(jsonrpc.InvalidParams, "The parameters are not an object.")
	}
	err := json.Unmarshal(data, v)
	if wrong, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
		return Errorf(jsonrpc.InvalidParams, "%s cannot be of type %s.", strings.TrimPrefix(wrong.Field, "."), wrong.Value)
	}
	if err != nil {
		return Errorf(jsonrpc.InvalidParams, "The parameters are not valid.")
	}
	return nil
}
