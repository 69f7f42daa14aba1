package record

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
	"time"

	"pollux/agent"
	"pollux/internal/exit"
	"pollux/internal/journal"
	"pollux/internal/person"
	"pollux/internal/sessions"
	"pollux/internal/shellcmd"
	"pollux/internal/terminal"
	"pollux/internal/workspace"
	"pollux/llm"
	"pollux/tool"

	"github.com/google/uuid"
)

// resume finds the session to continue.
func (r *Record) resume(ctx context.Context) error {
	info, err := r.Store().Find(ctx, r.options.Resume)
	if err == nil && r.options.IsResumeID && info.ID != r.options.Resume {
		return &sessions.UnknownError{Identifier: r.options.Resume, Dir: r.Store().Dir}
	}
	if errors.Is(err, sessions.ErrNone) && r.options.Resume == sessions.Latest && !r.options.IsResumeID {
		r.project.Warn(err.Error())
		return nil
	}
	if err != nil {
		return r.resumeElsewhere(ctx, err)
	}
	return r.Continue(info)
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

// Continue opens a recorded session, which the next conversation continues. If another process has
// it open, that is a copy of it.
func (r *Record) Continue(info sessions.Info) error {
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
		r.project.Warn(fmt.Sprintf("Warning: %d records of this session are damaged and left out: %s", r.resumed.Lost, info.Path))
	}
	if n := r.resumed.Omitted >> 20; n > 0 {
		r.project.Warn(fmt.Sprintf("Warning: This session is too long to continue in full: its first %d MB are left out. They stay in %s", n, info.Path))
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
		r.resumed.MarkInUse()
		r.project.Warn(fmt.Sprintf("Another process has session %s open. This is a copy of it: %s", id, r.options.SessionID))
	} else {
		r.project.Warn(fmt.Sprintf("Cannot go on in the file of session %s: %v. This is a copy of it: %s", id, cause, r.options.SessionID))
	}
	return nil
}

// Recap is where a resumed conversation stands.
type Recap struct {
	Title   string // on one line
	Prompts int
	// Prompt is the last prompt as the person wrote it, and Answer the model's answer to it so
	// far; "" for nothing.
	Prompt, Answer string
	// Work is the work of the whole conversation, and Last when its last message joined it; zero if that is unknown.
	Work Work
	Last time.Time
}

// ReadLast sets the last prompt and its answer, and the work.
func (r *Recap) ReadLast(entries []agent.Entry) {
	r.Work.addEntries(entries)
	r.Last = lastTime(entries)
	for _, e := range slices.Backward(entries) {
		text := llm.PartsText(e.Content.Parts)
		switch {
		case e.Content.HasFunctionResponse():
		case e.Content.Role == llm.RoleUser && !e.IsPrompt && strings.HasPrefix(text, journal.TypedCommand): // no prompt
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

// AddResumedDirs adds to the workspace the directories that the resumed session had in its own, if the user agrees.
// A run without a user leaves them out: the user who added them may not mean this run. The record then has the
// directories of the workspace.
func (r *Record) AddResumedDirs(ctx context.Context, ws *workspace.Workspace) {
	r.dirs = ws.Dirs
	if r.resumed == nil {
		return
	}
	dirs := slices.DeleteFunc(slices.Clone(r.resumed.Directories), func(dir string) bool {
		return ws.Contains(workspace.RealPath(dir))
	})
	if len(dirs) == 0 || !r.agreesToDirs(ctx, dirs) {
		return
	}
	for _, dir := range dirs {
		if _, _, err := ws.Add(dir); err != nil {
			r.project.Warn(fmt.Sprintf("Warning: Cannot add %s, which this session had in its workspace: %v", terminal.Line(dir), err))
		}
	}
}

// agreesToDirs asks the user whether the resumed session may use directories outside of the project again.
func (r *Record) agreesToDirs(ctx context.Context, dirs []string) bool {
	shown := make([]string, len(dirs))
	for i, dir := range dirs {
		shown[i] = terminal.Line(r.project.Paths.Display(dir))
	}
	if !r.project.Options.Interactive || r.project.Options.Asker == nil {
		text := "Leaving out " + strings.Join(shown, ", ") + ", which this session had in its workspace. To use it again: --include-directories " + shellcmd.Quote(strings.Join(dirs, ","))
		r.project.LeaveOut(text)
		return false
	}
	const yes, no = "Use them", "Leave them out"
	answer, err := person.Choose(ctx, r.project.Options.Asker, person.Choice{
		Header: "Directories", Text: "This session had these directories outside of the project in its workspace:\n- " + strings.Join(shown, "\n- ") + "\nUse them again?",
		Options: []tool.Option{{Key: "y", Label: yes, Description: "tools may read and change files there"}, {Key: "n", Label: no, Description: "to add one later, type /dir add"}},
	})
	return err == nil && answer == yes
}
