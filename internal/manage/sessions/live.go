package sessions

import (
	"context"

	"pollux/internal/manage"
	"pollux/internal/outcome"
	"pollux/internal/sessions"
	"pollux/internal/terminal"
)

// inSession returns the / command of an action on the session of this project that the text of the call names. syntax is
// for the message about a call without one.
func inSession(syntax string, run func(ctx context.Context, c *manage.Call, s located) (outcome.Outcome, error)) *manage.InSession {
	open := func(ctx context.Context, c *manage.Call) (located, error) {
		if c.Text == "" {
			return located{}, manage.Usage(syntax)
		}
		list, err := c.Live.Record.List(ctx)
		if err != nil {
			return located{}, cannotList(err)
		}
		at := sessions.Index(list, c.Text)
		if at < 0 {
			_, err := manage.Misuse("There is no session %q. /resume lists the sessions.", terminal.Cut(terminal.Line(c.Text), 60))
			return located{}, err
		}
		paths := c.Live.Project.Paths
		return located{list[at], at + 1, paths.Dir(), c.Live.Record.Store(), paths}, nil
	}
	return &manage.InSession{Run: manage.With(open, run)}
}

// removeOther deletes a session other than the current one.
func removeOther(ctx context.Context, c *manage.Call, s located) (outcome.Outcome, error) {
	if s.ID == c.Live.ID() {
		return manage.Misuse("Session %d is the one that you are in. To exit and delete it, run /quit --delete.", s.number)
	}
	return remove(ctx, c, s)
}
