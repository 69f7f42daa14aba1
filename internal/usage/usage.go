// Package usage sums up the usage of sessions, from their files: tokens, cost, time, tool calls and
// changed lines by day, session, project, model or tool.
//
// [Collect] reads the files; [Report.Table], [Report.Chart] and [Report.AppendJSON] show the result.
// Deleted sessions do not count.
package usage

import (
	"cmp"
	"context"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"pollux/internal/config"
	"pollux/internal/journal"
	"pollux/internal/sessions"
	"pollux/llm"
	"pollux/llm/catalog"
)

// By is the unit of a report's rows.
type By string

// The kinds of reports.
const (
	Day     By = "day"
	Session By = "session"
	Project By = "project"
	Model   By = "model"
	Tool    By = "tool"
)

// Kinds lists the kinds of reports.
var Kinds = []string{string(Day), string(Session), string(Project), string(Model), string(Tool)}

// Source is the sessions of a project.
type Source struct {
	Project string // its directory
	Store   *sessions.Store
}

// All returns the sessions of all projects of the user.
func All(paths *config.Paths) []Source {
	var sources []Source
	for _, p := range paths.Projects() {
		sources = append(sources, Source{Project: p.Dir, Store: &sessions.Store{Dir: filepath.Join(p.Temp, "chats")}})
	}
	return sources
}

// Query selects the content of a report. By and Zone must be set.
type Query struct {
	By By
	Period
	Zone *time.Location // in which days begin
	// Price returns the price of a model by its name in session files, nil if it is unknown.
	Price func(model string) *catalog.Price
}

// Row is the use by a day, a session, a project, a model or a tool.
type Row struct {
	// Name is the day as 2026-11-21, the id of the session, the directory of the project, or the name of
	// the model or tool. It is "" for the total, and for models that the files do not name.
	Name    string
	Title   string // of a session, on one line
	Project string // of a session
	// First and Last are the times of the first and the last use, rounded down to quarters of an hour.
	First, Last time.Time
	Sessions    int
	journal.Counts
	Cost Cost

	sessions map[string]bool
}

// Cost is the price of requests in US dollars, at list prices.
type Cost struct {
	USD float64 // of the requests whose price is known
	// Unknown is the number of requests whose price or tokens are unknown.
	Unknown int
}

func (c *Cost) add(other Cost) {
	c.USD += other.USD
	c.Unknown += other.Unknown
}

// Active returns how long models responded and tools ran.
func (r *Row) Active() time.Duration {
	return time.Duration(r.ModelTime+r.ToolTime) * time.Millisecond
}

// Report is the result of a query.
type Report struct {
	Query
	// Rows are in the order of days; others have those with the highest cost first.
	Rows  []Row
	Total Row
	// Unpriced are the models of requests whose price is unknown.
	Unpriced []string
}

// Collect reads the sessions of projects and sums up their usage.
func Collect(ctx context.Context, sources []Source, q Query) (*Report, error) {
	c := collector{Report: Report{Query: q}, index: map[string]int{}, prices: map[string]*catalog.Price{}}
	for _, s := range sources {
		used, err := s.Store.Usage(ctx)
		if err != nil {
			return nil, err
		}
		for i := range used {
			c.add(s.Project, &used[i])
		}
		if q.By == Session && len(used) > 0 {
			if err := c.addTitles(ctx, s); err != nil {
				return nil, err
			}
		}
	}
	c.sort()
	return &c.Report, nil
}

// collector builds a report.
type collector struct {
	Report
	index  map[string]int // in Rows, by name
	prices map[string]*catalog.Price
}

// add adds the use of a session.
func (c *collector) add(project string, u *sessions.Usage) {
	for i := range u.Rows {
		r := &u.Rows[i]
		if !c.contains(r.At) || c.By == Tool && r.Tool == "" || c.By == Model && r.Requests+r.Calls == 0 {
			continue
		}
		at := time.Unix(r.At, 0).In(c.Zone)
		cost := c.cost(&r.Counts, r.Model)
		for _, to := range [...]*Row{c.row(c.name(r, at, project, u), project), &c.Total} {
			to.add(r, at, u.SessionID, cost)
		}
	}
}

// name returns the name of the row that counts belong to.
func (c *collector) name(r *journal.UsageRow, at time.Time, project string, u *sessions.Usage) string {
	switch c.By {
	case Session:
		return u.SessionID
	case Project:
		return project
	case Model:
		return r.Model
	case Tool:
		return r.Tool
	}
	return at.Format(time.DateOnly)
}

func (c *collector) row(name, project string) *Row {
	i, ok := c.index[name]
	if !ok {
		i = len(c.Rows)
		c.index[name] = i
		c.Rows = append(c.Rows, Row{Name: name})
		if c.By == Session {
			c.Rows[i].Project = project
		}
	}
	return &c.Rows[i]
}

func (r *Row) add(used *journal.UsageRow, at time.Time, session string, cost Cost) {
	if r.sessions == nil {
		r.sessions, r.First, r.Last = map[string]bool{}, at, at
	}
	if !r.sessions[session] {
		r.sessions[session] = true
		r.Sessions++
	}
	if at.Before(r.First) {
		r.First = at
	}
	if at.After(r.Last) {
		r.Last = at
	}
	r.Add(&used.Counts)
	r.Cost.add(cost)
}

// cost returns the cost of requests to a model.
func (c *collector) cost(n *journal.Counts, model string) Cost {
	if n.Requests == 0 {
		return Cost{}
	}
	price, ok := c.prices[model]
	if !ok && c.Price != nil {
		price = c.Price(model)
		c.prices[model] = price
	}
	usd, isKnown := price.Cost(n.Tokens)
	if !isKnown {
		if name := cmp.Or(model, "unknown"); !slices.Contains(c.Unpriced, name) {
			c.Unpriced = append(c.Unpriced, name)
		}
		return Cost{Unknown: n.Requests}
	}
	return Cost{USD: usd, Unknown: n.Uncounted}
}

// addTitles adds the titles of a project's sessions.
func (c *collector) addTitles(ctx context.Context, s Source) error {
	list, err := s.Store.List(ctx)
	if err != nil {
		return err
	}
	for _, info := range list {
		if i, ok := c.index[info.ID]; ok {
			c.Rows[i].Title = info.Title
		}
	}
	return nil
}

func (c *collector) sort() {
	slices.Sort(c.Unpriced)
	slices.SortFunc(c.Rows, func(a, b Row) int {
		if c.By == Day {
			return strings.Compare(a.Name, b.Name)
		}
		return cmp.Or(
			cmp.Compare(b.Cost.USD, a.Cost.USD), cmp.Compare(b.Tokens.Total, a.Tokens.Total),
			cmp.Compare(b.Calls, a.Calls), strings.Compare(a.Name, b.Name),
		)
	})
}

// output returns the tokens of responses, with thoughts, which cost the same.
func output(t *llm.Usage) int { return t.Candidates + t.Thoughts }
