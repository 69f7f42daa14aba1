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
	"pollux/internal/compose"
	"pollux/internal/farewell"
	"pollux/internal/guard/hook"
	"pollux/internal/ide"
	"pollux/internal/observers"
	"pollux/internal/project"
	"pollux/internal/prompt"
	"pollux/internal/promptlog"
	"pollux/internal/record"
	"pollux/internal/records"
	"pollux/internal/snapshots"
	"pollux/internal/stats/recent"
	"pollux/llm"
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
	// IDE is that of [companion.Open]; nil connects to the person's editor.
	IDE func() (ide.State, bool)

	// Replay is a file of recorded answers that are played in place of a model's, in
	// their order unless ReplayAnyOrder is set. Record is a file that a model's answers
	// are written to. "" is for none.
	Replay         string
	ReplayAnyOrder bool
	Record         string

	// Patch gets the changes of the session when it is closed; nil for no patch.
	Patch *snapshots.PatchFile

	// Recent keeps the last events of the session; nil keeps none.
	Recent *recent.Ring
}

// WritePatch sets Patch to a file with this path, "" for none.
func (o *Options) WritePatch(path string) {
	if path != "" {
		o.Patch = &snapshots.PatchFile{Path: path}
	}
}

// Session is a live session. Only the methods that say so may be called during a run.
type Session struct {
	Project *project.Project
	Record  *record.Record
	// Observers are the observers of the session, and the stream of records that they take.
	Observers *observers.Observers
	// PromptLog records the prompts that a person enters, nil if they are not recorded.
	PromptLog *promptlog.Log
	foundation
	equipment
	// Composer makes the prompts of the model.
	Composer *compose.Composer
	// Changes finds the calls that may have changed something, and undoes changes of files.
	Changes *record.Changes
	// Farewell has the hints for the end of the session.
	Farewell *farewell.Farewell

	options     Options
	identity    atomic.Pointer[identity]
	instruction *prompt.Instruction
	agent       *agent.Agent
	titler      *record.Titler
	ended       sync.Once
	cancel      func()
	stopUpdates func() // of extensions, nil for none
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
	s.Snapshots.Write(s.options.Patch, s.Record.Resumed())
	s.Project.Close()
	s.Record.End(s.ID())
}

func (s *Session) closeParts() {
	s.cancel()
	s.foundation.close()
	s.equipment.close()
	if s.stopUpdates != nil {
		s.stopUpdates()
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
