package slash

import (
	"context"
	"fmt"
	"strings"
	"time"

	"pollux/internal/exit"
	"pollux/internal/manage/keys"
	"pollux/internal/stats"
	"pollux/internal/usage"
	"pollux/internal/wording"
	"pollux/llm"
)

// statsSession shows the time, tool calls and tokens of the session.
func statsSession(_ context.Context, s *Runner, _ string) (Result, error) {
	return textResult("Session Stats\n\n%s", s.statsSummary())
}

// Farewell returns the text that a face shows on exit: what the conversation has cost, and how to go on
// with it later.
func (s *Runner) Farewell() string {
	text := "Agent powering down. Goodbye!\n"
	if len(s.Session.Observers.Stats.Snapshot().Models) > 0 {
		text += "\n" + s.statsSummary()
	}
	switch {
	case s.Session.Farewell.WorktreeHints() != "": // which say how to resume
	case s.Session.Record.IsRecorded() && s.Session.Record.IsUnwanted():
		text += "\nDeleting this session.\n"
	default:
		text += "\n" + s.ResumeHint()
	}
	return strings.TrimRight(text, "\n")
}

// ResumeHint returns how to go on with the conversation later, "" if it is not recorded.
func (s *Runner) ResumeHint() string {
	switch hints := s.Session.Farewell.WorktreeHints(); {
	case !s.Session.Record.IsRecorded(), s.Session.Record.IsUnwanted():
		return ""
	case hints != "":
		return hints
	}
	return "To resume this session: " + s.Session.Farewell.ResumeCommand()
}

// statsSummary returns the time, tool calls and tokens of the session as tables.
func (s *Runner) statsSummary() string {
	c := s.Session.Observers.Stats.Snapshot()
	rows := [][]string{{"Session ID", s.Session.ID()}}
	rows = append(rows, keys.AccountRows(s.Session)...)
	calls := "none"
	if c.Tools.Calls > 0 {
		calls = fmt.Sprintf("%d (%d succeeded, %d failed)", c.Tools.Calls, c.Tools.Success, c.Tools.Fail)
	}
	rows = append(rows, []string{"Tool Calls", calls})
	if accepted, asked := countAccepted(c.Asked); asked > 0 {
		rows = append(rows, []string{"You Approved", fmt.Sprintf("%d of %d", accepted, asked)})
	}
	if c.Lines.Added+c.Lines.Removed > 0 {
		rows = append(rows, []string{"Code Changes", fmt.Sprintf("+%d -%d", c.Lines.Added, c.Lines.Removed)})
	}
	api, tools := time.Duration(0), c.Tools.Duration
	for _, m := range c.Models {
		api += m.API.Latency
	}
	rows = append(
		rows,
		[]string{"Wall Time", wording.Duration(s.Session.Age())},
		[]string{"Agent Active", wording.Duration(api + tools)},
		[]string{"  API Time", wording.Duration(api) + " (" + formatPercent(float64(api), float64(api+tools)) + ")"},
		[]string{"  Tool Time", wording.Duration(tools) + " (" + formatPercent(float64(tools), float64(api+tools)) + ")"},
	)
	text := s.formatTable(nil, rows...)
	if len(c.Models) == 0 {
		return text
	}
	var used [][]string
	for _, m := range c.Models {
		t := m.API.Tokens
		used = append(used, []string{m.Name, formatNumber(m.API.Requests), formatNumber(t.Prompt), formatNumber(t.CachedContent), formatNumber(t.Candidates)})
	}
	return text + "\n" + s.formatTable([]string{"Model", "Reqs", "Input Tokens", "Cache Reads", "Output Tokens"}, used...)
}

// countAccepted returns how many of the calls with these decisions were accepted unchanged, and
// the number of calls.
func countAccepted(d stats.Decisions) (accepted, calls int) {
	accepted = d.Accept + d.AutoAccept
	return accepted, accepted + d.Reject + d.Modify
}

// statsModel shows requests, errors, latency and tokens for each model.
func statsModel(_ context.Context, s *Runner, _ string) (Result, error) {
	c := s.Session.Observers.Stats.Snapshot()
	if len(c.Models) == 0 {
		return textResult("No API calls have been made in this session.")
	}
	head := []string{"Metric"}
	for _, m := range c.Models {
		head = append(head, m.Name)
	}
	var rows [][]string
	add := func(name string, value func(m *stats.Model) string) {
		row := []string{name}
		for i := range c.Models {
			row = append(row, value(&c.Models[i]))
		}
		rows = append(rows, row)
	}
	tokens := func(name string, n func(u llm.Usage) int) {
		add("  "+name, func(m *stats.Model) string { return formatNumber(n(m.API.Tokens)) })
	}
	add("API Requests", func(m *stats.Model) string { return formatNumber(m.API.Requests) })
	add("Errors", func(m *stats.Model) string {
		return fmt.Sprintf("%d (%s)", m.API.Errors, formatPercent(float64(m.API.Errors), float64(m.API.Requests)))
	})
	add("Avg Latency", func(m *stats.Model) string {
		return wording.Duration(m.API.Latency / time.Duration(max(1, m.API.Requests)))
	})
	tokens("Tokens Total", func(u llm.Usage) int { return u.Total })
	tokens("Input", func(u llm.Usage) int { return u.Prompt })
	add("  Cache Reads", func(m *stats.Model) string {
		t := m.API.Tokens
		return fmt.Sprintf("%s (%s)", formatNumber(t.CachedContent), formatPercent(float64(t.CachedContent), float64(t.Prompt)))
	})
	tokens("Thoughts", func(u llm.Usage) int { return u.Thoughts })
	tokens("Tool", func(u llm.Usage) int { return u.ToolUsePrompt })
	tokens("Output", func(u llm.Usage) int { return u.Candidates })
	for _, use := range allUses(c.Models) {
		add("Role "+string(use), func(m *stats.Model) string {
			for _, r := range m.Roles {
				if r.Use == use {
					return fmt.Sprintf("%s req, %s tokens", formatNumber(r.API.Requests), formatNumber(r.API.Tokens.Total))
				}
			}
			return "-"
		})
	}
	return textResult("Model Stats For Nerds\n\n%s", s.formatTable(head, rows...))
}

// allUses returns the distinct uses of the models, in order of first appearance.
func allUses(models []stats.Model) []llm.Use {
	var all []llm.Use
	seen := map[llm.Use]bool{}
	for _, m := range models {
		for _, r := range m.Roles {
			if !seen[r.Use] {
				seen[r.Use] = true
				all = append(all, r.Use)
			}
		}
	}
	return all
}

// statsTools shows calls, success rate and duration for each tool, and the user's decisions.
func statsTools(_ context.Context, s *Runner, _ string) (Result, error) {
	c := s.Session.Observers.Stats.Snapshot()
	if len(c.ByName) == 0 {
		return textResult("No tool calls have been made in this session.")
	}
	var rows [][]string
	for _, t := range c.ByName {
		rows = append(rows, []string{
			t.Name, formatNumber(t.Calls), formatPercent(float64(t.Success), float64(t.Calls)), wording.Duration(t.Duration / time.Duration(max(1, t.Calls))),
		})
	}
	text := "Tool Stats For Nerds\n\n" + s.formatTable([]string{"Tool", "Calls", "Success Rate", "Avg Duration"}, rows...)
	if accepted, asked := countAccepted(c.Asked); asked > 0 {
		text += "\n" + s.formatTable(
			nil,
			[]string{"Asked You About", formatNumber(asked)},
			[]string{"Accepted", formatNumber(accepted)},
			[]string{"Rejected", formatNumber(c.Asked.Reject)},
			[]string{"Modified", formatNumber(c.Asked.Modify)},
			[]string{"Agreement Rate", formatPercent(float64(accepted), float64(asked))},
		)
	}
	return Result{Text: text}, nil
}

// cost shows the tokens and the cost of the session for each model.
func cost(_ context.Context, s *Runner, _ string) (Result, error) {
	c := s.Session.Observers.Stats.Snapshot()
	if len(c.Models) == 0 {
		return textResult("No cost: no requests were sent in this session.")
	}
	dollars := func(usd *float64) string {
		if usd == nil {
			return "unknown"
		}
		return fmt.Sprintf("$%.4f", *usd)
	}
	var rows [][]string
	for _, m := range c.Models {
		t := m.API.Tokens
		rows = append(rows, []string{
			m.Name, formatNumber(m.API.Requests), formatNumber(t.Prompt), formatNumber(t.CachedContent), formatNumber(t.Candidates), formatNumber(t.Thoughts), dollars(m.Cost),
		})
	}
	text := s.formatTable([]string{"Model", "Requests", "Input", "Cached", "Output", "Thoughts", "Cost"}, rows...) + "\n"
	if total := c.Cost(); total != nil {
		return textResult("%sTotal: %s at list prices.", text, dollars(total))
	}
	return textResult("%sTotal cost unknown: no price for some models.", text)
}

// statsBy returns the command that sums up what sessions have used, this one included.
func statsBy(by usage.By) func(context.Context, *Runner, string) (Result, error) {
	return func(ctx context.Context, s *Runner, since string) (Result, error) {
		now := time.Now()
		period, err := usage.ParsePeriod(since, "", now)
		if err != nil {
			return usageError("%w", err)
		}
		report, err := usage.Collect(ctx, s.Session.Record.UsageSources(by == usage.Project), usage.Query{By: by, Period: period, Zone: now.Location(), Price: s.Session.Models.Price})
		switch {
		case err != nil:
			return Result{}, exit.Errorf(exit.General, "Cannot read the sessions: %w", err)
		case len(report.Rows) == 0:
			return textResult("No usage found.")
		}
		head, rows := report.Table(s.Session.Project.Paths.Display)
		text := s.formatTable(head, rows...)
		isUTF8 := s.Terminal != nil && s.Terminal.Color && s.Terminal.Abilities(s.Session.Project.Options.Env.Get).UTF8
		if chart := report.Chart(s.tableWidth(), isUTF8); chart != "" {
			text += "\n" + tableIndent + strings.ReplaceAll(strings.TrimSuffix(chart, "\n"), "\n", "\n"+tableIndent) + "\n"
		}
		return textResult("%s", strings.TrimRight(text+"\n"+report.Notes(), "\n"))
	}
}
