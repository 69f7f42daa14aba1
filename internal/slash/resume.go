package slash

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"pollux/internal/durable"
	"pollux/internal/exit"
	"pollux/internal/person"
	"pollux/internal/sessions"
	"pollux/internal/terminal"
)

// resume ends the conversation and goes on with an earlier session: the one that identifier names, by its
// number, its id or "latest", or the one that the user chooses.
func resume(ctx context.Context, s *Runner, identifier string) (Result, error) {
	list, err := s.Session.Record.List(ctx)
	switch {
	case ctx.Err() != nil:
		return Result{}, ctx.Err()
	case err != nil:
		return Result{}, exit.Errorf(exit.General, "Cannot list the sessions: %w.", durable.Cause(err))
	case !slices.ContainsFunc(list, s.isOther):
		return s.noSessions(ctx)
	}
	if identifier == "" {
		if identifier, err = s.chooseSession(ctx, list); err != nil || identifier == "" {
			return Result{Text: "The conversation stays as it is."}, err
		}
	}
	at := sessions.Index(list, identifier)
	if identifier == sessions.Latest { // before this one
		for at = len(list) - 1; !s.isOther(list[at]); at-- {
		}
	}
	switch {
	case at < 0 && s.Session.Record.Tags().Has(identifier):
		return usageError("There is no session %q, but a saved conversation with this tag. To resume it: /resume resume %[1]s", shortTag(identifier))
	case at < 0:
		return usageError("There is no session %q. /resume lists the sessions, /resume list the saved conversations.", shortTag(identifier))
	case !s.isOther(list[at]):
		return usageError("Session %d is the one that you are in.", at+1)
	}
	if err := s.Session.Resume(ctx, list[at]); err != nil {
		return Result{}, exit.Errorf(exit.General, "Cannot resume session %d: %w.", at+1, err)
	}
	return Result{Recap: s.Session.Record.Recap()}, nil
}

// isOther reports whether a session is not the current one.
func (s *Runner) isOther(i sessions.Info) bool { return i.ID != s.Session.ID() }

// noSessions lists what there is if no other session can be resumed.
func (s *Runner) noSessions(ctx context.Context) (Result, error) {
	r, err := chatList(ctx, s, "")
	if err != nil {
		return r, err
	}
	call, _ := Lookup("/chat")
	r.Text = "No other sessions in this project.\n" + r.Text + "\n\n" + s.subcommandList(call)
	return r, nil
}

// sessionsPerPage is how many sessions fit on a screen of 24 lines with the question about them.
const sessionsPerPage = 15

// chooseSession asks the user for one of the sessions, the newest of which it shows first. It returns an
// identifier, "" for none.
func (s *Runner) chooseSession(ctx context.Context, list []sessions.Info) (string, error) {
	const older = "older"
	for end := len(list); ; {
		begin := max(0, end-sessionsPerPage)
		text := s.sessionTable(list, begin, end)
		if begin > 0 {
			text += fmt.Sprintf("For %d older ones, type %s. ", begin, older)
		}
		answer, err := person.Choose(ctx, s.Session.Project.Options.Asker, person.Choice{
			Header: "Resume", Text: text + "Which session do you want to go on with?", Free: "a number",
			Help: "Type the number of a session, its ID, or latest for the last one. Your current conversation ends; it is in the list, too.\n" +
				"/resume list shows the conversations that you have saved under a tag.",
		})
		if err != nil || !strings.EqualFold(answer, older) {
			return answer, err
		}
		if end = begin; end == 0 {
			end = len(list) // from the beginning
		}
	}
}

// sessionTable shows the sessions from begin to end, the newest first.
func (s *Runner) sessionTable(list []sessions.Info, begin, end int) string {
	const titleWidth = 44 // of the 80 columns, characters
	var rows [][]string
	now := time.Now()
	for n := end; n > begin; n-- {
		i := list[n-1]
		title := i.Title
		if runes := []rune(title); len(runes) > titleWidth {
			title = string(runes[:titleWidth-3]) + "..."
		}
		if !s.isOther(i) {
			title = "(current) " + title
		}
		rows = append(rows, []string{strconv.Itoa(n), sessions.Ago(i.Updated, now), strconv.Itoa(i.Prompts), terminal.Line(title)})
	}
	return s.formatTable([]string{"NO.", "LAST USED", "PROMPTS", "TITLE"}, rows...)
}
