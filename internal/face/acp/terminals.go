package acp

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"pollux/internal/face/acp/schema"
	"pollux/internal/face/acp/wire"
	"pollux/internal/process"
	"pollux/internal/terminal"
)

// terminalWait is how long the client has to open a terminal.
const terminalWait = 10 * time.Second

// clientTerminal is a terminal of the client, in which the client runs a command.
type clientTerminal struct {
	chat  *chat
	id    string
	limit int // bytes of output
}

// inTerminal says that a call runs in a terminal of the client.
type inTerminal struct{ callID, terminalID string }

// openTerminal has the client run a command in a terminal, which it shows with the call. A terminal that the client opens although ctx
// has ended is given back.
func (c *chat) openTerminal(ctx context.Context, cmd process.HostCommand) (*process.HostTerminal, error) {
	t := &clientTerminal{chat: c, limit: cmd.Limit}
	opened := make(chan error, 1)
	c.background(func() {
		ctx, cancel := context.WithTimeoutCause(c.server.life, terminalWait, fmt.Errorf("no answer for %s", terminalWait))
		defer cancel()
		opened <- t.open(ctx, cmd)
	})
	select {
	case err := <-opened:
		if err != nil {
			return nil, err
		}
	case <-ctx.Done():
		c.background(func() {
			if <-opened == nil {
				_ = t.release(c.server.life) // who does not read is gone
			}
		})
		return nil, context.Cause(ctx)
	}
	select {
	case c.shown <- inTerminal{cmd.CallID, t.id}:
	case <-ctx.Done(): // the call ends
	}
	return &process.HostTerminal{Output: t.output, Wait: t.wait, Kill: t.kill, Release: t.release}, nil
}

func (t *clientTerminal) open(ctx context.Context, cmd process.HostCommand) error {
	r := schema.CreateRequest{
		SessionID: t.chat.id, Command: cmd.Path, Args: cmd.Args, Env: []schema.Pair{}, Dir: t.chat.place.shown(cmd.Dir), Limit: cmd.Limit,
	}
	for _, v := range cmd.Env {
		name, value, _ := strings.Cut(v, "=")
		r.Env = append(r.Env, schema.Pair{Name: name, Value: value})
	}
	var answer schema.CreateResponse
	err := t.ask(ctx, schema.CreateTerminal, r, &answer)
	if t.id = answer.TerminalID; err == nil && t.id == "" {
		err = errors.New("its answer has no terminalId")
	}
	return err
}

// ask sends a request about the terminal.
func (t *clientTerminal) ask(ctx context.Context, method string, params, result any) error {
	err := t.chat.server.conn.Call(ctx, method, params, result)
	if failure, ok := errors.AsType[*wire.Error](err); ok {
		return errors.New(terminal.Cut(terminal.Line(failure.Message), 500))
	}
	return err
}

func (t *clientTerminal) of() schema.OfTerminal {
	return schema.OfTerminal{SessionID: t.chat.id, TerminalID: t.id}
}

func (t *clientTerminal) output(ctx context.Context) (process.HostOutput, error) {
	var answer schema.OutputResponse
	if err := t.ask(ctx, schema.TerminalOutput, t.of(), &answer); err != nil {
		return process.HostOutput{}, err
	}
	out := process.HostOutput{Text: answer.Output, IsCut: answer.Truncated}
	if n := len(out.Text) - t.limit; n > 0 { // a client that does not observe it
		out.Text, out.IsCut = strings.ToValidUTF8(out.Text[n:], ""), true
	}
	return out, nil
}

func (t *clientTerminal) wait(ctx context.Context) (process.HostExit, error) {
	var answer schema.ExitResponse
	if err := t.ask(ctx, schema.WaitForExit, t.of(), &answer); err != nil {
		return process.HostExit{}, err
	}
	return process.HostExit{Code: answer.Code, Signal: terminal.Cut(headerWord(answer.Signal), 40)}, nil // the model reads it
}

func (t *clientTerminal) kill(ctx context.Context) error {
	return t.ask(ctx, schema.KillTerminal, t.of(), nil)
}

func (t *clientTerminal) release(ctx context.Context) error {
	return t.ask(ctx, schema.ReleaseTerminal, t.of(), nil)
}

// showTerminal shows the terminal of a call to the person. The call may not be known yet.
func (s *calls) showTerminal(in inTerminal) {
	for _, k := range s.order {
		if k.agent.ID == in.callID && k.isRunning && !k.isOver {
			k.window, k.terminal = nil, in.terminalID
			k.content = []schema.CallContent{schema.InTerminal(k.terminal)}
			s.chat.send(schema.Call{Kind: schema.CallChanged, ID: k.id, Content: k.content})
			return
		}
	}
	if s.terminals == nil {
		s.terminals = map[string]string{}
	}
	s.terminals[in.callID] = in.terminalID
}
