// Package permissions manages the trust in folders, and the approvals of a session.
package permissions

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"

	"pollux/internal/durable"
	"pollux/internal/exit"
	"pollux/internal/guard/policy"
	"pollux/internal/guard/trust"
	"pollux/internal/manage"
	"pollux/internal/outcome"
	"pollux/internal/project"
	"pollux/internal/terminal"
)

// Command returns the commands about permissions.
func Command() *manage.Command {
	return manage.SessionOnly(&manage.Command{
		Name: "permissions", Summary: "Show trusted folders and approvals of this session", RunsWhileBusy: true, Run: show,
		Subs: []*manage.Command{
			{Name: "revoke", Args: "<number>", Summary: "Revoke an approval of this session", RunsWhileBusy: true, Run: revoke},
			{Name: "trust", Args: "[directory]", Summary: "Trust a folder or stop trusting it", Run: setTrust, Values: manage.DirectoryNames},
		},
	})
}

// show shows the folder's trust state, the approval mode and the user's approvals in this session.
func show(_ context.Context, c *manage.Call) (outcome.Outcome, error) {
	state, err := c.Live.Project.DecideTrust()
	if err != nil {
		return outcome.Outcome{}, err
	}
	text := c.Live.Project.Paths.Display(c.Live.Workspace.Root()) + " is " + map[trust.State]string{
		trust.Trusted: "trusted", trust.Untrusted: "not trusted", trust.Unknown: "not trusted, because you have not decided yet",
	}[state]
	switch {
	case c.Live.Project.TrustOptions().Restricted == "true" || c.Live.Project.TrustOptions().Workspace != "":
		text += ", because of --skip-trust or the environment."
	case !c.Live.Project.TrustOptions().Enabled:
		text += ", because security.folderTrust.enabled is false."
	default:
		text += ". To change this, run /permissions trust."
	}
	if trusted := c.Live.Project.IsTrusted(); trusted != (state == trust.Trusted) {
		text += " This session keeps its state. To change it, run /permissions trust or restart Pollux."
	}
	text += fmt.Sprintf("\nApproval mode: %s.", c.Live.Rulebook.Mode())
	grants := c.Live.Rulebook.Grants()
	if len(grants) == 0 {
		return manage.Say("%s", text+"\nNo approvals in this session, except for single tool calls.")
	}
	text += "\n\nApprovals in this session. To revoke one, run /permissions revoke <number>.\n"
	for _, g := range grants {
		text += fmt.Sprintf("\n%d. %s", g.ID, terminal.Line(g.Text))
		if g.File != "" {
			text += ", also in future sessions: " + terminal.Line(c.Live.Project.Paths.Display(g.File))
		}
	}
	return manage.Say("%s", text)
}

func revoke(_ context.Context, c *manage.Call) (outcome.Outcome, error) {
	grants := c.Live.Rulebook.Grants()
	n, err := strconv.Atoi(c.Text)
	i := slices.IndexFunc(grants, func(g policy.Grant) bool { return g.ID == n })
	if err != nil || i < 0 {
		return manage.Misuse("No approval has the number %s. Run /permissions to list them.", strconv.Quote(terminal.Cut(c.Text, 40)))
	}
	description := terminal.Line(grants[i].Text)
	if _, err := c.Live.Rulebook.Revoke(n); err != nil {
		return outcome.Outcome{}, exit.Errorf(exit.General, "Approval revoked for this session only: %s. Cannot change the policy file: %w.", description, err)
	}
	return manage.Say("Approval revoked: %s", description)
}

// setTrust asks the user whether to trust a folder, and stores the answer. By default it is the workspace root.
func setTrust(ctx context.Context, c *manage.Call) (outcome.Outcome, error) {
	if !c.Live.Project.TrustOptions().Enabled {
		return manage.Misuse("Folder trust is off. To use it, set security.folderTrust.enabled to true.")
	}
	dir := c.Live.Workspace.Root()
	if len(c.Text) > manage.MaxPath {
		return manage.Misuse("The directory name is too long.")
	}
	if c.Text != "" {
		dir = c.Resolve(c.Text)
		if info, err := os.Stat(dir); err != nil {
			return manage.Misuse("Cannot trust %s: %w", dir, durable.Cause(err))
		} else if !info.IsDir() {
			return manage.Misuse("%s is not a directory.", dir)
		}
	}
	o := c.Live.Project.TrustOptions()
	o.Dir = dir
	level, err := project.AskTrust(ctx, c.Live.Project.Options.Asker, o, c.Live.Project.Options.Env, c.Live.Project.MemoryNames(), nil)
	switch {
	case err != nil:
		return outcome.Outcome{}, err
	case level == "":
		return manage.Say("Trust in %s is unchanged.", c.Live.Project.Paths.Display(dir))
	}
	effect, err := applyTrust(ctx, c)
	if err != nil {
		return outcome.Outcome{}, err
	}
	folder, trusted := dir, "trusted"
	switch level {
	case trust.TrustParent:
		folder = filepath.Dir(dir)
	case trust.DoNotTrust:
		trusted = "not trusted"
	}
	return manage.Say("%s is %s now. Saved in %s. %s", c.Live.Project.Paths.Display(folder), trusted, c.Live.Project.Paths.Display(c.Live.Project.TrustOptions().File), effect)
}

// applyTrust updates the session to the stored trust of its own folder. It returns a
// message that lists the changes that take effect now and those that take effect after a restart.
func applyTrust(ctx context.Context, c *manage.Call) (string, error) {
	state, err := c.Live.Project.DecideTrust()
	if err != nil {
		return "", err
	}
	trusted := state == trust.Trusted
	switch {
	case trusted == c.Live.Project.IsTrusted():
		return "Takes effect the next time you start Pollux there.", nil
	case trusted:
		c.Live.SetTrusted(ctx, true)
		return "Its context files and skills are loaded now, and you can approve tools for the session and change the approval mode. " +
			"Its settings, .env files and policies take effect the next time you start Pollux.", c.Live.Project.Reload()
	}
	c.Live.SetTrusted(ctx, false)
	return "Its context files are unloaded, you approve each tool call, and the approval mode is default. " +
		"Its settings, .env files and policies stay in effect until you exit Pollux.", c.Live.Project.Reload()
}
