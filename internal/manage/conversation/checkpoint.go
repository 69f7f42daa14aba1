package conversation

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"slices"
	"strings"

	"pollux/agent"
	"pollux/internal/exit"
	"pollux/internal/manage"
	"pollux/internal/outcome"
	"pollux/internal/record"
	"pollux/internal/sessions"
	"pollux/internal/terminal"
	"pollux/internal/undo/shadow"
	"pollux/internal/wording"
	"pollux/llm"
)

// listFiles returns the text about the checkpoints in files: those of Gemini CLI, and of general.checkpointing.
func listFiles(names []string) string {
	const most = 50
	var b strings.Builder
	b.WriteString("Checkpoints in files, of Gemini CLI or of general.checkpointing:\n\n")
	first := max(0, len(names)-most)
	if first > 0 {
		fmt.Fprintf(&b, "    (%d earlier)\n", first)
	}
	for _, name := range names[first:] {
		fmt.Fprintf(&b, "    %s\n", terminal.Cut(terminal.Line(name), 200))
	}
	b.WriteString("\nTo return to one, with the conversation and the files of that time, run /restore with its name.")
	return b.String()
}

// restoreFile returns to a checkpoint in a file, if the person agrees: the conversation is replaced, the files come back from
// the snapshot, and the call is proposed again.
func restoreFile(ctx context.Context, c *manage.Call, name string) (outcome.Outcome, error) {
	p, err := c.Live.Checkpoints.Files().Load(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return manage.Misuse("File not found: %s. To list the tool calls, run /restore.", terminal.Cut(terminal.Line(name), 100))
	case errors.Is(err, sessions.ErrCheckpoint):
		return outcome.Outcome{}, exit.Errorf(exit.General, "%s.", wording.Sentence(err))
	case err != nil:
		return outcome.Outcome{}, exit.Errorf(exit.General, "Could not read restorable tool calls. This is the error: %s", wording.Reason(err))
	}
	question := "Return to the state before " + terminal.Cut(terminal.Line(name), 200) + "?\nThe conversation is replaced by the one in the checkpoint. The call is proposed again."
	if yes, err := c.Confirm(ctx, "Restore", question); err != nil || !yes {
		return outcome.New(stays), err
	}
	text, err := restoreSnapshot(ctx, c, name, p.Commit)
	if err != nil {
		return outcome.Outcome{}, err
	}
	c.Live.LoadHistory(ctx, record.Foreign(p.History))
	if proposed, ok := lastCall(c.Live.History(), p); ok {
		proposed.Name = name
		c.Next.Run = func(ctx context.Context) iter.Seq2[agent.Event, error] { return c.Live.Restore(ctx, proposed) }
	}
	return manage.Say("%s", text)
}

// restoreSnapshot returns the files to a snapshot, if the person agrees, and says what it has done.
func restoreSnapshot(ctx context.Context, c *manage.Call, name, commit string) (string, error) {
	const stay = "Restored the conversation. Files stay as they are."
	if commit == "" {
		return stay, nil
	}
	changes, err := c.Live.Checkpoints.Changes(ctx, commit)
	switch {
	case errors.Is(err, shadow.ErrGone):
		return "", exit.Errorf(exit.General, "The commit hash '%s' associated with this checkpoint could not be found in your Git repository. The checkpoint cannot be restored.", commit)
	case err != nil:
		return "", exit.Errorf(exit.General, "Cannot compare the files with the checkpoint: %s.", wording.Reason(err))
	case len(changes) == 0:
		return "Restored project to the state before the tool call. All files were as they are.", nil
	}
	var files []record.FileUndo
	for _, change := range changes {
		if c.Live.Changes.Denies(change.Path) {
			return stay + " A policy denies changes of " + nameOf(c, record.FileUndo{Path: change.Path}) + ".", nil
		}
		files = append(files, record.FileUndo{Path: change.Path, Removes: change.Removes})
	}
	if yes, err := confirmRevert(ctx, c, files, false); err != nil || !yes {
		return stay, err
	}
	if err := c.Live.Checkpoints.Restore(ctx, commit, "/restore "+name); err != nil {
		return "", exit.Errorf(exit.General, "Cannot restore the files: %s.", wording.Reason(err))
	}
	return "Restored project to the state before the tool call. To take that back, type /undo.", nil
}

// lastCall finds the call of a checkpoint at the end of its conversation.
func lastCall(history []agent.Message, p *sessions.Checkpoint) (at record.Checkpoint, ok bool) {
	if len(history) < 2 {
		return at, false
	}
	results, response := history[len(history)-1], history[len(history)-2]
	calls := response.Content.FunctionCalls()
	i := slices.IndexFunc(calls, func(f *llm.FunctionCall) bool { return f.Name == p.Tool && string(f.Args) == string(p.Args) })
	if i < 0 {
		i = slices.IndexFunc(calls, func(f *llm.FunctionCall) bool { return f.Name == p.Tool })
	}
	if i < 0 || !results.Content.HasFunctionResponse() {
		return at, false
	}
	return record.Checkpoint{Tool: p.Tool, Results: results.ID, CallID: calls[i].ID}, true
}
