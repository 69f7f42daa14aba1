// Package modes manages the approval mode of a session, and its plan.
package modes

import (
	"context"
	"slices"

	"pollux/agent"
	"pollux/internal/guard/policy"
	"pollux/internal/manage"
	"pollux/internal/memory"
	"pollux/internal/outcome"
	"pollux/internal/terminal"
)

// Commands returns the commands about modes.
func Commands() []*manage.Command {
	return []*manage.Command{
		manage.SessionOnly(&manage.Command{Name: "mode", Args: "[default|auto_edit|sandboxed|plan|yolo]", Summary: "Show or change the approval mode", RunsWhileBusy: true, Run: setMode}),
		manage.SessionOnly(&manage.Command{
			Name: "plan", Args: "[prompt]", Summary: "Switch to plan mode, or show the approved plan", Run: planMode,
			Subs: []*manage.Command{{Name: "copy", Summary: "Print the approved plan", RunsWhileBusy: true, Run: copyPlan}},
		}),
	}
}

// modeInfo is the name and description of an approval mode.
type modeInfo struct {
	mode              policy.Mode
	name, description string
}

var modeInfos = [...]modeInfo{
	{policy.Default, "default", "asks before each change and command"},
	{policy.AutoEdit, "auto_edit", "edits files without asking, and asks for the rest"},
	{policy.Sandboxed, "sandboxed", "edits files and runs commands in the sandbox without asking, and asks for what reaches outside"},
	{policy.Plan, "plan", "changes nothing until you approve a plan"},
	{policy.Yolo, "yolo", "never asks"},
}

// setMode switches the approval mode, or lists the modes if name is empty.
func setMode(_ context.Context, c *manage.Call) (outcome.Outcome, error) {
	if c.Text == "" {
		return list(c.Live.Rulebook.Mode()), nil
	}
	newMode, err := policy.ParseMode(terminal.Cut(terminal.Line(c.Text), 40))
	if err != nil {
		return manage.Misuse("%w", err)
	}
	if err := c.Live.Rulebook.SetMode(newMode); err != nil {
		return outcome.Outcome{}, err
	}
	i := slices.IndexFunc(modeInfos[:], func(m modeInfo) bool { return m.mode == newMode })
	return manage.Say("Approval mode: %s. Pollux %s.", modeInfos[i].name, modeInfos[i].description)
}

func list(current policy.Mode) outcome.Outcome {
	t := outcome.NewTable(nil, modeInfos[:], func(m modeInfo) []string {
		mark := "  "
		if m.mode == current {
			mark = "* "
		}
		return []string{mark + m.name, m.description}
	})
	return outcome.New(outcome.Text("Approval modes:"), t, outcome.Text("/mode <name> switches to another one."))
}

// planMode switches to plan mode, and shows the last approved plan. Its text is a prompt for the model.
func planMode(_ context.Context, c *manage.Call) (outcome.Outcome, error) {
	text := "Plan mode is on: no files change until you approve a plan."
	if c.Live.Rulebook.Mode() == policy.Plan {
		text = "Plan mode is already on."
	} else if err := c.Live.Rulebook.SetMode(policy.Plan); err != nil {
		return outcome.Outcome{}, err
	}
	if path, plan, err := approved(c); err == nil && path != "" {
		text += "\n\nApproved plan: " + path + "\n\n" + plan
	}
	if c.Text != "" {
		c.Next.Prompt = new(agent.TextPrompt(c.Text))
	}
	return manage.Say("%s", text)
}

func copyPlan(_ context.Context, c *manage.Call) (outcome.Outcome, error) {
	path, plan, err := approved(c)
	switch {
	case err != nil:
		return outcome.Outcome{}, err
	case path == "":
		return manage.Say("This session has no approved plan.")
	}
	return manage.Say("%s", plan)
}

// approved returns the path and the text of the last approved plan. The path is "" if no plan was approved.
func approved(c *manage.Call) (path, text string, err error) {
	if path = c.Live.Plan(); path == "" {
		return "", "", nil
	}
	text, err = memory.Read(path)
	return terminal.Line(path), text, err
}
