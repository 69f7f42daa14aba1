package mcp

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/google/uuid"
	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"pollux/internal/process/lastwords"
	"pollux/llm/ellipsis"
	"pollux/tool"
)

// call is a call of a server's tool.
type call struct {
	*remote
	args []byte
}

func (c *call) Summary() string { return tool.BriefArgs(c.args) }

// Locations implements [tool.Invocation]. Pollux does not know how a server uses a path.
func (*call) Locations() []tool.Location { return nil }

func (c *call) Confirmation(context.Context) (tool.Confirmation, error) {
	return &tool.RemoteConfirmation{
		Title: "Confirm MCP Tool Execution", Server: c.Server(), Tool: c.listed.Name, DisplayName: c.spec.DisplayName,
		Description: c.listed.Description, Args: c.args, Schema: c.spec.Schema,
	}, nil
}

func (c *call) Run(ctx context.Context, host tool.Host) *tool.Result {
	session, err := c.server.connection(ctx)
	if err != nil {
		return tool.Fail(tool.ErrMCP, capital(err.Error())+".")
	}
	if no := c.server.check(ctx, c.remote); no != nil {
		return no
	}
	sent := &params{Name: c.listed.Name, Arguments: c.args}
	token := uuid.NewString()
	sent.Meta = sdk.Meta{"progressToken": token}
	if host.Output != nil {
		defer c.server.follow(token, func(p *tool.ProgressDisplay) { host.Output(p) })()
	}
	var result *callToolResult
	ask := host.Ask
	if !c.server.all.o.HasPerson {
		ask = nil
	}
	err = c.server.attended(ctx, ask, func(ctx context.Context) error {
		return c.server.withPages(ctx, func() (err error) {
			result, err = sdk.CallCustomMethod[*params, *callToolResult](ctx, session, methodCallTool, sent)
			return err
		})
	})
	c.server.mu.Lock()
	c.server.called = time.Now()
	c.server.mu.Unlock()
	if errors.Is(err, sdk.ErrConnectionClosed) || errors.Is(err, io.EOF) {
		err = c.server.endOf(ctx, session, err)
	}
	switch {
	case ctx.Err() != nil:
		return tool.Fail(tool.ErrMCP, "The call was cancelled. The server may have done some of it.")
	case err != nil:
		return c.fail(failure(c.server.conceal(plainError(err))))
	case result.IsError == true || result.IsError == "true":
		return c.fail(result.errorContent())
	}
	return c.result(result)
}

// check returns the result of a call of a tool that the server does not offer any more as it was declared, nil
// if it does. The user allowed the call for the former declaration.
func (s *server) check(ctx context.Context, r *remote) *tool.Result {
	now := s.tool(r.listed.Name)
	if now == nil {
		ctx, cancel := context.WithTimeout(ctx, maxRenewal)
		defer cancel()
		s.renew(ctx)
		now = s.tool(r.listed.Name)
	}
	switch {
	case now == nil:
		return tool.Fail(tool.ErrNotRegistered, s.all.o.Registry.Snapshot().NotFound(r.spec.Name))
	case now != r && !now.listed.equals(&r.listed):
		return tool.Fail(tool.ErrMCP, fmt.Sprintf("Not run: the MCP server %q has changed the tool %s since the call was made. Read its description again, and call it again if it still fits.", r.Server(), r.listed.Name))
	}
	return nil
}

// tool returns the tool that the server calls name, nil if there is none.
func (s *server) tool(name string) *remote {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.tools[name]
}

// failure returns the content of a result that describes why a request has failed.
func failure(err error) json.RawMessage {
	raw, _ := json.Marshal([]map[string]string{{"type": "text", "text": err.Error()}})
	return raw
}

// plainError returns the server's own error in place of one that wraps it, or why the server cannot be reached.
func plainError(err error) error {
	if reason := unreachable(err); reason != nil {
		return reason
	}
	if e, ok := errors.AsType[*jsonrpc.Error](err); ok {
		return fmt.Errorf("MCP error %d: %s", e.Code, e.Message)
	}
	return err
}

// endPatience is how long a call waits to learn why its server has gone.
const endPatience = 2 * time.Second

// endOf returns why a connection has ended, err if that is unknown.
func (s *server) endOf(ctx context.Context, session *sdk.ClientSession, err error) error {
	ctx, cancel := context.WithTimeout(ctx, endPatience)
	defer cancel()
	for ctx.Err() == nil {
		s.mu.Lock()
		isGone, cause := s.session != session, s.err
		s.mu.Unlock()
		switch {
		case isGone && cause != nil:
			return fmt.Errorf("the server has gone: %w", cause)
		case isGone:
			return err
		}
		select {
		case <-ctx.Done():
		case <-time.After(10 * time.Millisecond):
		}
	}
	return err
}

// fail returns the result of a call that failed, with the server's message.
func (c *call) fail(content json.RawMessage) *tool.Result {
	request := fmt.Sprintf(`{"name":%s,"args":%s}`, strconv.Quote(c.listed.Name), c.args)
	r := tool.Fail(tool.ErrMCP, fmt.Sprintf("MCP tool '%s' reported tool error for function call: %s with response: %s", c.listed.Name, request, tool.Untrusted(string(content))))
	r.Display = tool.TextDisplay(fmt.Sprintf("Error: MCP tool '%s' reported an error.", c.listed.Name))
	if cause := errorText(content); cause != "" {
		r.Display = tool.TextDisplay(fmt.Sprintf("Error: MCP tool '%s' reported an error: %s", c.listed.Name, cause))
	}
	return r
}

// errorText returns the text of a result for a person, "" if it has none: the first line that reads as an error, else
// the first line. Headings such as "### Error" count only if there is nothing else.
func errorText(content json.RawMessage) string {
	var blocks []block
	if json.Unmarshal(content, &blocks) != nil {
		return ellipsis.Bytes(oneLine(string(content)), maxCause)
	}
	first, heading := "", ""
	for _, b := range blocks {
		for line := range strings.Lines(b.Text) {
			switch line = oneLine(line); {
			case strings.HasPrefix(line, "#"):
				heading = cmp.Or(heading, line)
			case lastwords.IsError(line):
				return ellipsis.Bytes(line, maxCause)
			default:
				first = cmp.Or(first, line)
			}
		}
	}
	return ellipsis.Bytes(cmp.Or(first, heading), maxCause)
}

// maxCause limits the text of a server's error for people, in bytes.
const maxCause = 300

// follower receives the progress of a call.
type follower struct {
	mu   sync.Mutex // is held while show runs, so that none comes after the end of the call
	show func(*tool.ProgressDisplay)
}

// follow shows the progress of a call until stop is called.
func (s *server) follow(token string, show func(*tool.ProgressDisplay)) (stop func()) {
	f := &follower{show: show}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.calls[token] = f
	return func() {
		s.mu.Lock()
		delete(s.calls, token)
		s.mu.Unlock()
		f.mu.Lock()
		defer f.mu.Unlock()
		f.show = nil
	}
}

// progress passes a notification on to the call that it is about.
func (s *server) progress(p *sdk.ProgressNotificationParams) {
	token, _ := p.ProgressToken.(string)
	s.mu.Lock()
	f := s.calls[token]
	s.mu.Unlock()
	if f == nil {
		return
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.show != nil {
		f.show(&tool.ProgressDisplay{Done: p.Progress, Total: p.Total, Message: p.Message})
	}
}

func capital(text string) string {
	if text == "" {
		return text
	}
	return strings.ToUpper(text[:1]) + text[1:]
}

// trimPeriod returns the text of an error without a period at its end.
func trimPeriod(err error) string {
	if err == nil {
		return "the connection has ended"
	}
	return strings.TrimSuffix(err.Error(), ".")
}
