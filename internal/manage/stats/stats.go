// Package stats shows the usage of sessions.
package stats

import (
	"cmp"
	"context"
	"fmt"
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
	"pollux/internal/manage/keys"
	"pollux/internal/manage/logs"
	"pollux/internal/manage/sessions"
	"pollux/internal/outcome"
	"pollux/internal/project"
	"pollux/internal/session"
	"pollux/internal/snapshots"
	"pollux/internal/stats"
	"pollux/internal/terminal"
	"pollux/internal/usage"
	"pollux/internal/wording"
	"pollux/llm"
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
		Name: "stats", Summary: "Show tokens, cost, time and tool calls of sessions", Run: manage.With(manage.Open, show),
		Session: &manage.InSession{Aliases: []string{"usage"}, Summary: "Show session statistics", Run: ofSession}, RunsWhileBusy: true,
		Subs: []*manage.Command{
			live("session", "", "Show time, tool calls and tokens", ofSession),
			live("model", "", "Show statistics by model", byModel),
			live("activity", "", "Show the last 100 events with the memory use", activity),
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
func show(ctx context.Context, call *manage.Call, set *project.Project) (o outcome.Outcome, err error) {
	c := &query{call, cmp.Or(call.Value("by"), string(usage.Day))}
	now := time.Now()
	period, err := usage.ParsePeriod(c.Value("since"), c.Value("until"), now)
	if err != nil {
		return o, err
	}
	if !slices.Contains(usage.Kinds, c.by) {
		return o, exit.Errorf(exit.General, "There are no statistics by %q. Choose one of: %s.", terminal.Line(c.by), strings.Join(usage.Kinds, ", "))
	}
	sources, err := c.sources()
	if err != nil {
		return o, err
	}
	accounts := sync.OnceValue(func() *auth.Accounts {
		in := set.AuthInputs(ctx)
		in.Warn = set.Warn
		all, _ := auth.Open(in) // prices need no account
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

func ofSession(_ context.Context, c *manage.Call) (outcome.Outcome, error) {
	parts := append([]outcome.Part{outcome.Text("Session Stats")}, Summary(c.Live)...)
	if log := snapshots.Existing(c.Live.Project, c.Live.Project.Paths); log != nil {
		parts = append(parts, outcome.Title(""), &outcome.Table{Rows: [][]string{{"Undo Log", snapshots.Space(log)}}})
	}
	return outcome.New(parts...), nil
}

// Summary returns the time, tool calls and tokens of a session as tables.
func Summary(s *session.Session) []outcome.Part {
	used := s.Observers.Stats.Snapshot()
	rows := [][]string{{"Session ID", s.ID()}}
	rows = append(rows, keys.AccountRows(s)...)
	calls := "none"
	if used.Tools.Calls > 0 {
		calls = fmt.Sprintf("%d (%d succeeded, %d failed)", used.Tools.Calls, used.Tools.Success, used.Tools.Fail)
	}
	rows = append(rows, []string{"Tool Calls", calls})
	if accepted, asked := countAccepted(used.Asked); asked > 0 {
		rows = append(rows, []string{"You Approved", fmt.Sprintf("%d of %d", accepted, asked)})
	}
	if used.Lines.Added+used.Lines.Removed > 0 {
		rows = append(rows, []string{"Code Changes", fmt.Sprintf("+%d -%d", used.Lines.Added, used.Lines.Removed)})
	}
	api, tools := time.Duration(0), used.Tools.Duration
	for _, m := range used.Models {
		api += m.API.Latency
	}
	part := func(d time.Duration) string {
		return wording.Duration(d) + " (" + wording.Percent(float64(d), float64(api+tools)) + ")"
	}
	rows = append(
		rows,
		[]string{"Wall Time", wording.Duration(s.Age())},
		[]string{"Agent Active", wording.Duration(api + tools)},
		[]string{"  API Time", part(api)},
		[]string{"  Tool Time", part(tools)},
	)
	parts := []outcome.Part{&outcome.Table{Rows: rows}}
	if len(used.Models) == 0 {
		return parts
	}
	return append(parts, outcome.Title(""), outcome.NewTable([]string{"Model", "Reqs", "Input Tokens", "Cache Reads", "Output Tokens"}, used.Models, func(m stats.Model) []string {
		return append([]string{m.Name}, numbers(m.API.Requests, m.API.Tokens.Prompt, m.API.Tokens.CachedContent, m.API.Tokens.Candidates)...)
	}))
}

func numbers(list ...int) (cells []string) {
	for _, n := range list {
		cells = append(cells, wording.Number(n))
	}
	return cells
}

// Farewell returns the text that a face shows on exit: the cost of the conversation, and how to resume it later.
func Farewell(s *session.Session, width int) string {
	text := "Agent powering down. Goodbye!\n"
	if len(s.Observers.Stats.Snapshot().Models) > 0 {
		text += "\n" + outcome.New(Summary(s)...).Markdown(width)
	}
	switch {
	case s.Farewell.WorktreeHints() != "": // they include how to resume
	case s.Record.IsRecorded() && s.Record.IsUnwanted():
		text += "\nDeleting this session.\n"
	default:
		text += "\n" + ResumeHint(s)
	}
	return strings.TrimRight(text, "\n")
}

// ResumeHint returns how to resume the conversation later, "" if it is not recorded.
func ResumeHint(s *session.Session) string {
	switch hints := s.Farewell.WorktreeHints(); {
	case !s.Record.IsRecorded(), s.Record.IsUnwanted():
		return ""
	case hints != "":
		return hints
	}
	return "To resume this session: " + s.Farewell.ResumeCommand()
}

// countAccepted returns how many of the calls with these decisions were accepted unchanged, and the number of calls.
func countAccepted(d stats.Decisions) (accepted, calls int) {
	accepted = d.Accept + d.AutoAccept
	return accepted, accepted + d.Reject + d.Modify
}

func byModel(_ context.Context, c *manage.Call) (outcome.Outcome, error) {
	used := c.Live.Observers.Stats.Snapshot()
	if len(used.Models) == 0 {
		return manage.Say("No API calls have been made in this session.")
	}
	head := []string{"Metric"}
	for _, m := range used.Models {
		head = append(head, m.Name)
	}
	var rows [][]string
	add := func(name string, value func(m *stats.Model) string) {
		row := []string{name}
		for i := range used.Models {
			row = append(row, value(&used.Models[i]))
		}
		rows = append(rows, row)
	}
	tokens := func(name string, n func(u llm.Usage) int) {
		add("  "+name, func(m *stats.Model) string { return wording.Number(n(m.API.Tokens)) })
	}
	add("API Requests", func(m *stats.Model) string { return wording.Number(m.API.Requests) })
	add("Errors", func(m *stats.Model) string {
		return fmt.Sprintf("%d (%s)", m.API.Errors, wording.Percent(float64(m.API.Errors), float64(m.API.Requests)))
	})
	add("Avg Latency", func(m *stats.Model) string {
		return wording.Duration(m.API.Latency / time.Duration(max(1, m.API.Requests)))
	})
	tokens("Tokens Total", func(u llm.Usage) int { return u.Total })
	tokens("Input", func(u llm.Usage) int { return u.Prompt })
	add("  Cache Reads", func(m *stats.Model) string {
		t := m.API.Tokens
		return fmt.Sprintf("%s (%s)", wording.Number(t.CachedContent), wording.Percent(float64(t.CachedContent), float64(t.Prompt)))
	})
	tokens("Thoughts", func(u llm.Usage) int { return u.Thoughts })
	tokens("Tool", func(u llm.Usage) int { return u.ToolUsePrompt })
	tokens("Output", func(u llm.Usage) int { return u.Candidates })
	for _, use := range allUses(used.Models) {
		add("Role "+string(use), func(m *stats.Model) string {
			for _, r := range m.Roles {
				if r.Use == use {
					return fmt.Sprintf("%s req, %s tokens", wording.Number(r.API.Requests), wording.Number(r.API.Tokens.Total))
				}
			}
			return "-"
		})
	}
	return outcome.New(outcome.Text("Model Stats For Nerds"), &outcome.Table{Head: head, Rows: rows}), nil
}

// allUses returns the distinct uses of the models, in order of first appearance.
func allUses(models []stats.Model) (all []llm.Use) {
	for _, m := range models {
		for _, r := range m.Roles {
			if !slices.Contains(all, r.Use) {
				all = append(all, r.Use)
			}
		}
	}
	return all
}

func activity(_ context.Context, c *manage.Call) (outcome.Outcome, error) {
	events := c.Live.Observers.Recent.Events()
	if len(events) == 0 {
		return manage.Say("No events are kept in this session.")
	}
	return outcome.New(outcome.Text("Last Events"), logs.Activity(events)), nil
}

func byTool(_ context.Context, c *manage.Call) (outcome.Outcome, error) {
	used := c.Live.Observers.Stats.Snapshot()
	if len(used.ByName) == 0 {
		return manage.Say("No tool calls have been made in this session.")
	}
	o := outcome.New(outcome.Text("Tool Stats For Nerds"), outcome.NewTable([]string{"Tool", "Calls", "Success Rate", "Avg Duration"}, used.ByName, func(t stats.Tool) []string {
		return []string{t.Name, wording.Number(t.Calls), wording.Percent(float64(t.Success), float64(t.Calls)), wording.Duration(t.Duration / time.Duration(max(1, t.Calls)))}
	}))
	if accepted, asked := countAccepted(used.Asked); asked > 0 {
		o.Parts = append(o.Parts, outcome.Title(""), &outcome.Table{Rows: [][]string{
			{"Asked You About", wording.Number(asked)},
			{"Accepted", wording.Number(accepted)},
			{"Rejected", wording.Number(used.Asked.Reject)},
			{"Modified", wording.Number(used.Asked.Modify)},
			{"Agreement Rate", wording.Percent(float64(accepted), float64(asked))},
		}})
	}
	return o, nil
}

func cost(_ context.Context, c *manage.Call) (outcome.Outcome, error) {
	used := c.Live.Observers.Stats.Snapshot()
	if len(used.Models) == 0 {
		return manage.Say("No cost: no requests were sent in this session.")
	}
	dollars := func(usd *float64) string {
		if usd == nil {
			return "unknown"
		}
		return fmt.Sprintf("$%.4f", *usd)
	}
	t := outcome.NewTable([]string{"Model", "Requests", "Input", "Cached", "Output", "Thoughts", "Cost"}, used.Models, func(m stats.Model) []string {
		tokens := m.API.Tokens
		cells := numbers(m.API.Requests, tokens.Prompt, tokens.CachedContent, tokens.Candidates, tokens.Thoughts)
		return append(append([]string{m.Name}, cells...), dollars(m.Cost))
	})
	total := "Total cost unknown: no price for some models."
	if sum := used.Cost(); sum != nil {
		total = fmt.Sprintf("Total: %s at list prices.", dollars(sum))
	}
	return outcome.New(t, outcome.Text(total)), nil
}

// over returns the command that sums up the usage of sessions, this one included.
func over(by usage.By) manage.Run {
	return func(ctx context.Context, c *manage.Call) (outcome.Outcome, error) {
		now := time.Now()
		period, err := usage.ParsePeriod(c.Text, "", now)
		if err != nil {
			return manage.Misuse("%w", err)
		}
		report, err := usage.Collect(ctx, c.Live.Record.UsageSources(by == usage.Project), usage.Query{By: by, Period: period, Zone: now.Location(), Price: c.Live.Models.Price})
		switch {
		case err != nil:
			return outcome.Outcome{}, exit.Errorf(exit.General, "Cannot read the sessions: %w", err)
		case len(report.Rows) == 0:
			return manage.Say("No usage found.")
		}
		return outcome.New(parts(report, c.Live.Project.Paths, c.IsUTF8())...), nil
	}
}
