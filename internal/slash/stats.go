package slash

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"pollux/internal/stats"
	"pollux/llm"
)

// spec/tui.md §10.

func statsSession(_ context.Context, s *Session, _ string) (Result, error) {
	return say("Session Stats\n\n%s", s.summary())
}

// Farewell is what a face shows when it ends, "" if nothing was said.
func (s *Session) Farewell() string {
	if len(s.App.Stats.Snapshot().Models) == 0 {
		return ""
	}
	return "Agent powering down. Goodbye!\n\n" + s.summary()
}

// summary is what the session has done.
func (s *Session) summary() string {
	c := s.App.Stats.Snapshot()
	rows := [][]string{{"Session ID", s.App.SessionID()}}
	rows = append(rows, s.account()...)
	rows = append(rows, []string{"Tool Calls", fmt.Sprintf("%d ( ✓ %d x %d )", c.Tools.Calls, c.Tools.Success, c.Tools.Fail)})
	if c.Tools.Calls > 0 {
		rows = append(rows, []string{"Success Rate", percent(float64(c.Tools.Success), float64(c.Tools.Calls))})
	}
	if agreed, asked := agreement(c.Tools.Decisions); asked > 0 {
		rows = append(rows, []string{"User Agreement", fmt.Sprintf("%s (%d reviewed)", percent(float64(agreed), float64(asked)), asked)})
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
		[]string{"Wall Time", took(s.App.Age())},
		[]string{"Agent Active", took(api + tools)},
		[]string{"  API Time", took(api) + " (" + percent(float64(api), float64(api+tools)) + ")"},
		[]string{"  Tool Time", took(tools) + " (" + percent(float64(tools), float64(api+tools)) + ")"},
	)
	text := table(rows...)
	if len(c.Models) == 0 {
		return text
	}
	used := [][]string{{"Model", "Reqs", "Input Tokens", "Cache Reads", "Output Tokens"}}
	for _, m := range c.Models {
		t := m.API.Tokens
		used = append(used, []string{m.Name, number(m.API.Requests), number(t.Prompt), number(t.CachedContent), number(t.Candidates)})
	}
	return text + "\n" + table(used...)
}

// agreement returns how many calls a person has let pass as they were, of those
// that they were asked about.
func agreement(d stats.Decisions) (agreed, asked int) {
	return d.Accept, d.Accept + d.Reject + d.Modify
}

func statsModel(_ context.Context, s *Session, _ string) (Result, error) {
	c := s.App.Stats.Snapshot()
	if len(c.Models) == 0 {
		return say("No API calls have been made in this session.")
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
		add("  "+name, func(m *stats.Model) string { return number(n(m.API.Tokens)) })
	}
	add("API Requests", func(m *stats.Model) string { return number(m.API.Requests) })
	add("Errors", func(m *stats.Model) string {
		return fmt.Sprintf("%d (%s)", m.API.Errors, percent(float64(m.API.Errors), float64(m.API.Requests)))
	})
	add("Avg Latency", func(m *stats.Model) string { return took(m.API.Latency / time.Duration(max(1, m.API.Requests))) })
	tokens("Tokens Total", func(u llm.Usage) int { return u.Total })
	tokens("Input", func(u llm.Usage) int { return u.Prompt })
	add("  Cache Reads", func(m *stats.Model) string {
		t := m.API.Tokens
		return fmt.Sprintf("%s (%s)", number(t.CachedContent), percent(float64(t.CachedContent), float64(t.Prompt)))
	})
	tokens("Thoughts", func(u llm.Usage) int { return u.Thoughts })
	tokens("Tool", func(u llm.Usage) int { return u.ToolUsePrompt })
	tokens("Output", func(u llm.Usage) int { return u.Candidates })
	for _, use := range uses(c.Models) {
		add("Role "+string(use), func(m *stats.Model) string {
			for _, r := range m.Roles {
				if r.Use == use {
					return fmt.Sprintf("%s req, %s tokens", number(r.API.Requests), number(r.API.Tokens.Total))
				}
			}
			return "-"
		})
	}
	return say("Model Stats For Nerds\n\n%s", table(rows...))
}

// uses returns what models were used for, each purpose once.
func uses(models []stats.Model) []llm.Use {
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

func statsTools(_ context.Context, s *Session, _ string) (Result, error) {
	c := s.App.Stats.Snapshot()
	if len(c.ByName) == 0 {
		return say("No tool calls have been made in this session.")
	}
	rows := [][]string{{"Tool", "Calls", "Success Rate", "Avg Duration"}}
	for _, t := range c.ByName {
		rows = append(rows, []string{
			t.Name, number(t.Calls), percent(float64(t.Success), float64(t.Calls)), took(t.Duration / time.Duration(max(1, t.Calls))),
		})
	}
	d := c.Tools.Decisions
	agreed, asked := agreement(d)
	decided := [][]string{
		{"Total Reviewed", strconv.Itoa(asked)},
		{"Accepted", strconv.Itoa(d.Accept)},
		{"Rejected", strconv.Itoa(d.Reject)},
		{"Modified", strconv.Itoa(d.Modify)},
	}
	if asked > 0 {
		decided = append(decided, []string{"Overall Agreement Rate", percent(float64(agreed), float64(asked))})
	}
	return say("Tool Stats For Nerds\n\n%s\n%s", table(rows...), table(decided...))
}

// cost says what the session has cost, model by model.
func cost(_ context.Context, s *Session, _ string) (Result, error) {
	c := s.App.Stats.Snapshot()
	if len(c.Models) == 0 {
		return say("Nothing has been asked yet, and nothing paid.")
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
			m.Name, number(m.API.Requests), number(t.Prompt), number(t.CachedContent), number(t.Candidates), number(t.Thoughts), dollars(m.Cost),
		})
	}
	text := table(rows...) + "\n"
	if total := c.Cost(); total != nil {
		return say("%sTogether %s, at list prices.", text, dollars(total))
	}
	return say("%sWhat all of it cost is not known: not every model's price is.", text)
}
