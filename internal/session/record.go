package session

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/google/uuid"

	"pollux/agent"
	"pollux/internal/exit"
	"pollux/internal/journal"
	"pollux/internal/person"
	"pollux/internal/project"
	"pollux/internal/promptlog"
	"pollux/internal/sessions"
	"pollux/internal/shellcmd"
	"pollux/internal/terminal"
	"pollux/internal/tools/shell"
	"pollux/internal/workspace"
	"pollux/llm"
	"pollux/tool"
)

// RecordOptions say what is recorded. The zero value records nothing.
type RecordOptions struct {
	// Recorded keeps the conversation on disk, as Gemini CLI does.
	Recorded bool
	// SessionID identifies the conversation; "" makes an id. If IsNewID is set, a recorded session
	// with this id is an error.
	SessionID string
	IsNewID   bool
	// Resume is the recorded session to continue: its number, its id or "latest". SessionFile is the file of a
	// session of any project to continue a copy of. "" is for a new session.
	Resume      string
	SessionFile string
	// Offline is set for a run that may have no prompt for a model.
	Offline bool
}

// Record is the conversation of a session on disk: its journal, and the recorded session that it continues.
type Record struct {
	project *project.Project
	options RecordOptions
	journal *journal.Journal // nil if the conversation is not recorded
	resumed *journal.Session // the session to continue, until its history is restored; nil for none
	recap   *Recap           // of the resumed session, nil for none
	dirs    func() []string  // the workspace's directories, nil until there is a workspace
	// skillFolders are the directories outside of the workspace that activated skills have made readable.
	skillFolders folders
	isUnwanted   atomic.Bool // the record is deleted at the end
}

// OpenRecord opens the record of the conversation on disk, and the session that it continues, if there
// is one. The caller must close it.
func OpenRecord(ctx context.Context, p *project.Project, o RecordOptions) (*Record, error) {
	r := &Record{project: p, options: o}
	if !o.Recorded {
		return r, nil
	}
	if !p.HasHome() && o.Resume == "" && o.SessionFile == "" {
		p.Log.Debug("The session is not recorded, because the home directory does not exist.", "home", p.Paths.Home())
		return r, nil
	}
	r.journal = journal.New(journal.Options{
		Dir: r.chats, ProjectHash: p.Paths.ProjectHash(), Warn: p.Options.Warn, Directories: r.moreDirs, SkillFolders: r.skillFolders.all,
		Mask: p.MaskRecords,
	})
	if !p.Options.Interactive && !o.Offline && o.Resume == "" { // there is a prompt for a model
		r.journal.Prepare()
	}
	switch {
	case o.Resume != "":
		if err := r.resume(ctx); err != nil {
			return nil, exit.Errorf(exit.Input, "Error resuming session: %w", err)
		}
	case o.SessionFile != "":
		return r, r.importFile()
	case o.SessionID != "" && o.IsNewID:
		if info, err := r.store().Find(ctx, o.SessionID); err == nil && info.ID == o.SessionID {
			return nil, exit.Errorf(exit.Input, "Error starting session: Session ID %q already exists. Use --resume to resume it, or provide a different ID.", o.SessionID)
		}
	}
	return r, nil
}

// SessionID returns the id of the conversation, "" if it has none yet.
func (r *Record) SessionID() string { return r.options.SessionID }

// Close closes the record.
func (r *Record) Close() {
	if r.journal != nil {
		_ = r.journal.Close() // it has warned
	}
}

// end closes the record of the conversation with this id, and deletes it if it is unwanted.
func (r *Record) end(id string) {
	path := r.transcript()
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
	store, info := r.store(), sessions.Info{ID: id, Path: path}
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
		r.project.Options.Warn("Warning: This session is not deleted: " + err.Error() + ".")
	}
}

// newPromptLog returns the log of the prompts that a person enters, nil if there is no person or no
// home directory. Nothing is read or written before a prompt.
func (r *Record) newPromptLog() *promptlog.Log {
	p := r.project
	if !r.options.Recorded || !p.Options.Interactive || !p.HasHome() {
		return nil
	}
	return &promptlog.Log{Warn: p.Options.Warn, Mask: p.MaskText, Path: func() (string, error) {
		temp, err := p.Paths.ProjectTemp()
		return filepath.Join(temp, "logs.json"), err
	}}
}

// moreDirs returns the workspace's directories beside the project's.
func (r *Record) moreDirs() []string {
	if r.dirs == nil {
		return nil
	}
	return r.dirs()[1:]
}

// resume finds the session to continue.
func (r *Record) resume(ctx context.Context) error {
	info, err := r.store().Find(ctx, r.options.Resume)
	if errors.Is(err, sessions.ErrNone) && r.options.Resume == sessions.Latest {
		r.project.Options.Warn(err.Error())
		return nil
	}
	if err != nil {
		return r.resumeElsewhere(ctx, err)
	}
	return r.openRecorded(info)
}

// resumeElsewhere looks for the session to continue in the other projects, after unknown, the error of this
// one. If the directory of its project is gone, as after a move, it continues here, in a copy. Otherwise
// the error says where it belongs.
func (r *Record) resumeElsewhere(ctx context.Context, unknown error) error {
	id := strings.TrimSpace(r.options.Resume)
	if _, err := strconv.Atoi(id); err == nil || id == sessions.Latest {
		return unknown
	}
	for _, project := range r.project.Paths.Projects() {
		list, err := (&sessions.Store{Dir: filepath.Join(project.Temp, "chats")}).List(ctx)
		i := slices.IndexFunc(list, func(i sessions.Info) bool { return i.ID == id })
		if err != nil || i < 0 || project.Dir == r.project.Options.Dir {
			continue
		}
		if _, err := os.Stat(project.Dir); errors.Is(err, fs.ErrNotExist) {
			err = r.resumeCopy(list[i].Path, fmt.Errorf("its directory %s does not exist any more", project.Dir))
			r.recap = &Recap{Title: list[i].Title, Prompts: list[i].Prompts}
			return err
		}
		return fmt.Errorf("it belongs to %s. To resume it there, run: %s",
			project.Dir, shellcmd.Join([]string{"cd", project.Dir})+" && pollux --resume "+shellcmd.Quote(id))
	}
	return unknown
}

// openRecorded opens a recorded session, which the next conversation continues. If another process has
// it open, that is a copy of it.
func (r *Record) openRecorded(info sessions.Info) error {
	opened, err := journal.Open(info.Path)
	switch {
	case err == nil:
		r.journal.Resume(opened)
		r.resumed, r.options.SessionID = opened.Session, opened.SessionID
	default:
		if err := r.resumeCopy(info.Path, err); err != nil {
			return err
		}
	}
	r.recap = &Recap{Title: info.Title, Prompts: info.Prompts}
	if r.resumed.Lost > 0 {
		r.project.Options.Warn(fmt.Sprintf("Warning: %d records of this session are damaged and left out: %s", r.resumed.Lost, info.Path))
	}
	if n := r.resumed.Omitted >> 20; n > 0 {
		r.project.Options.Warn(fmt.Sprintf("Warning: This session is too long to continue in full: its first %d MB are left out. They stay in %s", n, info.Path))
	}
	return nil
}

// resumeCopy makes the session a copy of one whose file cannot be opened for writing, which cause says.
func (r *Record) resumeCopy(path string, cause error) error {
	loaded, err := journal.LoadRecent(path)
	if err != nil {
		return fmt.Errorf("cannot read %s: %w", path, err)
	}
	r.resumed, r.options.SessionID = loaded, uuid.NewString()
	r.journal.Fork(r.resumed, r.options.SessionID, "")
	id := terminal.Line(loaded.SessionID)
	if errors.Is(cause, journal.ErrInUse) {
		r.resumed.Interrupted = nil // the other process may still run them
		r.project.Options.Warn(fmt.Sprintf("Another process has session %s open. This is a copy of it: %s", id, r.options.SessionID))
	} else {
		r.project.Options.Warn(fmt.Sprintf("Cannot go on in the file of session %s: %v. This is a copy of it: %s", id, cause, r.options.SessionID))
	}
	return nil
}

// Recap is where a resumed conversation stands.
type Recap struct {
	Title   string // on one line
	Prompts int
	// Prompt is the last prompt as the person wrote it, and Answer what the model has answered to it so
	// far; "" for nothing.
	Prompt, Answer string
}

// Recap returns where the conversation stood when it was resumed, nil if it is a new one.
func (s *Session) Recap() *Recap { return s.Record.recap }

// readLast sets the last prompt and its answer.
func (r *Recap) readLast(entries []agent.Entry) {
	for _, e := range slices.Backward(entries) {
		text := llm.PartsText(e.Content.Parts)
		switch {
		case e.Content.HasFunctionResponse():
		case e.Content.Role == llm.RoleUser:
			r.Prompt = cmp.Or(e.Shown, text)
			return
		case r.Answer == "":
			r.Answer = text
		}
	}
}

// importFile makes the session a copy of the one in a file.
func (r *Record) importFile() (err error) {
	if r.resumed, err = journal.Load(r.project.Paths.Absolute(r.options.SessionFile)); err != nil {
		return exit.Errorf(exit.Input, "Error importing session from file: File not found or invalid format: %s", r.options.SessionFile)
	}
	r.resumed.Directories, r.resumed.SkillFolders, r.resumed.Interrupted = nil, nil, nil // those of another project
	r.options.SessionID = uuid.NewString()
	r.journal.Fork(r.resumed, r.options.SessionID, "Imported session from "+r.options.SessionFile)
	return nil
}

// restore gives the agent the history of the resumed session.
func (s *Session) restore(ctx context.Context) {
	var names []string
	s.openResumedSkills(s.Record.resumed.SkillFolders)
	messages := []agent.Message{s.opening()}
	for _, e := range s.Record.resumed.Entries {
		messages = append(messages, e.Message)
	}
	s.agent.SetHistory(ctx, messages)
	if s.Record.recap != nil {
		s.Record.recap.readLast(s.Record.resumed.Entries)
	}
	for _, c := range s.Record.resumed.Interrupted {
		names = append(names, terminal.Line(c.Name))
	}
	if len(names) > 0 {
		s.Project.Options.Warn("Interrupted when Pollux ended, and not repeated: " + strings.Join(names, ", ") + ".")
	}
	if s.Record.resumed.SessionID == s.ID() { // not a copy
		for _, p := range s.Processes.Recover() {
			s.Project.Options.Warn(orphanText(p))
		}
	}
	s.Record.resumed = nil // its messages are the agent's
}

// orphanText describes, for the user, a background command that Pollux left behind when it crashed.
func orphanText(p shell.Process) string {
	const most = 100 // characters of the command
	name := fmt.Sprintf("%s (PID %d)", terminal.Cut(terminal.Line(p.Command), most), p.PID)
	if p.Exited {
		return "Ended with Pollux: the background command " + name + "."
	}
	return fmt.Sprintf("Still running since Pollux ended: the background command %s. To end it: kill %d", name, p.PID)
}

// addResumedDirs adds the directories that the resumed session had in its workspace, if the user agrees. A run
// without a user leaves them out: the user who added them may not mean this run.
func (s *Session) addResumedDirs(ctx context.Context) {
	if s.Record.resumed == nil {
		return
	}
	dirs := slices.DeleteFunc(slices.Clone(s.Record.resumed.Directories), func(dir string) bool {
		return s.Workspace.Contains(workspace.RealPath(dir))
	})
	if len(dirs) == 0 || !s.agreesToDirs(ctx, dirs) {
		return
	}
	for _, dir := range dirs {
		if _, _, err := s.Workspace.Add(dir); err != nil {
			s.Project.Options.Warn(fmt.Sprintf("Warning: Cannot add %s, which this session had in its workspace: %v", terminal.Line(dir), err))
		}
	}
}

// agreesToDirs asks the user whether the resumed session may use directories outside of the project again.
func (s *Session) agreesToDirs(ctx context.Context, dirs []string) bool {
	shown := make([]string, len(dirs))
	for i, dir := range dirs {
		shown[i] = terminal.Line(s.Project.Paths.Display(dir))
	}
	if !s.Project.Options.Interactive || s.Project.Options.Asker == nil {
		text := "Leaving out " + strings.Join(shown, ", ") + ", which this session had in its workspace. To use it again: --include-directories " + shellcmd.Quote(strings.Join(dirs, ","))
		s.Project.LeftOut = append(s.Project.LeftOut, text)
		s.Project.Options.Warn("Warning: " + text)
		return false
	}
	const yes, no = "Use them", "Leave them out"
	answer, err := person.Choose(ctx, s.Project.Options.Asker, person.Choice{
		Header: "Directories", Text: "This session had these directories outside of the project in its workspace:\n- " + strings.Join(shown, "\n- ") + "\nUse them again?",
		Options: []tool.Option{{Key: "y", Label: yes, Description: "tools may read and change files there"}, {Key: "n", Label: no, Description: "to add one later, type /dir add"}},
	})
	return err == nil && answer == yes
}

// IsRecorded reports whether the conversation is on disk, so that it can be resumed.
func (r *Record) IsRecorded() bool { return r.journal != nil && r.journal.IsRecorded() }

// transcript returns the path of the session's file, "" if the conversation is not recorded.
func (r *Record) transcript() string {
	if r.journal == nil {
		return ""
	}
	return r.journal.Path()
}

// SaveTag saves the conversation under a tag, for [Session.LoadTag] and for Gemini CLI.
func (s *Session) SaveTag(tag string) error {
	dir, err := s.Project.Paths.ProjectTemp() // the first call makes it the project's
	if err != nil {
		return err
	}
	c := sessions.Conversation{AuthType: string(s.Current().Account.Type)}
	for _, m := range s.History() {
		c.History = append(c.History, m.Content)
	}
	return sessions.Tags{Dir: dir}.Save(tag, c)
}

// LoadTag replaces the conversation by the one with a tag. Signatures of thoughts go only to the
// provider that they are from.
func (s *Session) LoadTag(ctx context.Context, tag string) error {
	c, err := s.Record.Tags().Load(tag)
	if err != nil {
		return err
	}
	var history []agent.Message
	for _, content := range c.History {
		m := agent.Message{Content: content, IsPrompt: content.Role == llm.RoleUser && !content.HasFunctionResponse()}
		if c.AuthType != "" && c.AuthType != string(s.Current().Account.Type) {
			m.Content = withoutSignatures(content)
		}
		if !journal.IsContext(m) {
			history = append(history, m)
		}
	}
	s.agent.SetHistory(ctx, append([]agent.Message{s.opening()}, journal.Valid(history)...))
	return nil
}

func withoutSignatures(c *llm.Content) *llm.Content {
	parts := slices.Clone(c.Parts)
	for i := range parts {
		parts[i].ThoughtSignature = ""
	}
	return &llm.Content{Role: c.Role, Parts: slices.DeleteFunc(parts, func(p llm.Part) bool { return p.IsEmpty() })}
}

// keepsUnanswered reports whether a prompt stays in the conversation that got no response for this
// reason, so that the next prompt or --resume goes on with it. A person who cancels a prompt does not
// want it any more, and a request that is itself at fault would fail again.
func (r *Record) keepsUnanswered(cause error) bool {
	var failure *llm.Error
	if errors.As(cause, &failure) {
		return !failure.MayBlameRequest()
	}
	var end *exit.Error
	return !r.project.Options.Interactive || errors.As(cause, &end)
}

// CallRecords returns the records of the finished calls of the conversation, by the ids of the messages with
// their results; nil if the conversation is not recorded.
func (s *Session) CallRecords() map[string][]agent.CallRecord {
	if s.Record.journal == nil {
		return nil
	}
	return s.Record.journal.Calls()
}

// endTurn notes the end of a run in the record of the conversation.
func (s *Session) endTurn() {
	if s.Record.journal != nil {
		_ = s.Record.journal.Touch() // the journal warns
	}
	s.titler.start(s.addTitle)
}

// syncBefore implements [guard.Snapshot]: before a call that may change something, all that led to it
// is on the disk.
type syncBefore struct{ *journal.Journal }

func (b syncBefore) Before(_ context.Context, call *agent.PreparedCall) error {
	switch call.Tool().Spec().Kind {
	case tool.KindRead, tool.KindSearch, tool.KindThink, tool.KindFetch:
		return nil
	}
	_ = b.Sync() // the journal warns, and the call may run without a record
	return nil
}
