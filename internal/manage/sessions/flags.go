package sessions

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"pollux/internal/config"
	"pollux/internal/crash"
	"pollux/internal/durable"
	"pollux/internal/exit"
	"pollux/internal/manage"
	"pollux/internal/outcome"
	"pollux/internal/project"
	"pollux/internal/sessions"
	"pollux/internal/terminal"
)

// Latest names the newest session of a project.
const Latest = sessions.Latest

// chatsDir is the name of the directory of session files in that of a project.
const chatsDir = "chats"

// Of returns the sessions of a project. It creates nothing.
func Of(paths *config.Paths) *sessions.Store {
	temp := paths.ExistingProjectTemp()
	if temp == "" {
		return &sessions.Store{}
	}
	return &sessions.Store{Dir: filepath.Join(temp, chatsDir)}
}

// Here is [Of] for the project of a call.
func Here(_ context.Context, c *manage.Call) (*sessions.Store, error) {
	paths, err := c.Paths()
	if err != nil {
		return nil, err
	}
	return Of(paths), nil
}

// ListPlainly lists the sessions of this project with the text of Gemini CLI.
func ListPlainly(ctx context.Context, _ *manage.Call, store *sessions.Store) (outcome.Outcome, error) {
	list, err := store.List(ctx)
	switch {
	case err != nil:
		return outcome.Outcome{}, cannotList(err)
	case len(list) == 0:
		return outcome.New(outcome.Lines(sessions.ErrNone.Error())), nil
	}
	var b strings.Builder // there can be many
	fmt.Fprintf(&b, "\nAvailable sessions for this project (%d):", len(list))
	now := time.Now()
	for n, i := range list {
		fmt.Fprintf(&b, "\n  %d. %s (%s) [%s]", n+1, i.Title, sessions.Ago(i.Updated, now), terminal.Line(i.ID))
	}
	return outcome.New(outcome.Lines(b.String())), nil
}

func cannotList(err error) error {
	return exit.Errorf(exit.General, "Cannot list the sessions: %w.", durable.Cause(err))
}

// DeletePlainly deletes a session of this project with the texts of Gemini CLI.
func DeletePlainly(ctx context.Context, c *manage.Call, store *sessions.Store) (o outcome.Outcome, err error) {
	identifier := c.Name()
	info, n, err := store.FindNumber(ctx, identifier)
	var unknown *sessions.UnknownError
	switch {
	case errors.Is(err, sessions.ErrNone):
		return o, exit.Errorf(exit.General, "No sessions found for this project.")
	case errors.As(err, &unknown):
		return o, exit.Errorf(exit.General, "Invalid session identifier %q. Use --list-sessions to see available sessions.", terminal.Line(identifier))
	case err != nil:
		return o, cannotList(err)
	}
	if err := store.Delete(ctx, info); err != nil {
		return o, exit.Errorf(exit.General, "Failed to delete session: %w.", err)
	}
	return outcome.New(outcome.Text(deletedText(info, n))), nil
}

func deletedText(i sessions.Info, number int) string {
	return fmt.Sprintf("Deleted session %d: %s (%s)", number, i.Title, sessions.Ago(i.Updated, time.Now()))
}

// Tend deletes in the background the sessions that are too old for the settings, and indexes the
// others for searches. The end of the program does not wait for it. A run that resumes a session deletes
// none: it could be that one, and the numbers would change. id is that of the current session. After that, it calls more.
func Tend(ctx context.Context, p *project.Project, id string, resumes bool, warn func(string), more func()) {
	retention, err := sessions.RetentionOf(p.Settings())
	if err != nil {
		warn("Session cleanup disabled: " + err.Error())
	}
	const afterStart = 300 * time.Millisecond // so that the first request does not wait for the disk
	time.AfterFunc(afterStart, func() {
		defer crash.Recover()
		store := Of(p.Paths)
		if retention != nil && !resumes {
			if removals, err := store.Plan(ctx, *retention, time.Now(), id); err == nil {
				_ = store.Execute(ctx, removals) // the next start tries again
			}
			_ = store.PruneOutputs(ctx, *retention, time.Now(), id) // as above
		}
		if list, err := store.List(ctx); err == nil {
			_ = sessions.IndexTexts(ctx, list, true) // a search is only faster with an index
		}
		more()
	})
}
