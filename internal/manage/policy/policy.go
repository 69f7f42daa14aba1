// Package policy manages policy rules: it lists, checks, explains and tests them.
package policy

import (
	"context"

	"pollux/internal/config"
	"pollux/internal/exit"
	"pollux/internal/guard/policy"
	"pollux/internal/manage"
	"pollux/internal/outcome"
	"pollux/internal/project"
	"pollux/internal/rulebook"
)

// Command returns the commands about policies.
func Command() *manage.Command {
	files := manage.Flag{Name: "policy", Default: manage.List{}, Usage: "`path,...` Policy files or directories, instead of those in settings"}
	return &manage.Command{
		Name: "policy", Summary: "Show, check and test policy rules", Run: help,
		Session: &manage.InSession{Name: "policies", Summary: "Show policy rules", IsGroup: true},
		Subs: []*manage.Command{
			{
				Name: "list", Summary: "List the rules in force, by approval mode", Run: list, Flags: []manage.Flag{manage.JSON, files},
				Session: &manage.InSession{Summary: "List policy rules by approval mode"}, RunsWhileBusy: true,
			},
			{Name: "check", Args: "[file...]", Summary: "Check policy files for mistakes", Run: check, Values: manage.FileNames, Flags: []manage.Flag{manage.JSON}},
			{
				Name: "explain", Args: "-- <tool> [arguments]", Summary: "Explain what Pollux decides about a tool call", Run: explain, Values: manage.FileNames,
				Flags: []manage.Flag{
					{Name: "mode", Default: "", Usage: "`mode` Approval mode, instead of the one in settings", Choices: []string{"default", "auto_edit", "yolo", "plan"}},
					manage.JSON, files,
				},
				Session: &manage.InSession{Args: "<tool> [arguments]", Run: explainLive}, RunsWhileBusy: true,
			},
			{Name: "test", Args: "<file...>", Summary: "Compare decisions with the expected ones", Run: test, Values: manage.FileNames, Flags: []manage.Flag{manage.JSON, files}},
		},
	}
}

func help(context.Context, *manage.Call) (outcome.Outcome, error) {
	return outcome.Outcome{}, manage.ErrHelp
}

// open returns the project with the policy files of a flag, if it is set.
func open(ctx context.Context, c *manage.Call) (*project.Project, error) {
	if paths := c.Values("policy"); paths != nil {
		c.Options.Flags = map[string]any{string(config.PolicyPaths): paths}
	}
	return c.Open(ctx)
}

// openRules returns the project and the rules in force.
func openRules(ctx context.Context, c *manage.Call) (*project.Project, *rulebook.Rulebook, error) {
	p, err := open(ctx, c)
	if err != nil {
		return nil, nil, err
	}
	book, err := rulebook.Open(ctx, p, nil)
	return p, book, err
}

func list(ctx context.Context, c *manage.Call) (outcome.Outcome, error) {
	if c.Live != nil {
		return outcome.New(outcome.Text(policy.FormatRules(c.Live.Rules()))), nil
	}
	_, book, err := openRules(ctx, c)
	if err != nil {
		return outcome.Outcome{}, err
	}
	rules := book.Rules()
	rows := make([]*policy.RuleJSON, len(rules))
	for i := range rules {
		rows[i] = rules[i].JSON()
	}
	return outcome.New(outcome.Text(policy.FormatRules(rules))).WithValue(rows), nil
}

// explain explains what would be decided about a tool call.
func explain(ctx context.Context, c *manage.Call) (o outcome.Outcome, err error) {
	p, book, err := openRules(ctx, c)
	if err != nil {
		return o, err
	}
	mode, err := p.InitialMode(c.Value("mode"))
	if err != nil {
		return o, err
	}
	call, err := book.ParseWords(c.Words)
	if err != nil {
		return o, err
	}
	list := book.Explain(call, mode)
	return outcome.New(outcome.Text(policy.FormatExplanations(list, p.DisplayFile))).WithValue(struct {
		Sessions policy.ExplanationJSON `json:"sessions"`
		Scripts  policy.ExplanationJSON `json:"scripts"`
	}{list[0].JSON(), list[1].JSON()}), nil
}

// explainLive explains what the policy of a session would decide.
func explainLive(_ context.Context, c *manage.Call) (o outcome.Outcome, err error) {
	name, rest := manage.CutWord(c.Text)
	if name == "" {
		return o, exit.Errorf(exit.Input, "Enter a tool and its arguments, such as /policies explain run_shell_command git push")
	}
	call, err := c.Live.Rulebook.ParseCall(name, rest)
	if err != nil {
		return o, err
	}
	return outcome.New(outcome.Code(policy.FormatExplanations(c.Live.Rulebook.Explain(call, c.Live.Mode()), c.Live.Project.DisplayFile))), nil
}
