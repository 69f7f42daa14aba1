// Package pollux embeds the Pollux agent in a Go program.
//
// An [Agent] holds one conversation. [Agent.Run] sends a prompt to the model, runs
// the tools that the model calls, and returns the events of the run:
//
//	a, err := pollux.New(pollux.Options{Dir: ".", TrustDir: true})
//	if err != nil {
//		return err
//	}
//	defer a.Close()
//	for event, err := range a.Run(ctx, "Explain this project") {
//		if err != nil {
//			return err
//		}
//		if text, ok := event.(agent.Text); ok {
//			fmt.Print(text.Text)
//		}
//	}
//
// Package agent defines the events and how to answer them. To add a tool, call tool.Func or
// implement tool.Tool; to use another model, implement llm.Generator. The directory examples
// has a program for each.
package pollux

import (
	"context"
	"fmt"
	"iter"
	"log/slog"
	"path/filepath"

	"pollux/agent"
	"pollux/internal/config"
	"pollux/internal/guard/hook"
	"pollux/internal/guard/trust"
	"pollux/internal/ide"
	"pollux/internal/project"
	"pollux/internal/session"
	"pollux/llm"
	"pollux/tool"
)

// Options configures an [Agent]. The zero value works in the current directory, takes
// the model and the credentials from the environment and the user's settings, and
// allows only tool calls that change nothing. It does not trust the directory.
type Options struct {
	// Dir is the working directory; "" is the current directory.
	Dir string
	// TrustDir uses what Dir brings itself: its settings, hooks, servers, .env and context files, which can
	// start programs and allow tool calls. Without it none of these takes effect, whatever the user's list
	// of trusted folders contains, no MCP server is started, the settings' hooks do not run, and Approval is
	// [ApproveReads].
	TrustDir bool
	// Home is the directory whose subdirectory .gemini holds the user's settings and
	// Pollux's files; "" is the user's home directory.
	Home string
	// Model is the name or the alias of a model; "" is the model that the environment
	// or the settings name.
	Model string
	// Generator answers all requests if it is not nil. No credentials are needed then.
	Generator llm.Generator
	// Tools are added to the built-in tools.
	Tools []tool.Tool
	// Approval is the set of tool calls that run without a question.
	Approval Approval
	// Hooks run at fixed points of the conversation, beside the hooks of the settings.
	Hooks []Hook
	// Interactive is set if the consumer of the events answers each agent.ToolAsked.
	// Otherwise tool calls that need an answer are refused.
	Interactive bool
	// IDE returns the files that are open in the user's IDE, and whether an IDE is
	// connected; nil is for no IDE. Each prompt carries the changes since the previous
	// prompt to the model. The goroutine that ranges over Run calls IDE.
	IDE func() (IDEState, bool)
	// Log receives warnings and debug messages; nil discards them.
	Log *slog.Logger
}

// IDEState is the list of open files in an IDE, IDEFile one of these files, and
// IDECursor the position of the cursor in a file.
type (
	IDEState  = ide.State
	IDEFile   = ide.File
	IDECursor = ide.Cursor
)

// Hook is a program or a function that runs at an event, such as "BeforeTool". The input and the
// output of a function are JSON, see docs/hooks.md.
type Hook = hook.Hook

// Approval is a set of tool calls that run without a question. The zero value is
// [ApproveReads].
type Approval int

// The sets of tool calls, from the smallest to the largest.
const (
	ApproveReads Approval = iota // calls that change nothing, see tool.ReadOnly
	ApproveEdits                 // ApproveReads, and edits of files in the workspace
	ApproveAll                   // all tool calls
)

// Agent holds one conversation with a model. Its methods may be called from any
// goroutine; a run waits for the run in progress to end.
type Agent struct {
	session *session.Session
}

// New returns an agent with an empty conversation. It trusts the working directory only
// if the options say so. It returns an error if a setting is invalid or if credentials for
// the model are missing. Call [Agent.Close] when the agent is no longer needed.
func New(o Options) (*Agent, error) {
	dir, err := filepath.Abs(o.Dir)
	if err != nil {
		return nil, fmt.Errorf("find directory %s: %w", o.Dir, err)
	}
	env := config.Environ()
	if o.Home != "" {
		env = env.With("GEMINI_CLI_HOME=" + o.Home)
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	folder := trust.Untrusted
	if o.TrustDir {
		folder = trust.Trusted
	}
	s, err := session.Open(context.Background(), session.Options{
		Project: project.Options{
			Dir: dir, Env: env, Model: o.Model, Folder: folder, Interactive: o.Interactive, ApprovalMode: map[Approval]string{ApproveReads: "default", ApproveEdits: "auto_edit", ApproveAll: "yolo"}[o.Approval], UserAgent: "Pollux/embedded/{model}", Hooks: o.Hooks, Warn: func(text string) { o.Log.Warn(text) }, Log: o.Log,
		},
		Generator: o.Generator, Tools: o.Tools, IDE: o.IDE,
	})
	if err != nil {
		return nil, err
	}
	return &Agent{session: s}, nil
}

// Run sends a prompt to the model, with the files that the prompt names with "@", and
// runs tool calls until the model makes no more of them. See [agent.Agent.Run] for the
// events and the errors.
func (a *Agent) Run(ctx context.Context, prompt string) iter.Seq2[agent.Event, error] {
	return a.session.Run(ctx, agent.TextPrompt(prompt))
}

// History returns the conversation so far.
func (a *Agent) History() []agent.Message { return a.session.History() }

// Close stops the background processes of the agent and releases its resources.
func (a *Agent) Close() { a.session.Close() }
