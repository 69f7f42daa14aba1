package conversation

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"pollux/internal/exit"
	"pollux/internal/manage"
	"pollux/internal/outcome"
	"pollux/internal/terminal"
)

// tagCommands returns the commands below /chat: conversations under tags, which a person gives them.
func tagCommands() []*manage.Command {
	return []*manage.Command{
		{Name: "list", Summary: "List saved conversations", RunsWhileBusy: true, Run: listTags},
		{Name: "save", Args: "<tag>", Summary: "Save this conversation under a tag", Run: withTag("save", saveTag)},
		{Name: "resume", Aliases: []string{"load"}, Args: "<tag>", Summary: "Resume a saved conversation", Run: withTag("resume", resumeTag)},
		{Name: "delete", Args: "<tag>", Summary: "Delete a saved conversation", Run: withTag("delete", deleteTag)},
		{Name: "share", Args: "[file]", Summary: "Write this conversation to a Markdown or JSON file", RunsWhileBusy: true, Run: share},
	}
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

// listTags lists the conversations that the user has saved under tags.
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

// saveTag saves the conversation under a tag.
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
	if err := c.Live.Record.SaveTag(tag, string(c.Live.Current().Account.Type), c.Live.History()); err != nil {
		return outcome.Outcome{}, exit.Errorf(exit.General, "Cannot save the conversation: %w", err)
	}
	return manage.Say("Conversation checkpoint saved with tag: %s.", shortTag(tag))
}

// resumeTag replaces the conversation by the one with a tag.
func resumeTag(ctx context.Context, c *manage.Call) (outcome.Outcome, error) {
	tag := c.Text
	switch err := c.Live.LoadTag(ctx, tag); {
	case errors.Is(err, fs.ErrNotExist):
		return manage.Misuse("No saved checkpoint found with tag: %s.", shortTag(tag))
	case err != nil:
		return outcome.Outcome{}, exit.Errorf(exit.General, "Cannot resume the conversation %s: %w", shortTag(tag), err)
	}
	return manage.Say("Resumed the conversation with tag: %s (messages: %d).", shortTag(tag), len(c.Live.History())-1)
}

// deleteTag deletes the conversation with a tag.
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
