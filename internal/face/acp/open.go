package acp

import (
	"cmp"
	"context"

	"pollux/internal/config"
	"pollux/internal/face/acp/schema"
	"pollux/internal/face/acp/wire"
	"pollux/internal/face/kit"
	"pollux/internal/guard/hook"
	"pollux/internal/guard/policy"
	"pollux/internal/project"
	"pollux/internal/session"
	"pollux/internal/terminal"
)

// opening is how a session opens.
type opening struct {
	isResumed   bool   // its record exists
	mode, model string // that the person has chosen, "" for none
	effort      string // of the model that answers
}

// work is an open session with the driver that works on it.
type work struct {
	driver *kit.Driver
	live   *session.Session
	names  kit.Live
	signIn *signIn // with which it was opened
	mode   policy.Mode
	model  string
	isUsed bool // by a turn
	ended  chan struct{}
	err    error // of the driver, once ended is closed
}

// open opens the session. ctx ends the opening.
func (c *chat) open(ctx context.Context, how opening) error {
	o, err := c.options(ctx, how)
	if err != nil {
		return err
	}
	w := &work{signIn: c.server.signedIn(), ended: make(chan struct{})}
	w.driver = kit.New(kit.Options{Open: func(ctx context.Context, d *kit.Driver) (kit.Session, error) {
		live, err := kit.Open(ctx, d, o, c.server.Terminal, "")
		if err == nil {
			w.names, w.live = live, live.Commands.Session
		}
		return live, err
	}})
	opened := make(chan struct{})
	c.start(w, opened)
	select {
	case <-opened:
	case <-w.ended:
		return w.err
	case <-ctx.Done():
		w.driver.Stop(context.Cause(ctx))
		<-w.ended
		return context.Cause(ctx)
	}
	if w.live.ID() != c.id {
		w.driver.LeaveSoon(w.ended)
		return wire.Errorf(wire.InternalError, "The session is open in another process. Close it there, and load it again.")
	}
	w.mode, w.model = w.live.Rulebook.Mode(), w.live.Models.Current().Requested
	if how.effort != "" {
		w.live.Models.UseEffort(w.live.Models.Current().Model, how.effort)
	}
	c.mu.Lock()
	c.work, c.isLost = w, false
	c.mu.Unlock()
	return nil
}

// options returns the options of the session.
func (c *chat) options(ctx context.Context, how opening) (session.Options, error) {
	o := c.server.Session
	p := &o.Project
	p.Dir, p.Flags = c.place.real, cloned(p.Flags)
	if len(c.place.directories) > 0 {
		list, _ := p.Flags[string(config.IncludeDirectories)].([]any)
		list = append([]any{}, list...)
		for _, dir := range c.place.directories {
			list = append(list, dir)
		}
		p.Flags[string(config.IncludeDirectories)] = list
	}
	c.server.signedIn().use(p)
	p.ApprovalMode, p.Model = cmp.Or(how.mode, p.ApprovalMode), cmp.Or(how.model, p.Model)
	p.Host.Servers, p.Host.LacksForms, p.Host.Buffers = c.place.servers, !c.server.canFill(), c.buffers()
	can := c.server.clientInfo().Capabilities
	if schema.IsSet(can.Elicitation.URL) {
		p.Host.OpenPage = c.openPage
	}
	if can.Terminal {
		p.Host.Terminal = c.openTerminal
	}
	p.UserAgent, p.Begun = c.server.userAgent(), c.begun
	o.Recorded, o.IDE = true, kit.NoCompanion
	if o.SessionID, o.IsNewID = c.id, true; how.isResumed {
		o.SessionID, o.IsNewID, o.Resume, o.IsResumeID = "", false, c.id, true
	}
	if c.server.OnSession != nil {
		c.server.OnSession(&o)
	}
	_, err := kit.Adapt(ctx, p, false) // an untrusted folder is so until the person has answered: see [chat.askTrust]
	return o, err
}

// start lets the driver work, and shows its events. It closes opened when the session is open.
func (c *chat) start(w *work, opened chan struct{}) {
	failed := make(chan error, 1)
	c.background(func() { failed <- w.driver.Run(c.server.life) })
	c.background(func() {
		defer close(w.ended)
		c.show(w, opened)
		w.err = <-failed
		w.driver.Close()
		c.workEnded(w)
	})
}

// reopen opens the session again, to ask the questions that were refused, or with another sign-in.
func (c *chat) reopen(ctx context.Context) error {
	w := c.current()
	how := opening{isResumed: kit.CanResume(ctx, w.live)}
	if mode := w.live.Rulebook.Mode(); mode != w.mode {
		how.mode = mode.Name()
	}
	now := w.live.Models.Current()
	if now.Requested != w.model {
		how.model = now.Requested
	}
	how.effort = w.live.Models.Effort(now.Model)
	c.mu.Lock()
	c.isReopening, c.notes = true, nil // the warnings come again
	if c.isLost {                      // its end has come
		c.begun = &hook.Begun{}
	} else {
		c.begun.Pause()
	}
	c.mu.Unlock()
	defer func() {
		c.mu.Lock()
		c.isReopening = false
		c.mu.Unlock()
	}()
	w.driver.LeaveSoon(w.ended)
	return c.open(ctx, how)
}

// userAgent returns the header of requests to models, which names the editor.
func (s *server) userAgent() string {
	surface := "acp"
	if info := s.clientInfo().Info; info != nil && info.Name != "" {
		surface += "-" + terminal.Cut(headerWord(info.Name), 40)
	}
	return project.UserAgent(s.Session.Project.Version, surface)
}

// headerWord returns a name as a word of a header, or of another line that others read.
func headerWord(name string) string {
	word := []rune(name)
	for i, r := range word {
		isWord := r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '.' || r == '_'
		if !isWord {
			word[i] = '-'
		}
	}
	return string(word)
}
