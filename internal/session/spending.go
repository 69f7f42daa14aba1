package session

import (
	"time"

	"pollux/internal/journal"
	"pollux/llm"
	"pollux/llm/observe"
)

// spending records what requests beside the conversation use. Those of the conversation are recorded
// with their responses.
type spending struct{ journal *journal.Journal }

// Begin implements [observe.Observer].
func (s spending) Begin(req *llm.Request) observe.Call {
	switch req.Use {
	case "", llm.UseMain, llm.UseSubagent:
		return nil
	}
	return &spent{journal: s.journal, began: time.Now(), request: journal.Request{Use: req.Use, Model: req.Model}}
}

// spent is a request in progress.
type spent struct {
	journal    *journal.Journal
	began      time.Time
	request    journal.Request
	isAnswered bool
}

// See implements [observe.Call].
func (s *spent) See(r *llm.Response, _ error) {
	if r == nil {
		return
	}
	s.isAnswered = true
	if r.Usage != nil { // counts in a stream are totals: the last ones are valid
		usage := *r.Usage
		s.request.Usage = &usage
	}
}

// End implements [observe.Call].
func (s *spent) End() {
	if s.isAnswered {
		s.request.Took = time.Since(s.began)
		_ = s.journal.Spend(s.request) // it has warned
	}
}
