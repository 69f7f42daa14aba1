package about

import (
	"context"
	"fmt"

	"pollux/internal/demo"
	"pollux/internal/doctor"
	"pollux/internal/exit"
	"pollux/internal/manage"
	"pollux/internal/outcome"
	"pollux/internal/process"
	"pollux/internal/project"
)

// examine checks the setup, and tests the model.
func examine(ctx context.Context, c *manage.Call) (o outcome.Outcome, err error) {
	with := doctor.Options{Session: c.Options, Terminal: c.Terminal}
	with.Session.Model, with.Session.Loaded = c.Value("model"), nil
	if c.Is("offline") {
		with.Unasked = "because of --offline"
	}
	if c.Terminal.ErrTTY && !c.Is("json") {
		with.Asking = func(model string) { c.Note(fmt.Sprintf("Testing %s with a few hundred tokens ...", model)) }
	}
	report, err := doctor.Examine(ctx, with)
	if err != nil {
		return o, err
	}
	if !c.Is("json") {
		err = report.Write(c.Terminal.Out.Styled(), doctor.Layout{Width: c.Width(), Color: c.Terminal.OutColor(), All: c.Is("all")})
	}
	if failure := report.Failure(); err == nil && failure != nil {
		err = &exit.Shown{Err: failure}
	}
	return o.WithValue(report), err
}

// examineLive checks the setup in a session, without a request to the model.
func examineLive(ctx context.Context, c *manage.Call) (outcome.Outcome, error) {
	set := c.Live.Project.Options
	text, err := doctor.Text(ctx, doctor.Options{
		Session:  project.Options{Dir: set.Dir, Env: set.Env, Model: set.Model, Version: set.Version},
		Terminal: c.Terminal, Unasked: "run 'pollux doctor' in a shell for that",
	})
	return outcome.New(outcome.Text(text)), err
}

// runDemo fixes a bug in a sample project with a scripted model.
func runDemo(ctx context.Context, c *manage.Call) (outcome.Outcome, error) {
	return outcome.Outcome{}, demo.Run(ctx, demo.Options{
		Out: c.Terminal.Out.Styled(), Keep: c.Is("keep"), Live: c.Terminal.OutTTY, Colour: c.Terminal.OutColor(), Launcher: process.NewLauncher(),
		Env: c.Options.Env, Version: c.Options.Version,
	})
}
