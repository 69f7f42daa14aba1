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

	"github.com/google/uuid"

	"pollux/agent"
	"pollux/internal/exit"
	"pollux/internal/guard"
	"pollux/internal/journal"
	"pollux/internal/promptlog"
	"pollux/internal/sessions"
	"pollux/internal/shellcmd"
	"pollux/internal/terminal"
	"pollux/internal/tools/shell"
	"pollux/internal/usage"
	"pollux/internal/workspace"
	"pollux/llm"
	"pollux/tool"
)

// openJournal opens the record of the conversation on disk, and the session that it continues, if there
// is one. It does nothing if the session is not recorded, and once only.
func (p *Setup) openJournal(ctx context.Context) error {
	if !p.Recorded || p.journal != nil {
		return nil
	}
	if !p.hasHome() && p.Resume == "" && p.SessionFile == "" {
		p.Log.Debug("The session is not recorded, because the home directory does not exist.", "home", p.Paths.Home())
		return nil
	}
	p.journal = journal.New(journal.Options{
		Dir: p.chats, ProjectHash: p.Paths.ProjectHash(), Warn: p.Warn, Directories: p.moreDirs, SkillFolders: p.skillFolders.all,
		Mask: p.maskRecords,
	})
	if !p.Interactive && !p.Offline && p.Resume == "" { // there is a prompt for a model
		p.journal.Prepare()
	}
	switch {
	case p.Resume != "":
		if err := p.resume(ctx); err != nil {
			return exit.Errorf(exit.Input, "Error resuming session: %w", err)
		}
	case p.SessionFile != "":
		return p.importFile()
	case p.SessionID != "" && p.IsNewID:
		if info, err := p.store().Find(ctx, p.SessionID); err == nil && info.ID == p.SessionID {
			return exit.Errorf(exit.Input, "Error starting session: Session ID %q already exists. Use --resume to resume it, or provide a different ID.", p.SessionID)
		}
	}
	return nil
}

// hasHome reports whether the user has a home directory, or has named one for Pollux. Services often
// have none.
func (p *Setup) hasHome() bool {
	info, err := os.Stat(p.Paths.Home())
	return err == nil && info.IsDir() || p.Env.Get("GEMINI_CLI_HOME") != ""
}

// newPromptLog returns the log of the prompts that a person enters, nil if there is no person or no
// home directory. Nothing is read or written before a prompt.
func (p *Setup) newPromptLog() *promptlog.Log {
	if !p.Recorded || !p.Interactive || !p.hasHome() {
		return nil
	}
	return &promptlog.Log{Warn: p.Warn, Mask: p.maskText, Path: func() (string, error) {
		temp, err := p.Paths.ProjectTemp()
		return filepath.Join(temp, "logs.json"), err
	}}
}

// chats returns the directory of the project's session files, and makes its parent the project's.
func (p *Setup) chats() (string, error) {
	temp, err := p.Paths.ProjectTemp()
	return filepath.Join(temp, "chats"), err
}

// store returns the project's sessions. It creates nothing.
func (p *Setup) store() *sessions.Store {
	dir := p.Paths.ExistingProjectTemp()
	if dir == "" {
		return &sessions.Store{}
	}
	return &sessions.Store{Dir: filepath.Join(dir, "chats")}
}

// UsageSources returns the sessions of this project, or of all projects, for statistics. They include what
// this session has recorded so far.
func (p *Setup) UsageSources(all bool) []usage.Source {
	if !all {
		return []usage.Source{{Project: p.Dir, Store: p.store()}}
	}
	return usage.All(p.Paths)
}

// moreDirs returns the workspace's directories beside the project's.
func (p *Setup) moreDirs() []string {
	if p.dirs == nil {
		return nil
	}
	return p.dirs()[1:]
}

// resume finds the session to continue.
func (p *Setup) resume(ctx context.Context) error {
	info, err := p.store().Find(ctx, p.Resume)
	if errors.Is(err, sessions.ErrNone) && p.Resume == sessions.Latest {
		p.Warn(err.Error())
		return nil
	}
	if err != nil {
		return p.resumeElsewhere(ctx, err)
	}
	return p.openRecorded(info)
}

// resumeElsewhere looks for the session to continue in the other projects, after unknown, the error of this
// one. If the directory of its project is gone, as after a move, it continues here, in a copy. Otherwise
// the error says where it belongs.
func (p *Setup) resumeElsewhere(ctx context.Context, unknown error) error {
	id := strings.TrimSpace(p.Resume)
	if _, err := strconv.Atoi(id); err == nil || id == sessions.Latest {
		return unknown
	}
	for _, project := range p.Paths.Projects() {
		list, err := (&sessions.Store{Dir: filepath.Join(project.Temp, "chats")}).List(ctx)
		i := slices.IndexFunc(list, func(i sessions.Info) bool { return i.ID == id })
		if err != nil || i < 0 || project.Dir == p.Dir {
			continue
		}
		if _, err := os.Stat(project.Dir); errors.Is(err, fs.ErrNotExist) {
			err = p.resumeCopy(list[i].Path, fmt.Errorf("its directory %s does not exist any more", project.Dir))
			p.recap = &Recap{Title: list[i].Title, Prompts: list[i].Prompts}
			return err
		}
		return fmt.Errorf("it belongs to %s. To resume it there, run: %s",
			project.Dir, shellcmd.Join([]string{"cd", project.Dir})+" && pollux --resume "+shellcmd.Quote(id))
	}
	return unknown
}

// openRecorded opens a recorded session, which the next conversation continues. If another process has
// it open, that is a copy of it.
func (p *Setup) openRecorded(info sessions.Info) error {
	opened, err := journal.Open(info.Path)
	switch {
	case err == nil:
		p.journal.Resume(opened)
		p.resumed, p.SessionID = opened.Session, opened.SessionID
	default:
		if err := p.resumeCopy(info.Path, err); err != nil {
			return err
		}
	}
	p.recap = &Recap{Title: info.Title, Prompts: info.Prompts}
	if p.resumed.Lost > 0 {
		p.Warn(fmt.Sprintf("Warning: %d records of this session are damaged and left out: %s", p.resumed.Lost, info.Path))
	}
	if n := p.resumed.Omitted >> 20; n > 0 {
		p.Warn(fmt.Sprintf("Warning: This session is too long to continue in full: its first %d MB are left out. They stay in %s", n, info.Path))
	}
	return nil
}

// resumeCopy makes the session a copy of one whose file cannot be opened for writing, which cause says.
func (p *Setup) resumeCopy(path string, cause error) error {
	loaded, err := journal.LoadRecent(path)
	if err != nil {
		return fmt.Errorf("cannot read %s: %w", path, err)
	}
	p.resumed, p.SessionID = loaded, uuid.NewString()
	p.journal.Fork(p.resumed, p.SessionID, "")
	id := terminal.Line(loaded.SessionID)
	if errors.Is(cause, journal.ErrInUse) {
		p.resumed.Interrupted = nil // the other process may still run them
		p.Warn(fmt.Sprintf("Another process has session %s open. This is a copy of it: %s", id, p.SessionID))
	} else {
		p.Warn(fmt.Sprintf("Cannot go on in the file of session %s: %v. This is a copy of it: %s", id, cause, p.SessionID))
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
func (s *Session) Recap() *Recap { return s.recap }

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
func (p *Setup) importFile() (err error) {
	if p.resumed, err = journal.Load(p.Paths.Absolute(p.SessionFile)); err != nil {
		return exit.Errorf(exit.Input, "Error importing session from file: File not found or invalid format: %s", p.SessionFile)
	}
	p.resumed.Directories, p.resumed.SkillFolders, p.resumed.Interrupted = nil, nil, nil // those of another project
	p.SessionID = uuid.NewString()
	p.journal.Fork(p.resumed, p.SessionID, "Imported session from "+p.SessionFile)
	return nil
}

// restore gives the agent the history of the resumed session.
func (s *Session) restore(ctx context.Context) {
	var names []string
	s.openResumedSkills(s.resumed.SkillFolders)
	messages := []agent.Message{s.opening()}
	for _, e := range s.resumed.Entries {
		messages = append(messages, e.Message)
	}
	s.agent.SetHistory(ctx, messages)
	if s.recap != nil {
		s.recap.readLast(s.resumed.Entries)
	}
	for _, c := range s.resumed.Interrupted {
		names = append(names, terminal.Line(c.Name))
	}
	if len(names) > 0 {
		s.Warn("Interrupted when Pollux ended, and not repeated: " + strings.Join(names, ", ") + ".")
	}
	if s.resumed.SessionID == s.ID() { // not a copy
		for _, p := range s.Processes.Recover() {
			s.Warn(orphanText(p))
		}
	}
	s.resumed = nil // its messages are the agent's
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
	if s.resumed == nil {
		return
	}
	dirs := slices.DeleteFunc(slices.Clone(s.resumed.Directories), func(dir string) bool {
		return s.Workspace.Contains(workspace.RealPath(dir))
	})
	if len(dirs) == 0 || !s.agreesToDirs(ctx, dirs) {
		return
	}
	for _, dir := range dirs {
		if _, _, err := s.Workspace.Add(dir); err != nil {
			s.Warn(fmt.Sprintf("Warning: Cannot add %s, which this session had in its workspace: %v", terminal.Line(dir), err))
		}
	}
}

// agreesToDirs asks the user whether the resumed session may use directories outside of the project again.
func (s *Session) agreesToDirs(ctx context.Context, dirs []string) bool {
	shown := make([]string, len(dirs))
	for i, dir := range dirs {
		shown[i] = terminal.Line(s.Paths.Display(dir))
	}
	if !s.Interactive || s.Asker == nil {
		text := "Leaving out " + strings.Join(shown, ", ") + ", which this session had in its workspace. To use it again: --include-directories " + shellcmd.Quote(strings.Join(dirs, ","))
		s.LeftOut = append(s.LeftOut, text)
		s.Warn("Warning: " + text)
		return false
	}
	const yes, no = "Use them", "Leave them out"
	answer, err := Choose(ctx, s.Asker, Choice{
		Header: "Directories", Text: "This session had these directories outside of the project in its workspace:\n- " + strings.Join(shown, "\n- ") + "\nUse them again?",
		Options: []tool.Option{{Key: "y", Label: yes, Description: "tools may read and change files there"}, {Key: "n", Label: no, Description: "to add one later, type /dir add"}},
	})
	return err == nil && answer == yes
}

// IsRecorded reports whether the conversation is on disk, so that it can be resumed.
func (p *Setup) IsRecorded() bool { return p.journal != nil && p.journal.IsRecorded() }

// transcript returns the path of the session's file, "" if the conversation is not recorded.
func (p *Setup) transcript() string {
	if p.journal == nil {
		return ""
	}
	return p.journal.Path()
}

// Tags returns the conversations that the user has saved in this project.
func (p *Setup) Tags() sessions.Tags { return sessions.Tags{Dir: p.Paths.ExistingProjectTemp()} }

// SaveTag saves the conversation under a tag, for [Session.LoadTag] and for Gemini CLI.
func (s *Session) SaveTag(tag string) error {
	dir, err := s.Paths.ProjectTemp() // the first call makes it the project's
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
	c, err := s.Tags().Load(tag)
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
func (p *Setup) keepsUnanswered(cause error) bool {
	var failure *llm.Error
	if errors.As(cause, &failure) {
		return !failure.MayBlameRequest()
	}
	var end *exit.Error
	return !p.Interactive || errors.As(cause, &end)
}

// CallRecords returns the records of the finished calls of the conversation, by the ids of the messages with
// their results; nil if the conversation is not recorded.
func (s *Session) CallRecords() map[string][]agent.CallRecord {
	if s.journal == nil {
		return nil
	}
	return s.journal.Calls()
}

// endTurn notes the end of a run in the record of the conversation.
func (s *Session) endTurn() {
	if s.journal != nil {
		_ = s.journal.Touch() // the journal warns
	}
	s.titler.start(s.addTitle)
}

// syncStep returns the step that writes to the disk all that led to a call which may change something, before the
// call runs.
func syncStep(j *journal.Journal) guard.Step {
	return guard.Step{Before: func(_ context.Context, call *agent.PreparedCall) error {
		switch call.Tool().Spec().Kind {
		case tool.KindRead, tool.KindSearch, tool.KindThink, tool.KindFetch:
			return nil
		}
		_ = j.Sync() // the journal warns, and the call may run without a record
		return nil
	}}
}
