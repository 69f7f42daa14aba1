// Package session is the live session: a conversation with a model in one directory,
// with the tools, the gate and all that the user's settings say.
//
// A face (for a terminal, a script, an editor or a Go program) calls [Open] with the
// directory and the options of its command line. [Open] asks the face's [Asker] what must
// be decided before a session can begin: trust in the folder, an API key, a project's
// policies. The face then ranges over the events of [Session.Run].
//
//   - setup.go reads settings, trust, the .env file, mode and model, in the order in
//     which they can prevent a session. signin.go asks for a key or a model that is missing.
//   - build.go is the composition root: the list of all parts, each after the parts
//     that it needs.
//   - prompt.go and typed.go run what a person enters; change.go, modes.go and policy.go
//     are what a person can change between prompts.
//
// The package does not read the process's own directory or environment, so one process
// can have several sessions. Parts that only a tool call needs are made on first use.
package session

import (
	"context"
	"io"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/google/uuid"

	"pollux/agent"
	"pollux/internal/config"
	"pollux/internal/guard"
	"pollux/internal/guard/hook"
	"pollux/internal/guard/policy"
	"pollux/internal/guard/trust"
	"pollux/internal/ide"
	"pollux/internal/logs"
	"pollux/internal/mcp"
	"pollux/internal/memory"
	"pollux/internal/models"
	"pollux/internal/process"
	"pollux/internal/prompt"
	"pollux/internal/promptlog"
	"pollux/internal/skill"
	"pollux/internal/stats"
	"pollux/internal/stats/recent"
	"pollux/internal/telemetry"
	"pollux/internal/tools/shell"
	"pollux/internal/tools/topic"
	"pollux/internal/workspace"
	"pollux/internal/worktree"
	"pollux/llm"
	"pollux/llm/fallback"
	"pollux/llm/quotation"
	"pollux/tool"
)

// Asker asks the person who uses a face.
type Asker interface {
	// Ask shows the person something and waits for the answer. It returns an error
	// only if ctx or the face ended first.
	Ask(ctx context.Context, details tool.Confirmation) (tool.Answer, error)
	// Approve is Ask for a question about calls that no run makes: the shell commands of a custom
	// command, and a skill that the person has named.
	Approve(ctx context.Context, q *agent.Question) (tool.Answer, error)
}

// Options are what a face opens a session with. Dir and Env must be set.
type Options struct {
	// Dir is the directory to work in: absolute, without links.
	Dir string
	// Env is the environment that the program was started with.
	Env *config.Env
	// Flags are settings from the command line, by their keys.
	Flags map[string]any
	// Model is the model's name or alias; "" leaves it to environment and settings.
	Model string
	// ApprovalMode is the mode to begin in, as --approval-mode has it; "" leaves it to
	// the settings.
	ApprovalMode string
	// SessionID identifies the conversation; "" makes an id. If IsNewID is set, a recorded session
	// with this id is an error.
	SessionID string
	IsNewID   bool
	// Extensions are the names of the extensions to use, whatever the user has enabled: "none" alone is none,
	// nil leaves it to the user.
	Extensions []string
	// InWorktree runs the session in a Git worktree of the repository that Dir is in. WorktreeName is its
	// name, "" for a new one. Relative paths in other options start at Dir.
	InWorktree   bool
	WorktreeName string
	// Recorded keeps the conversation on disk, as Gemini CLI does. Resume is the recorded session to
	// continue: its number, its id or "latest". SessionFile is the file of a session of any project to
	// continue a copy of. "" is for a new session.
	Recorded    bool
	Resume      string
	SessionFile string
	// Version is that of the program. UserAgent is the header of requests, "{model}" in
	// it being replaced by the model's name; "" names Pollux, the version and the system.
	Version   string
	UserAgent string

	// Asker asks the questions that must be answered before the session can open; nil if
	// there is no person.
	Asker Asker
	// Interactive says that the consumer of events answers each [agent.ToolAsked].
	Interactive bool
	// Folder is whether the folder is trusted, as the program has decided. If it is unknown, the user's
	// trusted folders, and then the Asker, decide; without an Asker the folder must be trusted.
	Folder trust.State
	// Offline opens the session even if no model can be reached; [Session.Reachable]
	// then returns the reason.
	Offline bool

	// Generator, where set, is the model; no credentials are then looked for.
	Generator llm.Generator
	// Tools are more tools, behind the built-in ones.
	Tools []tool.Tool
	// IDE returns what the person has open in their IDE, false if that is not known;
	// nil is for no IDE.
	IDE func() (ide.State, bool)

	// Hooks are the hooks of a program and of extensions, beside those of the settings.
	Hooks []hook.Hook

	// Replay is a file of recorded answers that are played in place of a model's, in
	// their order unless ReplayAnyOrder is set. Record is a file that a model's answers
	// are written to. "" is for none.
	Replay         string
	ReplayAnyOrder bool
	Record         string

	// Loaded, if not nil, is called as soon as the settings are read, before an error that
	// depends on them can occur. With InWorktree, it is called for Dir and then for the worktree.
	Loaded func(*Setup)
	// Warn is called with each warning: something that the user should know and that does
	// not prevent the session. The text is not sanitized for a screen. nil drops warnings.
	Warn func(text string)
	// Recent keeps the last events of the session; nil keeps none.
	Recent *recent.Ring
	// Debug enables the log in DebugLog, and a log on disk if the conversation is Recorded. Log, if not
	// nil, always receives it.
	Debug    bool
	DebugLog io.Writer
	Log      *slog.Logger

	entered *worktree.Worktree // that InWorktree names, once Dir is its path
}

// Open opens a session: [Settle], then [Setup.Open]. The caller must close it.
func Open(ctx context.Context, o Options) (*Session, error) {
	p, err := Settle(ctx, o)
	if err != nil {
		return nil, err
	}
	s, err := p.Open(ctx)
	if err != nil {
		p.AbandonWorktree(ctx)
		p.Close()
	}
	return s, err
}

// Session is a live session. Only the methods that say so may be called during a run.
type Session struct {
	*Setup
	// Workspace is the directories that the model works in.
	Workspace *workspace.Workspace
	// Memory holds the instructions of the user and the project for the model.
	Memory *memory.Memory
	// Stats counts what the session has done and cost. A face shows it every event.
	Stats *stats.Counter
	// PromptLog records the prompts that a person enters, nil if they are not recorded.
	PromptLog *promptlog.Log
	// Processes are the commands that run in the background, and those that did.
	Processes *shell.Processes

	identity  atomic.Pointer[identity]
	settings  atomic.Pointer[config.Settings] // as they were read last
	models    *models.Directory
	fallback  *fallback.Generator // nil where no provider answers
	policy    *policy.Engine
	saved     *policy.Saved // where lasting answers go; nil where none would be read again
	plans     *plans
	topic     topic.Topic
	registry  *tool.Registry
	absent    map[string]string              // why tools are not in the registry, by name
	search    tool.Tool                      // the web search, which needs a provider that searches
	typed     tool.Tool                      // the shell of a person
	template  func(process.Origin) tool.Tool // the shell of custom commands that an origin has written
	gate      *guard.Gate
	given     *quotation.Index // what models were given: a quotation is not a call
	callers   callers
	builtin   []tool.Tool // that tools.core permits
	subagents subagents

	extensionDirs []string // those of extensions that file tools may read; without links
	instruction   *prompt.Instruction
	agent         *agent.Agent
	clientCalls   sync.RWMutex // see CallTool
	hooks         *hook.Set    // nil for none
	// startContext is what hooks add to the first prompt; "" for nothing.
	startContext string
	servers      *mcp.Servers  // nil for none
	sampler      llm.Generator // answers requests of MCP servers
	// serversTold is what the model knows of what servers say about themselves, and serversChanged reports
	// whether that, or anything else of a server, may have changed since.
	serversTold    string
	misspelled     map[string]bool // the warnings of warnMisspelled that were shown, nil before its first use
	serversChanged atomic.Bool
	// areServersAwake reports whether the servers that were idle at first have been started.
	areServersAwake bool
	// disabledServers are the servers that are disabled for this session.
	disabledServers []string
	// prepared are the prompts of [Session.Prepare], by their lines.
	prepared   map[string]prepared
	skills     atomic.Pointer[skill.Set]
	telemetry  *telemetry.Telemetry // nil is off
	activity   *telemetry.Activity  // nil is off
	log        *logs.Log            // on disk
	titler     titler
	isUnwanted atomic.Bool // the record of the conversation is deleted at the end
	ended      sync.Once
	closers    []func()
}

// identity is which conversation a session has.
type identity struct {
	id    string
	began time.Time
}

// Close ends what the session has left running.
func (s *Session) Close() {
	s.ended.Do(func() { s.endHooks(context.Background(), hook.ExitReason) })
	s.titler.close()
	s.closeParts()
	path := s.transcript()
	s.Setup.Close()
	if s.isUnwanted.Swap(false) {
		s.deleteRecord(path)
	}
}

func (s *Session) closeParts() {
	for _, f := range s.closers {
		f()
	}
	s.PromptLog.Close()
	s.closeLog()
	s.telemetry.Close()
	s.activity.Close()
}

// ID returns the session's id. It may be called during a run.
func (s *Session) ID() string { return s.identity.Load().id }

// Age returns the time since the session began. It may be called during a run.
func (s *Session) Age() time.Duration { return time.Since(s.identity.Load().began) }

// begin gives the session a new conversation.
func (s *Session) begin(id string) {
	if id == "" {
		id = uuid.NewString()
	}
	s.identity.Store(&identity{id, time.Now()})
	s.Recent.Add(recent.Event{Kind: recent.Session, Name: id})
	if s.log != nil {
		s.log.Begin(id)
	}
	if s.Processes != nil && s.journal != nil { // else it is being built, or not recorded
		s.Processes.SetSession(id)
	}
}

// CurrentSettings returns the settings as they were read last. It may be called
// during a run.
func (s *Session) CurrentSettings() *config.Settings { return s.settings.Load() }

// ReloadSettings reads the settings again, for what looks at [Session.CurrentSettings];
// the session itself keeps those that it was opened with.
func (s *Session) ReloadSettings() error {
	settings, _, err := s.reload()
	if err == nil {
		s.settings.Store(settings)
	}
	return err
}

// Reachable returns why no model can be asked, nil if one can.
func (s *Session) Reachable() error { return s.models.Unreachable() }

// DecideTrust returns whether the session's folder is trusted, by what the user has
// decided about folders until now.
func (s *Session) DecideTrust() (trust.State, error) { return trust.Decide(s.TrustOptions()) }
