package conversation

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"pollux/internal/manage"
	"pollux/internal/outcome"
	"pollux/internal/person"
	"pollux/internal/promptlog"
	"pollux/internal/terminal"
	"pollux/tool"
)

// earlierPrompts asks for one of the last prompts of this and earlier sessions of the project, those that contain the
// text of the call. The prompt becomes the draft.
func earlierPrompts(ctx context.Context, c *manage.Call) (outcome.Outcome, error) {
	const most, searched = 20, 10_000
	prompts := slices.DeleteFunc(c.Live.PromptLog.Recent(searched), func(p promptlog.Prompt) bool {
		command, _ := manage.CutWord(p.Text)
		return command == "/prompts" || !strings.Contains(strings.ToLower(p.Text), strings.ToLower(c.Text))
	})
	if len(prompts) == 0 {
		return manage.Say("No earlier prompts found.")
	}
	q := person.Choice{Header: "Prompts", Text: "Change and send which prompt?"}
	for _, prompt := range prompts[:min(len(prompts), most)] {
		q.Options = append(q.Options, tool.Option{Label: prompt.Text})
	}
	chosen, err := pick(ctx, c, q, 70, func(i int) string { return fmt.Sprintf(" (%d)", i+1) })
	if err != nil || chosen < 0 {
		return outcome.Outcome{}, err
	}
	c.Next.Draft = prompts[chosen].Text
	return outcome.Outcome{}, nil
}

// pick asks for one of the options, whose labels are prompts, and returns its index, -1 for none. It cuts the labels
// at a width. An option with the label of an earlier one gets a number.
func pick(ctx context.Context, c *manage.Call, q person.Choice, width int, number func(i int) string) (int, error) {
	for i := range q.Options {
		label := terminal.Cut(terminal.Line(q.Options[i].Label), width)
		if slices.ContainsFunc(q.Options[:i], func(o tool.Option) bool { return o.Label == label }) {
			label += number(i)
		}
		q.Options[i].Label = label
	}
	answer, err := c.Choose(ctx, q)
	if err != nil {
		return -1, err
	}
	return slices.IndexFunc(q.Options, func(o tool.Option) bool { return terminal.Line(o.Label) == answer }), nil
}
