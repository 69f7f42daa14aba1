package stats

import (
	"errors"
	"strconv"
	"time"

	"pollux/llm"
	"pollux/llm/observe"
)

// Begin counts a request to a model, and implements [observe.Observer]. Each attempt
// counts as a request where the counter observes inside the retry decorator.
func (s *Counter) Begin(req *llm.Request) observe.Call {
	return &meter{counter: s, req: req, began: time.Now()}
}

// meter is a request in progress.
type meter struct {
	counter *Counter
	req     *llm.Request
	began   time.Time
	spent   spending
	err     error
}

// See implements [observe.Call].
func (m *meter) See(r *llm.Response, err error) {
	m.err = err
	m.spent.see(r)
}

// End implements [observe.Call].
func (m *meter) End() { m.counter.request(m.req, m.spent, m.err, time.Since(m.began)) }

// spending is the token usage of an attempt. If there was a response without counts, the usage
// is unknown; if there was no response, it is zero.
type spending struct {
	usage             llm.Usage
	answered, counted bool
}

func (s *spending) see(r *llm.Response) {
	if r == nil {
		return
	}
	s.answered = true
	if r.Usage != nil { // counts in a stream are totals: the last ones are valid
		s.usage, s.counted = *r.Usage, true
	}
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
