package cli

import (
	"cmp"
	"context"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"pollux/internal/auth"
	"pollux/internal/config"
	"pollux/internal/durable"
	"pollux/internal/exit"
	"pollux/internal/terminal"
	"pollux/internal/usage"
	"pollux/llm/catalog"
)

// statsCommand returns the subcommand that sums up what sessions have used.
func statsCommand(t *terminal.Terminal, env *config.Env) *cobra.Command {
	c := &statsAction{term: t, env: env}
	cmd := &cobra.Command{
		Use: "stats", Short: "Show tokens, cost, time and tool calls of sessions",
		Args: cobra.NoArgs, RunE: func(cmd *cobra.Command, _ []string) error { return c.run(cmd.Context()) },
	}
	f := cmd.Flags()
	choice(f, &c.by, "by", "", "`kind` Rows of the table (default day)", usage.Kinds...)
	f.StringVar(&c.since, "since", "", "`time` Begin with this day, such as 2026-11-21 or 7d")
	f.StringVar(&c.until, "until", "", "`time` End with this day")
	f.StringVar(&c.project, "project", "", "`directory` Show another project")
	f.BoolVar(&c.all, "all", false, "Include the sessions of all projects")
	f.BoolVar(&c.json, "json", false, "Print JSON")
	return cmd
}

// statsAction holds the flags of stats.
type statsAction struct {
	term                      *terminal.Terminal
	env                       *config.Env
	by, since, until, project string
	all, json                 bool
}

func (c *statsAction) run(ctx context.Context) error {
	now := time.Now()
	period, err := usage.ParsePeriod(c.since, c.until, now)
	if err != nil {
		return err
	}
	c.by = cmp.Or(c.by, string(usage.Day))
	if !slices.Contains(usage.Kinds, c.by) {
		return exit.Errorf(exit.General, "There are no statistics by %q. Choose one of: %s.", terminal.Line(c.by), strings.Join(usage.Kinds, ", "))
	}
	set, err := look(c.term, c.env)
	if err != nil {
		return err
	}
	sources, err := c.sources()
	if err != nil {
		return err
	}
	accounts := sync.OnceValue(func() *auth.Accounts {
		all, _ := auth.Open(auth.Inputs{Settings: set.Settings(), Env: set.Env, Launcher: set.Launcher, Context: ctx, Warn: set.Warn}) // prices need no account
		return all
	})
	report, err := usage.Collect(ctx, sources, usage.Query{
		By: usage.By(c.by), Period: period, Zone: now.Location(),
		Price: func(model string) *catalog.Price { return accounts().Price(model) },
	})
	switch {
	case err != nil:
		return exit.Errorf(exit.General, "Cannot read the sessions: %w.", durable.Cause(err))
	case c.json:
		return printJSON(c.term, report.JSON())
	case len(report.Rows) == 0:
		return printText(c.term, c.nothing())
	}
	return c.print(report, set.Paths)
}

// nothing returns the sentence for an empty report.
func (c *statsAction) nothing() string {
	text := "No usage found for this project"
	if c.isAll() {
		text = "No usage found"
	}
	if c.since+c.until != "" {
		text += " in this period"
	}
	if c.isAll() {
		return text + "."
	}
	return text + ". To include all projects, use --all."
}

// isAll reports whether the sessions of all projects count: a table of one project says nothing.
func (c *statsAction) isAll() bool {
	return c.all || c.by == string(usage.Project) && c.project == ""
}

// sources returns the sessions of the projects that the flags select.
func (c *statsAction) sources() ([]usage.Source, error) {
	dir, err := config.WorkingDir()
	if err != nil {
		return nil, err
	}
	paths := config.NewPaths(c.env, dir)
	if c.isAll() {
		return usage.All(paths), nil
	}
	if c.project != "" {
		dir = paths.Absolute(c.project)
		if real, err := filepath.EvalSymlinks(dir); err == nil {
			dir = real // else it is gone, and its sessions can still be there
		}
		paths = config.NewPaths(c.env, dir)
	}
	return []usage.Source{{Project: dir, Store: storeOf(paths)}}, nil
}

// print prints a report for people: as a table, and on a terminal with a chart.
func (c *statsAction) print(report *usage.Report, paths *config.Paths) error {
	head, rows := report.Table(paths.Display)
	if err := printTable(c.term, head, rows); err != nil {
		return err
	}
	isUTF8 := c.term.Color && c.term.Abilities(c.env.Get).UTF8
	if chart := report.Chart(c.term.OutWidth(), isUTF8); chart != "" {
		if _, err := c.term.Out.Write([]byte("\n" + chart)); err != nil {
			return err
		}
	}
	if notes := report.Notes(); notes != "" {
		return printText(c.term, "\n"+notes)
	}
	return nil
}
