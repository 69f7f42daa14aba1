package slash

import (
	"cmp"
	"context"

	"pollux/internal/manage"
	"pollux/internal/outcome"
	"pollux/internal/person"
	"pollux/internal/terminal"
)

// nounCommand returns the / command of a row of the table of nouns.
func nounCommand(c *manage.Command) *Command {
	in := c.Session
	row := &Command{
		Name: cmp.Or(in.Name, c.Name), Aliases: in.Aliases, Args: cmp.Or(in.Args, c.Args), Summary: cmp.Or(in.Summary, c.Summary),
		RunsWhileBusy: in.RunsWhileBusy, NeedsPerson: in.NeedsPerson, Instead: in.Instead,
	}
	run := in.Run
	if run == nil {
		run = c.Run
	}
	if run != nil && !in.IsGroup {
		row.Run = func(ctx context.Context, s *Runner, args string) (Result, error) { return s.runNoun(ctx, run, args) }
	}
	for _, sub := range c.Subs {
		if sub.Session != nil {
			row.Subs = append(row.Subs, nounCommand(sub))
		}
	}
	return row
}

// runNoun runs the command of a row.
func (s *Runner) runNoun(ctx context.Context, run func(context.Context, *manage.Call) (outcome.Outcome, error), args string) (Result, error) {
	p := s.Session.Project
	o, err := run(ctx, &manage.Call{
		Text: args, Live: s.Session, Options: p.Options,
		Note:  func(text string) { p.Warn(terminal.Line(text)) },
		Whole: func(text string) { p.Warn(terminal.Text(text)) },
		User:  extensionUser{s},
		Ask: func(ctx context.Context, task manage.Task) (outcome.Outcome, error) {
			if p.Options.Asker == nil {
				return outcome.Outcome{}, person.ErrNoPerson
			}
			text, err := task(ctx, p.Options.Asker.Ask, func(text string) { p.Warn(terminal.Line(text)) })
			return outcome.New(outcome.Text(text)), err
		},
	})
	if err != nil {
		return Result{}, err
	}
	width := 0
	if s.Terminal != nil {
		width = s.Terminal.OutWidth()
	}
	return Result{Text: o.Markdown(width), Failed: o.Failed}, nil
}
