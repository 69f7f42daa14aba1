package stats

import (
	"context"
	"errors"
	"iter"
	"strconv"
	"time"

	"pollux/llm"
)

// Meter returns a generator that counts each answer of g. It belongs inside
// the retries: one request to it is one attempt. Counting tokens and embedding
// are not model turns and are not counted.
func (s *Session) Meter(g llm.Generator) llm.Generator {
	return &meter{Generator: g, session: s}
}

type meter struct {
	llm.Generator
	session *Session
}

var _ llm.Generator = (*meter)(nil)

// Unwrap returns the generator below.
func (m *meter) Unwrap() llm.Generator { return m.Generator }

func (m *meter) Stream(ctx context.Context, req *llm.Request) iter.Seq2[*llm.Response, error] {
	return func(yield func(*llm.Response, error) bool) {
		var spent spending
		var failure error
		start := time.Now()
		defer func() { m.session.request(req, spent, failure, time.Since(start)) }()
		for r, err := range m.Generator.Stream(ctx, req) {
			failure = err
			spent.see(r)
			if !yield(r, err) {
				return
			}
		}
	}
}

func (m *meter) Generate(ctx context.Context, req *llm.Request) (*llm.Response, error) {
	start := time.Now()
	r, err := m.Generator.Generate(ctx, req)
	var spent spending
	spent.see(r)
	m.session.request(req, spent, err, time.Since(start))
	return r, err
}

// spending is what an attempt took. One that brought an answer but no counts took
// nobody knows how much; one that brought nothing, nothing.
type spending struct {
	usage             llm.Usage
	answered, counted bool
}

func (s *spending) see(r *llm.Response) {
	if r == nil {
		return
	}
	s.answered = true
	if r.Usage != nil { // counts in a stream are totals: the last ones hold
		s.usage, s.counted = *r.Usage, true
	}
}

// ErrorType returns the label under which a failed attempt is counted
// (spec/agent.md §10.1).
func ErrorType(err error) string {
	var e *llm.Error
	if !errors.As(err, &e) {
		return "AbortError" // by contract: the context ended
	}
	switch e.Kind {
	case llm.KindQuota, llm.KindCapacity, llm.KindRateLimit, llm.KindServer, llm.KindIncomplete, llm.KindContextWindow:
		return e.Kind.String()
	case llm.KindNetwork:
		if e.Code != "" {
			return e.Code
		}
		return e.Kind.String()
	}
	if e.Status != 0 {
		return "HTTP_" + strconv.Itoa(e.Status)
	}
	return e.Kind.String()
}
