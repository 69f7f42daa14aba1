package a2a

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"github.com/google/uuid"

	"pollux/internal/a2a/protocol"
)

// endpoint is where and how an agent is called.
type endpoint struct {
	url     *url.URL
	isREST  bool // else JSON-RPC
	isNew   bool // version 1.0 of the protocol, else 0.3
	tenant  string
	streams bool
}

func newEndpoint(c *card, i *iface, u *url.URL) *endpoint {
	return &endpoint{
		url: u, isREST: i.Transport == rest, tenant: i.Tenant, streams: c.Capabilities.Streaming,
		isNew: protocol.IsNew(i.ProtocolVersion),
	}
}

// textPart and outgoing are a message to the agent.
type textPart struct {
	Kind string `json:"kind,omitempty"`
	Text string `json:"text"`
}

type outgoing struct {
	Kind      string     `json:"kind,omitempty"`
	Role      string     `json:"role"`
	MessageID string     `json:"messageId"`
	Parts     []textPart `json:"parts,omitempty"`
	Content   []textPart `json:"content,omitempty"` // the parts, in protobuf's JSON of 0.3
	ContextID string     `json:"contextId,omitempty"`
	TaskID    string     `json:"taskId,omitempty"`
}

type sendParams struct {
	Tenant        string        `json:"tenant,omitempty"`
	Message       outgoing      `json:"message"`
	Configuration configuration `json:"configuration,omitzero"`
}

type configuration struct {
	Blocking bool `json:"blocking,omitempty"`
}

type taskParams struct {
	Tenant string `json:"tenant,omitempty"`
	ID     string `json:"id"`
}

// message returns a request that gives the agent a text.
func (e *endpoint) message(ctx context.Context, text string, c conversation) (*http.Request, error) {
	p := sendParams{Tenant: e.tenant, Message: outgoing{
		Kind: messageEvent, Role: "user", MessageID: uuid.NewString(), ContextID: c.context, TaskID: c.task, Parts: []textPart{{"text", text}},
	}}
	p.Configuration.Blocking = !e.isNew
	if e.isNew || e.isREST {
		p.Message.Kind, p.Message.Role, p.Message.Parts = "", "ROLE_USER", []textPart{{"", text}}
	}
	if e.isREST && !e.isNew {
		p.Message.Parts, p.Message.Content = nil, p.Message.Parts
	}
	path, method := "message:send", protocol.Send
	if e.streams {
		path, method = "message:stream", protocol.Stream
	}
	return e.request(ctx, http.MethodPost, path, method, p)
}

func (e *endpoint) cancel(ctx context.Context, task string) (*http.Request, error) {
	return e.request(ctx, http.MethodPost, "tasks/"+url.PathEscape(task)+":cancel", protocol.Cancel, taskParams{e.tenant, task})
}

// get returns a request for the state and the result of a task.
func (e *endpoint) get(ctx context.Context, task string) (*http.Request, error) {
	return e.request(ctx, http.MethodGet, "tasks/"+url.PathEscape(task), protocol.Get, taskParams{e.tenant, task})
}

// request returns a request: of REST with a verb and a path, or of JSON-RPC with a method. GET takes no parameters.
func (e *endpoint) request(ctx context.Context, verb, path string, method protocol.Method, params any) (*http.Request, error) {
	to, body := e.url.String(), params
	if e.isREST {
		to = e.restURL(path)
	} else {
		verb, body = http.MethodPost, struct {
			Version string `json:"jsonrpc"`
			ID      int    `json:"id"`
			Method  string `json:"method"`
			Params  any    `json:"params"`
		}{"2.0", requestID, method.Name(e.isNew), params}
	}
	text, err := json.Marshal(body)
	if err != nil {
		return nil, err
	}
	if verb == http.MethodGet {
		text = nil
	}
	req, err := http.NewRequestWithContext(ctx, verb, to, bytes.NewReader(text))
	if err != nil {
		return nil, err
	}
	if verb != http.MethodGet {
		req.Header.Set("Content-Type", "application/json")
	}
	req.Header.Set("Accept", "text/event-stream, application/json")
	if e.isNew {
		req.Header.Set(protocol.VersionHeader, protocol.New)
	}
	return req, nil
}

// requestID is the same for all requests of JSON-RPC: each has a response of its own.
const requestID = 1

func (e *endpoint) restURL(path string) string {
	u := *e.url
	u.RawPath, u.Fragment = "", ""
	base := strings.TrimRight(u.EscapedPath(), "/")
	switch {
	case !e.isNew:
		base += "/v1"
	case e.tenant != "":
		base += "/" + url.PathEscape(e.tenant)
	}
	u.Path = ""
	at := u.String()
	query := ""
	if i := strings.IndexByte(at, '?'); i >= 0 {
		at, query = at[:i], at[i:]
	}
	return at + base + "/" + path + query
}

type agentError struct {
	code    int
	message string
}

func (e *agentError) Error() string {
	return fmt.Sprintf("the agent reports: %s (code %d)", clean(e.message), e.code)
}

// isUnknownTask reports whether an agent does not know a task, for example since it was started again.
func isUnknownTask(err error) bool {
	const notFound = protocol.TaskNotFound
	if e, ok := errors.AsType[*statusError](err); ok {
		return e.code == notFound || e.status == http.StatusNotFound
	}
	e, ok := errors.AsType[*agentError](err)
	return ok && e.code == notFound
}

// envelope is the JSON around an event: that of JSON-RPC, or an error of REST in either form.
type envelope struct {
	ID     json.RawMessage `json:"id"`
	Result json.RawMessage `json:"result"`
	Error  *struct {
		Code    int    `json:"code"`
		Message string `json:"message"`
	} `json:"error"`
	Code    int             `json:"code"`
	Message json.RawMessage `json:"message"`
}

// decode reads an event, or an error, that the agent sends.
func (e *endpoint) decode(data []byte) (*event, error) {
	var outer envelope
	if json.Unmarshal(data, &outer) != nil {
		return nil, errors.New("the agent sends something that is not a valid response")
	}
	var text string
	switch {
	case outer.Error != nil:
		return nil, &agentError{outer.Error.Code, outer.Error.Message}
	case e.isREST && outer.Code != 0 && json.Unmarshal(outer.Message, &text) == nil:
		return nil, &agentError{outer.Code, text}
	case e.isREST:
		return parseEvent(data)
	case string(outer.ID) != fmt.Sprint(requestID):
		return nil, errors.New("the agent sends the response to another request")
	case outer.Result == nil:
		return nil, errors.New("the agent sends a response without a result")
	}
	return parseEvent(outer.Result)
}
