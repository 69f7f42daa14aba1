package project

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
	"pollux/internal/worktree"
)

// ErrWorktreesOff is the error of [Open] for a session in a worktree if the settings do not enable
// worktrees.
//
//lint:ignore ST1005 the text of Gemini CLI
var ErrWorktreesOff = errors.New("The --worktree flag is only available when experimental.worktrees is enabled in your settings.")

// settleInWorktree enters the worktree that the options name, and settles the session there. p are
// the settings of the directory that the user is in.
func (p *Project) settleInWorktree(ctx context.Context) (*Project, error) {
	if !config.Worktrees.In(p.Settings()) {
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
	settled, err := Open(ctx, o)
	if err != nil {
		p.Worktree = w
		p.AbandonWorktree(ctx)
		w.Close()
	}
	return settled, err
}

// enterWorktree enters the worktree that the options name. Git writes the files of the repository, so
// the user must trust the directory, and the worktree's.
func (p *Project) enterWorktree(ctx context.Context) (*worktree.Worktree, error) {
	return worktree.Enter(ctx, worktree.Options{
		Dir: p.Paths.Dir(), Name: p.Options.WorktreeName, Launcher: p.Launcher, Warn: p.Warn,
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
func (p *Project) anchorPaths(o *Options) {
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
}

// AbandonWorktree removes the worktree of the session if it is new and nothing is lost with it, for a
// session that ends before its first prompt.
func (p *Project) AbandonWorktree(ctx context.Context) {
	if p.Worktree != nil && p.Worktree.IsNew {
		_, _, _ = p.Worktree.Discard(context.WithoutCancel(ctx)) // a worktree that cannot be removed stays
	}
}
