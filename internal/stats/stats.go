// Package stats counts what a run cost: requests, tokens and time per model
// and purpose, tool calls and how they were approved, lines changed.
//
// A [Session] is fed from two sides. [Session.Meter] wraps the generator, below
// the retries, so that each attempt counts; [Session.See] is shown the events of
// the run. [Session.Snapshot] is what there is so far; its methods write the two
// JSON shapes that scripts read (spec/cli.md §6.3 and §6.4). What a session
// keeps grows with the models and tools used, never with the length of an answer.
package stats

import (
	"slices"
	"sync"
	"time"

	"pollux/agent"
	"pollux/llm"
	"pollux/llm/catalog"
	"pollux/tool"
)

// Session counts one process's work. Its methods may be called from several
// goroutines at once.
type Session struct {
	// Price returns what the model of this name costs, as requests carry the
	// name, nil where that is not known. It is asked whenever a snapshot is taken:
	// what is learnt of prices while a run lasts counts for all of it. It is set
	// before the session is used; nil knows no prices.
	Price func(model string) *catalog.Price

	mu  sync.Mutex
	now Snapshot
}

// New returns a session that has counted nothing.
func New() *Session { return &Session{} }

// Snapshot returns a copy of the counts.
func (s *Session) Snapshot() Snapshot {
	s.mu.Lock()
	c := s.now.clone()
	s.mu.Unlock()
	for i := range c.Models {
		m := &c.Models[i]
		if s.Price == nil || m.uncounted {
			continue
		}
		if usd, known := s.Price(m.Name).Cost(m.API.Tokens); known {
			m.Cost = &usd
		}
	}
	return c
}

// Reset forgets all counts: another session begins.
func (s *Session) Reset() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.now = Snapshot{}
}

// See counts what an event tells about tools.
func (s *Session) See(e agent.Event) {
	done, ok := e.(agent.ToolFinished)
	if !ok {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.now.tool(done.Call.Name).finish(&done)
	s.now.Tools.finish(&done)
	if done.Result != nil && done.Status == agent.Success {
		s.now.Lines.Added += done.Result.Lines.Added
		s.now.Lines.Removed += done.Result.Lines.Removed
	}
}

// request counts one attempt at a model.
func (s *Session) request(req *llm.Request, spent spending, err error, took time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	m := s.now.model(req.Model)
	m.API.add(&spent.usage, err, took)
	m.role(req.Use).API.add(&spent.usage, err, took)
	m.uncounted = m.uncounted || spent.answered && !spent.counted
	if err != nil {
		m.failed(ErrorType(err))
	}
}

// Snapshot is what a session has counted. Lists are in the order in which
// their names were first seen.
type Snapshot struct {
	Models []Model
	Tools  Tool   // all tools together, no name
	ByName []Tool // each tool
	Lines  tool.LineChange
}

// Cost returns what all models together cost in US dollars, nil where that of any
// is not known.
func (s *Snapshot) Cost() *float64 {
	sum := 0.0
	for i := range s.Models {
		if s.Models[i].Cost == nil {
			return nil
		}
		sum += *s.Models[i].Cost
	}
	return &sum
}

// Model is what one model was used for.
type Model struct {
	Name   string
	API    API
	Errors []ErrorCount
	Roles  []Role
	Cost   *float64 // in US dollars; nil where it is not known

	uncounted bool // it gave an answer without saying how many tokens that took
}

// Role is what a model was used for one purpose.
type Role struct {
	Use llm.Use
	API API
}

// ErrorCount is how many attempts failed in one way.
type ErrorCount struct {
	Type  string
	Count int
}

// API counts attempts at a model.
type API struct {
	Requests int
	Errors   int
	Latency  time.Duration
	Tokens   llm.Usage // summed over the requests
}

// Tool counts the calls of a tool.
type Tool struct {
	Name      string
	Calls     int
	Success   int
	Fail      int
	Duration  time.Duration
	Decisions Decisions
}

// Decisions counts how calls were approved. A call that was refused before
// anyone could decide counts nowhere.
type Decisions struct {
	Accept     int // a person said yes, or by a policy nobody was asked
	Reject     int
	Modify     int // a person changed it first
	AutoAccept int // a person said "always"
}

func (s *Snapshot) clone() Snapshot {
	c := *s
	c.ByName = slices.Clone(s.ByName)
	c.Models = slices.Clone(s.Models)
	for i := range c.Models {
		c.Models[i].Errors = slices.Clone(c.Models[i].Errors)
		c.Models[i].Roles = slices.Clone(c.Models[i].Roles)
	}
	return c
}

func (s *Snapshot) model(name string) *Model {
	i := slices.IndexFunc(s.Models, func(m Model) bool { return m.Name == name })
	if i < 0 {
		i = len(s.Models)
		s.Models = append(s.Models, Model{Name: name})
	}
	return &s.Models[i]
}

func (s *Snapshot) tool(name string) *Tool {
	i := slices.IndexFunc(s.ByName, func(t Tool) bool { return t.Name == name })
	if i < 0 {
		i = len(s.ByName)
		s.ByName = append(s.ByName, Tool{Name: name})
	}
	return &s.ByName[i]
}

func (m *Model) role(use llm.Use) *Role {
	if use == "" {
		use = llm.UseMain
	}
	i := slices.IndexFunc(m.Roles, func(r Role) bool { return r.Use == use })
	if i < 0 {
		i = len(m.Roles)
		m.Roles = append(m.Roles, Role{Use: use})
	}
	return &m.Roles[i]
}

func (m *Model) failed(kind string) {
	i := slices.IndexFunc(m.Errors, func(e ErrorCount) bool { return e.Type == kind })
	if i < 0 {
		i = len(m.Errors)
		m.Errors = append(m.Errors, ErrorCount{Type: kind})
	}
	m.Errors[i].Count++
}

func (a *API) add(u *llm.Usage, err error, took time.Duration) {
	a.Requests++
	if err != nil {
		a.Errors++
	}
	a.Latency += took
	a.Tokens.Prompt += u.Prompt
	a.Tokens.Candidates += u.Candidates
	a.Tokens.Thoughts += u.Thoughts
	a.Tokens.CachedContent += u.CachedContent
	a.Tokens.CacheWrite += u.CacheWrite
	a.Tokens.ToolUsePrompt += u.ToolUsePrompt
	a.Tokens.Total += u.Total
}

func (t *Tool) finish(e *agent.ToolFinished) {
	t.Calls++
	if e.Status == agent.Success {
		t.Success++
	} else {
		t.Fail++
	}
	t.Duration += e.Duration
	switch e.Outcome {
	case tool.ProceedOnce:
		t.Decisions.Accept++
	case tool.ProceedAlways, tool.ProceedAlwaysAndSave, tool.ProceedAlwaysServer, tool.ProceedAlwaysTool:
		t.Decisions.AutoAccept++
	case tool.ModifyWithEditor:
		t.Decisions.Modify++
	case tool.Cancel:
		t.Decisions.Reject++
	}
}
