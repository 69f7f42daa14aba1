// Package agents manages subagents: it lists, switches, configures and reloads them.
package agents

import (
	"context"
	"fmt"
	"slices"

	"pollux/internal/config"
	"pollux/internal/exit"
	"pollux/internal/manage"
	"pollux/internal/outcome"
	"pollux/internal/subagent"
	"pollux/internal/terminal"
	"pollux/internal/wording"
)

// Command returns the commands about subagents.
func Command() *manage.Command {
	return manage.SessionOnly(&manage.Command{
		Name: "agents", Summary: "List and configure subagents", RunsWhileBusy: true, Run: ifEnabled(list),
		Subs: []*manage.Command{
			{Name: "list", Summary: "List subagents", RunsWhileBusy: true, Run: ifEnabled(list)},
			{Name: "enable", Args: "<agent-name>", Summary: "Enable a subagent", Run: ifEnabled(setEnabled("enable", true))},
			{Name: "disable", Args: "<agent-name>", Summary: "Disable a subagent", Run: ifEnabled(setEnabled("disable", false))},
			{Name: "config", Args: "<agent-name> [<setting> <value>]", Summary: "Show and change the settings of a subagent", Run: ifEnabled(configure)},
			{Name: "reload", Aliases: []string{"refresh"}, Summary: "Read the files of subagents again", Run: ifEnabled(reload)},
		},
	})
}

// ifEnabled returns the command that fails if the settings disable subagents, else runs.
func ifEnabled(run manage.Run) manage.Run {
	return func(ctx context.Context, c *manage.Call) (outcome.Outcome, error) {
		if !config.Agents.In(c.Live.Project.Settings()) {
			return outcome.Outcome{}, exit.Errorf(exit.General, "Subagents are disabled. To enable them, run: pollux config set experimental.enableAgents true")
		}
		return run(ctx, c)
	}
}

func list(ctx context.Context, c *manage.Call) (outcome.Outcome, error) {
	c.Live.Agents.Check(ctx)
	set := c.Live.Agents.Set()
	t := outcome.NewTable([]string{"NAME", "KIND", "FROM", "STATE", "DESCRIPTION"}, set.All(), func(d *subagent.Definition) []string {
		state := "enabled"
		if set.IsDisabled(d.Name) {
			state = "disabled"
		}
		about, err := c.Live.Agents.About(d)
		if err != nil {
			state, about = "failed", err.Error()
		}
		return []string{d.Name, string(d.Kind), origin(d), state, terminal.Cut(terminal.Line(about), 80)}
	})
	return outcome.New(t, outcome.Text("To name one in a prompt, type @NAME. To write one, see /docs subagents.")), nil
}

func origin(d *subagent.Definition) string {
	if d.Extension != "" {
		return "extension " + d.Extension
	}
	return string(d.Origin)
}

// setEnabled returns the command that enables or disables a subagent in the user's settings.
func setEnabled(verb string, enabled bool) manage.Run {
	return func(ctx context.Context, c *manage.Call) (outcome.Outcome, error) {
		d := find(c, c.Text)
		switch {
		case c.Text == "":
			return outcome.Outcome{}, manage.Usage("/agents " + verb + " <agent-name>")
		case d == nil:
			return unknown(c.Text)
		case c.Live.Agents.Set().IsDisabled(d.Name) != enabled:
			return manage.Say("Agent '%s' is already %sd.", d.Name, verb)
		}
		if err := change(ctx, c, d, findSetting(d, "enabled"), enabled); err != nil {
			return outcome.Outcome{}, err
		}
		return manage.Say("Agent '%s' %sd. Changed: %s", d.Name, verb, c.Live.Project.Paths.Display(c.Live.Project.Paths.UserSettings()))
	}
}

func find(c *manage.Call, name string) *subagent.Definition {
	all := c.Live.Agents.Set().All()
	if i := slices.IndexFunc(all, func(d *subagent.Definition) bool { return d.Name == name }); i >= 0 {
		return all[i]
	}
	return nil
}

func unknown(name string) (outcome.Outcome, error) {
	return manage.Misuse("There is no agent %q. /agents list lists them.", terminal.Cut(terminal.Line(name), 40))
}

// reload reads the definitions again.
func reload(ctx context.Context, c *manage.Call) (outcome.Outcome, error) {
	problems, err := c.Live.ReloadAgents(ctx)
	if err != nil {
		return outcome.Outcome{}, err
	}
	text := fmt.Sprintf("Loaded %s.", wording.Count(len(c.Live.Agents.Set().Enabled()), "agent"))
	for _, p := range problems {
		text += "\n" + c.Live.Project.Paths.DisplayText(terminal.Text(p))
	}
	return manage.Say("%s", text)
}
