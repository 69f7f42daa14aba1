package pollux

import (
	"cmp"
	"fmt"
	"log/slog"
	"path/filepath"
	"strings"

	"pollux/internal/config"
	"pollux/internal/guard/trust"
	"pollux/internal/host"
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
	// TrustDir uses the contents of Dir itself: its settings, hooks, servers, .env and context files, which can
	// start programs and allow tool calls. Without it none of these takes effect, whatever the user's list
	// of trusted folders contains, no MCP server of the user's is started, the settings' hooks do not run, and
	// Approval is [ApproveReads].
	TrustDir bool
	// Home is the directory whose subdirectory .gemini holds the user's settings and
	// Pollux's files; "" is the user's home directory.
	Home string

	// Model is the name or the alias of a model; "" is the model that the environment
	// or the settings name.
	Model string
	// Generator answers all requests if it is not nil. No credentials are needed then.
	Generator llm.Generator

	// SessionID identifies the conversation: up to 128 letters, digits, "-" and "_". "" makes an id.
	SessionID string
	// Recorded keeps the conversation on disk, below Home, so that an agent in the same Dir can resume it.
	// It is an error if there is already a recorded conversation with SessionID.
	Recorded bool
	// Resume is the id of the recorded conversation to continue, which is recorded again; "" begins a new one.
	// The error is [ErrNoSession] if there is none with this id. While another agent has the conversation
	// open, New continues a copy of it, which has an id of its own.
	Resume string

	// Tools are added to the built-in tools.
	Tools []tool.Tool
	// Servers are MCP servers, whose tools are added too. They do not need TrustDir.
	Servers []Server
	// Hooks run at fixed points of the conversation, beside the hooks of the settings.
	Hooks []Hook
	// Approval is the set of tool calls that run without a question.
	Approval Approval
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

// Approval is a set of tool calls that run without a question. The zero value is
// [ApproveReads].
type Approval int

// The sets of tool calls, from the smallest to the largest.
const (
	ApproveReads Approval = iota // calls that change nothing, see tool.ReadOnly
	ApproveEdits                 // ApproveReads, and edits of files in the workspace
	ApproveAll                   // all tool calls
)

// session returns the options of the session.
func (o Options) session() (session.Options, error) {
	dir, err := filepath.Abs(o.Dir)
	if err != nil {
		return session.Options{}, fmt.Errorf("find directory %s: %w", o.Dir, err)
	}
	if err := o.checkIDs(); err != nil {
		return session.Options{}, err
	}
	servers, err := serverConfigs(o.Servers)
	if err != nil {
		return session.Options{}, err
	}
	hooks, err := runtimeHooks(o.Hooks)
	if err != nil {
		return session.Options{}, err
	}
	env := config.Environ()
	if o.Home != "" {
		env = env.With("GEMINI_CLI_HOME=" + o.Home)
	}
	log := cmp.Or(o.Log, slog.New(slog.DiscardHandler))
	folder := trust.Untrusted
	if o.TrustDir {
		folder = trust.Trusted
	}
	mode := map[Approval]string{ApproveReads: "default", ApproveEdits: "auto_edit", ApproveAll: "yolo"}[o.Approval]
	return session.Options{
		Project: project.Options{
			Dir: dir, Env: env, Model: o.Model, Folder: folder, Interactive: o.Interactive, ApprovalMode: mode,
			UserAgent: "Pollux/embedded/{model}", Hooks: hooks, Host: host.Host{Servers: servers}, Warn: func(text string) { log.Warn(text) }, Log: log,
		},
		SessionID: o.SessionID, IsNewID: o.SessionID != "", Recorded: o.Recorded || o.Resume != "", Resume: o.Resume, IsResumeID: true,
		Generator: o.Generator, Tools: o.Tools, IDE: ideState(o.IDE),
	}, nil
}

// checkIDs returns an error if SessionID or Resume cannot be the id of a conversation.
func (o *Options) checkIDs() error {
	const most = 128
	const characters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_"
	switch {
	case o.SessionID != "" && o.Resume != "":
		return fmt.Errorf("SessionID %q and Resume %q exclude each other", o.SessionID, o.Resume)
	case len(o.SessionID) > most, strings.Trim(o.SessionID, characters) != "":
		return fmt.Errorf("SessionID %q is not up to %d letters, digits, dashes and underscores", o.SessionID, most)
	}
	return nil
}
