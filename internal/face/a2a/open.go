package a2a

import (
	"context"
	"errors"
	"maps"
	"os"
	"path/filepath"

	"pollux/internal/face/a2a/schema"
	"pollux/internal/face/kit"
	"pollux/internal/face/kit/jsonrpc"
	"pollux/internal/project"
	"pollux/internal/servers"
	"pollux/internal/session"
	"pollux/internal/terminal"
	"pollux/internal/workspace"
)

// workspace returns the directory of a task with settings, without links in its path.
func (s *server) workspace(set *schema.Settings) (string, error) {
	dir := s.Dir
	if set != nil && set.WorkspacePath != "" && !s.IsFixed {
		dir = set.WorkspacePath
	}
	shown := terminal.Cut(terminal.Line(dir), 200)
	if !filepath.IsAbs(dir) {
		return "", schema.Errorf(jsonrpc.InvalidParams, "The workspace %s is not an absolute path.", shown)
	}
	real, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return "", schema.Errorf(jsonrpc.InvalidParams, "The workspace %s cannot be opened.", shown)
	}
	root, err := filepath.EvalSymlinks(s.Root)
	if err != nil || !workspace.IsWithin(real, root) {
		return "", schema.Errorf(jsonrpc.InvalidParams, "The workspace %s is outside of the directory that CODER_AGENT_ALLOWED_ROOT allows.", shown)
	}
	if info, err := os.Stat(real); err != nil || !info.IsDir() {
		return "", schema.Errorf(jsonrpc.InvalidParams, "The workspace %s is not a directory.", shown)
	}
	return real, nil
}

// work is an open session with the driver that works on it.
type work struct {
	driver *kit.Driver
	live   *session.Session
	names  kit.Live
	isUsed bool // by a turn; only used with the token
	ended  chan struct{}
	err    error // of the driver, once ended is closed
}

// ready returns the open session of the task. The caller holds the token.
func (t *task) ready(ctx context.Context) (*work, error) {
	t.mu.Lock()
	w := t.work
	t.mu.Unlock()
	if w != nil {
		return w, nil
	}
	return t.open(ctx)
}

// open opens the session. ctx ends the opening. The caller holds the token.
func (t *task) open(ctx context.Context) (*work, error) {
	if err := t.server.tasks.takeSeat(); err != nil {
		return nil, err
	}
	o, err := t.options(ctx)
	if err != nil {
		t.server.tasks.leaveSeat()
		return nil, err
	}
	w := &work{ended: make(chan struct{})}
	w.driver = kit.New(kit.Options{Open: func(ctx context.Context, d *kit.Driver) (kit.Session, error) {
		live, err := kit.Open(ctx, d, o, t.server.Terminal, "")
		if err == nil {
			w.names, w.live = live, live.Commands.Session
		}
		return live, err
	}})
	opened := make(chan struct{})
	t.start(w, opened)
	select {
	case <-opened:
	case <-w.ended:
		return nil, w.err
	case <-ctx.Done():
		w.driver.Stop(context.Cause(ctx))
		<-w.ended
		return nil, context.Cause(ctx)
	}
	if w.live.ID() != t.id {
		w.driver.LeaveSoon(w.ended)
		return nil, errors.New("the session of the task is open in another process. Close it there")
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.work = w
	return w, nil
}

// options returns the options of the session.
func (t *task) options(ctx context.Context) (session.Options, error) {
	o := t.server.Session
	p := &o.Project
	p.Dir, p.Flags = t.dir, maps.Clone(p.Flags)
	if p.Flags == nil {
		p.Flags = map[string]any{}
	}
	if t.settings.AutoExecute {
		p.ApprovalMode = "yolo"
	}
	p.Host.LacksForms, p.Host.OpenPage = true, noBrowser
	p.UserAgent = project.UserAgent(p.Version, "a2a-server")
	o.Recorded, o.IDE = true, kit.NoCompanion
	if o.SessionID, o.IsNewID = t.id, true; t.hasRecord {
		o.SessionID, o.IsNewID, o.Resume, o.IsResumeID = "", false, t.id, true
	}
	if t.server.OnSession != nil {
		t.server.OnSession(&o)
	}
	_, err := kit.Adapt(ctx, p, t.server.MustTrust)
	return o, err
}

// noBrowser is the browser of a session whose person is elsewhere.
func noBrowser(context.Context, string) error {
	return errors.New("a task opens no web pages. Sign in with pollux in a terminal")
}

// start lets the driver work, and takes its events. It closes opened when the session is open. The session has a seat until it
// has ended.
func (t *task) start(w *work, opened chan struct{}) {
	failed := make(chan error, 1)
	t.background(func() { failed <- w.driver.Run(t.server.life) })
	t.background(func() {
		defer close(w.ended)
		defer t.server.tasks.leaveSeat() // before others see that it has ended
		for e := range w.driver.Events() {
			t.take(w, opened, e)
		}
		w.err = <-failed
		w.driver.Close()
		t.workEnded(w)
	})
}

// workEnded takes the end of a session. One that was not asked to end, as after a crash, ends the turn.
func (t *task) workEnded(w *work) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.work != w {
		return
	}
	t.work = nil
	if t.turn != nil {
		t.turn.err = w.err
		t.finish()
	}
}

// park ends the session of a task that does nothing, and reports whether it did. The next message opens it again.
func (t *task) park() bool {
	select {
	case t.token <- struct{}{}:
		defer func() { <-t.token }()
	default:
		return false
	}
	t.mu.Lock()
	w, isIdle := t.work, t.turn == nil
	t.mu.Unlock()
	if w == nil || !isIdle {
		return false
	}
	t.hasRecord = kit.CanResume(t.server.life, w.live)
	t.stop()
	t.server.Log.Debug("The session of a task is closed until its next message.", "task", t.id)
	return true
}

// stop ends the session, if it is open. The caller holds the token.
func (t *task) stop() {
	t.mu.Lock()
	w := t.work
	t.work = nil
	t.mu.Unlock()
	if w != nil {
		w.driver.LeaveSoon(w.ended)
	}
}

// awaitServers waits for the servers, whose tools the first message may be about, for as long as the settings allow.
func (w *work) awaitServers(ctx context.Context) {
	live := w.live.Servers.MCP()
	if w.isUsed || live == nil {
		return
	}
	w.isUsed = true
	p := w.live.Project
	for _, name := range servers.Wait(ctx, p, live, servers.WaitLimit(p)) {
		p.Warn("Going on without the MCP server " + terminal.Line(name) + ", which has not answered yet.")
	}
}

// prepare opens the session of a task without a turn.
func (t *task) prepare(ctx context.Context) error {
	select {
	case t.token <- struct{}{}:
		defer func() { <-t.token }()
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	_, err := t.ready(ctx)
	return err
}
