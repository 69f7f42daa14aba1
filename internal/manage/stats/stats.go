// Package stats shows the usage of sessions.
package stats

import (
	"cmp"
	"context"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"pollux/internal/auth"
	"pollux/internal/config"
	"pollux/internal/durable"
	"pollux/internal/exit"
	"pollux/internal/manage"
	"pollux/internal/manage/sessions"
	"pollux/internal/outcome"
	"pollux/internal/terminal"
	"pollux/internal/usage"
	"pollux/llm/catalog"
)

// Commands returns the commands about statistics.
func Commands() []*manage.Command {
	return []*manage.Command{command(), manage.SessionOnly(&manage.Command{Name: "cost", Summary: "Show the cost of this session", RunsWhileBusy: true, Run: cost})}
}

func command() *manage.Command {
	live := func(name, args, summary string, run manage.Run) *manage.Command {
		return &manage.Command{Name: name, Args: args, Summary: summary, IsSessionOnly: true, RunsWhileBusy: true, Run: run}
	}
	return &manage.Command{
		Name: "stats", Summary: "Show tokens, cost, time and tool calls of sessions", Run: show,
		Session: &manage.InSession{Aliases: []string{"usage"}, Summary: "Show session statistics", Run: ofSession}, RunsWhileBusy: true,
		Subs: []*manage.Command{
			live("session", "", "Show time, tool calls and tokens", ofSession),
			live("model", "", "Show statistics by model", byModel),
			live("tools", "", "Show statistics by tool", byTool),
			live("days", "[since]", "Show tokens, cost and time of this project by day", over(usage.Day)),
			live("sessions", "[since]", "Show tokens, cost and time of this project by session", over(usage.Session)),
			live("projects", "[since]", "Show tokens, cost and time of all projects", over(usage.Project)),
		},
		Flags: []manage.Flag{
			{Name: "by", Default: "", Usage: "`kind` Rows of the table (default day)", Choices: usage.Kinds, IsUnchecked: true},
			{Name: "since", Default: "", Usage: "`time` Begin with this day, such as 2026-11-21 or 7d"},
			{Name: "until", Default: "", Usage: "`time` End with this day"},
			{Name: "project", Default: "", Usage: "`directory` Show another project"},
			{Name: "all", Default: false, Usage: "Include the sessions of all projects"},
			manage.JSON,
		},
	}
}

// query is a call with the kind of rows that it asks for.
type query struct {
	*manage.Call
	by string
}

// show returns the usage of the sessions that the flags select.
func show(ctx context.Context, call *manage.Call) (o outcome.Outcome, err error) {
	c := &query{call, cmp.Or(call.Value("by"), string(usage.Day))}
	now := time.Now()
	period, err := usage.ParsePeriod(c.Value("since"), c.Value("until"), now)
	if err != nil {
		return o, err
	}
	if !slices.Contains(usage.Kinds, c.by) {
		return o, exit.Errorf(exit.General, "There are no statistics by %q. Choose one of: %s.", terminal.Line(c.by), strings.Join(usage.Kinds, ", "))
	}
	set, err := c.Open(ctx)
	if err != nil {
		return o, err
	}
	sources, err := c.sources()
	if err != nil {
		return o, err
	}
	accounts := sync.OnceValue(func() *auth.Accounts {
		all, _ := auth.Open(auth.Inputs{Settings: set.Settings(), Env: set.Env(), Launcher: set.Launcher, Context: ctx, Warn: set.Warn}) // prices need no account
		return all
	})
	report, err := usage.Collect(ctx, sources, usage.Query{
		By: usage.By(c.by), Period: period, Zone: now.Location(),
		Price: func(model string) *catalog.Price { return accounts().Price(model) },
	})
	switch {
	case err != nil:
		return o, exit.Errorf(exit.General, "Cannot read the sessions: %w.", durable.Cause(err))
	case len(report.Rows) == 0:
		return outcome.New(outcome.Text(c.nothing())).WithValue(report.JSON()), nil
	}
	return outcome.New(parts(report, set.Paths, c.IsUTF8())...).WithValue(report.JSON()), nil
}

// nothing returns the sentence for an empty report.
func (c *query) nothing() string {
	text := "No usage found for this project"
	if c.isAll() {
		text = "No usage found"
	}
	if c.Value("since")+c.Value("until") != "" {
		text += " in this period"
	}
	if c.isAll() {
		return text + "."
	}
	return text + ". To include all projects, use --all."
}

// isAll reports whether the sessions of all projects count: a table of one project says nothing.
func (c *query) isAll() bool {
	return c.Is("all") || c.by == string(usage.Project) && c.Value("project") == ""
}

// sources returns the sessions of the projects that the flags select.
func (c *query) sources() ([]usage.Source, error) {
	paths, err := c.Paths()
	switch {
	case err != nil:
		return nil, err
	case c.isAll():
		return usage.All(paths), nil
	case c.Value("project") != "":
		dir := paths.Absolute(c.Value("project"))
		if real, err := filepath.EvalSymlinks(dir); err == nil {
			dir = real // else it is gone, and its sessions can still be there
		}
		paths = config.NewPaths(c.Options.Env, dir)
	}
	return []usage.Source{{Project: paths.Dir(), Store: sessions.Of(paths)}}, nil
}

// parts returns a report for people: a table, and on a terminal a chart.
func parts(report *usage.Report, paths *config.Paths, isUTF8 bool) []outcome.Part {
	head, rows := report.Table(paths.Display)
	parts := []outcome.Part{
		&outcome.Table{Head: head, Rows: rows},
		outcome.Drawing(func(width int) string { return report.Chart(width, isUTF8) }),
	}
	if notes := report.Notes(); notes != "" {
		parts = append(parts, outcome.Text(notes))
	}
	return parts
}
