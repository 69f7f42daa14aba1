// Package transcript converts a conversation to the session record of Gemini CLI, to
// Markdown, to a web page, and to the contents of a Gemini API request.
package transcript

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"slices"
	"time"

	"pollux/agent"
	"pollux/llm"
	"pollux/tool"
)

// Info describes the session of a record.
type Info struct {
	ID  string
	Dir string // of the project
	// Directories are the other directories of the workspace.
	Directories []string
	Start       time.Time
	// Calls are the records of finished calls, by the ids of the messages with their results; nil if there
	// are none.
	Calls map[string][]agent.CallRecord
}

// outcome is the result of a call.
type outcome struct {
	parts []llm.Part // the function response and the media that follow it; nil if there is no response
	// ran lists the executions of the call, if they differ from the model's call.
	ran []agent.Execution
	// changes are those that the executions have made in files, apart from edits; nil for none.
	changes *tool.Changes
}

// record is the JSON form of a session.
type record struct {
	ID          string    `json:"sessionId"`
	Project     string    `json:"projectHash"`
	Start       timestamp `json:"startTime"`
	Updated     timestamp `json:"lastUpdated"`
	Kind        string    `json:"kind"`
	Directories []string  `json:"directories,omitempty"`
	Messages    []message `json:"messages"`
}

// message is the JSON form of a message of the user or the model.
type message struct {
	ID      string    `json:"id"`
	Time    timestamp `json:"timestamp"`
	Type    string    `json:"type"`
	Content any       `json:"content"` // a user's parts, a model's text
	Shown   []part    `json:"displayContent,omitempty"`

	Thoughts []thought `json:"thoughts,omitempty"`
	Tokens   *tokens   `json:"tokens,omitempty"`
	Model    string    `json:"model,omitempty"`
	Calls    []call    `json:"toolCalls,omitempty"`
}

type part struct {
	Text string `json:"text"`
}

type thought struct {
	Subject     string    `json:"subject"`
	Description string    `json:"description"`
	Time        timestamp `json:"timestamp"`
}

type tokens struct {
	Input    int `json:"input"` // including cached tokens
	Output   int `json:"output"`
	Cached   int `json:"cached"`
	Thoughts int `json:"thoughts"`
	Tool     int `json:"tool"`
	Total    int `json:"total"`
}

type call struct {
	ID     string          `json:"id"`
	Name   string          `json:"name"`
	Args   json.RawMessage `json:"args"`
	Result []llm.Part      `json:"result,omitempty"`
	// Executions lists the executions of the call, if they differ from the model's call.
	Executions []agent.Execution `json:"executions,omitempty"`
	Changed    *tool.Changes     `json:"changed,omitempty"`
	Status     string            `json:"status,omitempty"`
	Time       timestamp         `json:"timestamp"`
}

// timestamp is a time that is encoded as JavaScript's Date.toISOString does.
type timestamp time.Time

func (t timestamp) MarshalText() ([]byte, error) {
	return time.Time(t).UTC().AppendFormat(nil, "2006-01-02T15:04:05.000Z"), nil
}

// JSON returns the session record of a conversation as one JSON object, in the form of
// Gemini CLI. Each tool call contains its result.
func JSON(info Info, history []agent.Message) ([]byte, error) {
	project := sha256.Sum256([]byte(info.Dir))
	r := record{
		ID: info.ID, Project: hex.EncodeToString(project[:]), Kind: "main", Directories: info.Directories,
		Start: timestamp(info.Start), Updated: timestamp(info.Start), Messages: []message{},
	}
	for i, m := range history {
		at := info.Start
		if !m.Time.IsZero() {
			at = m.Time
			r.Updated = timestamp(at)
		}
		switch {
		case m.Content.Role == llm.RoleModel:
			r.Messages = append(r.Messages, modelMessage(m, timestamp(at), info.outcomes(history[i+1:])))
		case !m.Content.HasFunctionResponse():
			r.Messages = append(r.Messages, userMessage(m, timestamp(at)))
		}
	}
	return marshalIndent(r)
}

func userMessage(m agent.Message, at timestamp) message {
	out := message{ID: m.ID, Time: at, Type: "user", Content: m.Content.Parts}
	if m.Shown != "" {
		out.Shown = []part{{m.Shown}}
	}
	return out
}

func modelMessage(m agent.Message, at timestamp, outcomes map[string]*outcome) message {
	out := message{ID: m.ID, Time: at, Type: "gemini", Content: m.Content.Text(), Model: m.Model}
	for _, t := range m.Thoughts {
		ended := at
		if !t.Time.IsZero() {
			ended = timestamp(t.Time)
		}
		out.Thoughts = append(out.Thoughts, thought{t.Subject, t.Description, ended})
	}
	if u := m.Usage; u != nil {
		out.Tokens = &tokens{
			Input: u.Prompt, Output: u.Candidates, Cached: u.CachedContent,
			Thoughts: u.Thoughts, Tool: u.ToolUsePrompt, Total: u.Total,
		}
	}
	for _, c := range m.Content.FunctionCalls() {
		record := call{ID: c.ID, Name: c.Name, Args: arguments(c.Args), Time: at}
		if o := outcomes[c.ID]; o != nil && o.parts != nil {
			record.Result, record.Status, record.Executions, record.Changed = o.parts, "success", o.ran, o.changes
			if hasError(o.parts) {
				record.Status = "error"
			}
		}
		out.Calls = append(out.Calls, record)
	}
	return out
}

// outcomes returns the results of the calls in a model message, by call id. rest holds the messages after
// the model message. outcomes stops at the next model message, because later calls may reuse ids.
func (info Info) outcomes(rest []agent.Message) map[string]*outcome {
	list := map[string]*outcome{}
	for _, m := range rest {
		if m.Content.Role == llm.RoleModel {
			break
		}
		var current *outcome
		for _, p := range m.Content.Parts {
			if p.FunctionResponse != nil {
				current = &outcome{}
				list[p.FunctionResponse.ID] = current
			}
			if current != nil {
				current.parts = append(current.parts, p)
			}
		}
		for _, c := range info.Calls[m.ID] {
			o := list[c.ID]
			if o == nil {
				continue
			}
			for i := range c.Executions {
				o.changes = o.changes.Plus(c.Executions[i].ShownChanges())
			}
			if slices.ContainsFunc(c.Executions, func(x agent.Execution) bool { return !x.IsAsWritten() }) {
				o.ran = slices.Clone(c.Executions)
				for i := range o.ran {
					o.ran[i].Args = arguments(o.ran[i].Args)
				}
			}
		}
	}
	return list
}

// hasError reports whether the function response in parts holds an error.
func hasError(parts []llm.Part) bool {
	var response struct {
		Error json.RawMessage `json:"error"`
	}
	_ = json.Unmarshal(parts[0].FunctionResponse.Response, &response) // a response that is not an object has no error
	return response.Error != nil
}

// arguments returns the arguments of a call as valid JSON, or {} if they are not JSON.
func arguments(args json.RawMessage) json.RawMessage {
	if args = bytes.ToValidUTF8(args, []byte("\uFFFD")); json.Valid(args) {
		return args
	}
	return json.RawMessage("{}")
}

// Contents returns the messages of a conversation as a JSON array of contents in the
// form of the Gemini API.
func Contents(history []agent.Message) ([]byte, error) {
	contents := make([]*llm.Content, len(history))
	for i, m := range history {
		contents[i] = m.Content
	}
	return marshalIndent(contents)
}

func marshalIndent(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	err := e.Encode(v)
	return b.Bytes(), err
}
