//go:build unix

package shell

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"pollux/internal/process"
	"pollux/llm"
	"pollux/tool"
)

// NewListTool returns the tool list_background_processes.
func NewListTool(ps *Processes) tool.Tool { return listTool{ps} }

// NewStopTool returns the tool stop_background_process.
func NewStopTool(ps *Processes) tool.Tool { return stopTool{ps} }

type listTool struct{ ps *Processes }

var listSpec = tool.Spec{
	Name:        "list_background_processes",
	DisplayName: "List Background Processes",
	Aliases:     []string{"ListBackgroundProcessesTool"},
	Kind:        tool.KindRead,
	Description: "Lists background commands and what others left running: PID, since when, TCP ports, how it ended.",
	Schema:      json.RawMessage(`{"type":"object","properties":{}}`),
}

func (listTool) Spec() *tool.Spec { return &listSpec }

func (t listTool) Build(json.RawMessage) (tool.Invocation, error) {
	return listCall{tool.Described{Title: "Confirm: " + listSpec.DisplayName, Text: "List background processes"}, t.ps}, nil
}

type listCall struct {
	tool.Described
	ps *Processes
}

func (c listCall) Run(context.Context, tool.Host) *tool.Result {
	var lines []string
	listed := map[int]bool{}
	for _, p := range c.ps.List() {
		state, end := p.state()
		if !p.Exited && !p.IsOrphan {
			end = runningSince(p.Began, p.execution.Process) + end
		}
		lines = append(lines, fmt.Sprintf("- [PID %d] %s: `%s`%s", p.PID, state, p.Command, end))
		listed[p.PID] = true
		if p.Exited {
			c.ps.noteKnown(p.PID)
		}
	}
	for _, l := range c.ps.leftBeside(listed) {
		lines = append(lines, fmt.Sprintf("- [PGID %d] RUNNING: what `%s` left%s", l.PID(), l.Command, runningSince(l.Began(), l.Process)))
	}
	text := "No background processes found."
	if len(lines) > 0 {
		text = strings.Join(lines, "\n")
	}
	return &tool.Result{Content: []llm.Part{llm.Text(text)}, Display: tool.TextDisplay(text)}
}

// runningSince returns since when a command runs and the ports on which it listens.
func runningSince(began time.Time, p *process.Process) string {
	text := fmt.Sprintf(" (since %s, for %s", began.Format(time.TimeOnly), time.Since(began).Round(time.Second))
	if ports := p.Ports(); len(ports) > 0 {
		text += "; listens on port " + joinInts(ports)
	}
	return text + ")"
}

// state returns whether the command runs, and how it has ended.
func (p *Process) state() (state, end string) {
	state = "EXITED"
	if !p.Exited {
		state = "RUNNING"
	}
	switch {
	case p.IsOrphan && p.Exited:
		return state, " (Pollux has ended meanwhile)"
	case !p.Exited && !p.hasEnded:
		return state, ""
	case !p.Exited:
		return state, " (the shell has ended, what it started runs on)"
	}
	return state, fmt.Sprintf(" %s after %s", p.how().label(), describeLimit(p.ended.Sub(p.Began).Round(10*time.Millisecond)))
}

// how returns how a command has ended, of which that is known.
func (p *Process) how() ending {
	e := ending{code: p.Code, signal: p.Signal, pipe: p.pipe}
	if p.execution != nil && p.hasEnded {
		e.reason = p.execution.reason()
	}
	return e
}

type stopTool struct{ ps *Processes }

// stopGrace is how long a background command that is stopped has to end by itself.
const stopGrace = 2 * time.Second

var stopSpec = tool.Spec{
	Name:        "stop_background_process",
	DisplayName: "Stop Background Process",
	Kind:        tool.KindExecute,
	Plain:       true,
	Description: "Ends a background command with all that it has started.",
	Schema: json.RawMessage(`{"type":"object","properties":{` +
		`"pid":{"type":"integer","description":"PID, or PGID of what a command left running."}` +
		`},"required":["pid"]}`),
}

func (stopTool) Spec() *tool.Spec { return &stopSpec }

// Effect implements [tool.Foreseeable]: a program may write files at its end.
func (stopTool) Effect(json.RawMessage) tool.Effect { return tool.Effect{} }

func (t stopTool) Build(args json.RawMessage) (tool.Invocation, error) {
	var a struct{ PID pid }
	if err := json.Unmarshal(args, &a); err != nil {
		return nil, fmt.Errorf("read arguments: %w", err)
	}
	c := &stopCall{Described: tool.Described{Title: "Confirm: " + stopSpec.DisplayName}, ps: t.ps, pid: int(a.PID)}
	c.Text = fmt.Sprintf("Stop background process %d", c.pid)
	if p, ok := t.ps.findByPID(c.pid); ok {
		c.Text += ": " + p.Command
	}
	return c, nil
}

// pid is the number of a process. JSON Schema's integers include 200.0.
type pid int

func (p *pid) UnmarshalJSON(b []byte) error {
	var n float64
	const most = 1 << 30
	err := json.Unmarshal(b, &n)
	*p = pid(min(max(n, -most), most))
	return err
}

type stopCall struct {
	tool.Described
	ps  *Processes
	pid int
}

func (c *stopCall) Run(ctx context.Context, _ tool.Host) *tool.Result {
	left := c.ps.findLeft(c.pid)
	text, err := c.ps.Stop(ctx, c.pid)
	switch {
	case errors.Is(err, ErrNoProcess):
		return tool.Fail(tool.ErrExecutionFailed, fmt.Sprintf("No background process %d. list_background_processes has those of this session.", c.pid))
	case err != nil:
		return tool.Fail(tool.ErrExecutionFailed, err.Error())
	}
	c.ps.noteKnown(c.pid)
	if left != nil {
		c.ps.noteKnown(left.PID())
	}
	return &tool.Result{Content: []llm.Part{llm.Text(text)}, Display: tool.TextDisplay(text)}
}

// Stop ends a background command with all that it has started, or the processes that a command has left running, by its
// number, and returns a sentence about it. Processes that do not end by themselves within two seconds are killed. For another
// number the error is [ErrNoProcess].
func (ps *Processes) Stop(ctx context.Context, pid int) (text string, err error) {
	p, isCommand := ps.findByPID(pid)
	left := ps.findLeft(pid)
	switch {
	case isCommand && p.Exited:
		_, end := p.state()
		return fmt.Sprintf("[PID %d] had ended before%s.", pid, end), nil
	case isCommand && p.IsOrphan:
		return "", fmt.Errorf("PID %d belongs to an earlier Pollux. To end it: kill %d", pid, pid)
	case isCommand:
		p.execution.Stop(ctx, stopGrace)
		select {
		case <-p.noted:
			p.execution.AwaitEnd() // else the list may still have it
		case <-ctx.Done():
		}
		return fmt.Sprintf("Stopped [PID %d]: `%s`", pid, p.Command), nil
	case left != nil:
		left.Stop(ctx, stopGrace)
		return fmt.Sprintf("Stopped what `%s` left running [PGID %d].", left.Command, left.PID()), nil
	}
	return "", ErrNoProcess
}
