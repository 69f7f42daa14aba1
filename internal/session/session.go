// Package session is the live session: a conversation with a model in one directory,
// with the tools, the gate and all that the user's settings ask for.
//
// A face (for a terminal, a script, an editor or a Go program) calls [Open] with the
// directory and the options of its command line. [Open] has the face's [person.Asker] ask the
// questions that come before a session: trust in the folder, an API key, a project's
// policies. The face then ranges over the events of [Session.Run].
//
//   - open.go opens a session in a [project.Project], which has settings, trust, mode and model;
//     signin.go asks for a key or a model that is missing.
//   - build.go is the composition root: the list of all parts, each after the parts
//     that it needs.
//   - prompt.go and typed.go run prompts and commands of a person; change.go and resume.go
//     change the conversation between prompts.
//
// The package does not read the process's own directory or environment, so one process
// can have several sessions. Parts that only a tool call needs are made on first use.
package session

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"github.com/google/uuid"

	"pollux/agent"
	"pollux/internal/agents"
	"pollux/internal/assembly"
	"pollux/internal/compose"
	"pollux/internal/extensions"
	"pollux/internal/farewell"
	"pollux/internal/guard"
	"pollux/internal/guard/hook"
	"pollux/internal/guard/policy"
	"pollux/internal/hooks"
	"pollux/internal/ide"
	"pollux/internal/memory"
	"pollux/internal/models"
	"pollux/internal/observers"
	"pollux/internal/owncalls"
	"pollux/internal/project"
	"pollux/internal/prompt"
	"pollux/internal/promptlog"
	"pollux/internal/record"
	"pollux/internal/records"
	"pollux/internal/rulebook"
	"pollux/internal/servers"
	"pollux/internal/skills"
	"pollux/internal/stats/recent"
	"pollux/internal/tools/plan"
	"pollux/internal/tools/shell"
	"pollux/internal/tools/topic"
	"pollux/internal/toolset"
	"pollux/internal/workspace"
	"pollux/llm"
	"pollux/llm/quotation"
	"pollux/tool"
)

// Options configure a session. Project.Dir and Project.Env must be set.
type Options struct {
	// Project configures the directory: settings, trust, flags, and who answers questions.
	Project project.Options
	// SessionID identifies the conversation; "" makes an id. If IsNewID is set, a recorded session
	// with this id is an error.
	SessionID string
	IsNewID   bool
	// Recorded keeps the conversation on disk, as Gemini CLI does. Resume is the recorded session to
	// continue: its number, its id or "latest"; only its id if IsResumeID is set. SessionFile is the file of a
	// session of any project to continue a copy of. "" is for a new session.
	Recorded    bool
	Resume      string
	IsResumeID  bool
	SessionFile string
	// Offline opens the session even if no model can be reached; [models.Directory.Unreachable]
	// then returns the reason.
	Offline bool

	// Generator, where set, is the model; no credentials are then looked for.
	Generator llm.Generator
	// Tools are more tools, behind the built-in ones.
	Tools []tool.Tool
	// IDE returns the files that the person has open in their IDE, false if that is not known;
	// nil is for no IDE.
	IDE func() (ide.State, bool)

	// Replay is a file of recorded answers that are played in place of a model's, in
	// their order unless ReplayAnyOrder is set. Record is a file that a model's answers
	// are written to. "" is for none.
	Replay         string
	ReplayAnyOrder bool
	Record         string

	// Recent keeps the last events of the session; nil keeps none.
	Recent *recent.Ring
}

// Session is a live session. Only the methods that say so may be called during a run.
type Session struct {
	Project *project.Project
	// Models are the models that can be asked.
	Models *models.Directory
	// Servers are the MCP servers.
	Servers *servers.Servers
	// Skills are the skills, and Calls the tool calls that no model makes.
	Skills *skills.Skills
	Calls  *owncalls.Calls
	// Rulebook has the rules by which calls are decided on.
	Rulebook *rulebook.Rulebook
	// Agents are the subagents.
	Agents *agents.Agents
	// Hooks are the hooks, and Composer makes the prompts of the model.
	Hooks    *hooks.Hooks
	Composer *compose.Composer
	// Farewell has the hints for the end of the session.
	Farewell *farewell.Farewell
	Record   *record.Record
	options  Options
	// Workspace is the directories that the model works in.
	Workspace *workspace.Workspace
	// Memory holds the instructions of the user and the project for the model.
	Memory *memory.Memory
	// Observers are the observers of the session, and the stream of records that they take.
	Observers *observers.Observers
	// PromptLog records the prompts that a person enters, nil if they are not recorded.
	PromptLog *promptlog.Log
	// Processes are the commands that run in the background, and those that did.
	Processes *shell.Processes

	identity atomic.Pointer[identity]
	stack    *assembly.Stack
	builder  *assembly.Builder
	outputs  *record.Outputs
	policy   *policy.Engine
	plans    *plan.Plans
	topic    topic.Topic
	registry *tool.Registry
	tools    *toolset.Set
	gate     *guard.Gate
	given    *quotation.Index // of all texts that models were given: a quotation is not a call
	callers  *assembly.Callers

	extensions  *extensions.Extensions
	instruction *prompt.Instruction
	agent       *agent.Agent
	titler      *record.Titler
	// Changes finds the calls that may have changed something, and undoes changes of files.
	Changes *record.Changes
	ended   sync.Once
	closers []func()
}

// identity is which conversation a session has.
type identity struct {
	id    string
	began time.Time
}

// newIdentity returns the identity of a conversation that begins; "" makes an id.
func newIdentity(id string) *identity {
	if id == "" {
		id = uuid.NewString()
	}
	return &identity{id, time.Now()}
}

// Close ends the session, and all processes that it has left running.
func (s *Session) Close() {
	s.ended.Do(func() { s.Hooks.End(context.Background(), hook.ExitReason) })
	s.titler.Close()
	s.closeParts()
	s.Project.Close()
	s.Record.End(s.ID())
}

func (s *Session) closeParts() {
	for _, f := range s.closers {
		f()
	}
	s.PromptLog.Close()
	s.Observers.Close()
}

// ID returns the session's id. It may be called during a run.
func (s *Session) ID() string { return s.identity.Load().id }

// Age returns the time since the session began. It may be called during a run.
func (s *Session) Age() time.Duration { return time.Since(s.identity.Load().began) }

// begin gives the session a new conversation, or a branch of the one that it has.
func (s *Session) begin(id string, isBranch bool) {
	s.identity.Store(newIdentity(id))
	s.Observers.Records.Emit(records.SessionBegan{ID: s.ID(), IsBranch: isBranch})
	if s.Record.Journal() != nil {
		s.Processes.SetSession(s.ID())
	}
}
