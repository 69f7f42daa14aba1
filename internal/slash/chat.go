package slash

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"pollux/internal/exit"
	"pollux/internal/terminal"
)

// chatList lists the conversations that the user has saved under tags.
func chatList(_ context.Context, s *Runner, _ string) (Result, error) {
	tags, err := s.Session.Record.Tags().List()
	switch {
	case err != nil:
		return Result{}, exit.Errorf(exit.General, "Cannot list saved conversations: %w", err)
	case len(tags) == 0:
		return textResult("No saved conversation checkpoints found.")
	}
	lines := []string{"Saved conversations:"}
	for _, t := range tags {
		lines = append(lines, fmt.Sprintf("  %s (%s)", shortTag(t.Name), t.Saved.Local().Format("2006-01-02 15:04")))
	}
	return textResult("%s", strings.Join(lines, "\n"))
}

// chatSave saves the conversation under a tag.
func chatSave(ctx context.Context, s *Runner, tag string) (Result, error) {
	switch {
	case tag == "":
		return usageError("Missing tag. Usage: /resume save <tag>")
	case s.isEmpty():
		return usageError("No conversation found to save.")
	case s.Session.Record.Tags().Has(tag):
		if yes, err := s.confirm(ctx, "Overwrite", "A conversation with the tag "+shortTag(tag)+" already exists. Replace it?"); err != nil || !yes {
			return Result{Text: "Nothing saved."}, err
		}
	}
	if err := s.Session.Record.SaveTag(tag, string(s.Session.Models.Current().Account.Type), s.Session.History()); err != nil {
		return Result{}, exit.Errorf(exit.General, "Cannot save the conversation: %w", err)
	}
	return textResult("Conversation checkpoint saved with tag: %s.", shortTag(tag))
}

// chatResume replaces the conversation by the one with a tag.
func chatResume(ctx context.Context, s *Runner, tag string) (Result, error) {
	if tag == "" {
		return usageError("Missing tag. Usage: /resume resume <tag>")
	}
	switch err := s.Session.LoadTag(ctx, tag); {
	case errors.Is(err, fs.ErrNotExist):
		return usageError("No saved checkpoint found with tag: %s.", shortTag(tag))
	case err != nil:
		return Result{}, exit.Errorf(exit.General, "Cannot resume the conversation %s: %w", shortTag(tag), err)
	}
	return textResult("Resumed the conversation with tag: %s (messages: %d).", shortTag(tag), len(s.Session.History())-1)
}

// chatDelete deletes the conversation with a tag.
func chatDelete(_ context.Context, s *Runner, tag string) (Result, error) {
	if tag == "" {
		return usageError("Missing tag. Usage: /resume delete <tag>")
	}
	switch err := s.Session.Record.Tags().Delete(tag); {
	case errors.Is(err, fs.ErrNotExist):
		return usageError("No checkpoint found with tag '%s'.", shortTag(tag))
	case err != nil:
		return Result{}, exit.Errorf(exit.General, "Cannot delete the conversation %s: %w", shortTag(tag), err)
	}
	return textResult("Conversation checkpoint '%s' has been deleted.", shortTag(tag))
}

// isEmpty reports whether the conversation has nothing but its opening message.
func (s *Runner) isEmpty() bool { return len(s.Session.History()) < 2 }

// shortTag returns a tag for a line on the screen.
func shortTag(tag string) string { return terminal.Cut(terminal.Line(tag), 60) }
