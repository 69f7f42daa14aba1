package usage

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"pollux/internal/terminal"
	"pollux/internal/wording"
)

type column struct {
	head string
	cell func(r *Row) string
}

var (
	prompts  = column{"PROMPTS", func(r *Row) string { return strconv.Itoa(r.Prompts) }}
	requests = column{"REQUESTS", func(r *Row) string { return strconv.Itoa(r.Requests) }}
	input    = column{"INPUT", func(r *Row) string { return wording.Tokens(r.Tokens.Prompt) }}
	cached   = column{"CACHED", func(r *Row) string { return wording.Tokens(r.Tokens.CachedContent) }}
	outputs  = column{"OUTPUT", func(r *Row) string { return wording.Tokens(output(&r.Tokens)) }}
	tokens   = column{"TOKENS", func(r *Row) string { return wording.Tokens(r.Tokens.Total) }}
	calls    = column{"CALLS", func(r *Row) string { return strconv.Itoa(r.Calls) }}
	failed   = column{"FAILED", func(r *Row) string { return strconv.Itoa(r.Failed) }}
	lines    = column{"LINES", func(r *Row) string { return unless(r.Added+r.Removed == 0, fmt.Sprintf("+%d -%d", r.Added, r.Removed)) }}
	active   = column{"TIME", func(r *Row) string { return unless(r.Active() == 0, wording.Duration(r.Active())) }}
	cost     = column{"COST", func(r *Row) string { return unless(r.Requests == 0, r.Cost.String()) }}
	used     = column{"USED", func(r *Row) string { return r.Last.Format(time.DateOnly) }}
	count    = column{"SESSIONS", func(r *Row) string { return strconv.Itoa(r.Sessions) }}
)

// unless returns a text, or "-" if isNothing.
func unless(isNothing bool, text string) string {
	if isNothing {
		return "-"
	}
	return text
}

// columns returns the columns of a report. Names of any length are in the last column, where a table
// breaks them. All fit a terminal of 80 columns.
func (r *Report) columns(display func(dir string) string) []column {
	name := func(head string) column { return column{head, r.nameCell(display)} }
	switch r.By {
	case Session:
		return []column{used, prompts, tokens, calls, active, cost, name("SESSION")}
	case Project:
		return []column{count, prompts, tokens, calls, active, cost, name("PROJECT")}
	case Model:
		return []column{requests, input, cached, outputs, active, cost, name("MODEL")}
	case Tool:
		return []column{calls, failed, active, lines, name("TOOL")}
	}
	return []column{name("DAY"), prompts, input, cached, outputs, calls, lines, active, cost}
}

func (r *Report) nameCell(display func(dir string) string) func(*Row) string {
	return func(row *Row) string {
		switch {
		case row == &r.Total:
			return "Total"
		case r.By == Session && row.Title != "":
			return row.Title
		case r.By == Project:
			return terminal.Line(display(row.Name))
		case row.Name == "":
			return "unknown"
		}
		return terminal.Line(row.Name)
	}
}

// Table returns the report as cells, with the total in the last row. display returns the name of a
// directory for people.
func (r *Report) Table(display func(dir string) string) (head []string, rows [][]string) {
	columns := r.columns(display)
	cells := func(row *Row) []string {
		list := make([]string, len(columns))
		for i, c := range columns {
			list[i] = c.cell(row)
		}
		return list
	}
	for _, c := range columns {
		head = append(head, c.head)
	}
	for i := range r.Rows {
		rows = append(rows, cells(&r.Rows[i]))
	}
	return head, append(rows, cells(&r.Total))
}

// String returns the cost for people: "$1.23", "unknown", or "$1.23+" if a part of it is unknown.
func (c Cost) String() string {
	switch {
	case c.Unknown > 0 && c.USD == 0:
		return "unknown"
	case c.Unknown > 0:
		return dollars(c.USD) + "+"
	}
	return dollars(c.USD)
}

// dollars writes an amount with two decimals, or with four if it is less than ten cents.
func dollars(usd float64) string {
	if 0 < usd && usd < 0.1 {
		return fmt.Sprintf("$%.4f", usd)
	}
	return fmt.Sprintf("$%.2f", usd)
}

// Notes returns sentences that explain the table; "" for none.
func (r *Report) Notes() string {
	const most = 5
	switch {
	case r.By == Tool || r.Total.Requests == 0:
		return ""
	case len(r.Unpriced) > 0:
		var names []string
		for _, name := range r.Unpriced[:min(len(r.Unpriced), most)] {
			names = append(names, terminal.Line(name))
		}
		list := strings.Join(names, ", ")
		if more := len(r.Unpriced) - most; more > 0 {
			list += fmt.Sprintf(" and %d more", more)
		}
		return "Costs are estimates at list prices. The price of these models is unknown: " + list + "."
	}
	return "Costs are estimates at list prices."
}
