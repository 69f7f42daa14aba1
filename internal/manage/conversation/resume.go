package conversation

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"pollux/internal/durable"
	"pollux/internal/exit"
	"pollux/internal/manage"
	"pollux/internal/outcome"
	"pollux/internal/person"
	"pollux/internal/sessions"
	"pollux/internal/terminal"
)

// resume ends the conversation and goes on with an earlier session: the one with a number, an ID or "latest",
// or the one that the user chooses.
func resume(ctx context.Context, c *manage.Call) (outcome.Outcome, error) {
	identifier := c.Text
	isOther := func(i sessions.Info) bool { return i.ID != c.Live.ID() } // than the current one
	list, err := c.Live.Record.List(ctx)
	switch {
	case ctx.Err() != nil:
		return outcome.Outcome{}, ctx.Err()
	case err != nil:
		return outcome.Outcome{}, exit.Errorf(exit.General, "Cannot list the sessions: %w.", durable.Cause(err))
	case !slices.ContainsFunc(list, isOther):
		return noSessions(ctx, c)
	}
	if identifier == "" {
		if identifier, err = chooseSession(ctx, c, list); err != nil || identifier == "" {
			return outcome.New(stays), err
		}
	}
	at := sessions.Index(list, identifier)
	if identifier == sessions.Latest { // before this one
		for at = len(list) - 1; !isOther(list[at]); at-- {
		}
	}
	switch {
	case at < 0 && c.Live.Record.Tags().Has(identifier):
		return manage.Misuse("There is no session %q, but a saved conversation with this tag. To resume it: /resume resume %[1]s", shortTag(identifier))
	case at < 0:
		return manage.Misuse("There is no session %q. /resume lists the sessions, /resume list the saved conversations.", shortTag(identifier))
	case !isOther(list[at]):
		return manage.Misuse("Session %d is the one that you are in.", at+1)
	}
	if err := c.Live.Resume(ctx, list[at]); err != nil {
		return outcome.Outcome{}, exit.Errorf(exit.General, "Cannot resume session %d: %w.", at+1, err)
	}
	c.Next.Recap = c.Live.Record.Recap()
	return outcome.Outcome{}, nil
}

// noSessions lists the saved conversations and the commands about them if no other session can be resumed.
func noSessions(ctx context.Context, c *manage.Call) (outcome.Outcome, error) {
	tags, err := listTags(ctx, c)
	if err != nil {
		return tags, err
	}
	o := outcome.Textf("No other sessions in this project.")
	o.Parts = append(o.Parts, tags.Parts...)
	o.Parts = append(o.Parts, manage.Table("chat", tagCommands()))
	return o, nil
}

// sessionsPerPage is how many sessions fit on a screen of 24 lines with the question about them.
const sessionsPerPage = 15

// chooseSession asks the user for one of the sessions, the newest of which it shows first. It returns an
// identifier, "" for none.
func chooseSession(ctx context.Context, c *manage.Call, list []sessions.Info) (string, error) {
	const older = "older"
	for end := len(list); ; {
		begin := max(0, end-sessionsPerPage)
		text := outcome.New(sessionTable(c, list, begin, end)).Markdown(c.Width())
		if begin > 0 {
			text += fmt.Sprintf("For %d older ones, type %s. ", begin, older)
		}
		answer, err := c.Choose(ctx, person.Choice{
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
func sessionTable(c *manage.Call, list []sessions.Info, begin, end int) *outcome.Table {
	const titleWidth = 44 // of the 80 columns, characters
	t := &outcome.Table{Head: []string{"NO.", "LAST USED", "PROMPTS", "TITLE"}}
	now := time.Now()
	for n := end; n > begin; n-- {
		i := list[n-1]
		title := i.Title
		if runes := []rune(title); len(runes) > titleWidth {
			title = string(runes[:titleWidth-3]) + "..."
		}
		if i.ID == c.Live.ID() {
			title = "(current) " + title
		}
		t.Rows = append(t.Rows, []string{strconv.Itoa(n), sessions.Ago(i.Updated, now), strconv.Itoa(i.Prompts), terminal.Line(title)})
	}
	return t
}
