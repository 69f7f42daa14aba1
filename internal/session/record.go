// Package session is a conversation as a record: in the form in which Gemini CLI
// and its kin keep sessions (spec/agent.md §24), and in the form in which people
// read them.
package session

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"time"

	"pollux/agent"
	"pollux/llm"
)

// Info is what a record says of the session as a whole.
type Info struct {
	ID  string
	Dir string // the project's
	// Directories are those of the workspace beside it.
	Directories []string
	Start       time.Time
}

// record is a session in one JSON object.
type record struct {
	ID          string    `json:"sessionId"`
	Project     string    `json:"projectHash"`
	Start       timestamp `json:"startTime"`
	Updated     timestamp `json:"lastUpdated"`
	Kind        string    `json:"kind"`
	Directories []string  `json:"directories,omitempty"`
	Messages    []message `json:"messages"`
}

// message is one that a user or a model has written.
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
	Input    int `json:"input"` // what came from the cache included
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
	Status string          `json:"status,omitempty"`
	Time   timestamp       `json:"timestamp"`
}

// timestamp is a time as JavaScript writes it.
type timestamp time.Time

func (t timestamp) MarshalText() ([]byte, error) {
	return time.Time(t).UTC().AppendFormat(nil, "2006-01-02T15:04:05.000Z"), nil
}

// JSON returns the record of a conversation as one JSON object. Results of tools
// stand with the calls that they answer.
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
			r.Messages = append(r.Messages, models(m, timestamp(at), resultsOf(history[i+1:])))
		case !m.Content.HasFunctionResponse():
			r.Messages = append(r.Messages, users(m, timestamp(at)))
		}
	}
	return indented(r)
}

func users(m agent.Message, at timestamp) message {
	out := message{ID: m.ID, Time: at, Type: "user", Content: m.Content.Parts}
	if m.Shown != "" {
		out.Shown = []part{{m.Shown}}
	}
	return out
}

func models(m agent.Message, at timestamp, results map[string][]llm.Part) message {
	out := message{ID: m.ID, Time: at, Type: "gemini", Content: m.Content.Text(), Model: m.Model}
	for _, t := range m.Thoughts {
		out.Thoughts = append(out.Thoughts, thought{t.Subject, t.Description, at})
	}
	if u := m.Usage; u != nil {
		out.Tokens = &tokens{
			Input: u.Prompt, Output: u.Candidates, Cached: u.CachedContent,
			Thoughts: u.Thoughts, Tool: u.ToolUsePrompt, Total: u.Total,
		}
	}
	for _, c := range m.Content.FunctionCalls() {
		made := call{ID: c.ID, Name: c.Name, Args: arguments(c.Args), Time: at}
		if parts := results[c.ID]; parts != nil {
			made.Result, made.Status = parts, "success"
			if failed(parts) {
				made.Status = "error"
			}
		}
		out.Calls = append(out.Calls, made)
	}
	return out
}

// resultsOf returns the parts that answer each call of a model's message: the response,
// and the media that follow it. They are in the messages behind it, up to the model's
// next one: later calls may have the same ids.
func resultsOf(rest []agent.Message) map[string][]llm.Part {
	results := map[string][]llm.Part{}
	for _, m := range rest {
		if m.Content.Role == llm.RoleModel {
			break
		}
		id := ""
		for _, p := range m.Content.Parts {
			if p.FunctionResponse != nil {
				id = p.FunctionResponse.ID
			}
			if id != "" {
				results[id] = append(results[id], p)
			}
		}
	}
	return results
}

func failed(parts []llm.Part) bool {
	var said struct {
		Error json.RawMessage `json:"error"`
	}
	_ = json.Unmarshal(parts[0].FunctionResponse.Response, &said) // what is no object has no error
	return said.Error != nil
}

// arguments returns a model's arguments; what is not JSON becomes {}.
func arguments(args json.RawMessage) json.RawMessage {
	if args = bytes.ToValidUTF8(args, []byte("\uFFFD")); json.Valid(args) {
		return args
	}
	return json.RawMessage("{}")
}

// Contents returns what went between user and model as the list of contents that
// Gemini's API knows.
func Contents(history []agent.Message) ([]byte, error) {
	contents := make([]*llm.Content, len(history))
	for i, m := range history {
		contents[i] = m.Content
	}
	return indented(contents)
}

func indented(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	err := e.Encode(v)
	return b.Bytes(), err
}
