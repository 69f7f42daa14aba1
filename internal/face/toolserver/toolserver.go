// Package toolserver is the face for MCP clients: it offers the tools of a session through the Model Context
// Protocol, to programs such as editors and other agents.
//
// Each call passes the session's gate, as a model's call does. The person at the client decides about the calls
// that the rules leave to a person (elicitation); where the client cannot ask, the call is denied (approve.go). No
// model takes part.
package toolserver

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"pollux/internal/face/kit"
	"pollux/internal/session"
	"pollux/internal/terminal"
	"pollux/tool"
)

// Options configures [Serve].
type Options struct {
	In  io.Reader
	Out io.Writer // receives messages of the protocol, and nothing else
}

// Times after the input has ended: how long calls have to end, and how long none must run until all have.
const (
	endGrace  = 2 * time.Second
	endPause  = 100 * time.Millisecond
	pollPause = 10 * time.Millisecond
)

// Serve serves the tools of a session until the input or ctx ends.
func Serve(ctx context.Context, s *session.Session, o Options) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	f := &face{session: s}
	f.calls, f.stop = context.WithCancelCause(ctx)
	defer f.stop(nil)
	var out io.WriteCloser = &output{Writer: o.Out}
	in := newInput(o.In, out, f.finish)
	err := f.server().Run(ctx, &sdk.IOTransport{Reader: in, Writer: out, MaxLineLength: -1}) // in limits messages
	f.stop(errEnded)
	f.running.Wait()
	if errors.Is(err, io.EOF) || in.hasEnded.Load() {
		return nil
	}
	return err
}

var errEnded = errors.New("the client has gone")

// face is a session that a client uses.
type face struct {
	session *session.Session
	calls   context.Context // ends with the client
	stop    context.CancelCauseFunc
	running sync.WaitGroup
	busy    atomic.Int32 // messages that are being answered
	waiting waitingCalls
}

// finish waits until all messages are answered, a little, and then ends the calls that still run.
func (f *face) finish() {
	defer f.stop(errEnded)
	idle := time.Duration(0)
	for began := time.Now(); idle < endPause && time.Since(began) < endGrace; {
		select {
		case <-f.calls.Done():
			return
		case <-time.After(pollPause):
		}
		if idle += pollPause; f.busy.Load() > 0 {
			idle = 0
		}
	}
}

// count is middleware that counts the messages that are being answered.
func (f *face) count(next sdk.MethodHandler) sdk.MethodHandler {
	return func(ctx context.Context, method string, req sdk.Request) (sdk.Result, error) {
		f.busy.Add(1)
		defer f.busy.Add(-1)
		return next(ctx, method, req)
	}
}

func (f *face) server() *sdk.Server {
	s := sdk.NewServer(&sdk.Implementation{Name: "pollux", Title: "Pollux", Version: f.session.Project.Options.Version}, &sdk.ServerOptions{
		Instructions: "Tools of Pollux for the directory " + f.session.Project.Paths.Dir() + ". Calls follow the user's policies: some need the user's approval, and some are denied.",
		Capabilities: &sdk.ServerCapabilities{Tools: &sdk.ToolCapabilities{}},
		Logger:       f.session.Project.Log,
	})
	s.AddReceivingMiddleware(f.count)
	for _, t := range f.session.Calls.ClientTools() {
		s.AddTool(describe(t), func(ctx context.Context, r *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
			return f.call(ctx, t.Spec(), r), nil
		})
	}
	return s
}

// describe returns a tool as clients see it.
func describe(t tool.Tool) *sdk.Tool {
	spec := t.Spec()
	var schema struct {
		Type string `json:"type"`
	}
	one := &sdk.Tool{
		Name: spec.Name, Title: spec.DisplayName, Description: spec.Description, InputSchema: spec.Schema,
		Annotations: &sdk.ToolAnnotations{Title: spec.DisplayName},
	}
	if json.Unmarshal(spec.Schema, &schema) != nil || schema.Type != "object" {
		one.InputSchema = json.RawMessage(`{"type":"object"}`)
	}
	switch spec.Kind {
	case tool.KindRead, tool.KindSearch:
		one.Annotations.ReadOnlyHint, one.Annotations.OpenWorldHint = true, new(false)
	case tool.KindFetch:
		one.Annotations.ReadOnlyHint, one.Annotations.OpenWorldHint = true, new(true)
	case tool.KindEdit:
		one.Annotations.DestructiveHint, one.Annotations.OpenWorldHint = new(true), new(false)
	}
	return one
}

func (f *face) call(ctx context.Context, spec *tool.Spec, r *sdk.CallToolRequest) *sdk.CallToolResult {
	run := func(ctx context.Context, ask elicit) *sdk.CallToolResult { return f.run(ctx, spec, r, ask) }
	if usesRounds(r.Session) {
		return f.callInRounds(ctx, r, run)
	}
	f.running.Add(1)
	defer f.running.Done()
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	defer context.AfterFunc(f.calls, func() { cancel(errEnded) })()
	return run(ctx, r.Session.Elicit)
}

// run runs a call, which asks the person at the client with ask.
func (f *face) run(ctx context.Context, spec *tool.Spec, r *sdk.CallToolRequest, ask elicit) *sdk.CallToolResult {
	args := r.Params.Arguments
	if len(args) == 0 {
		args = json.RawMessage(`{}`)
	}
	a := &approver{client: r.Session, elicit: ask, names: kit.NamesOf(f.session)}
	var host tool.Host
	if token := r.Params.GetProgressToken(); token != nil {
		host.Output = (&reporter{ctx: ctx, client: r.Session, token: token}).show
	}
	result := f.session.Calls.CallTool(ctx, spec.Name, args, host, a.ask)
	if ctx.Err() != nil {
		return failed("The call was cancelled.")
	}
	return content(result, a.advice)
}

// reporter tells the client that a call goes on.
type reporter struct {
	ctx    context.Context
	client *sdk.ServerSession
	token  any

	mu   sync.Mutex
	last time.Time
	n    float64
}

// progressPause is the least time between two reports.
const progressPause = 200 * time.Millisecond

// show reports the end of the output so far.
func (r *reporter) show(d tool.Display) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if time.Since(r.last) < progressPause {
		return
	}
	r.last = time.Now()
	r.n++
	_ = r.client.NotifyProgress(r.ctx, &sdk.ProgressNotificationParams{ProgressToken: r.token, Progress: r.n, Message: lastLine(d)}) // the call does not depend on it
}

// lastLine returns the last line of an output that is not empty.
func lastLine(d tool.Display) string {
	text, _ := tool.DisplayText(d)
	text = strings.TrimSpace(text)
	return terminal.Cut(terminal.Line(text[strings.LastIndexByte(text, '\n')+1:]), 200)
}

// content returns a result in the form of the protocol. advice says how to allow a denied call; it may be "".
func content(r *tool.Result, advice string) *sdk.CallToolResult {
	if r == nil {
		return failed("The call has no result.")
	}
	if r.Error != nil {
		return failed(strings.TrimSpace(r.Error.Message + "\n" + advice))
	}
	out := &sdk.CallToolResult{Content: []sdk.Content{}}
	for i := range r.Content {
		part := &r.Content[i]
		switch data := part.InlineData; {
		case data == nil:
			if part.Text != "" {
				out.Content = append(out.Content, &sdk.TextContent{Text: part.Text})
			}
		case strings.HasPrefix(data.MIMEType, "image/"):
			out.Content = append(out.Content, &sdk.ImageContent{Data: data.Data, MIMEType: data.MIMEType})
		case strings.HasPrefix(data.MIMEType, "audio/"):
			out.Content = append(out.Content, &sdk.AudioContent{Data: data.Data, MIMEType: data.MIMEType})
		default:
			out.Content = append(out.Content, &sdk.EmbeddedResource{Resource: &sdk.ResourceContents{
				URI: "pollux://result", MIMEType: data.MIMEType, Blob: data.Data,
			}})
		}
	}
	if len(out.Content) == 0 && advice != "" { // refused by the person
		return failed(advice)
	}
	return out
}

func failed(text string) *sdk.CallToolResult {
	return &sdk.CallToolResult{IsError: true, Content: []sdk.Content{&sdk.TextContent{Text: text}}}
}
