package wire

import (
	"bytes"
	"encoding/json"
)

// message is a message of either side, as it arrives.
type message struct {
	ID     json.RawMessage `json:"id"`
	Method json.RawMessage `json:"method"`
	Params json.RawMessage `json:"params"`
	Result json.RawMessage `json:"result"`
	Error  json.RawMessage `json:"error"`
}

// parse reads a line. If it is no message, problem is the answer to it, with the id in the message, nil for none.
func parse(line []byte) (m message, problem *Error) {
	switch {
	case !json.Valid(line):
		return message{}, Errorf(ParseError, "Parse error: the line is not JSON.")
	case line[0] == '[':
		return message{}, Errorf(InvalidRequest, "Invalid request: batches are not supported, send one message per line.")
	case line[0] != '{':
		return message{}, Errorf(InvalidRequest, "Invalid request: a message is a JSON object.")
	}
	if err := json.Unmarshal(line, &m); err != nil {
		return message{}, Errorf(InvalidRequest, "Invalid request: %v", err)
	}
	if !isID(m.ID) {
		return message{}, Errorf(InvalidRequest, "Invalid request: the id is a string, a number or null.")
	}
	if m.Method != nil && m.Method[0] != '"' {
		return message{ID: m.ID}, Errorf(InvalidRequest, "Invalid request: the method is a string.")
	}
	if m.Method == nil && (m.ID == nil || m.Result == nil && m.Error == nil) {
		return message{ID: m.ID}, Errorf(InvalidRequest, "Invalid request: a message has a method, or is the answer to a request.")
	}
	return m, nil
}

// isID reports whether a value can be the id of a request; nil is none.
func isID(id json.RawMessage) bool {
	return id == nil || id[0] == '"' || id[0] == '-' || id[0] >= '0' && id[0] <= '9' || bytes.Equal(id, null)
}

var null = json.RawMessage("null")

// method returns the method of a message, "" for the answer to a request.
func (m *message) method() (name string) {
	if m.Method != nil {
		_ = json.Unmarshal(m.Method, &name) // parse has seen that it is a string
	}
	return name
}

// outgoing is a message that is sent. Exactly one of ID and Method may be missing.
type outgoing struct {
	Version string          `json:"jsonrpc"`
	ID      json.RawMessage `json:"id,omitempty"`
	Method  string          `json:"method,omitempty"`
	Params  any             `json:"params,omitempty"`
	Result  json.RawMessage `json:"result,omitempty"`
	Error   *Error          `json:"error,omitempty"`
}

// encode returns a value as a line.
func encode(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b) // which ends it with a line break
	e.SetEscapeHTML(false)
	err := e.Encode(v)
	return b.Bytes(), err
}
