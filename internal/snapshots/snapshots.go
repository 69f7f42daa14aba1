// Package snapshots keeps the changes that the calls of a session make in files, so that undo can take them back.
//
//	s := snapshots.Open(snapshots.Parts{Project: p, Workspace: ws, ID: id, Records: stream, Programs: processes})
//	defer s.Close()
//	gate.Around = append(gate.Around, s.Steps()...)
package snapshots

import (
	"context"
	"errors"
	"path/filepath"
	"sync"
	"time"

	"pollux/agent"
	"pollux/internal/config"
	"pollux/internal/crash"
	"pollux/internal/guard"
	"pollux/internal/guard/policy"
	"pollux/internal/guard/repository"
	"pollux/internal/guard/snapshot"
	"pollux/internal/guard/triggers"
	"pollux/internal/project"
	"pollux/internal/records"
	"pollux/internal/secret"
	"pollux/internal/shellcmd"
	"pollux/internal/shellcmd/readonly"
	"pollux/internal/terminal"
	"pollux/internal/tools/file"
	"pollux/internal/undo"
	"pollux/internal/undo/gitbase"
	"pollux/internal/undo/report"
	"pollux/internal/undo/state"
	"pollux/internal/undo/store"
	"pollux/internal/wording"
	"pollux/internal/workspace"
	"pollux/tool"
)

// Parts are the parts of a session that its snapshots need. All must be set, unless it says otherwise.
type Parts struct {
	Project   *project.Project
	Workspace *workspace.Workspace
	// ID returns the id of the conversation.
	ID      func() string
	Records *records.Stream
	// Programs are those that go on in the background.
	Programs Programs
	// Seen, if set, learns which files commands have changed.
	Seen *file.Seen
	// Rules say which files run later.
	Rules *policy.Engine
	// Log keeps the changes of a command that were taken back because other programs would run them later, and whether a person has allowed
	// them.
	Log func(command, reason string, isAllowed bool)
}

// Programs are the commands of a session that go on in the background.
type Programs interface {
	// Alive returns the commands.
	Alive() []string
	// Watch adds a function that is called, on any goroutine, when some of them have ended.
	Watch(func())
}

// Snapshots keeps the changes that calls make. A nil *Snapshots keeps nothing.
type Snapshots struct {
	parts    Parts
	recorder *undo.Recorder
	guarding sync.Once
	guard    *triggers.Guard // nil until it is needed
	warned   sync.Map        // IDs of hooks
	began    time.Time

	mu  sync.Mutex
	ids []string // of the conversations whose calls were recorded
}

// Open returns the snapshots of a session, nil if the user does not want any. It reads and writes nothing yet.
func Open(p Parts) *Snapshots {
	if !config.UndoEnabled.In(p.Project.Settings()) {
		return nil
	}
	paths := p.Project.Paths
	s := &Snapshots{parts: p, began: time.Now()}
	s.recorder = undo.New(undo.Options{
		Store: func() (*store.Store, error) { return Store(p.Project) },
		Roots: func() []string { return undo.Roots(p.Workspace.Dirs(), paths.Home()) },
		Skip:  paths.Records(),
		Left: func(root string, why error) {
			if root == "" {
				p.Project.Warn("Warning: Changes cannot be undone: " + wording.Reason(why) + ".")
				return
			}
			p.Project.Warn("Warning: Changes that commands make in " + paths.Display(root) + " cannot be undone: " + wording.Reason(why) + ".")
		},
		Lost: func(lost []string, why string) {
			text := "Warning: " + paths.Display(lost[0])
			if len(lost) > 1 {
				text += " and " + wording.Count(len(lost)-1, "other file")
			}
			p.Project.Warn(text + " cannot come back with undo: " + why + ".")
		},
		Git:        func() *gitbase.Git { return Git(p.Project, p.Workspace.Dirs()...) },
		Background: func() []string { return changing(p.Programs.Alive()) },
		Session:    p.ID,
		Recorded:   s.recorded,
	})
	p.Programs.Watch(func() { go s.follow() })
	p.Records.Add(s)
	return s
}

// own returns the directories of Pollux's records and temporary files, whose changes are no call's.
func (s *Snapshots) own() (dirs []string) {
	for _, dir := range s.parts.Project.Paths.Records() {
		dirs = append(dirs, workspace.RealPath(dir))
	}
	return dirs
}

// changing returns the names, for the person, of the commands that may change files.
func changing(commands []string) (names []string) {
	for _, command := range commands {
		script, err := shellcmd.Parse(shellcmd.StripWrapper(command))
		if err == nil && readonly.Script(script, nil) {
			continue
		}
		const most = 200 // characters
		names = append(names, terminal.Cut(terminal.Line(command), most))
	}
	return names
}

// follow records the changes of programs in the background.
func (s *Snapshots) follow() {
	defer crash.Recover()
	if err := s.recorder.Follow(context.Background()); err != nil {
		s.parts.Project.Warn("Warning: What programs in the background have changed was not recorded, and cannot be undone: " + wording.Reason(err) + ".")
	}
	if s.guardsTriggers() {
		s.triggers().Settle()
	}
}

// Store returns the log of the changes in a project.
func Store(p *project.Project) (*store.Store, error) {
	dir, err := p.Paths.UndoLog()
	if err != nil {
		return nil, err
	}
	return store.Open(dir, limit(p.Settings())), nil
}

// Log returns the function that returns the log of the project, nil if the user does not want any.
func (s *Snapshots) Log() func() (*store.Store, error) {
	if s == nil {
		return nil
	}
	return func() (*store.Store, error) { return Store(s.parts.Project) }
}

// Git returns the user's git, which reads contents that only repositories have. One in the directories outside is not the user's.
func Git(p *project.Project, outside ...string) *gitbase.Git {
	g := gitbase.New(p.Launcher, secret.Without(p.Env().User().List(), p.SecretVariables()), outside...)
	g.Temp = p.Paths.Staging()
	return g
}

// Steps returns the steps of the gate around each call.
func (s *Snapshots) Steps() []guard.Step {
	if s == nil {
		return nil
	}
	p, ws := s.parts.Project, s.parts.Workspace
	return []guard.Step{snapshot.Step(snapshot.Parts{
		Recorder: s.recorder, Workspace: ws, Session: s.id, Home: p.Paths.Home(), Skip: s.own, Warn: p.Warn, Store: s.Log(),
		IsHidden:   func(path string) bool { return ws.Ignored(path, false, ws.DefaultFilter()) },
		Mask:       func(text string) string { return p.LogMasker().Text(text) },
		Changed:    s.changed,
		IsReported: func() bool { return config.UndoReport.In(p.Settings()) },
	}), {Review: s.review}}
}

// guardsTriggers reports whether the triggers of commands need consent: in YOLO mode, nothing does.
func (s *Snapshots) guardsTriggers() bool {
	return s.parts.Project.Sandbox.IsOn() && s.parts.Rules.Mode() != policy.Yolo
}

// triggers returns the guard of the triggers.
func (s *Snapshots) triggers() *triggers.Guard {
	s.guarding.Do(func() { s.guard = newTriggers(s) })
	return s.guard
}

func (s *Snapshots) recorded(o *store.Operation) {
	if s.guardsTriggers() {
		s.triggers().Note(o)
	}
}

func (s *Snapshots) review(ctx context.Context, call *agent.PreparedCall, x *agent.Execution) *guard.Review {
	if !s.guardsTriggers() {
		return nil
	}
	return s.triggers().Review(ctx, call, x)
}

// newTriggers returns the guard of files and settings that run programs later.
func newTriggers(s *Snapshots) *triggers.Guard {
	p, ws, rules := s.parts.Project, s.parts.Workspace, s.parts.Rules
	return triggers.New(triggers.Options{
		Store:     s.Log(),
		RunsLater: func(path string) bool { return rules.RunsLater(policy.Call{Paths: []string{path}}) },
		Roots:     func() []string { return undo.Roots(ws.Dirs(), p.Paths.Home()) },
		Git: &repository.Checker{
			Root: ws.Root(), Environ: p.Env().List(), Launcher: p.Launcher, Git: sync.OnceValue(func() string { return p.FindProgram(ws, "git") }),
			Temp: p.Paths.ProjectTempPath,
		},
		Report: s.report,
		Name: func(path string) string {
			if below, err := filepath.Rel(ws.Root(), path); err == nil && filepath.IsLocal(below) {
				return below
			}
			return p.Paths.Display(path)
		},
		Log: s.parts.Log, Warn: p.Warn, IsAttended: p.Options.Interactive,
	})
}

// report describes the changes of a call again, of which those of some paths were taken back.
func (s *Snapshots) report(c *tool.Changes, isTakenBack func(path string) bool) *tool.Changes {
	log, err := Store(s.parts.Project)
	if err != nil {
		return c
	}
	o, err := log.Read(c.Operation)
	if err != nil {
		return c
	}
	r := report.Reporter{Store: log, Root: s.parts.Workspace.Root(), TakenBack: isTakenBack}
	if c.Report == "" {
		return r.Changes(o)
	}
	return r.ForModel(o, false)
}

// changed notes files that a call has changed for the edits after it.
func (s *Snapshots) changed(by string, o *store.Operation) {
	files := map[string]file.Stamp{}
	for _, c := range o.Changes {
		if now := c.After.State; now.Kind == state.Regular {
			files[c.Path] = file.Stamp{Size: now.Size, Modified: now.Modified}
		}
	}
	s.parts.Seen.Changed(by, files)
}

// Record implements [records.Sink]. Where a person is there, who has more to say than one prompt, the directories are
// read beside the first request to a model. A script's run reads them when a call first needs that.
func (s *Snapshots) Record(r records.Record) {
	if _, ok := r.(records.RequestBegan); ok && s.parts.Project.Options.Interactive {
		s.recorder.Start()
	}
}

// CheckUndo returns why changes that commands make in the workspace could not be taken back, nil if they can.
func (s *Snapshots) CheckUndo() error {
	if s == nil {
		return errors.New("undo is off (pollux.undo.enabled)")
	}
	for _, dir := range s.parts.Workspace.Dirs() {
		if !s.recorder.Covers(dir) {
			return errors.New("not all changes in " + s.parts.Project.Paths.Display(dir) + " can be undone")
		}
	}
	return nil
}

// Close ends the snapshots, when all programs have ended.
func (s *Snapshots) Close() {
	if s != nil {
		s.follow()
		s.recorder.Close()
	}
}
