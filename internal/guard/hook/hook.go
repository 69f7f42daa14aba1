// Package hook runs the user's programs at fixed points of a session: before and after prompts,
// requests to the model and tool calls. Settings configure them as in Gemini CLI; Go programs and
// extensions register them as values.
//
//	config.go   reads hooks from settings, and reports mistakes
//	set.go      the hooks of a session
//	events.go   what fires them: the methods are the interfaces of the agent and the gate
//	fire.go     one firing: plan.go selects the hooks and their order, run.go runs one of them,
//	            output.go reads what it printed, merge.go merges the outputs of several
//	payload.go, llmshape.go   the JSON that hooks get
//	trial.go, migrate.go, seen.go   for people: tests, hooks of Claude Code, new hooks of a project
//
// Hooks of a project are hostile until the folder is trusted. What a hook prints is bounded, and
// no hook holds the session longer than its timeout and the grace after it.
package hook

import (
	"context"
	"encoding/json"
	"time"
)

// Event is a point of a session at which hooks run. The values appear in settings and in the
// input of hooks.
type Event string

// The events.
const (
	SessionStart        Event = "SessionStart"
	SessionEnd          Event = "SessionEnd"
	BeforeAgent         Event = "BeforeAgent"
	AfterAgent          Event = "AfterAgent"
	BeforeModel         Event = "BeforeModel"
	BeforeToolSelection Event = "BeforeToolSelection"
	AfterModel          Event = "AfterModel"
	BeforeTool          Event = "BeforeTool"
	AfterTool           Event = "AfterTool"
	PreCompress         Event = "PreCompress"
	Notification        Event = "Notification"
)

// Events returns all events, in the order in which a session has them.
func Events() []Event {
	return []Event{
		SessionStart, BeforeAgent, PreCompress, BeforeModel, BeforeToolSelection, AfterModel,
		BeforeTool, Notification, AfterTool, AfterAgent, SessionEnd,
	}
}

// StartSource is why a conversation starts. The values appear in the input of hooks.
type StartSource string

// The sources.
const (
	StartupSource StartSource = "startup"
	ResumeSource  StartSource = "resume"
	ClearSource   StartSource = "clear"
)

// EndReason is why a conversation ends. The values appear in the input of hooks.
type EndReason string

// The reasons.
const (
	ExitReason  EndReason = "exit"
	ClearReason EndReason = "clear"
	OtherReason EndReason = "other" // another conversation is resumed
)

// Source is where a hook comes from. Hooks run in this order.
type Source int

// The sources.
const (
	Runtime        Source = iota // a Go program
	SystemDefaults               // the settings files, lowest first
	User
	Workspace
	System
	Extensions
)

// String returns the name of the source for people.
func (s Source) String() string {
	return [...]string{"runtime", "system defaults", "user", "workspace", "system", "extensions"}[s]
}

// isSettings reports whether hooks of the source come from settings files, all of which Gemini CLI
// calls "project".
func (s Source) isSettings() bool { return s != Runtime && s != Extensions }

// label returns the source as messages that Gemini CLI prints have it.
func (s Source) label() string {
	if s.isSettings() {
		return "project"
	}
	return s.String()
}

// DefaultTimeout is the time limit of a hook without one of its own.
const DefaultTimeout = time.Minute

// Hook is a program or a Go function that runs at an event. Event, and one of Command and Run,
// must be set.
type Hook struct {
	Event Event
	// Matcher selects tools, or the sources and reasons of a session; "" selects all. It is a
	// regular expression for tools, and an exact value otherwise.
	Matcher string
	// IsSequential makes all hooks that run at the same event run one after the other.
	IsSequential bool

	Name        string
	Description string
	Command     string // for bash
	// Run, if set, runs in place of a command. It gets the input of the event and returns the
	// output, nil for none. It must return when ctx ends.
	Run     func(ctx context.Context, input json.RawMessage) (output json.RawMessage, err error)
	Timeout time.Duration
	Env     map[string]string // set for the command, over everything else
	Source  Source
	// IsDisabled keeps the hook from running.
	IsDisabled bool
}

// ID returns the name by which the user enables and disables the hook: its name, else its command.
func (h *Hook) ID() string {
	if h.Name != "" {
		return h.Name
	}
	return h.Command
}

// IsProjectChoice reports whether a project may disable the hook: its own ones and those of
// extensions. Hooks of the user, the system and the program may protect the user from the project.
func (h *Hook) IsProjectChoice() bool { return h.Source == Workspace || h.Source == Extensions }

// key identifies equal hooks of a firing.
func (h *Hook) key() string { return h.Name + ":" + h.Command }

// Kind returns the type of the hook as settings have it.
func (h *Hook) Kind() string {
	if h.Run != nil {
		return "runtime"
	}
	return "command"
}
