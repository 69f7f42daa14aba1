package conversation

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strconv"
	"strings"
	"time"

	"pollux/internal/durable"
	"pollux/internal/exit"
	"pollux/internal/manage"
	"pollux/internal/outcome"
	"pollux/internal/person"
	"pollux/internal/project"
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
	o.Parts = append(o.Parts, manage.Table(cmp.Or(c.Path, "chat"), tagCommands()))
	return o, nil
}

// sessionsPerPage is how many sessions fit on a screen of 24 lines with the question about them.
const sessionsPerPage = 15

// chooseSession asks the user for a session, and shows the newest first. It returns an identifier, "" for none.
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

// tagCommands returns the commands below /chat: conversations under tags, which a person gives them.
func tagCommands() []*manage.Command {
	return []*manage.Command{
		{Name: "list", Summary: "List saved conversations", RunsWhileBusy: true, Run: listTags},
		{Name: "save", Args: "<tag>", Summary: "Save this conversation under a tag", Run: withTag("save", saveTag)},
		{Name: "resume", Aliases: []string{"load"}, Args: "<tag>", Summary: "Resume a saved conversation", Names: tagNames, Run: withTag("resume", resumeTag)},
		{Name: "delete", Args: "<tag>", Summary: "Delete a saved conversation", Names: tagNames, Run: withTag("delete", deleteTag)},
		{Name: "share", Args: "[file]", Summary: "Write this conversation to a Markdown or JSON file", RunsWhileBusy: true, Run: share, Values: manage.FileNames},
	}
}

// tagNames returns the tags of a project, the last one first.
func tagNames(_ context.Context, p *project.Project) (names []string) {
	tags, _ := sessions.Tags{Dir: p.Paths.ExistingProjectTemp()}.List() // the command itself names an error
	for _, t := range slices.Backward(tags) {
		names = append(names, t.Name)
	}
	return names
}

// withTag returns the command that fails without a tag, else runs.
func withTag(verb string, run manage.Run) manage.Run {
	return func(ctx context.Context, c *manage.Call) (outcome.Outcome, error) {
		if c.Text == "" {
			return manage.Misuse("Missing tag. Usage: /resume %s <tag>", verb)
		}
		return run(ctx, c)
	}
}

func listTags(_ context.Context, c *manage.Call) (outcome.Outcome, error) {
	tags, err := c.Live.Record.Tags().List()
	switch {
	case err != nil:
		return outcome.Outcome{}, exit.Errorf(exit.General, "Cannot list saved conversations: %w", err)
	case len(tags) == 0:
		return manage.Say("No saved conversation checkpoints found.")
	}
	lines := []string{"Saved conversations:"}
	for _, t := range tags {
		lines = append(lines, fmt.Sprintf("  %s (%s)", shortTag(t.Name), t.Saved.Local().Format("2006-01-02 15:04")))
	}
	return manage.Say("%s", strings.Join(lines, "\n"))
}

func saveTag(ctx context.Context, c *manage.Call) (outcome.Outcome, error) {
	tag := c.Text
	switch {
	case isEmpty(c):
		return manage.Misuse("No conversation found to save.")
	case c.Live.Record.Tags().Has(tag):
		if yes, err := c.Confirm(ctx, "Overwrite", "A conversation with the tag "+shortTag(tag)+" already exists. Replace it?"); err != nil || !yes {
			return outcome.Textf("Nothing saved."), err
		}
	}
	if err := c.Live.Record.SaveTag(tag, string(c.Live.Models.Current().Account.Type), c.Live.History()); err != nil {
		return outcome.Outcome{}, exit.Errorf(exit.General, "Cannot save the conversation: %w", err)
	}
	return manage.Say("Conversation checkpoint saved with tag: %s.", shortTag(tag))
}

func resumeTag(ctx context.Context, c *manage.Call) (outcome.Outcome, error) {
	tag := c.Text
	history, err := c.Live.Record.LoadTag(tag, string(c.Live.Models.Current().Account.Type))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return manage.Misuse("No saved checkpoint found with tag: %s.", shortTag(tag))
	case err != nil:
		return outcome.Outcome{}, exit.Errorf(exit.General, "Cannot resume the conversation %s: %w", shortTag(tag), err)
	}
	c.Live.LoadHistory(ctx, history)
	return manage.Say("Resumed the conversation with tag: %s (messages: %d).", shortTag(tag), len(c.Live.History())-1)
}

func deleteTag(_ context.Context, c *manage.Call) (outcome.Outcome, error) {
	tag := c.Text
	switch err := c.Live.Record.Tags().Delete(tag); {
	case errors.Is(err, fs.ErrNotExist):
		return manage.Misuse("No checkpoint found with tag '%s'.", shortTag(tag))
	case err != nil:
		return outcome.Outcome{}, exit.Errorf(exit.General, "Cannot delete the conversation %s: %w", shortTag(tag), err)
	}
	return manage.Say("Conversation checkpoint '%s' has been deleted.", shortTag(tag))
}

// isEmpty reports whether the conversation has nothing but its opening message.
func isEmpty(c *manage.Call) bool { return len(c.Live.History()) < 2 }

// shortTag returns a tag for a line on the screen.
func shortTag(tag string) string { return terminal.Cut(terminal.Line(tag), 60) }
