package slash

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"

	"pollux/internal/config"
	"pollux/internal/guard/policy"
	"pollux/internal/guard/trust"
	"pollux/internal/memory"
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
	text += fmt.Sprintf("\nThe approval mode is %s.", s.App.Mode())
	var granted []string
	for _, r := range s.App.Rules() {
		if r.Source == policy.Confirmed {
			granted = append(granted, "- "+shown(&r))
		}
	}
	if len(granted) == 0 {
		return Result{Text: text + "\nYou have allowed nothing beyond single calls in this session."}, nil
	}
	return Result{Text: text + "\n\nAllowed in this session:\n\n" + strings.Join(granted, "\n")}, nil
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
			return fail("%s cannot be trusted: %w", dir, cause(err))
		} else if !info.IsDir() {
			return fail("%s is not a directory.", dir)
		}
	}
	o := s.Trust
	o.Dir = dir
	level, err := AskTrust(ctx, s.Ask, o, s.Env, memory.Names(config.MemoryNames.In(s.Settings)))
	switch {
	case err != nil:
		return Result{}, err
	case level == "":
		return Result{Text: "Nothing was changed."}, nil
	}
	return say("%s: %s, in %s. It counts when Pollux is started there the next time.", dir, level, s.Trust.File)
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
			b.WriteString(strconv.Itoa(n) + ". " + shown(r) + "\n")
		}
		if n == 0 {
			b.WriteString("\n### " + group.title + "\n\nNone.\n")
		}
	}
	return Result{Text: b.String()}, nil
}

// shown writes a rule in a line.
func shown(r *policy.Rule) string {
	text := fmt.Sprintf("**%s** tool: `%s`", strings.ToUpper(string(r.Decision)), strings.Join(r.Tools, ", "))
	if r.Server != "" {
		text += fmt.Sprintf(" (server: `%s`)", r.Server)
	}
	if len(r.Prefixes) > 0 {
		text += fmt.Sprintf(" (commands: `%s`)", strings.Join(r.Prefixes, "`, `"))
	}
	if r.Args != nil {
		text += fmt.Sprintf(" (args match: `%s`)", r.Args)
	}
	switch r.When {
	case policy.Interactive:
		text += " (interactive)"
	case policy.Headless:
		text += " (headless)"
	}
	text += " [Priority: " + strconv.FormatFloat(r.Priority, 'f', -1, 64) + "]"
	if r.Source != "" {
		text += " [Source: " + r.Source + "]"
	}
	return strings.ReplaceAll(text, "\n", " ")
}

// cause is what the system says of a path that cannot be used, without the path.
func cause(err error) error {
	var call *os.PathError
	if errors.As(err, &call) {
		return call.Err
	}
	return err
}
