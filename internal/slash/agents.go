package slash

import (
	"context"
	"fmt"
	"slices"

	"pollux/internal/config"
	"pollux/internal/exit"
	"pollux/internal/subagent"
	"pollux/internal/terminal"
	"pollux/internal/wording"
)

// errNoAgents is the error of commands about subagents if the settings disable them.
func errNoAgents() (Result, error) {
	return Result{}, exit.Errorf(exit.General, "Subagents are disabled. To enable them, run: pollux config set experimental.enableAgents true")
}

// agentsList lists the subagents.
func agentsList(ctx context.Context, s *Runner, _ string) (Result, error) {
	if !config.Agents.In(s.Session.Project.Settings()) {
		return errNoAgents()
	}
	s.Session.Agents.Check(ctx)
	var rows [][]string
	for _, d := range s.Session.Agents.Set().All() {
		state := "enabled"
		if s.Session.Agents.Set().IsDisabled(d.Name) {
			state = "disabled"
		}
		about, err := s.Session.Agents.About(d)
		if err != nil {
			state, about = "failed", err.Error()
		}
		rows = append(rows, []string{d.Name, string(d.Kind), agentOrigin(d), state, terminal.Cut(terminal.Line(about), 80)})
	}
	text := s.formatTable([]string{"NAME", "KIND", "FROM", "STATE", "DESCRIPTION"}, rows...)
	return Result{Text: text + "\nTo name one in a prompt, type @NAME. To write one, see /docs subagents."}, nil
}

func agentOrigin(d *subagent.Definition) string {
	if d.Extension != "" {
		return "extension " + d.Extension
	}
	return string(d.Origin)
}

func agentsEnable(ctx context.Context, s *Runner, name string) (Result, error) {
	return s.setAgent(ctx, name, true)
}

func agentsDisable(ctx context.Context, s *Runner, name string) (Result, error) {
	return s.setAgent(ctx, name, false)
}

// setAgent enables or disables a subagent in the user's settings.
func (s *Runner) setAgent(ctx context.Context, name string, enabled bool) (Result, error) {
	verb := map[bool]string{true: "enable", false: "disable"}[enabled]
	switch {
	case !config.Agents.In(s.Session.Project.Settings()):
		return errNoAgents()
	case name == "":
		return usageError("Usage: /agents %s <agent-name>", verb)
	case s.findAgent(name) == nil:
		return unknownAgent(name)
	case s.Session.Agents.Set().IsDisabled(name) != enabled:
		return textResult("Agent '%s' is already %sd.", name, verb)
	}
	d := s.findAgent(name)
	if err := s.changeAgent(ctx, d, findSetting(d, "enabled"), enabled); err != nil {
		return Result{}, err
	}
	return textResult("Agent '%s' %sd. Changed: %s", name, verb, s.Session.Project.Paths.Display(s.Session.Project.Paths.UserSettings()))
}

func (s *Runner) findAgent(name string) *subagent.Definition {
	all := s.Session.Agents.Set().All()
	if i := slices.IndexFunc(all, func(d *subagent.Definition) bool { return d.Name == name }); i >= 0 {
		return all[i]
	}
	return nil
}

func unknownAgent(name string) (Result, error) {
	return usageError("There is no agent %q. /agents list lists them.", terminal.Cut(terminal.Line(name), 40))
}

// agentsReload reads the definitions again.
func agentsReload(ctx context.Context, s *Runner, _ string) (Result, error) {
	if !config.Agents.In(s.Session.Project.Settings()) {
		return errNoAgents()
	}
	problems, err := s.Session.ReloadAgents(ctx)
	if err != nil {
		return Result{}, err
	}
	text := fmt.Sprintf("Loaded %s.", wording.Count(len(s.Session.Agents.Set().Enabled()), "agent"))
	for _, p := range problems {
		text += "\n" + s.Session.Project.Paths.DisplayText(terminal.Text(p))
	}
	return Result{Text: text}, nil
}
