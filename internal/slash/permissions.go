package slash

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"

	"pollux/internal/config"
	"pollux/internal/durable"
	"pollux/internal/exit"
	"pollux/internal/guard/policy"
	"pollux/internal/guard/trust"
	"pollux/internal/manage"
	"pollux/internal/memory"
	"pollux/internal/project"
	"pollux/internal/terminal"
)

// permissions shows the folder's trust state, the approval mode and the user's approvals in
// this session.
func permissions(_ context.Context, s *Runner, _ string) (Result, error) {
	state, err := s.Session.Project.DecideTrust()
	if err != nil {
		return Result{}, err
	}
	text := s.Session.Project.Paths.Display(s.Session.Workspace.Root()) + " is " + map[trust.State]string{
		trust.Trusted: "trusted", trust.Untrusted: "not trusted", trust.Unknown: "not trusted, because you have not decided yet",
	}[state]
	switch {
	case s.Session.Project.TrustOptions().Restricted == "true" || s.Session.Project.TrustOptions().Workspace != "":
		text += ", because of --skip-trust or the environment."
	case !s.Session.Project.TrustOptions().Enabled:
		text += ", because security.folderTrust.enabled is false."
	default:
		text += ". To change this, run /permissions trust."
	}
	if trusted := s.Session.Project.IsTrusted(); trusted != (state == trust.Trusted) {
		text += " This session keeps its state. To change it, run /permissions trust or restart Pollux."
	}
	text += fmt.Sprintf("\nApproval mode: %s.", s.Session.Rulebook.Mode())
	grants := s.Session.Rulebook.Grants()
	if len(grants) == 0 {
		return Result{Text: text + "\nNo approvals in this session, except for single tool calls."}, nil
	}
	text += "\n\nApprovals in this session. To revoke one, run /permissions revoke <number>.\n"
	for _, g := range grants {
		text += fmt.Sprintf("\n%d. %s", g.ID, terminal.Line(g.Text))
		if g.File != "" {
			text += ", also in future sessions: " + terminal.Line(s.Session.Project.Paths.Display(g.File))
		}
	}
	return Result{Text: text}, nil
}

// permissionsRevoke revokes an approval by its number in /permissions.
func permissionsRevoke(_ context.Context, s *Runner, args string) (Result, error) {
	grants := s.Session.Rulebook.Grants()
	n, err := strconv.Atoi(args)
	i := slices.IndexFunc(grants, func(g policy.Grant) bool { return g.ID == n })
	if err != nil || i < 0 {
		return usageError("No approval has the number %s. Run /permissions to list them.", strconv.Quote(terminal.Cut(args, 40)))
	}
	description := terminal.Line(grants[i].Text)
	if _, err := s.Session.Rulebook.Revoke(n); err != nil {
		return Result{}, exit.Errorf(exit.General, "Approval revoked for this session only: %s. Cannot change the policy file: %w.", description, err)
	}
	return textResult("Approval revoked: %s", description)
}

// permissionsTrust asks the user whether to trust a folder, and stores the answer. Without
// args it asks about the workspace root.
func permissionsTrust(ctx context.Context, s *Runner, args string) (Result, error) {
	if !s.Session.Project.TrustOptions().Enabled {
		return usageError("Folder trust is off. To use it, set security.folderTrust.enabled to true.")
	}
	dir := s.Session.Workspace.Root()
	if len(args) > manage.MaxPath {
		return usageError("The directory name is too long.")
	}
	if args != "" {
		dir = s.resolvePath(args)
		if info, err := os.Stat(dir); err != nil {
			return usageError("Cannot trust %s: %w", dir, durable.Cause(err))
		} else if !info.IsDir() {
			return usageError("%s is not a directory.", dir)
		}
	}
	o := s.Session.Project.TrustOptions()
	o.Dir = dir
	level, err := project.AskTrust(ctx, s.Session.Project.Options.Asker, o, s.Session.Project.Options.Env, memory.Names(config.MemoryNames.In(s.Session.Project.Settings())), nil)
	switch {
	case err != nil:
		return Result{}, err
	case level == "":
		return textResult("Trust in %s is unchanged.", s.Session.Project.Paths.Display(dir))
	}
	effect, err := s.applyTrust(ctx)
	if err != nil {
		return Result{}, err
	}
	folder, trusted := dir, "trusted"
	switch level {
	case trust.TrustParent:
		folder = filepath.Dir(dir)
	case trust.DoNotTrust:
		trusted = "not trusted"
	}
	return textResult("%s is %s now. Saved in %s. %s", s.Session.Project.Paths.Display(folder), trusted, s.Session.Project.Paths.Display(s.Session.Project.TrustOptions().File), effect)
}

// applyTrust updates the session to the stored trust of its own folder. It returns a
// message that lists what takes effect now and what takes effect after a restart.
func (s *Runner) applyTrust(ctx context.Context) (string, error) {
	state, err := s.Session.Project.DecideTrust()
	if err != nil {
		return "", err
	}
	trusted := state == trust.Trusted
	switch {
	case trusted == s.Session.Project.IsTrusted():
		return "Takes effect the next time you start Pollux there.", nil
	case trusted:
		s.Session.SetTrusted(ctx, true)
		return "Its context files and skills are loaded now, and you can approve tools for the session and change the approval mode. " +
			"Its settings, .env files and policies take effect the next time you start Pollux.", s.Session.Project.Reload()
	}
	s.Session.SetTrusted(ctx, false)
	return "Its context files are unloaded, you approve each tool call, and the approval mode is default. " +
		"Its settings, .env files and policies stay in effect until you exit Pollux.", s.Session.Project.Reload()
}
