package session

import (
	"context"
	"errors"
	"maps"
	"slices"

	"pollux/internal/config"
	"pollux/internal/durable"
	"pollux/internal/exit"
	"pollux/internal/guard/trust"
	"pollux/internal/secret"
	"pollux/internal/shellcmd"
	"pollux/internal/worktree"
	"pollux/tool"
)

// ErrWorktreesOff is the error of [Settle] for a session in a worktree if the settings do not enable
// worktrees.
//
//lint:ignore ST1005 the text of Gemini CLI
var ErrWorktreesOff = errors.New("The --worktree flag is only available when experimental.worktrees is enabled in your settings.")

// settleInWorktree enters the worktree that the options name, and settles the session there. p are
// the settings of the directory that the user is in.
func (p *Setup) settleInWorktree(ctx context.Context) (*Setup, error) {
	if !config.Worktrees.In(p.Settings) {
		return nil, ErrWorktreesOff
	}
	w, err := p.enterWorktree(ctx)
	switch {
	case ctx.Err() != nil:
		return nil, context.Cause(ctx)
	case err != nil:
		code := exit.General
		if e := (*exit.Error)(nil); errors.As(err, &e) {
			code = e.Code
		}
		return nil, exit.Errorf(code, "Failed to create or switch to worktree: %w.", durable.Cause(err))
	}
	o := p.Options
	o.InWorktree, o.entered, o.Dir = false, w, w.Path
	o.Env = o.Env.Without(worktree.Variables...)
	p.anchorPaths(&o)
	settled, err := Settle(ctx, o)
	if err != nil {
		p.Worktree = w
		p.AbandonWorktree(ctx)
		w.Close()
	}
	return settled, err
}

// enterWorktree enters the worktree that the options name. Git writes the files of the repository, so
// the user must trust the directory, and the worktree's.
func (p *Setup) enterWorktree(ctx context.Context) (*worktree.Worktree, error) {
	return worktree.Enter(ctx, worktree.Options{
		Dir: p.Paths.Dir(), Name: p.WorktreeName, Launcher: p.Launcher, Warn: p.Warn,
		Environ: secret.Without(p.Options.Env.List(), p.keyVariables()),
		Check: func(path string) error {
			o := p.TrustOptions()
			o.Dir = path
			state, err := trust.Decide(o)
			if err != nil || p.Options.Folder == trust.Trusted || state == trust.Trusted && p.IsTrusted() {
				return err
			}
			return exit.Errorf(exit.Untrusted, "you do not trust %s. Start pollux in the root of the repository first, and trust it", path)
		},
	})
}

// anchorPaths makes the paths of the command line absolute, which start at the user's directory.
func (p *Setup) anchorPaths(o *Options) {
	o.Flags = maps.Clone(o.Flags)
	for _, key := range []config.Strings{config.IncludeDirectories, config.PolicyPaths, config.AdminPolicyPaths} {
		if list, ok := o.Flags[string(key)].([]any); ok {
			list = slices.Clone(list)
			for i, item := range list {
				if path, ok := item.(string); ok && path != "" {
					list[i] = p.Paths.Absolute(path)
				}
			}
			o.Flags[string(key)] = list
		}
	}
	if o.SessionFile != "" {
		o.SessionFile = p.Paths.Absolute(o.SessionFile)
	}
}

// AbandonWorktree removes the worktree of the session if it is new and nothing is lost with it, for a
// session that ends before its first prompt.
func (p *Setup) AbandonWorktree(ctx context.Context) {
	if p.Worktree != nil && p.Worktree.IsNew {
		_, _, _ = p.Worktree.Discard(context.WithoutCancel(ctx)) // a worktree that cannot be removed stays
	}
}

// EndWorktree closes the session. A worktree that the user has entered is then removed if nothing is
// lost with it, or if the person chooses so. EndWorktree returns where the work is and how to go on,
// "" if the session is in no worktree.
func (s *Session) EndWorktree(ctx context.Context) string {
	w, resume := s.Worktree, s.resumeFlag()
	s.Close()
	if w == nil || !w.IsEntered || s.Asker == nil {
		return s.worktreeHints(resume)
	}
	removed, changes, err := w.Discard(ctx)
	switch {
	case removed:
		return "Removed the worktree " + s.Paths.Display(w.Path) + ", which had no changes.\n" + s.againHint(resume)
	case err != nil:
		return "Kept the worktree: " + durable.Cause(err).Error() + ".\n" + s.worktreeHints(resume)
	case changes.IsInUse:
		return "Kept the worktree, because another session uses it.\n" + s.worktreeHints(resume)
	}
	const yes = "Delete it"
	answer, err := Choose(ctx, s.Asker, Choice{
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
	return "Deleted the worktree " + s.Paths.Display(w.Path) + ". Its last commit was " + commit + ".\n" + s.againHint(resume)
}

// WorktreeHints returns how to go on in the worktree of the session and how to remove it, "" if the
// user has entered none.
func (s *Session) WorktreeHints() string {
	if s.Worktree == nil || !s.Worktree.IsEntered {
		return ""
	}
	return s.worktreeHints(s.resumeFlag())
}

func (s *Session) worktreeHints(resume string) string {
	w := s.Worktree
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
	return "To resume this session: pollux --worktree " + shellcmd.Join([]string{s.Worktree.Name}) + resume
}

// resumeFlag returns the flag that continues the session, with a space before it, "" if the session
// is not recorded.
func (s *Session) resumeFlag() string {
	if !s.IsRecorded() && s.recap == nil {
		return ""
	}
	return " --resume " + s.ID()
}
