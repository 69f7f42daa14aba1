// Package record keeps the conversation of a session on disk: its journal, the recorded session that it
// continues, checkpoints before calls, and titles. Nothing of it knows a session.
package record

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"pollux/agent"
	"pollux/internal/exit"
	"pollux/internal/journal"
	"pollux/internal/project"
	"pollux/internal/promptlog"
	"pollux/internal/sessions"
	"pollux/llm"
)

// Options configure a [Record]. The zero value records nothing.
type Options struct {
	// Recorded keeps the conversation on disk, as Gemini CLI does.
	Recorded bool
	// SessionID identifies the conversation; "" makes an id. If IsNewID is set, a recorded session
	// with this id is an error.
	SessionID string
	IsNewID   bool
	// Resume is the recorded session to continue: its number, its id or "latest"; only its id if IsResumeID is set.
	// SessionFile is the file of a session of any project to continue a copy of. "" is for a new session.
	Resume      string
	IsResumeID  bool
	SessionFile string
	// Offline is set for a run that may have no prompt for a model.
	Offline bool
}

// Record is the conversation of a session on disk: its journal, and the recorded session that it continues.
type Record struct {
	project *project.Project
	options Options
	journal *journal.Journal // nil if the conversation is not recorded
	resumed *journal.Session // the session to continue, until its history is restored; nil for none
	recap   *Recap           // of the resumed session, nil for none
	dirs    func() []string  // the workspace's directories, nil until there is a workspace
	// skillFolders are the directories outside of the workspace that activated skills have made readable.
	skillFolders folders
	isUnwanted   atomic.Bool // the record is deleted at the end
}

// Open opens the record of the conversation on disk, and the session that it continues, if there
// is one. The caller must close it.
func Open(ctx context.Context, p *project.Project, o Options) (*Record, error) {
	r := &Record{project: p, options: o}
	if err := r.open(ctx); err != nil {
		r.Close()
		return nil, err
	}
	return r, nil
}

func (r *Record) open(ctx context.Context) error {
	p, o := r.project, r.options
	if !o.Recorded {
		return nil
	}
	if !p.HasHome() && o.Resume == "" && o.SessionFile == "" && !makeHome(p) {
		return nil
	}
	r.journal = journal.New(journal.Options{
		Dir: r.chats, ProjectHash: p.Paths.ProjectHash(), Warn: p.Warn, Directories: r.moreDirs, SkillFolders: r.skillFolders.all,
		Mask: r.mask,
	})
	if !p.Options.Interactive && !o.Offline && o.Resume == "" { // there is a prompt for a model
		r.journal.Prepare()
	}
	switch {
	case o.Resume != "":
		if err := r.resume(ctx); err != nil {
			return exit.Errorf(exit.Input, "Error resuming session: %w", err)
		}
	case o.SessionFile != "":
		return r.importFile()
	case o.SessionID != "" && o.IsNewID:
		if info, err := r.Store().Find(ctx, o.SessionID); err == nil && info.ID == o.SessionID {
			return exit.Errorf(exit.Input, "Error starting session: Session ID %q already exists. Use --resume to resume it, or provide a different ID.", o.SessionID)
		}
	}
	return nil
}

// makeHome makes the missing home directory of a person, who expects a record of the session. It returns false if there is
// none: a run without a person, often that of a service, makes no home directory.
func makeHome(p *project.Project) bool {
	if !p.Options.Interactive {
		p.Log.Debug("The session is not recorded, because the home directory does not exist.", "home", p.Paths.Home())
		return false
	}
	err := os.MkdirAll(p.Paths.GeminiDir(), 0o700)
	if err != nil {
		p.Warn("Warning: This session is not recorded: " + err.Error() + ". To keep sessions in another place, set GEMINI_CLI_HOME.")
	}
	return err == nil
}

// SessionID returns the id of the conversation, "" if it has none yet.
func (r *Record) SessionID() string { return r.options.SessionID }

// Journal returns the journal, nil if the conversation is not recorded.
func (r *Record) Journal() *journal.Journal { return r.journal }

// Resumed returns the session to continue, until [Record.Restored] is called; nil for none.
func (r *Record) Resumed() *journal.Session { return r.resumed }

// Restored ends the use of [Record.Resumed], whose messages are the agent's now.
func (r *Record) Restored() { r.resumed = nil }

// Recap returns where the conversation stood when it was resumed, nil if it is a new one.
func (r *Record) Recap() *Recap { return r.recap }

// DeleteAtEnd makes [Record.End] delete the record with all that belongs to it. It may be called during a run.
func (r *Record) DeleteAtEnd() { r.isUnwanted.Store(true) }

// IsUnwanted reports whether [Record.End] deletes the record.
func (r *Record) IsUnwanted() bool { return r.isUnwanted.Load() }

// Calls returns the records of the finished calls of the conversation, by the ids of the messages with
// their results; nil if the conversation is not recorded.
func (r *Record) Calls() map[string][]agent.CallRecord {
	if r.journal == nil {
		return nil
	}
	return r.journal.Calls()
}

// EndRun notes the end of a run.
func (r *Record) EndRun() {
	if r.journal != nil {
		_ = r.journal.Touch() // the journal warns
	}
}

// Branch goes on in a new file, for a new session with this id. The file until now stays as it is.
func (r *Record) Branch(id string) {
	if r.journal != nil {
		r.journal.Branch(id)
	}
}

// NoteDirectories records the directories of the workspace, which have changed.
func (r *Record) NoteDirectories() {
	if r.journal != nil {
		_ = r.journal.SetDirectories(r.moreDirs()) // the journal warns
	}
}

// AddSkillFolder adds a directory that a skill has made readable to those that [Record.NoteSkillFolders] records.
func (r *Record) AddSkillFolder(dir string) { r.skillFolders.add(dir) }

// NoteSkillFolders records the directories that skills have made readable, so that they are readable after a resume.
func (r *Record) NoteSkillFolders() {
	if r.journal != nil {
		_ = r.journal.SetSkillFolders(r.skillFolders.all()) // the journal warns
	}
}

// Subagent returns the record of a subagent's conversation, below that of the session with the id parent; nil if the
// session is not recorded.
func (r *Record) Subagent(parent string, dirs func() []string) *journal.Journal {
	if r.journal == nil {
		return nil
	}
	return journal.New(journal.Options{
		Dir: func() (string, error) {
			chats, err := r.chats()
			return filepath.Join(chats, journal.PlainID(parent)), err
		},
		ProjectHash: r.project.Paths.ProjectHash(), Kind: journal.Subagent, Directories: dirs, Mask: r.mask,
		Warn: func(text string) { r.project.Log.Warn(text) },
	})
}

// mask returns lines of the record without secrets.
func (r *Record) mask(lines []byte) []byte { return r.project.Masker().JSON(lines) }

// Close closes the record.
func (r *Record) Close() {
	if r.journal != nil {
		_ = r.journal.Close() // it has warned
	}
}

// End closes the record of the conversation with this id, and deletes it if it is unwanted.
func (r *Record) End(id string) {
	path := r.Transcript()
	r.Close()
	if r.isUnwanted.Swap(false) {
		r.delete(id, path)
	}
}

// delete deletes the closed record of the conversation, the file at path.
func (r *Record) delete(id, path string) {
	const limit = 5 * time.Second
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	store, info := r.Store(), sessions.Info{ID: id, Path: path}
	list, err := store.List(ctx)
	for _, i := range list {
		if i.ID == info.ID {
			info = i // with all its files
		}
	}
	if err == nil {
		err = store.Delete(ctx, info)
	}
	if err != nil {
		r.project.Warn("Warning: This session is not deleted: " + err.Error() + ".")
	}
}

// NewPromptLog returns the log of the prompts that a person enters, nil if there is no person or no
// home directory. Nothing is read or written before a prompt.
func (r *Record) NewPromptLog() *promptlog.Log {
	p := r.project
	if !r.options.Recorded || !p.Options.Interactive || !p.HasHome() {
		return nil
	}
	return &promptlog.Log{Warn: p.Warn, Mask: func(text string) string { return p.Masker().Text(text) }, Path: func() (string, error) {
		temp, err := p.Paths.ProjectTemp()
		return filepath.Join(temp, promptlog.FileName), err
	}}
}

// moreDirs returns the workspace's directories beside the project's.
func (r *Record) moreDirs() []string {
	if r.dirs == nil {
		return nil
	}
	return r.dirs()[1:]
}

// IsRecorded reports whether the conversation is on disk, so that it can be resumed.
func (r *Record) IsRecorded() bool { return r.journal != nil && r.journal.IsRecorded() }

// Transcript returns the path of the session's file, "" if the conversation is not recorded.
func (r *Record) Transcript() string {
	if r.journal == nil {
		return ""
	}
	return r.journal.Path()
}

// KeepsUnanswered reports whether a prompt stays in the conversation that got no response for this
// reason, so that the next prompt or --resume goes on with it. A person who cancels a prompt does not
// want it any more, and a request that is itself at fault would fail again.
func (r *Record) KeepsUnanswered(cause error) bool {
	if failure, ok := errors.AsType[*llm.Error](cause); ok {
		return !failure.MayBlameRequest()
	}
	var end *exit.Error
	return !r.project.Options.Interactive || errors.As(cause, &end)
}

// folders is a list of directories. It is safe for concurrent use.
type folders struct {
	mu   sync.Mutex
	list []string
}

func (f *folders) add(dir string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.list = append(f.list, dir)
}

func (f *folders) all() []string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.Clone(f.list)
}
