package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"pollux/internal/crash"
	"pollux/llm/httpwire"
)

// Heard takes a notification that the protocol does not define, such as that of an editor about its open files.
type Heard func(method string, params json.RawMessage)

// Peer is a connection to a server whose tools Pollux itself calls. It is none of the servers of a session: no model knows
// its tools, and it is in no list. Its methods may be called from several goroutines at once.
type Peer struct {
	link  *link
	tools map[string]bool
	end   context.CancelCauseFunc
	done  chan struct{}
}

// maxNews limits a notification of a peer that is a service, in bytes.
const maxNews = 16 << 20

// Dial connects to a server as a peer. Of o it uses how programs start and how requests are made. heard gets the
// notifications, one after the other. ctx ends the attempt, not the connection.
func Dial(ctx context.Context, c Config, o Options, heard Heard) (*Peer, error) {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	s := newServer(&Servers{o: o}, c)
	life, end := context.WithCancelCause(context.WithoutCancel(ctx))
	stop := context.AfterFunc(ctx, func() { end(context.Cause(ctx)) })
	p := &Peer{end: end, done: make(chan struct{})}
	err := p.open(life, s, heard)
	if !stop() {
		err = context.Cause(ctx)
	}
	if err != nil {
		if p.link != nil {
			err = p.link.close(err)
		}
		end(nil)
		return nil, s.conceal(err)
	}
	go func() {
		defer crash.Recover()
		<-life.Done()
		_ = p.link.close(nil)
		close(p.done)
	}()
	return p, nil
}

// open connects to the server, and begins to listen to it. life is the time of the connection.
func (p *Peer) open(life context.Context, s *server, heard Heard) (err error) {
	if s.config.Kind() == Stdio {
		p.link = &link{}
		if p.link.program, err = newProgram(&s.config, &s.all.o); err != nil {
			p.link = nil
			return err
		}
		p.link.program.heard = heard
		p.link.session, err = s.newClient().Connect(life, p.link.program, handshake())
	} else {
		err = p.dial(life, s, heard)
	}
	if err != nil {
		return err
	}
	go func() {
		defer crash.Recover()
		p.end(p.link.session.Wait())
	}()
	p.tools = map[string]bool{}
	for t, err := range p.link.session.Tools(life, nil) {
		if err != nil {
			return err
		}
		p.tools[t.Name] = true
	}
	return nil
}

// dial connects to a service, and listens to its stream of notifications. The SDK's own stream drops those that it does
// not know.
func (p *Peer) dial(life context.Context, s *server, heard Heard) error {
	wire, err := s.newWire()
	if err != nil {
		return err
	}
	p.link = &link{wire: wire}
	client := &http.Client{Transport: wire}
	transport := &sdk.StreamableClientTransport{
		Endpoint: s.config.Endpoint(), HTTPClient: client, MaxEventSize: maxMessage, DisableStandaloneSSE: true, MaxRetries: -1,
	}
	if p.link.session, err = s.newClient().Connect(life, transport, handshake()); err != nil {
		return err
	}
	req, err := http.NewRequestWithContext(life, http.MethodGet, s.config.Endpoint(), nil)
	if err != nil {
		return err
	}
	req.Header.Set("Accept", "text/event-stream")
	req.Header.Set("Mcp-Session-Id", p.link.session.ID())
	req.Header.Set("Mcp-Protocol-Version", p.link.session.InitializeResult().ProtocolVersion)
	resp, err := client.Do(req)
	if err != nil {
		return err
	}
	if resp.StatusCode != http.StatusOK {
		_ = resp.Body.Close()
		return fmt.Errorf("it refuses to send notifications: %s", resp.Status)
	}
	go func() {
		defer crash.Recover()
		defer resp.Body.Close()
		p.end(listen(resp, heard))
	}()
	return nil
}

// listen reads the notifications of a stream until it ends, and returns why it has.
func listen(resp *http.Response, heard Heard) error {
	frames := httpwire.NewFrames(resp.Body)
	defer frames.Release()
	frames.Limit(maxNews)
	for {
		data, err := frames.Next()
		if err != nil {
			return err
		}
		if msg, err := jsonrpc.DecodeMessage(data); err == nil {
			tell(msg, heard)
		}
	}
}

// tell passes a notification that the protocol does not define to heard, and reports whether it was one.
func tell(msg jsonrpc.Message, heard Heard) bool {
	req, ok := msg.(*jsonrpc.Request)
	if !ok || heard == nil || req.ID.IsValid() || strings.HasPrefix(req.Method, "notifications/") {
		return false
	}
	heard(req.Method, req.Params)
	return true
}

// Has reports whether the server has all of some tools.
func (p *Peer) Has(tools ...string) bool {
	for _, name := range tools {
		if !p.tools[name] {
			return false
		}
	}
	return true
}

// Call calls a tool, and returns the text of its result. A result that is an error is the error.
func (p *Peer) Call(ctx context.Context, tool string, args map[string]any) (string, error) {
	result, err := p.link.session.CallTool(ctx, &sdk.CallToolParams{Name: tool, Arguments: args})
	if err != nil {
		return "", plainError(err)
	}
	var text strings.Builder
	for _, block := range result.Content {
		if t, ok := block.(*sdk.TextContent); ok {
			text.WriteString(t.Text)
		}
	}
	if result.IsError {
		return "", errors.New(text.String())
	}
	return text.String(), nil
}

// Done is closed when the connection has ended: by the server, or by [Peer.Close].
func (p *Peer) Done() <-chan struct{} { return p.done }

// Close ends the connection. It waits for the farewell to the server for a short time.
func (p *Peer) Close() {
	p.end(errClosed)
	select {
	case <-p.done:
	case <-time.After(goodbye):
	}
}
