package kit

import (
	"context"
	"errors"
	"slices"
	"time"

	"pollux/agent"
	"pollux/internal/auth"
	"pollux/internal/config"
	"pollux/internal/crash"
	"pollux/internal/guard/trust"
	"pollux/internal/ide"
	"pollux/internal/person"
	"pollux/internal/project"
	"pollux/internal/session"
	"pollux/internal/sessions"
	"pollux/tool"
)

// The parts of faces whose sessions a client opens: an editor, or another program.

// NoCompanion is the state of the companion extension for sessions that are not in an editor's terminal.
func NoCompanion() (ide.State, bool) { return ide.State{}, false }

// Adapt makes a project use any key that is set up if the user has chosen the sign-in that only Gemini CLI has. A folder about
// which the user has not decided is not trusted: who names a folder has not decided. With mustTrust, that is so whatever the
// setting security.folderTrust.enabled says. Adapt returns the decision. o.Flags must not be nil.
func Adapt(ctx context.Context, o *project.Options, mustTrust bool) (trust.State, error) {
	alone := *o
	alone.Loaded = nil
	p := project.New(alone)
	defer p.Close()
	if err := p.Load(ctx); err != nil {
		return trust.Unknown, err
	}
	if set := p.Settings(); config.AuthOwnType.In(set) == "" && config.AuthSelectedType.In(set) == string(auth.GoogleLogin) {
		o.Flags[string(config.AuthSelectedType)] = ""
	}
	state := p.Trust.State()
	if mustTrust && o.Folder == trust.Unknown {
		rules := p.TrustOptions()
		rules.Enabled = true
		var err error
		if state, err = trust.Decide(rules); err != nil {
			return trust.Unknown, err
		}
	}
	if state == trust.Unknown || mustTrust && state != trust.Trusted {
		o.Folder = trust.Untrusted
	}
	return state, nil
}

// AskFunc answers questions that are not about calls, and approves no calls. It is a [person.Asker].
type AskFunc func(ctx context.Context, details tool.Confirmation) (tool.Answer, error)

var _ person.Asker = AskFunc(nil)

// Ask implements [person.Asker].
func (f AskFunc) Ask(ctx context.Context, details tool.Confirmation) (tool.Answer, error) {
	return f(ctx, details)
}

// Approve implements [person.Asker].
func (AskFunc) Approve(context.Context, *agent.Question) (tool.Answer, error) {
	return tool.Answer{Outcome: tool.Cancel}, nil
}

// CanResume reports whether the record of a session has a conversation: the texts of hooks alone are none.
func CanResume(ctx context.Context, s *session.Session) bool {
	if !s.Record.IsRecorded() {
		return false
	}
	list, err := s.Record.List(ctx)
	return err != nil || slices.ContainsFunc(list, func(i sessions.Info) bool { return i.ID == s.ID() })
}

// leaveGrace is how long the work of a session has to stop before the session ends without it.
const leaveGrace = 3 * time.Second

// LeaveSoon ends the session of a driver, in order if that is soon, and waits until ended is closed.
func (d *Driver) LeaveSoon(ended <-chan struct{}) {
	leaving := make(chan struct{})
	go func() {
		defer close(leaving)
		defer crash.Recover()
		d.Leave(nil)
	}()
	select {
	case <-ended:
	case <-time.After(leaveGrace):
		d.Stop(errors.New("the session did not end in time"))
		<-ended
	}
	<-leaving
}
