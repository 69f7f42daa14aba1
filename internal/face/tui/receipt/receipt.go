// Package receipt makes the line about a run of the model that has ended: its time, its tokens and its cost.
package receipt

import (
	"fmt"
	"strconv"
	"time"

	"pollux/internal/face/tui/styled"
	"pollux/internal/face/tui/theme"
	"pollux/internal/stats"
	"pollux/internal/terminal"
	"pollux/internal/wording"
	"pollux/llm"
)

// Counts has the requests, tokens and cost of a session until a moment.
type Counts struct {
	Requests int
	Tokens   llm.Usage
	Cost     float64 // in US dollars
	HasCost  bool    // the cost of all models is known
}

// Of returns the counts of a session, of all its models together. They are zero for nil.
func Of(s *stats.Snapshot) (c Counts) {
	if s == nil {
		return c
	}
	for i := range s.Models {
		m := &s.Models[i]
		c.Requests += m.API.Requests
		c.Tokens.Prompt += m.API.Tokens.Prompt
		c.Tokens.CachedContent += m.API.Tokens.CachedContent
		c.Tokens.Candidates += m.API.Tokens.Candidates
		c.Tokens.Thoughts += m.API.Tokens.Thoughts
	}
	if cost := s.Cost(); cost != nil {
		c.Cost, c.HasCost = *cost, true
	}
	return c
}

// Receipt has the time, requests, tokens and cost of a run.
type Receipt struct {
	Time     time.Duration
	Requests int
	Input    int // tokens, with the cached ones
	Cached   int
	Output   int // tokens, with the thoughts
	Cost     float64
	HasCost  bool
}

// Between returns the receipt of a run, from the counts before and after it.
func Between(before, after Counts, took time.Duration) Receipt {
	return Receipt{
		Time: took, Requests: after.Requests - before.Requests,
		Input: after.Tokens.Prompt - before.Tokens.Prompt, Cached: after.Tokens.CachedContent - before.Tokens.CachedContent,
		Output: after.Tokens.Candidates + after.Tokens.Thoughts - before.Tokens.Candidates - before.Tokens.Thoughts,
		Cost:   after.Cost - before.Cost, HasCost: after.HasCost,
	}
}

// Line returns the receipt in at most width columns, without the last parts if there is no room for them. It returns nil
// for a run without a request.
func (r Receipt) Line(width int, t theme.Theme) styled.Line {
	if r.Requests <= 0 {
		return nil
	}
	text := ""
	for _, part := range r.parts() {
		next := part
		if text != "" {
			next = text + " · " + part
		}
		if terminal.Width(next) > width {
			break
		}
		text = next
	}
	return styled.Of(text, t.Secondary())
}

// parts returns the parts of the line, the most important first.
func (r Receipt) parts() (list []string) {
	if r.Time >= time.Second {
		list = append(list, wording.Duration(r.Time.Truncate(100*time.Millisecond)))
	}
	list = append(list, wording.Count(r.Requests, "request"))
	if r.Input > 0 {
		text := short(r.Input) + " in"
		if r.Cached > 0 {
			text += fmt.Sprintf(" (%d%% cached)", 100*min(r.Cached, r.Input)/r.Input)
		}
		list = append(list, text)
	}
	if r.Output > 0 {
		list = append(list, short(r.Output)+" out")
	}
	if r.HasCost && r.Cost > 0 {
		list = append(list, dollars(r.Cost))
	}
	return list
}

// short returns a number of tokens, such as "840", "18.2k" or "1.3M".
func short(n int) string {
	switch {
	case n < 1000:
		return strconv.Itoa(n)
	case n < 999_950:
		return fmt.Sprintf("%.1fk", float64(n)/1000)
	}
	return fmt.Sprintf("%.1fM", float64(n)/1_000_000)
}

// dollars returns an amount with as many decimals as it takes to see it.
func dollars(n float64) string {
	switch {
	case n < 0.0001:
		return "under $0.0001"
	case n < 0.01:
		return fmt.Sprintf("$%.4f", n)
	case n < 1:
		return fmt.Sprintf("$%.3f", n)
	}
	return fmt.Sprintf("$%.2f", n)
}
