package session

import (
	"context"
	"slices"

	"pollux/internal/durable"
	"pollux/internal/person"
	"pollux/internal/shellcmd"
	"pollux/tool"
)

// EndWorktree closes the session. A worktree that the user has entered is then removed if nothing is
// lost with it, or if the person chooses so. EndWorktree returns where the work is and how to go on,
// "" if the session is in no worktree.
func (s *Session) EndWorktree(ctx context.Context) string {
	w, resume := s.Project.Worktree, s.resumeFlag()
	s.Close()
	if w == nil || !w.IsEntered || s.Project.Options.Asker == nil {
		return s.worktreeHints(resume)
	}
	removed, changes, err := w.Discard(ctx)
	switch {
	case removed:
		return "Removed the worktree " + s.Project.Paths.Display(w.Path) + ", which had no changes.\n" + s.againHint(resume)
	case err != nil:
		return "Kept the worktree: " + durable.Cause(err).Error() + ".\n" + s.worktreeHints(resume)
	case changes.IsInUse:
		return "Kept the worktree, because another session uses it.\n" + s.worktreeHints(resume)
	}
	const yes = "Delete it"
	answer, err := person.Choose(ctx, s.Project.Options.Asker, person.Choice{
		Header: "Worktree",
		Text:   "The worktree " + w.Name + " has changes that are nowhere else:\n" + changes.String() + ".",
		Options: []tool.Option{
			{Key: "k", Label: "Keep it"},
			{Key: "d", Label: yes, Description: "with its branch " + w.Branch() + " and all these changes"},
		},
		Free: "Enter to keep it",
	})
	if err != nil || answer != yes {
		return s.worktreeHints(resume)
	}
	commit, err := w.Delete(context.WithoutCancel(ctx))
	if err != nil {
		return "Kept the worktree: " + durable.Cause(err).Error() + ".\n" + s.worktreeHints(resume)
	}
	return "Deleted the worktree " + s.Project.Paths.Display(w.Path) + ". Its last commit was " + commit + ".\n" + s.againHint(resume)
}

// WorktreeHints returns how to go on in the worktree of the session and how to remove it, "" if the
// user has entered none.
func (s *Session) WorktreeHints() string {
	if s.Project.Worktree == nil || !s.Project.Worktree.IsEntered {
		return ""
	}
	return s.worktreeHints(s.resumeFlag())
}

func (s *Session) worktreeHints(resume string) string {
	w := s.Project.Worktree
	if w == nil {
		return ""
	}
	git := []string{"git", "-C", w.Root}
	return "To resume work in this worktree: " + shellcmd.Join([]string{"cd", w.Path}) + " && pollux" + resume +
		"\nTo remove it: " + shellcmd.Join(append(slices.Clone(git), "worktree", "remove", w.Path)) +
		" && " + shellcmd.Join(append(git, "branch", "-D", w.Branch()))
}

// againHint returns how to go on in a worktree of the same name.
func (s *Session) againHint(resume string) string {
	return "To resume this session: pollux --worktree " + shellcmd.Join([]string{s.Project.Worktree.Name}) + resume
}

// resumeFlag returns the flag that continues the session, with a space before it, "" if the session
// is not recorded.
func (s *Session) resumeFlag() string {
	if !s.Record.IsRecorded() && s.Record.Recap() == nil {
		return ""
	}
	return " --resume " + s.ID()
}
