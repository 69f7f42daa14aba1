//go:build !unix

package shell

import (
	"encoding/json"
	"errors"
	"syscall"
	"time"

	"pollux/tool"
)

// Commands are run in ways of Unix only. Elsewhere the program is whole but for
// them: the tools are there, because settings and policies name them, and every call
// is refused with the reason.

var errNoCommands = errors.New("Pollux cannot run commands on this system yet")

// Options say how commands would run.
type Options struct {
	Workspace         any
	Environ           []string
	Redact            Redaction
	InactivityTimeout time.Duration
	Debug             bool
	Processes         *Processes
}

// New returns run_shell_command.
func New(Options) tool.Tool { return refusing{"run_shell_command", "Shell"} }

// NewTyped returns the tool for what a person types behind a "!".
func NewTyped(o Options) tool.Tool { return New(o) }

// NewList returns list_background_processes.
func NewList(*Processes) tool.Tool {
	return refusing{"list_background_processes", "List Background Processes"}
}

// NewRead returns read_background_output.
func NewRead(*Processes) tool.Tool {
	return refusing{"read_background_output", "Read Background Output"}
}

// Processes are the commands that run: none.
type Processes struct{}

// Process is a command in the background.
type Process struct {
	PID     int
	Command string
	Log     string
	Exited  bool
	Code    int
	Signal  syscall.Signal
}

// NewProcesses returns a table that stays empty.
func NewProcesses(string) *Processes { return &Processes{} }

// List returns nothing.
func (*Processes) List() []Process { return nil }

// Close has nothing to end.
func (*Processes) Close() {}

// refusing is a tool whose calls are refused.
type refusing struct{ name, shown string }

func (t refusing) Spec() *tool.Spec {
	return &tool.Spec{
		Name: t.name, DisplayName: t.shown, Kind: tool.KindExecute,
		Description: "Not available: no command can be run on this system.",
		Schema:      json.RawMessage(`{"type":"object","properties":{}}`),
	}
}

func (refusing) Build(json.RawMessage) (tool.Invocation, error) { return nil, errNoCommands }
