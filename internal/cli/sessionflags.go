package cli

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"time"

	"pollux/internal/config"
	"pollux/internal/crash"
	"pollux/internal/durable"
	"pollux/internal/exit"
	"pollux/internal/project"
	"pollux/internal/sessions"
	"pollux/internal/terminal"
)

// chatsDir is the name of the directory of session files in that of a project.
const chatsDir = "chats"

// storeOf returns the sessions of the project in the working directory. It creates nothing.
func storeOf(paths *config.Paths) *sessions.Store {
	temp := paths.ExistingProjectTemp()
	if temp == "" {
		return &sessions.Store{}
	}
	return &sessions.Store{Dir: filepath.Join(temp, chatsDir)}
}

// workingStore is [storeOf] for the working directory of the process.
func workingStore(env *config.Env) (*sessions.Store, error) {
	dir, err := config.WorkingDir()
	if err != nil {
		return nil, err
	}
	return storeOf(config.NewPaths(env, dir)), nil
}

// listSessions implements --list-sessions, with the text of Gemini CLI.
func (p *program) listSessions(ctx context.Context) error {
	store, err := workingStore(p.env)
	if err != nil {
		return err
	}
	list, err := store.List(ctx)
	if err != nil {
		return cannotList(err)
	}
	if len(list) == 0 {
		_, err := fmt.Fprintln(p.term.Out, sessions.ErrNone.Error())
		return err
	}
	out := bufio.NewWriter(p.term.Out) // there can be many
	fmt.Fprintf(out, "\nAvailable sessions for this project (%d):\n", len(list))
	now := time.Now()
	for n, i := range list {
		fmt.Fprintf(out, "  %d. %s (%s) [%s]\n", n+1, i.Title, sessions.Ago(i.Updated, now), terminal.Line(i.ID))
	}
	return out.Flush()
}

func cannotList(err error) error {
	return exit.Errorf(exit.General, "Cannot list the sessions: %w.", durable.Cause(err))
}

// deleteSession implements --delete-session, with the texts of Gemini CLI.
func (p *program) deleteSession(ctx context.Context, identifier string) error {
	store, err := workingStore(p.env)
	if err != nil {
		return err
	}
	info, n, err := store.FindNumber(ctx, identifier)
	var unknown *sessions.UnknownError
	switch {
	case errors.Is(err, sessions.ErrNone):
		return exit.Errorf(exit.General, "No sessions found for this project.")
	case errors.As(err, &unknown):
		return exit.Errorf(exit.General, "Invalid session identifier %q. Use --list-sessions to see available sessions.", terminal.Line(identifier))
	case err != nil:
		return cannotList(err)
	}
	if err := store.Delete(ctx, info); err != nil {
		return exit.Errorf(exit.General, "Failed to delete session: %w.", err)
	}
	return printText(p.term, deletedText(info, n))
}

func deletedText(i sessions.Info, number int) string {
	return fmt.Sprintf("Deleted session %d: %s (%s)", number, i.Title, sessions.Ago(i.Updated, time.Now()))
}

// tendSessions deletes in the background the sessions that are too old for the settings, and indexes the
// others for searches. The end of the program does not wait for it. A run that resumes a session deletes
// none: it could be that one, and the numbers would change.
func (req *request) tendSessions(ctx context.Context, p *project.Project, warn func(string)) {
	retention, err := sessions.RetentionOf(p.Settings())
	if err != nil {
		warn("Session cleanup disabled: " + err.Error())
	}
	const afterStart = 300 * time.Millisecond // so that the first request does not wait for the disk
	time.AfterFunc(afterStart, func() {
		defer crash.Recover()
		store := storeOf(p.Paths)
		if retention != nil && req.Flags.Resume == "" {
			if removals, err := store.Plan(ctx, *retention, time.Now(), req.SessionID); err == nil {
				_ = store.Execute(ctx, removals) // the next start tries again
			}
		}
		if list, err := store.List(ctx); err == nil {
			_ = sessions.IndexTexts(ctx, list, true) // a search is only faster with an index
		}
	})
}
