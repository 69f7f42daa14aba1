package a2atest

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"

	"github.com/google/uuid"
)

// call is a request that was read.
type call struct {
	method        string // send, stream, get or cancel
	text          string
	context, task string
	id            json.RawMessage // of JSON-RPC
}

// methods are the names of methods in JSON-RPC, in versions 0.3 and 1.0.
var methods = map[bool]map[string]string{
	false: {"message/send": "send", "message/stream": "stream", "tasks/cancel": "cancel", "tasks/get": "get"},
	true:  {"SendMessage": "send", "SendStreamingMessage": "stream", "CancelTask": "cancel", "GetTask": "get"},
}

// parse reads a request. It accepts only requests that the protocol allows.
func parse(r *http.Request, o *Options) (*call, error) {
	body, err := io.ReadAll(io.LimitReader(r.Body, 1<<20))
	switch {
	case err != nil:
		return nil, err
	case o.REST && r.Method == http.MethodGet && len(body) == 0 && o.New == (r.Header.Get("A2A-Version") == "1.0"):
		return parseGet(r.URL.EscapedPath(), o)
	case r.Method != http.MethodPost:
		return nil, fmt.Errorf("the method is %s", r.Method)
	case r.Header.Get("Content-Type") != "application/json":
		return nil, fmt.Errorf("the content type is %q", r.Header.Get("Content-Type"))
	case o.New != (r.Header.Get("A2A-Version") == "1.0"):
		return nil, fmt.Errorf("the version is %q", r.Header.Get("A2A-Version"))
	}
	c := &call{}
	if o.REST {
		err = c.routeREST(r.URL.EscapedPath(), o)
	} else {
		body, err = c.routeRPC(r.URL.Path, body, o)
	}
	switch {
	case err != nil:
		return nil, err
	case c.method == "cancel", c.method == "get":
		return c, c.readTask(body, o)
	case (c.method == "stream") == o.NoStreams:
		return nil, fmt.Errorf("the method is %s, and the card says otherwise", c.method)
	}
	return c, c.readMessage(body, o)
}

// parseGet reads a GET request of REST, which is one for a task.
func parseGet(path string, o *Options) (*call, error) {
	task, ok := strings.CutPrefix(path, restPrefix(o)+"tasks/")
	if !ok || task == "" || strings.ContainsAny(task, "/:") {
		return nil, fmt.Errorf("the path is %s", path)
	}
	return &call{method: "get", task: task}, nil
}

func restPrefix(o *Options) string {
	if o.New {
		return "/agent/"
	}
	return "/agent/v1/"
}

func (c *call) routeREST(path string, o *Options) error {
	rest, ok := strings.CutPrefix(path, restPrefix(o))
	task, isTask := strings.CutPrefix(strings.TrimSuffix(rest, ":cancel"), "tasks/")
	switch {
	case !ok:
		return fmt.Errorf("the path is %s", path)
	case rest == "message:send":
		c.method = "send"
	case rest == "message:stream":
		c.method = "stream"
	case isTask && strings.HasSuffix(rest, ":cancel"):
		c.method, c.task = "cancel", task
	default:
		return fmt.Errorf("the path is %s", path)
	}
	return nil
}

func (c *call) routeRPC(path string, body []byte, o *Options) (params []byte, err error) {
	var rpc struct {
		Version string          `json:"jsonrpc"`
		ID      json.RawMessage `json:"id"`
		Method  string          `json:"method"`
		Params  json.RawMessage `json:"params"`
	}
	if err := strict(body, &rpc); err != nil {
		return nil, err
	}
	c.id, c.method = rpc.ID, methods[o.New][rpc.Method]
	if path != "/agent" || rpc.Version != "2.0" || len(rpc.ID) == 0 || c.method == "" {
		return nil, fmt.Errorf("it is no request of JSON-RPC: %s %s", path, body)
	}
	return rpc.Params, nil
}

func (c *call) readTask(body []byte, o *Options) error {
	var p struct {
		ID string `json:"id"`
	}
	if err := strict(body, &p); err != nil {
		return err
	}
	if o.REST && p.ID != c.task || p.ID == "" {
		return fmt.Errorf("the task is %q", p.ID)
	}
	c.task = p.ID
	return nil
}

func (c *call) readMessage(body []byte, o *Options) error {
	type part struct {
		Kind string `json:"kind"`
		Text string `json:"text"`
	}
	var p struct {
		Message struct {
			Kind      string `json:"kind"`
			Role      string `json:"role"`
			MessageID string `json:"messageId"`
			ContextID string `json:"contextId"`
			TaskID    string `json:"taskId"`
			Parts     []part `json:"parts"`
			Content   []part `json:"content"`
		} `json:"message"`
		Configuration struct {
			Blocking *bool `json:"blocking"`
		} `json:"configuration"`
	}
	if err := strict(body, &p); err != nil {
		return err
	}
	m := &p.Message
	kind, role, partKind, parts, others := "message", "user", "text", m.Parts, m.Content
	if o.REST || o.New {
		kind, role, partKind = "", "ROLE_USER", ""
	}
	if o.REST && !o.New {
		parts, others = m.Content, m.Parts
	}
	switch {
	case m.Kind != kind, m.Role != role, uuid.Validate(m.MessageID) != nil:
		return fmt.Errorf("the message is not valid: %s", body)
	case len(parts) != 1 || len(others) != 0 || parts[0].Kind != partKind:
		return fmt.Errorf("the parts are not valid: %s", body)
	case o.New && p.Configuration.Blocking != nil:
		return errors.New("version 1.0 has no blocking")
	}
	c.text, c.context, c.task = parts[0].Text, m.ContextID, m.TaskID
	return nil
}

// strict decodes JSON without unknown members.
func strict(text []byte, v any) error {
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	return d.Decode(v)
}
