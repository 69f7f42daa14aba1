// Package hook runs the user's programs at fixed points of a session: before and after prompts,
// requests to the model and tool calls. Settings configure them as in Gemini CLI; Go programs and
// extensions register them as values.
//
//	config.go   reads hooks from settings, and reports mistakes
//	set.go      the hooks of a session
//	events.go   the events that fire hooks: the methods are the interfaces of the agent and the gate
//	fire.go     one firing: plan.go selects the hooks and their order, run.go runs one of them,
//	            output.go reads its output, shape.go checks it, merge.go merges the outputs of several
//	payload.go, llmshape.go   the JSON that hooks get
//	foreigntools.go   tools of other agents
//	claude.go, claudeconfig.go, claudetools.go, condition.go   hooks of Claude Code
//	antigravity.go, qwen.go   hooks of Antigravity CLI and Qwen Code
//	denial.go   words that mean a denial, in any dialect
//	trial.go, migrate.go, antigravitymigrate.go, codexmigrate.go, crushmigrate.go, seen.go, lint.go   for people: tests, hooks of other
//	            agents, new hooks of a project, matchers that select nothing
//
// Hooks of a project are hostile until the folder is trusted. The output of a hook is bounded,
// and no hook holds the session longer than its timeout and the grace after it.
package hook

import (
	"context"
	"encoding/json"
	"strings"
	"time"

	"pollux/internal/process"
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

// origin returns the origin of the commands of hooks with this source.
func (s Source) origin() process.Origin {
	return [...]process.Origin{
		Runtime: process.OriginPollux, SystemDefaults: process.OriginSystem, User: process.OriginUser,
		Workspace: process.OriginProject, System: process.OriginSystem, Extensions: process.OriginExtension,
	}[s]
}

// Dialect is an agent that hooks are written for. It decides about the names of tools in matchers,
// the unit of timeouts, the input of a hook and how its answer is read. The values appear in settings.
type Dialect string

// The dialects.
const (
	Gemini Dialect = "" // Gemini CLI, and Pollux itself
	Claude Dialect = "claude"
	// Antigravity is Antigravity CLI.
	Antigravity Dialect = "antigravity"
	// Qwen is Qwen Code.
	Qwen Dialect = "qwen"
)

// String returns the name of the dialect for people.
func (d Dialect) String() string {
	switch d {
	case Claude:
		return "Claude Code"
	case Antigravity:
		return "Antigravity CLI"
	case Qwen:
		return "Qwen Code"
	}
	return "Gemini CLI"
}

// isLikeClaude reports whether the hooks of a dialect have Claude Code's events, input and answers.
func (d Dialect) isLikeClaude() bool { return d == Claude || d == Qwen }

// tools returns the tools of an agent with a dialect that Pollux has, too.
func (d Dialect) tools() foreignTools {
	switch d {
	case Claude:
		return claudeTools
	case Antigravity:
		return antigravityTools
	case Qwen:
		return qwenTools
	}
	return nil
}

// otherTools returns the tools of an agent with a dialect that Pollux does not have.
func (d Dialect) otherTools() []string {
	switch d {
	case Claude:
		return otherClaudeTools
	case Antigravity:
		return otherAntigravityTools
	case Qwen:
		return otherQwenTools
	}
	return nil
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

	// Dialect is the agent that the hook was written for. As is the dialect's name of the event, "" for the
	// usual one.
	Dialect Dialect
	As      string
	// Condition limits a hook of Claude Code to some calls of the tools that Matcher selects; "" means all.
	Condition string

	Name        string
	Description string
	Command     string // for bash, or a program if Args is set
	// Args, if not nil, are the arguments of the program Command, which then runs without a shell.
	Args []string
	// IsPowerShell runs the command in PowerShell, also on systems where bash is usual.
	IsPowerShell bool
	// Dir is the working directory of a hook of Antigravity CLI: relative to that of the session, or below "~/"; "" for that of the
	// session.
	Dir string
	// BlocksOnFailure makes a failure of the hook a block.
	BlocksOnFailure bool
	// Run, if set, runs in place of a command. It gets the input of the event and returns the
	// output, nil for none. It must return when ctx ends.
	Run     func(ctx context.Context, input json.RawMessage) (output json.RawMessage, err error)
	Timeout time.Duration
	Env     map[string]string // set for the command, over everything else
	Source  Source
	// IsDisabled keeps the hook from running.
	IsDisabled bool
}

// ID returns the name by which the user enables and disables the hook: its name, else its command line.
func (h *Hook) ID() string {
	if h.Name != "" {
		return h.Name
	}
	return h.CommandLine()
}

// CommandLine returns the command with its arguments, for people.
func (h *Hook) CommandLine() string {
	if len(h.Args) == 0 {
		return h.Command
	}
	words := make([]string, 0, 1+len(h.Args))
	for _, word := range append([]string{h.Command}, h.Args...) {
		words = append(words, quoteFor(word, 0))
	}
	return strings.Join(words, " ")
}

// IsProjectChoice reports whether a project may disable the hook: its own ones and those of
// extensions. Hooks of the user, the system and the program may protect the user from the project.
func (h *Hook) IsProjectChoice() bool { return h.Source == Workspace || h.Source == Extensions }

// key identifies equal hooks of a firing, and of a project in the file of hooks that the user has seen.
func (h *Hook) key() string {
	key := h.Name + ":" + h.CommandLine()
	if h.Dialect != Gemini {
		key = string(h.Dialect) + ":" + key
	}
	return key
}

// Kind returns the type of the hook as settings have it.
func (h *Hook) Kind() string {
	if h.Run != nil {
		return "runtime"
	}
	return "command"
}
