//go:build !unix

package shell

import (
	"context"
	"encoding/json"
	"errors"
	"syscall"
	"time"

	"pollux/internal/process"
	"pollux/tool"
)

// Running commands needs Unix. On other systems, models do not get the tools, and those for people
// fail with errNoCommands.

// Unavailable is why models do not get the tools of this package, as sentences. It is "" where they do.
const Unavailable = "Pollux cannot run commands on Windows. Tell the user which commands to run."

var errNoCommands = errors.New("Pollux cannot run commands on Windows; run it in another window, or use Pollux in WSL")

// New returns the tool run_shell_command. Its calls fail on this system.
func New(Options) tool.Tool { return unavailableTool{"run_shell_command", "Shell"} }

// NewForUser returns the tool that runs the commands a user types after "!". Its calls fail
// on this system.
func NewForUser(o Options) tool.Tool { return New(o) }

// NewForTemplate returns the tool that runs the shell commands in the prompts of custom commands. Its
// calls fail on this system.
func NewForTemplate(o Options, _ process.Origin) tool.Tool { return New(o) }

// NewListTool returns the tool list_background_processes. Its calls fail on this system.
func NewListTool(*Processes) tool.Tool {
	return unavailableTool{"list_background_processes", "List Background Processes"}
}

// NewReadTool returns the tool read_background_output. Its calls fail on this system.
func NewReadTool(*Processes) tool.Tool {
	return unavailableTool{"read_background_output", "Read Background Output"}
}

// NewStopTool returns the tool stop_background_process. Its calls fail on this system.
func NewStopTool(*Processes) tool.Tool {
	return unavailableTool{"stop_background_process", "Stop Background Process"}
}

// Processes is an empty table of commands.
type Processes struct{}

// Left returns nothing.
func (*Processes) Left() []process.Leftover { return nil }

// TakeEnded returns nothing.
func (*Processes) TakeEnded() []Process { return nil }

// Reminder returns "".
func (*Processes) Reminder() string { return "" }

// SetSession does nothing.
func (*Processes) SetSession(string) {}

// Recover returns nothing.
func (*Processes) Recover() []Process { return nil }

// Process is a background command.
type Process struct {
	PID      int
	Command  string
	Began    time.Time
	Log      string
	Exited   bool
	Code     int
	Signal   syscall.Signal
	IsOrphan bool
	IsGone   bool
	IsLeft   bool
}

// NewProcesses returns an empty table.
func NewProcesses(string) *Processes { return &Processes{} }

// OnEnd does nothing.
func (*Processes) OnEnd(func(Process)) {}

// Inspect does nothing.
func (*Processes) Inspect(func(Process)) {}

// Running returns 0.
func (*Processes) Running() int { return 0 }

// Alive returns nothing.
func (*Processes) Alive() []string { return nil }

// Watch does nothing.
func (*Processes) Watch(func()) {}

// MoveToBackground returns nothing.
func (*Processes) MoveToBackground() []int { return nil }

// SetConsole does nothing.
func (*Processes) SetConsole(Console) {}

// Stop fails.
func (*Processes) Stop(context.Context, int) (string, error) { return "", errNoCommands }

// Context returns nil.
func (Process) Context() context.Context { return nil }

// HasFailed returns false.
func (Process) HasFailed() bool { return false }

func (p *Process) how() ending { return ending{code: p.Code, signal: p.Signal} }

func signalName(s syscall.Signal) string { return s.String() }

// LastLines returns nothing.
func (Process) LastLines(int) ([]string, error) { return nil, nil }

// List returns nothing.
func (*Processes) List() []Process { return nil }

// Close does nothing.
func (*Processes) Close() {}

// unavailableTool is a tool whose calls fail with errNoCommands.
type unavailableTool struct{ name, displayName string }

func (t unavailableTool) Spec() *tool.Spec {
	return &tool.Spec{
		Name: t.name, DisplayName: t.displayName, Kind: tool.KindExecute,
		Description: "Not available: no command can be run on this system.",
		Schema:      json.RawMessage(`{"type":"object","properties":{}}`),
	}
}

func (unavailableTool) Build(json.RawMessage) (tool.Invocation, error) { return nil, errNoCommands }

// Overview returns nothing.
func (*Processes) Overview() string { return "" }

// DeleteOldLogs does nothing: there are no background commands on this system.
func DeleteOldLogs(string, time.Time) {}
