package session

import (
	"context"
	"time"

	"pollux/internal/config"
	"pollux/internal/exit"
	"pollux/internal/guard/hook"
	"pollux/internal/project"
	"pollux/internal/record"
	"pollux/internal/wording"
)

// Open opens a session: [project.Open], then [Start]. The caller must close it.
func Open(ctx context.Context, o Options) (*Session, error) {
	p, err := project.Open(ctx, o.Project)
	if err != nil {
		return nil, err
	}
	s, err := Start(ctx, p, o)
	if err != nil {
		p.AbandonWorktree(ctx)
		p.Close()
	}
	return s, err
}

// Start opens a session in a project that was opened with o.Project. If no model can be reached because a key
// is missing or refused, or because several models can be, it asks the person. The errors carry the exit code of
// the program. Requests to providers about their models, outside of prompts, end with ctx. The session closes the
// project; after an error the caller must.
func Start(ctx context.Context, p *project.Project, o Options) (*Session, error) {
	if o.SessionFile != "" && o.Project.InWorktree {
		o.SessionFile = config.NewPaths(o.Project.Env, o.Project.Dir).Absolute(o.SessionFile)
	}
	if err := o.Patch.Check(p.Settings()); err != nil {
		return nil, err
	}
	if p.IsTrusted() { // else the model does not hear of it
		p.Git.Begin()
	}
	record, err := record.Open(ctx, p, record.Options{
		Recorded: o.Recorded, SessionID: o.SessionID, IsNewID: o.IsNewID, Resume: o.Resume, IsResumeID: o.IsResumeID, SessionFile: o.SessionFile, Offline: o.Offline,
	})
	if err != nil {
		return nil, err
	}
	began := time.Now()
	b := &builder{project: p, record: record, options: o}
	s, err := b.build(ctx, nil)
	if err == nil {
		s.Observers.RecordStart(p.Phases(), began)
	}
	switch {
	case err == nil || ctx.Err() != nil:
	case o.Offline:
		if offline, again := b.rebuild(ctx, err); again == nil {
			s, err = offline, nil
		}
	case p.Options.Asker != nil:
		s, err = b.resolve(ctx, err)
	}
	if err == nil {
		s.start(ctx)
		return s, nil
	}
	record.Close()
	if ctx.Err() != nil && p.Options.Asker != nil { // the person does not want to be asked
		return nil, exit.Errorf(exit.Interrupted, "%s", wording.NotStarted)
	}
	return nil, err
}

// start begins the conversation: a new one, or a recorded one.
func (s *Session) start(ctx context.Context) {
	p := s.Project
	p.Log.Debug("start", "version", p.Options.Version, "dir", p.Paths.Dir(), "settings", p.Settings().UserFile(),
		"model", p.Model, "approval", p.Mode.String(), "auth", s.Models.Current().Account.Type, "session", s.ID())
	source := hook.StartupSource
	if s.Record.Resumed() != nil {
		source = hook.ResumeSource
		s.restore(ctx)
	}
	s.Hooks.Start(ctx, source, s.agent.AddMessage)
	if p.Options.Interactive {
		s.stopUpdates = s.extensions.Update()
	}
}

// builder builds a session, in more than one attempt if a person has to choose a model or to store a key first.
type builder struct {
	project *project.Project
	record  *record.Record
	options Options
}

// rebuild builds the session in another attempt, which repeats no warnings of the first.
func (b *builder) rebuild(ctx context.Context, unreachable error) (*Session, error) {
	defer b.project.Mute()()
	return b.build(ctx, unreachable)
}
