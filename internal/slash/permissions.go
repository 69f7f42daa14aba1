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
	"pollux/internal/terminal"
)

// permissions says what is trusted, and what a person has allowed in this session.
func permissions(_ context.Context, s *Session, _ string) (Result, error) {
	state, err := trust.Decide(s.Trust)
	if err != nil {
		return Result{}, err
	}
	text := s.App.Workspace.Root() + " is " + map[trust.State]string{
		trust.Trusted: "trusted", trust.Untrusted: "not trusted", trust.Unknown: "not trusted: nobody has decided",
	}[state]
	switch {
	case s.Trust.Restricted == "true" || s.Trust.Workspace != "":
		text += ", as the environment or --skip-trust says."
	case !s.Trust.Enabled:
		text += ": all folders are, because security.folderTrust.enabled is false."
	default:
		text += ". /permissions trust changes it."
	}
	if trusted := s.App.Trusted(); trusted != (state == trust.Trusted) {
		text += " This session goes on as it was begun: /permissions trust or a new start changes that."
	}
	text += fmt.Sprintf("\nThe approval mode is %s.", s.App.Mode())
	granted := s.App.Grants()
	if len(granted) == 0 {
		return Result{Text: text + "\nYou have allowed nothing beyond single calls in this session."}, nil
	}
	text += "\n\nAllowed in this session; /permissions revoke <number> takes it back:\n"
	for _, g := range granted {
		text += fmt.Sprintf("\n%d. %s", g.ID, terminal.Line(g.Text))
		if g.File != "" {
			text += ", in later ones too: " + terminal.Line(g.File)
		}
	}
	return Result{Text: text}, nil
}

// permissionsRevoke takes back what a person has allowed in this session.
func permissionsRevoke(_ context.Context, s *Session, args string) (Result, error) {
	granted := s.App.Grants()
	n, err := strconv.Atoi(args)
	i := slices.IndexFunc(granted, func(g policy.Grant) bool { return g.ID == n })
	if err != nil || i < 0 {
		return fail("%s is no number of something you have allowed in this session. /permissions lists it.", strconv.Quote(cut(args, 40)))
	}
	what := terminal.Line(granted[i].Text)
	if _, err := s.App.Revoke(n); err != nil {
		return Result{}, exit.Errorf(exit.General, "You are asked again about %s, but only in this session: %w.", what, err)
	}
	return say("You are asked again about: %s", what)
}

// permissionsTrust asks whether a folder is trusted, and keeps the answer.
func permissionsTrust(ctx context.Context, s *Session, args string) (Result, error) {
	if !s.Trust.Enabled {
		return fail("Folder trust is switched off: set security.folderTrust.enabled to true to decide about folders.")
	}
	dir := s.App.Workspace.Root()
	if len(args) > longestPath {
		return fail("That is too long for the name of a directory.")
	}
	if args != "" {
		dir = s.path(args)
		if info, err := os.Stat(dir); err != nil {
			return fail("%s cannot be trusted: %w", dir, durable.Cause(err))
		} else if !info.IsDir() {
			return fail("%s is not a directory.", dir)
		}
	}
	o := s.Trust
	o.Dir = dir
	level, err := AskTrust(ctx, s.Ask, o, s.Env, memory.Names(config.MemoryNames.In(s.Current())))
	switch {
	case err != nil:
		return Result{}, err
	case level == "":
		return Result{Text: "Nothing was changed."}, nil
	}
	counts, err := s.heedTrust()
	if err != nil {
		return Result{}, err
	}
	return say("%s: %s, in %s. %s", dir, level, s.Trust.File, counts)
}

// heedTrust makes the session go by what is now known of its own folder, and says
// what of that counts, and what only after a new start.
func (s *Session) heedTrust() (string, error) {
	state, err := trust.Decide(s.Trust)
	if err != nil {
		return "", err
	}
	trusted := state == trust.Trusted
	switch {
	case trusted == s.App.Trusted():
		return "It counts when Pollux is started there the next time.", nil
	case trusted:
		s.App.SetTrusted(true)
		return "From now on its instructions count, and you may allow things for the session and switch modes. " +
			"Its settings, .env files and policies, and what they bring about, count from the next start.", s.reload()
	}
	s.App.SetTrusted(false)
	return "From now on its instructions do not count, answers hold for a single call, and the mode is default. " +
		"What its settings, .env files and policies have brought about lasts until you leave.", s.reload()
}

// policies lists the rules, by the modes that they hold in (spec/safety.md §2.13).
func policies(_ context.Context, s *Session, _ string) (Result, error) {
	rules := s.App.Rules()
	if len(rules) == 0 {
		return say("No active policies.")
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
