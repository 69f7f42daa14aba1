// Package farewell ends the work of a session: it returns the commands with which the user goes on later, and removes
// a worktree that the user does not need any more. Nothing of it knows a session.
package farewell

import (
	"context"
	"slices"

	"pollux/internal/durable"
	"pollux/internal/person"
	"pollux/internal/project"
	"pollux/internal/record"
	"pollux/internal/shellcmd"
	"pollux/internal/terminal"
	"pollux/internal/worktree"
	"pollux/tool"
)

// Farewell is the end of a session.
type Farewell struct {
	Project *project.Project
	Record  *record.Record
	// ID returns the id of the conversation.
	ID func() string
}

// ResumeCommand returns the command line that continues the conversation later.
func (f *Farewell) ResumeCommand() string {
	return "pollux --resume " + shellcmd.Quote(terminal.Line(f.ID()))
}

// WorktreeHints returns how to go on in the worktree of the session and how to remove it, "" if the user has entered
// none.
func (f *Farewell) WorktreeHints() string {
	w := f.Project.Worktree
	if w == nil || !w.IsEntered {
		return ""
	}
	return hints(w, f.resumeFlag())
}

// EndWorktree ends the session with end. A worktree that the user has entered is then removed if nothing is lost with
// it, or if the person chooses so. EndWorktree returns where the work is and how to go on, "" if the session is in no
// worktree.
func (f *Farewell) EndWorktree(ctx context.Context, end func()) string {
	w, resume := f.Project.Worktree, f.resumeFlag() // the record may be deleted at the end
	end()
	switch {
	case w == nil:
		return ""
	case !w.IsEntered || f.Project.Options.Asker == nil:
		return hints(w, resume)
	}
	removed, changes, err := w.Discard(ctx)
	switch {
	case removed:
		return "Removed the worktree " + f.Project.Paths.Display(w.Path) + ", which had no changes.\n" + againHint(w, resume)
	case err != nil:
		return "Kept the worktree: " + durable.Cause(err).Error() + ".\n" + hints(w, resume)
	case changes.IsInUse:
		return "Kept the worktree, because another session uses it.\n" + hints(w, resume)
	case !f.agreesToDelete(ctx, w, changes):
		return hints(w, resume)
	}
	commit, err := w.Delete(context.WithoutCancel(ctx))
	if err != nil {
		return "Kept the worktree: " + durable.Cause(err).Error() + ".\n" + hints(w, resume)
	}
	return "Deleted the worktree " + f.Project.Paths.Display(w.Path) + ". Its last commit was " + commit + ".\n" + againHint(w, resume)
}

// agreesToDelete asks the person whether to delete a worktree with changes.
func (f *Farewell) agreesToDelete(ctx context.Context, w *worktree.Worktree, changes worktree.Changes) bool {
	const yes = "Delete it"
	answer, err := person.Choose(ctx, f.Project.Options.Asker, person.Choice{
		Header: "Worktree",
		Text:   "The worktree " + w.Name + " has changes that are nowhere else:\n" + changes.String() + ".",
		Options: []tool.Option{
			{Key: "k", Label: "Keep it"},
			{Key: "d", Label: yes, Description: "with its branch " + w.Branch() + " and all these changes"},
		},
		Free: "Enter to keep it",
	})
	return err == nil && answer == yes
}

// resumeFlag returns the flag that continues the session, with a space before it, "" if the session is not recorded.
func (f *Farewell) resumeFlag() string {
	if !f.Record.IsRecorded() && f.Record.Recap() == nil {
		return ""
	}
	return " --resume " + f.ID()
}

// hints returns how to go on in a worktree and how to remove it. resume is the flag that continues the session.
func hints(w *worktree.Worktree, resume string) string {
	git := []string{"git", "-C", w.Root}
	return "To resume work in this worktree: " + shellcmd.Join([]string{"cd", w.Path}) + " && pollux" + resume +
		"\nTo remove it: " + shellcmd.Join(append(slices.Clone(git), "worktree", "remove", w.Path)) +
		" && " + shellcmd.Join(append(git, "branch", "-D", w.Branch()))
}

// againHint returns how to go on in a worktree of the same name.
func againHint(w *worktree.Worktree, resume string) string {
	return "To resume this session: pollux --worktree " + shellcmd.Join([]string{w.Name}) + resume
}
