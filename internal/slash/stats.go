package slash

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"pollux/internal/stats"
	"pollux/llm"
)

// statsSession shows the time, tool calls and tokens of the session.
func statsSession(_ context.Context, s *Runner, _ string) (Result, error) {
	return textResult("Session Stats\n\n%s", s.statsSummary())
}

// Farewell returns the text that a face shows on exit, or "" if the session used no model.
func (s *Runner) Farewell() string {
	if len(s.Stats.Snapshot().Models) == 0 {
		return ""
	}
	return "Agent powering down. Goodbye!\n\n" + s.statsSummary()
}

// statsSummary returns the time, tool calls and tokens of the session as tables.
func (s *Runner) statsSummary() string {
	c := s.Stats.Snapshot()
	rows := [][]string{{"Session ID", s.ID()}}
	rows = append(rows, s.accountRows()...)
	rows = append(rows, []string{"Tool Calls", fmt.Sprintf("%d ( ✓ %d x %d )", c.Tools.Calls, c.Tools.Success, c.Tools.Fail)})
	if c.Tools.Calls > 0 {
		rows = append(rows, []string{"Success Rate", formatPercent(float64(c.Tools.Success), float64(c.Tools.Calls))})
	}
	if accepted, reviewed := countAccepted(c.Tools.Decisions); reviewed > 0 {
		rows = append(rows, []string{"User Agreement", fmt.Sprintf("%s (%d reviewed)", formatPercent(float64(accepted), float64(reviewed)), reviewed)})
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
		[]string{"Wall Time", formatDuration(s.Age())},
		[]string{"Agent Active", formatDuration(api + tools)},
		[]string{"  API Time", formatDuration(api) + " (" + formatPercent(float64(api), float64(api+tools)) + ")"},
		[]string{"  Tool Time", formatDuration(tools) + " (" + formatPercent(float64(tools), float64(api+tools)) + ")"},
	)
	text := formatTable(rows...)
	if len(c.Models) == 0 {
		return text
	}
	used := [][]string{{"Model", "Reqs", "Input Tokens", "Cache Reads", "Output Tokens"}}
	for _, m := range c.Models {
		t := m.API.Tokens
		used = append(used, []string{m.Name, formatNumber(m.API.Requests), formatNumber(t.Prompt), formatNumber(t.CachedContent), formatNumber(t.Candidates)})
	}
	return text + "\n" + formatTable(used...)
}

// countAccepted returns how many tool calls the user accepted unchanged, and how many the
// user reviewed.
func countAccepted(d stats.Decisions) (accepted, reviewed int) {
	return d.Accept, d.Accept + d.Reject + d.Modify
}

// statsModel shows requests, errors, latency and tokens for each model.
func statsModel(_ context.Context, s *Runner, _ string) (Result, error) {
	c := s.Stats.Snapshot()
	if len(c.Models) == 0 {
		return textResult("No API calls have been made in this session.")
	}
	rows := [][]string{{"Metric"}}
	for _, m := range c.Models {
		rows[0] = append(rows[0], m.Name)
	}
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
		return formatDuration(m.API.Latency / time.Duration(max(1, m.API.Requests)))
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
	return textResult("Model Stats For Nerds\n\n%s", formatTable(rows...))
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
	c := s.Stats.Snapshot()
	if len(c.ByName) == 0 {
		return textResult("No tool calls have been made in this session.")
	}
	rows := [][]string{{"Tool", "Calls", "Success Rate", "Avg Duration"}}
	for _, t := range c.ByName {
		rows = append(rows, []string{
			t.Name, formatNumber(t.Calls), formatPercent(float64(t.Success), float64(t.Calls)), formatDuration(t.Duration / time.Duration(max(1, t.Calls))),
		})
	}
	d := c.Tools.Decisions
	accepted, reviewed := countAccepted(d)
	decisions := [][]string{
		{"Total Reviewed", strconv.Itoa(reviewed)},
		{"Accepted", strconv.Itoa(d.Accept)},
		{"Rejected", strconv.Itoa(d.Reject)},
		{"Modified", strconv.Itoa(d.Modify)},
	}
	if reviewed > 0 {
		decisions = append(decisions, []string{"Overall Agreement Rate", formatPercent(float64(accepted), float64(reviewed))})
	}
	return textResult("Tool Stats For Nerds\n\n%s\n%s", formatTable(rows...), formatTable(decisions...))
}

// cost shows the tokens and the cost of the session for each model.
func cost(_ context.Context, s *Runner, _ string) (Result, error) {
	c := s.Stats.Snapshot()
	if len(c.Models) == 0 {
		return textResult("No cost: no requests were sent in this session.")
	}
	dollars := func(usd *float64) string {
		if usd == nil {
			return "not known"
		}
		return fmt.Sprintf("$%.4f", *usd)
	}
	rows := [][]string{{"Model", "Requests", "Input", "Cached", "Output", "Thoughts", "Cost"}}
	for _, m := range c.Models {
		t := m.API.Tokens
		rows = append(rows, []string{
			m.Name, formatNumber(m.API.Requests), formatNumber(t.Prompt), formatNumber(t.CachedContent), formatNumber(t.Candidates), formatNumber(t.Thoughts), dollars(m.Cost),
		})
	}
	text := formatTable(rows...) + "\n"
	if total := c.Cost(); total != nil {
		return textResult("%sTotal: %s at list prices.", text, dollars(total))
	}
	return textResult("%sTotal cost unknown: no price for some models.", text)
}
