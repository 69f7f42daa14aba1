// Package stats counts the resources that a run has used: requests, tokens and time by model
// and purpose, tool calls and how they were approved, changed lines.
//
// A [Counter] takes the records of a session: of requests, which should be observed inside the
// retries, so that each attempt is counted, and of events. [Counter.Snapshot] returns the counts
// so far; its methods write the JSON formats that scripts read. The memory of a session depends
// on the number of models and tools used, not on the length of responses.
package stats

import (
	"cmp"
	"errors"
	"slices"
	"strconv"
	"sync"
	"time"

	"pollux/agent"
	"pollux/internal/records"
	"pollux/llm"
	"pollux/llm/catalog"
	"pollux/tool"
)

// Counter counts the work of one process. It is safe for concurrent use.
type Counter struct {
	// Price returns the price of a model by the name in requests, nil if unknown. It is called
	// for each snapshot, so that prices that become known during a run apply to all of it. It
	// must be set before the first use; nil means that no price is known.
	Price func(model string) *catalog.Price

	mu     sync.Mutex
	counts Snapshot
	files  files
	// agents is the last model that an agent asked, the main one or a subagent.
	agents string
}

// New returns a session without counts.
func New() *Counter { return &Counter{} }

// Snapshot returns a copy of the counts.
func (s *Counter) Snapshot() Snapshot {
	s.mu.Lock()
	c := s.counts.clone()
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

var _ records.Sink = (*Counter)(nil)

// Record counts a request, the end of a tool call, and a response that stays unusable. A session that is no
// branch resets the counts.
func (s *Counter) Record(r records.Record) {
	switch r := r.(type) {
	case records.SessionBegan:
		if !r.IsBranch {
			s.reset()
		}
	case records.RequestEnded:
		s.request(&r)
	case *records.AgentEvent:
		s.observe(r.Event)
	case records.ClientCall:
		s.finish(r.Finished.Executions)
	}
}

func (s *Counter) reset() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.counts, s.files, s.agents = Snapshot{}, files{}, ""
}

// observe counts the executions of a tool call when its event is [agent.ToolFinished], with the user's decisions
// about them, and an error of the model when it is [agent.InvalidStream]: empty and blocked responses are errors
// once no further attempt is made. It counts events of agents that run inside a call, too, and ignores others.
func (s *Counter) observe(e agent.Event) {
	switch e := e.(type) {
	case agent.Nested:
		s.observe(e.Event)
	case agent.ToolFinished:
		s.finish(e.Executions)
	case agent.InvalidStream:
		s.mu.Lock()
		defer s.mu.Unlock()
		m := s.counts.model(s.agents)
		m.API.Errors++
		m.failed(e.Type)
	}
}

func (s *Counter) finish(list []agent.Execution) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for i := range list {
		x := &list[i]
		if x.Decision.By == agent.DecidedByUser {
			s.counts.Asked.add(x.Decision.Outcome)
		}
		s.counts.tool(x.Name).finish(x)
		s.counts.Tools.finish(x)
		lines := x.Lines()
		s.counts.Lines.Added += lines.Added
		s.counts.Lines.Removed += lines.Removed
		s.counts.Files.add(x.Changes)
		s.files.add(x.Changes)
	}
}

// request counts one attempt at a model.
func (s *Counter) request(r *records.RequestEnded) {
	s.mu.Lock()
	defer s.mu.Unlock()
	req := r.Request
	switch req.Use {
	case "", llm.UseMain, llm.UseSubagent:
		s.agents = req.Model
	}
	usage := cmp.Or(r.Usage, &llm.Usage{})
	m := s.counts.model(req.Model)
	m.API.add(usage, r.Err, r.Took)
	m.role(req.Use).API.add(usage, r.Err, r.Took)
	m.uncounted = m.uncounted || r.IsAnswered && r.Usage == nil
	if r.Err != nil {
		m.failed(ErrorType(r.Err))
	}
}

// Snapshot contains counts. Lists are in the order in which their names first occurred.
type Snapshot struct {
	Models []Model
	Tools  Tool      // all tools together, without a name
	ByName []Tool    // by tool
	Asked  Decisions // about the calls that the user was asked about
	Lines  tool.LineChange
	Files  FileCounts
	// Paths are the changed files, and MorePaths a number of changes of others, as [Counter.ChangedFiles] returns them. [Counter.Snapshot]
	// leaves them out.
	Paths     []tool.FileChange
	MorePaths int
}

// FileCounts counts changes of files by calls. A file that several calls have changed counts for each.
type FileCounts struct{ Created, Changed, Deleted int }

func (f *FileCounts) add(c *tool.Changes) {
	if c != nil {
		f.Created += c.Created
		f.Changed += c.Changed
		f.Deleted += c.Deleted
	}
}

// Cost returns the total cost of all models in US dollars, nil if the cost of any model is
// unknown.
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

// Model contains the counts of one model.
type Model struct {
	Name   string
	API    API
	Errors []ErrorCount
	Roles  []Role
	Cost   *float64 // in US dollars; nil if unknown

	uncounted bool // it gave a response without token counts
}

// Role contains the counts of one model for one purpose.
type Role struct {
	Use llm.Use
	API API
}

// ErrorCount is the number of failed attempts with the same error type.
type ErrorCount struct {
	Type  string
	Count int
}

// API contains counts of attempts at a model.
type API struct {
	Requests int
	Errors   int
	Latency  time.Duration
	Tokens   llm.Usage // sum over all requests
}

// Tool contains counts of the calls of a tool.
type Tool struct {
	Name      string
	Calls     int
	Success   int
	Fail      int
	Duration  time.Duration // without the time in which calls waited for a person
	Decisions Decisions
}

// Decisions counts how calls were approved. A call that was refused before a decision is not
// counted.
type Decisions struct {
	Accept     int // approved by the user, or by a policy without asking
	Reject     int
	Modify     int // the user changed it first
	AutoAccept int // the user approved it permanently
}

// add counts a decision.
func (d *Decisions) add(o tool.Outcome) {
	switch o {
	case tool.ProceedOnce:
		d.Accept++
	case tool.ProceedAlways, tool.ProceedAlwaysAndSave, tool.ProceedAlwaysServer, tool.ProceedAlwaysTool:
		d.AutoAccept++
	case tool.ModifyWithEditor:
		d.Modify++
	case tool.Cancel:
		d.Reject++
	}
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
	return entry(&s.Models, func(m *Model) bool { return m.Name == name }, Model{Name: name})
}

func (s *Snapshot) tool(name string) *Tool {
	return entry(&s.ByName, func(t *Tool) bool { return t.Name == name }, Tool{Name: name})
}

// entry returns the item of a list for which is returns true. It adds made if there is none.
func entry[T any](list *[]T, is func(*T) bool, made T) *T {
	for i := range *list {
		if is(&(*list)[i]) {
			return &(*list)[i]
		}
	}
	*list = append(*list, made)
	return &(*list)[len(*list)-1]
}

func (m *Model) role(use llm.Use) *Role {
	use = cmp.Or(use, llm.UseMain)
	return entry(&m.Roles, func(r *Role) bool { return r.Use == use }, Role{Use: use})
}

func (m *Model) failed(kind string) {
	entry(&m.Errors, func(e *ErrorCount) bool { return e.Type == kind }, ErrorCount{Type: kind}).Count++
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

func (t *Tool) finish(x *agent.Execution) {
	t.Calls++
	if x.Status == agent.Success {
		t.Success++
	} else {
		t.Fail++
	}
	t.Duration += x.Active
	t.Decisions.add(x.Decision.Outcome)
}

// ErrorType returns the label under which a failed attempt is counted, such as "HTTP_503" or
// "AbortError".
func ErrorType(err error) string {
	var e *llm.Error
	if !errors.As(err, &e) {
		return "AbortError" // the label that Gemini CLI uses when the context has ended
	}
	switch e.Kind {
	case llm.KindQuota, llm.KindCapacity, llm.KindRateLimit, llm.KindServer, llm.KindIncomplete, llm.KindContextWindow:
		return e.Kind.String()
	case llm.KindNetwork, llm.KindNoServer:
		return cmp.Or(e.Code, e.Kind.String())
	}
	if e.Status != 0 {
		return "HTTP_" + strconv.Itoa(e.Status)
	}
	return e.Kind.String()
}
