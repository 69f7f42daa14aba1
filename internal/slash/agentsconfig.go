package slash

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"pollux/internal/config"
	"pollux/internal/exit"
	"pollux/internal/manage/settings"
	"pollux/internal/subagent"
	"pollux/internal/terminal"
	"pollux/tool"
)

// agentSetting is a setting of a subagent that /agents config changes.
type agentSetting struct {
	name  string // that of the key in a definition
	path  string // below agents.overrides.NAME
	local bool   // it is for local subagents only
	// values describes the values on screen. parse reads one.
	values string
	parse  func(text string) (value any, ok bool)
	// value returns the value that a subagent has, nil for that of its model or session.
	value func(s *Runner, d *subagent.Definition) any
}

// agentSettings are the settings that /agents config changes.
var agentSettings = []agentSetting{
	{
		name: "enabled", path: "enabled", values: "true or false",
		parse: func(text string) (any, bool) { return text == "true", text == "true" || text == "false" },
		value: func(s *Runner, d *subagent.Definition) any { return !s.Session.Agents.Set().IsDisabled(d.Name) },
	},
	{
		name: "model", path: "modelConfig.model", local: true, values: "the name of a model, or inherit for that of the session",
		parse: func(text string) (any, bool) { return text, len(text) <= maxModelName },
		value: func(_ *Runner, d *subagent.Definition) any {
			if d.Model == "" && d.Class != "" {
				return nil
			}
			return cmp.Or(d.Model, inherit)
		},
	},
	{
		name: "temperature", path: "modelConfig.generateContentConfig.temperature", local: true, values: "a number from 0 to 2",
		parse: func(text string) (any, bool) { return parseNumber(text, 0, 2) },
		value: func(_ *Runner, d *subagent.Definition) any { return d.Settings["temperature"] },
	},
	{
		name: "max_turns", path: "runConfig.maxTurns", local: true, values: fmt.Sprintf("a whole number from 1 to %d", subagent.MaxTurns),
		parse: func(text string) (any, bool) {
			n, ok := parseNumber(text, 1, subagent.MaxTurns)
			return n, ok && n == float64(int(n))
		},
		value: func(_ *Runner, d *subagent.Definition) any { return float64(d.MaxTurns) },
	},
	{
		name: "timeout_mins", path: "runConfig.maxTimeMinutes", local: true, values: fmt.Sprintf("a number of minutes from 0.1 to %d", subagent.MaxMinutes),
		parse: func(text string) (any, bool) { return parseNumber(text, 0.1, subagent.MaxMinutes) },
		value: func(_ *Runner, d *subagent.Definition) any { return d.Timeout.Minutes() },
	},
}

const (
	// inherit is the value of the setting model for the model of the session.
	inherit = "inherit"
	// byDefault in place of a value removes it from the user's settings.
	byDefault = "default"
)

// parseNumber reads a number within limits.
func parseNumber(text string, least, most float64) (float64, bool) {
	n, err := strconv.ParseFloat(text, 64)
	return n, err == nil && n >= least && n <= most
}

// settingsOf returns the settings that a subagent has.
func settingsOf(d *subagent.Definition) []agentSetting {
	return slices.DeleteFunc(slices.Clone(agentSettings), func(a agentSetting) bool { return a.local && d.Kind == subagent.RemoteKind })
}

// agentsConfig shows the configuration of a subagent, or changes a setting of it. It asks a person what to change.
func agentsConfig(ctx context.Context, s *Runner, args string) (Result, error) {
	name, rest := cutWord(args)
	key, text := cutWord(rest)
	if !config.Agents.In(s.Session.Project.Settings()) {
		return errNoAgents()
	}
	if name == "" {
		return usageError("Usage: /agents config <agent-name> [<setting> <value>]")
	}
	d := s.findAgent(name)
	switch {
	case d == nil:
		return unknownAgent(name)
	case key == "" && s.Session.Project.Options.Asker != nil:
		return s.askAgentSetting(ctx, d)
	case key == "":
		shown, about := s.showAgent(ctx, d)
		return textResult("%s%s\nTo change a setting, run /agents config %s <setting> <value>.", shown, about, name)
	}
	a := findSetting(d, key)
	switch {
	case a == nil:
		return usageError("The agent '%s' has no setting %q. Settings: %s.", name, terminal.Cut(terminal.Line(key), 40), settingNames(d))
	case text == "":
		return usageError("Enter a value for %s: %s, or %s.", a.name, a.values, byDefault)
	}
	return s.configureAgent(ctx, d, a, text)
}

func findSetting(d *subagent.Definition, name string) *agentSetting {
	for _, a := range settingsOf(d) {
		if a.name == name {
			return &a
		}
	}
	return nil
}

// pathOf returns the path of the setting of a subagent in settings files.
func (a *agentSetting) pathOf(d *subagent.Definition) string {
	return "agents.overrides." + d.Name + "." + a.path
}

func settingNames(d *subagent.Definition) string {
	var names []string
	for _, a := range settingsOf(d) {
		names = append(names, a.name)
	}
	return strings.Join(names, ", ")
}

// showAgent returns what a subagent is as a table, and what else is known of a remote one.
func (s *Runner) showAgent(ctx context.Context, d *subagent.Definition) (shown, about string) {
	rows := [][]string{{"Name", d.Name}, {"Kind", string(d.Kind)}, {"From", agentOrigin(d)}}
	if d.Path != "" {
		rows = append(rows, []string{"File", s.Session.Project.DisplayFile(d.Path)})
	}
	if d.Kind == subagent.RemoteKind {
		rows = append(rows, []string{"Card", cmp.Or(d.CardURL, "in the file")})
		s.Session.Agents.Check(ctx)
		text, err := s.Session.Agents.About(d)
		if err != nil {
			text = terminal.Line(err.Error())
		}
		about = "\n" + terminal.Text(text) + "\n"
	} else {
		tools := "all"
		if d.Tools != nil {
			tools = strings.Join(d.Tools, ", ")
		}
		rows = append(rows, []string{"Tools", tools})
	}
	for _, a := range settingsOf(d) {
		rows = append(rows, []string{a.name, s.agentValue(d, &a)})
	}
	return s.formatTable(nil, rows...), about
}

// agentValue returns the value of a setting for people.
func (s *Runner) agentValue(d *subagent.Definition, a *agentSetting) string {
	value := a.value(s, d)
	if a.name != "model" {
		if value == nil {
			return "that of the model"
		}
		return settings.Format(value)
	}
	model, err := s.Session.Agents.Model(d)
	switch {
	case err != nil:
		return terminal.Line(d.Model + " (not usable)")
	case value == inherit:
		return terminal.Line("inherit: " + model)
	}
	return terminal.Line(model)
}

// askAgentSetting shows a subagent and asks a person what to change.
func (s *Runner) askAgentSetting(ctx context.Context, d *subagent.Definition) (Result, error) {
	shown, about := s.showAgent(ctx, d)
	const nothing = "Nothing"
	var options []tool.Option
	for _, a := range settingsOf(d) {
		options = append(options, tool.Option{Label: a.name, Description: a.values})
	}
	options = append(options, tool.Option{Key: "n", Label: nothing})
	key, err := s.choose(ctx, "Agent", shown+about+"\nWhat do you want to change?", "", options...)
	if err != nil || key == "" || key == nothing {
		return Result{Text: "The agent is unchanged."}, err
	}
	a := findSetting(d, key)
	question := fmt.Sprintf("%s of %s is %s. Enter %s, or %s.", a.name, d.Name, s.agentValue(d, a), a.values, byDefault)
	text, err := s.choose(ctx, a.name, question, "a value")
	if err != nil || text == "" {
		return Result{Text: "The agent is unchanged."}, err
	}
	return s.configureAgent(ctx, d, a, text)
}

// configureAgent changes a setting of a subagent in the user's settings.
func (s *Runner) configureAgent(ctx context.Context, d *subagent.Definition, a *agentSetting, text string) (Result, error) {
	path := a.pathOf(d)
	file := s.Session.Project.Paths.Display(s.Session.Project.Paths.UserSettings())
	if text == byDefault {
		found, err := s.Session.Project.Paths.Unset(config.User, path)
		switch {
		case err != nil:
			return Result{}, err
		case !found:
			return textResult("%s of %s is not set in %s.", a.name, d.Name, file)
		}
		if _, err := s.Session.ReloadAgents(ctx); err != nil {
			return Result{}, err
		}
		return textResult("Removed %s of %s from %s.", a.name, d.Name, file)
	}
	value, ok := a.parse(text)
	if !ok {
		return usageError("%s must be %s.", a.name, a.values)
	}
	note := ""
	if a.name == "model" && text != inherit {
		var err error
		if note, err = s.checkAgentModel(ctx, text); err != nil {
			return Result{}, err
		}
	}
	if err := s.changeAgent(ctx, d, a, value); err != nil {
		return Result{}, err
	}
	return textResult("Set %s of %s to %s in %s.%s", a.name, d.Name, settings.Format(value), file, note)
}

// checkAgentModel returns an error if no provider can have a model, and a note if its provider does not list it.
func (s *Runner) checkAgentModel(ctx context.Context, name string) (note string, err error) {
	if _, err := s.Session.Models.Resolve(name); err != nil {
		return "", err
	}
	listing, err := s.Session.Models.CheckName(ctx, name)
	switch {
	case ctx.Err() != nil:
		return "", context.Cause(ctx)
	case err != nil || !listing.IsListed:
		return "\n" + listing.Provider + " did not confirm that it has this model.", nil
	}
	return "", nil
}

// changeAgent writes a setting of a subagent to the user's settings, and uses it.
func (s *Runner) changeAgent(ctx context.Context, d *subagent.Definition, a *agentSetting, value any) error {
	path := a.pathOf(d)
	if err := s.Session.Project.Paths.Set(config.User, path, value); err != nil {
		return err
	}
	if _, err := s.Session.ReloadAgents(ctx); err != nil {
		return err
	}
	if now, _ := s.Session.Project.Settings().Lookup(path); now != value {
		return exit.Errorf(exit.General, "Agent '%s' stays as it is, because other settings of the system or of this project decide.", d.Name)
	}
	return nil
}
