package slash

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"

	"pollux/internal/config"
	"pollux/internal/durable"
	"pollux/internal/exit"
	"pollux/internal/guard/policy"
	"pollux/internal/guard/trust"
	"pollux/internal/memory"
	"pollux/internal/session"
	"pollux/internal/terminal"
)

// permissions shows the folder's trust state, the approval mode and the user's approvals in
// this session.
func permissions(_ context.Context, s *Runner, _ string) (Result, error) {
	state, err := s.DecideTrust()
	if err != nil {
		return Result{}, err
	}
	text := s.Workspace.Root() + " is " + map[trust.State]string{
		trust.Trusted: "trusted", trust.Untrusted: "not trusted", trust.Unknown: "not trusted yet",
	}[state]
	switch {
	case s.TrustOptions().Restricted == "true" || s.TrustOptions().Workspace != "":
		text += ", because of the environment or --skip-trust."
	case !s.TrustOptions().Enabled:
		text += ", as all folders are: security.folderTrust.enabled is false."
	default:
		text += ". To change that: /permissions trust"
	}
	if trusted := s.Trusted(); trusted != (state == trust.Trusted) {
		text += "\nThis session started with another decision and keeps it. To apply the new one: /permissions trust"
	}
	text += fmt.Sprintf("\nThe approval mode is %s.", s.Mode())
	grants := s.Grants()
	if len(grants) == 0 {
		return Result{Text: text + "\nYou have allowed only single calls in this session."}, nil
	}
	text += "\n\nAllowed in this session. To take one back: /permissions revoke <number>\n"
	for _, g := range grants {
		text += fmt.Sprintf("\n%d. %s", g.ID, terminal.Line(g.Text))
		if g.File != "" {
			text += ", also in later sessions: " + terminal.Line(s.Paths.Display(g.File))
		}
	}
	return Result{Text: text}, nil
}

// permissionsRevoke revokes an approval by its number in /permissions.
func permissionsRevoke(_ context.Context, s *Runner, args string) (Result, error) {
	grants := s.Grants()
	n, err := strconv.Atoi(args)
	i := slices.IndexFunc(grants, func(g policy.Grant) bool { return g.ID == n })
	if err != nil || i < 0 {
		return usageError("Nothing that you have allowed in this session has the number %s. To list it: /permissions", strconv.Quote(terminal.Cut(args, 40)))
	}
	description := terminal.Line(grants[i].Text)
	if _, err := s.Revoke(n); err != nil {
		return Result{}, exit.Errorf(exit.General, "Pollux asks again about %s, but only in this session: %w.", description, err)
	}
	return textResult("Pollux asks again about: %s", description)
}

// permissionsTrust asks the user whether to trust a folder, and stores the answer. Without
// args it asks about the workspace root.
func permissionsTrust(ctx context.Context, s *Runner, args string) (Result, error) {
	if !s.TrustOptions().Enabled {
		return usageError("Folder trust is off. To decide about folders, set security.folderTrust.enabled to true.")
	}
	dir := s.Workspace.Root()
	if len(args) > maxPath {
		return usageError("The name of the directory is too long.")
	}
	if args != "" {
		dir = s.resolvePath(args)
		if info, err := os.Stat(dir); err != nil {
			return usageError("%s cannot be trusted: %w", dir, durable.Cause(err))
		} else if !info.IsDir() {
			return usageError("%s is not a directory.", dir)
		}
	}
	o := s.TrustOptions()
	o.Dir = dir
	level, err := session.AskTrust(ctx, s.Asker, o, s.Env, memory.Names(config.MemoryNames.In(s.CurrentSettings())))
	switch {
	case err != nil:
		return Result{}, err
	case level == "":
		return Result{Text: "Nothing was changed."}, nil
	}
	effect, err := s.applyTrust(ctx)
	if err != nil {
		return Result{}, err
	}
	return textResult("%s: %s, in %s. %s", s.Paths.Display(dir), level, s.Paths.Display(s.TrustOptions().File), effect)
}

// applyTrust updates the session to the stored trust of its own folder. It returns a
// message that lists what takes effect now and what takes effect after a restart.
func (s *Runner) applyTrust(ctx context.Context) (string, error) {
	state, err := s.DecideTrust()
	if err != nil {
		return "", err
	}
	trusted := state == trust.Trusted
	switch {
	case trusted == s.Trusted():
		return "Takes effect the next time you start Pollux there.", nil
	case trusted:
		s.SetTrusted(ctx, true)
		return "Pollux now follows its instructions, and you can switch modes and allow calls for the session. " +
			"Its settings, .env files and policies take effect the next time you start Pollux.", s.ReloadSettings()
	}
	s.SetTrusted(ctx, false)
	return "Pollux now ignores its instructions, and the mode is default. You can allow single calls only. " +
		"The effects of its settings, .env files and policies last until you quit.", s.ReloadSettings()
}

// listPolicies lists the active policy rules by approval mode.
func listPolicies(_ context.Context, s *Runner, _ string) (Result, error) {
	rules := s.Rules()
	if len(rules) == 0 {
		return textResult("No active policies.")
	}
	var b strings.Builder
	b.WriteString("**Active Policies**\n")
	for _, group := range []struct {
		title string
		mode  policy.Mode
	}{
		{"Normal Mode Policies", policy.Default},
		{"Auto Edit Mode Policies (beside those of normal mode)", policy.AutoEdit},
		{"Yolo Mode Policies (beside those of normal mode)", policy.Yolo},
		{"Plan Mode Policies (beside those of normal mode)", policy.Plan},
	} {
		n := 0
		for i := range rules {
			r := &rules[i]
			if !r.Modes.Has(group.mode) || group.mode != policy.Default && r.Modes.Has(policy.Default) {
				continue
			}
			if n++; n == 1 {
				b.WriteString("\n### " + group.title + "\n\n")
			}
			b.WriteString(strconv.Itoa(n) + ". " + terminal.Line(r.String()) + "\n")
		}
		if n == 0 {
			b.WriteString("\n### " + group.title + "\n\nNone.\n")
		}
	}
	return Result{Text: b.String()}, nil
}
