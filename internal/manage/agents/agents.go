// Package agents manages subagents: it lists, switches, configures and reloads them.
package agents

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"pollux/internal/config"
	"pollux/internal/exit"
	"pollux/internal/manage"
	"pollux/internal/manage/models"
	"pollux/internal/manage/settings"
	"pollux/internal/outcome"
	"pollux/internal/person"
	"pollux/internal/subagent"
	"pollux/internal/terminal"
	"pollux/internal/wording"
	"pollux/tool"
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
		return []string{d.Name, string(d.Kind), Origin(d), state, terminal.Cut(terminal.Line(about), 80)}
	})
	return outcome.New(t, outcome.Text("To name one in a prompt, type @NAME. To write one, see /docs subagents.")), nil
}

// Origin returns where the definition of a subagent comes from, for people.
func Origin(d *subagent.Definition) string {
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

// setting is a setting of a subagent that /agents config changes.
type setting struct {
	name  string // that of the key in a definition
	path  string // below agents.overrides.NAME
	local bool   // it is for local subagents only
	// values describes the values on screen. parse reads one.
	values string
	parse  func(text string) (value any, ok bool)
	// value returns the value that a subagent has, nil for that of its model or session.
	value func(c *manage.Call, d *subagent.Definition) any
}

var allSettings = []setting{
	{
		name: "enabled", path: "enabled", values: "true or false",
		parse: func(text string) (any, bool) { return text == "true", text == "true" || text == "false" },
		value: func(c *manage.Call, d *subagent.Definition) any { return !c.Live.Agents.Set().IsDisabled(d.Name) },
	},
	{
		name: "model", path: "modelConfig.model", local: true, values: "the name of a model, or inherit for that of the session",
		parse: func(text string) (any, bool) { return text, len(text) <= models.MaxName },
		value: func(_ *manage.Call, d *subagent.Definition) any {
			if d.Model == "" && d.Class != "" {
				return nil
			}
			return cmp.Or(d.Model, inherit)
		},
	},
	{
		name: "temperature", path: "modelConfig.generateContentConfig.temperature", local: true, values: "a number from 0 to 2",
		parse: func(text string) (any, bool) { return parseNumber(text, 0, 2) },
		value: func(_ *manage.Call, d *subagent.Definition) any { return d.Settings["temperature"] },
	},
	{
		name: "max_turns", path: "runConfig.maxTurns", local: true, values: fmt.Sprintf("a whole number from 1 to %d", subagent.MaxTurns),
		parse: func(text string) (any, bool) {
			n, ok := parseNumber(text, 1, subagent.MaxTurns)
			return n, ok && n == float64(int(n))
		},
		value: func(_ *manage.Call, d *subagent.Definition) any { return float64(d.MaxTurns) },
	},
	{
		name: "timeout_mins", path: "runConfig.maxTimeMinutes", local: true, values: fmt.Sprintf("a number of minutes from 0.1 to %d", subagent.MaxMinutes),
		parse: func(text string) (any, bool) { return parseNumber(text, 0.1, subagent.MaxMinutes) },
		value: func(_ *manage.Call, d *subagent.Definition) any { return d.Timeout.Minutes() },
	},
}

const (
	// inherit is the value of the setting model for the model of the session.
	inherit = "inherit"
	// byDefault in place of a value removes it from the user's settings.
	byDefault = "default"
)

func parseNumber(text string, least, most float64) (float64, bool) {
	n, err := strconv.ParseFloat(text, 64)
	return n, err == nil && n >= least && n <= most
}

// settingsOf returns the settings that a subagent has.
func settingsOf(d *subagent.Definition) []setting {
	return slices.DeleteFunc(slices.Clone(allSettings), func(a setting) bool { return a.local && d.Kind == subagent.RemoteKind })
}

// configure shows the configuration of a subagent, or changes a setting of it. It asks a person what to change.
func configure(ctx context.Context, c *manage.Call) (outcome.Outcome, error) {
	name, rest := manage.CutWord(c.Text)
	key, text := manage.CutWord(rest)
	d := find(c, name)
	switch {
	case name == "":
		return outcome.Outcome{}, manage.Usage("/agents config <agent-name> [<setting> <value>]")
	case d == nil:
		return unknown(name)
	case key == "" && c.HasPerson():
		return ask(ctx, c, d)
	case key == "":
		return outcome.New(append(show(ctx, c, d), outcome.Text("To change a setting, run /agents config "+name+" <setting> <value>."))...), nil
	}
	a := findSetting(d, key)
	switch {
	case a == nil:
		return manage.Misuse("The agent '%s' has no setting %q. Settings: %s.", name, terminal.Cut(terminal.Line(key), 40), settingNames(d))
	case text == "":
		return manage.Misuse("Enter a value for %s: %s, or %s.", a.name, a.values, byDefault)
	}
	return set(ctx, c, d, a, text)
}

func findSetting(d *subagent.Definition, name string) *setting {
	for _, a := range settingsOf(d) {
		if a.name == name {
			return &a
		}
	}
	return nil
}

// pathOf returns the path of the setting of a subagent in settings files.
func (a *setting) pathOf(d *subagent.Definition) string {
	return "agents.overrides." + d.Name + "." + a.path
}

func settingNames(d *subagent.Definition) string {
	var names []string
	for _, a := range settingsOf(d) {
		names = append(names, a.name)
	}
	return strings.Join(names, ", ")
}

// show describes a subagent in a table, and a remote one in a text, too.
func show(ctx context.Context, c *manage.Call, d *subagent.Definition) (parts []outcome.Part) {
	rows := [][]string{{"Name", d.Name}, {"Kind", string(d.Kind)}, {"From", Origin(d)}}
	if d.Path != "" {
		rows = append(rows, []string{"File", c.Live.Project.DisplayFile(d.Path)})
	}
	if d.Kind == subagent.RemoteKind {
		rows = append(rows, []string{"Card", cmp.Or(d.CardURL, "in the file")})
		c.Live.Agents.Check(ctx)
		text, err := c.Live.Agents.About(d)
		if err != nil {
			text = terminal.Line(err.Error())
		}
		parts = append(parts, outcome.Text(terminal.Text(text)+"\n"))
	} else {
		tools := "all"
		if d.Tools != nil {
			tools = strings.Join(d.Tools, ", ")
		}
		rows = append(rows, []string{"Tools", tools})
	}
	for _, a := range settingsOf(d) {
		rows = append(rows, []string{a.name, valueOf(c, d, &a)})
	}
	return append([]outcome.Part{&outcome.Table{Rows: rows}}, parts...)
}

func valueOf(c *manage.Call, d *subagent.Definition, a *setting) string {
	value := a.value(c, d)
	if a.name != "model" {
		if value == nil {
			return "that of the model"
		}
		return settings.Format(value)
	}
	model, err := c.Live.Agents.Model(d)
	switch {
	case err != nil:
		return terminal.Line(d.Model + " (not usable)")
	case value == inherit:
		return terminal.Line("inherit: " + model)
	}
	return terminal.Line(model)
}

// ask shows a subagent and asks a person what to change.
func ask(ctx context.Context, c *manage.Call, d *subagent.Definition) (outcome.Outcome, error) {
	const nothing = "Nothing"
	var options []tool.Option
	for _, a := range settingsOf(d) {
		options = append(options, tool.Option{Label: a.name, Description: a.values})
	}
	options = append(options, tool.Option{Key: "n", Label: nothing})
	question := outcome.New(append(show(ctx, c, d), outcome.Text("What do you want to change?"))...).Markdown(c.Width())
	key, err := c.Choose(ctx, person.Choice{Header: "Agent", Text: question, Options: options})
	if err != nil || key == "" || key == nothing {
		return outcome.Textf("The agent is unchanged."), err
	}
	a := findSetting(d, key)
	question = fmt.Sprintf("%s of %s is %s. Enter %s, or %s.", a.name, d.Name, valueOf(c, d, a), a.values, byDefault)
	text, err := c.Choose(ctx, person.Choice{Header: a.name, Text: question, Free: "a value"})
	if err != nil || text == "" {
		return outcome.Textf("The agent is unchanged."), err
	}
	return set(ctx, c, d, a, text)
}

func set(ctx context.Context, c *manage.Call, d *subagent.Definition, a *setting, text string) (outcome.Outcome, error) {
	path := a.pathOf(d)
	file := c.Live.Project.Paths.Display(c.Live.Project.Paths.UserSettings())
	if text == byDefault {
		found, err := c.Live.Project.Paths.Unset(config.User, path)
		switch {
		case err != nil:
			return outcome.Outcome{}, err
		case !found:
			return manage.Say("%s of %s is not set in %s.", a.name, d.Name, file)
		}
		if _, err := c.Live.ReloadAgents(ctx); err != nil {
			return outcome.Outcome{}, err
		}
		return manage.Say("Removed %s of %s from %s.", a.name, d.Name, file)
	}
	value, ok := a.parse(text)
	if !ok {
		return manage.Misuse("%s must be %s.", a.name, a.values)
	}
	note := ""
	if a.name == "model" && text != inherit {
		var err error
		if note, err = checkModel(ctx, c, text); err != nil {
			return outcome.Outcome{}, err
		}
	}
	if err := change(ctx, c, d, a, value); err != nil {
		return outcome.Outcome{}, err
	}
	return manage.Say("Set %s of %s to %s in %s.%s", a.name, d.Name, settings.Format(value), file, note)
}

// checkModel returns an error if no provider can have a model, and a note if its provider does not list it.
func checkModel(ctx context.Context, c *manage.Call, name string) (note string, err error) {
	if _, err := c.Live.Models.Resolve(name); err != nil {
		return "", err
	}
	listing, err := c.Live.Models.CheckName(ctx, name)
	switch {
	case ctx.Err() != nil:
		return "", context.Cause(ctx)
	case err != nil || !listing.IsListed:
		return "\n" + listing.Provider + " did not confirm that it has this model.", nil
	}
	return "", nil
}

// change writes a setting of a subagent to the user's settings, and uses it.
func change(ctx context.Context, c *manage.Call, d *subagent.Definition, a *setting, value any) error {
	path := a.pathOf(d)
	if err := c.Live.Project.Paths.Set(config.User, path, value); err != nil {
		return err
	}
	if _, err := c.Live.ReloadAgents(ctx); err != nil {
		return err
	}
	if now, _ := c.Live.Project.Settings().Lookup(path); now != value {
		return exit.Errorf(exit.General, "Agent '%s' stays as it is, because other settings of the system or of this project decide.", d.Name)
	}
	return nil
}
