package journal

import (
	"crypto/rand"
	"fmt"
	"slices"
	"time"

	"pollux/agent"
	"pollux/llm"
)

// BeginCall implements [agent.CallRecorder].
func (j *Journal) BeginCall(id string) error {
	return j.change(func(s *session) ([]byte, []agent.Entry) {
		n := s.callNumber(id)
		if n < 0 {
			return nil, s.live
		}
		record := func(b []byte) []byte { return fmt.Appendf(b, `{"$set":{"begun":%d}}`+"\n", n) }
		s.running = append(s.running, record)
		return record(nil), s.live
	})
}

// callNumber returns the index of a call among those of the last response, -1 if it is not one of them.
func (s *session) callNumber(id string) int {
	for _, e := range slices.Backward(s.live) {
		if calls := e.Content.FunctionCalls(); e.Content.Role == llm.RoleModel {
			return slices.IndexFunc(calls, func(c *llm.FunctionCall) bool { return c.ID == id })
		}
	}
	return -1
}

// EndCall implements [agent.CallRecorder].
func (j *Journal) EndCall(e agent.Entry) error {
	return j.change(func(s *session) ([]byte, []agent.Entry) {
		record := func(b []byte) []byte { return appendEnded(b, e) }
		s.running = append(s.running, record)
		return record(nil), s.live
	})
}

// appendEnded appends a message that people do not see, with a finished call and its result.
func appendEnded(b []byte, e agent.Entry) []byte {
	start := len(b)
	b = appendHead(b, rand.Text()[:12], "info", e.Time)
	b = append(b, `,"toolCalls":[`...)
	b = appendCall(b, &e.Calls[0], &e.Message)
	b = append(b[:len(b)-1], `,"result":`...)
	b = append(llm.AppendParts(b, e.Content.Parts), "}]}"...)
	unbreak(b[start:])
	return append(b, '\n')
}

// EndCalls implements [agent.CallRecorder].
func (j *Journal) EndCalls(e agent.Entry) error {
	return j.change(func(s *session) ([]byte, []agent.Entry) {
		s.running, s.isAhead = nil, true
		return appendMessage(nil, e), append(s.live, e)
	})
}

// update makes e, which was recorded before it joined the history, the last entry, and returns the records of its
// changes. If it has joined the history much later, it is recorded again, because the time of the next response counts
// from there.
func (s *session) update(e agent.Entry) []byte {
	const later = time.Second
	last := &s.live[len(s.live)-1]
	switch {
	case e.Content == last.Content && e.Time.Sub(last.Time) < later:
		return nil
	case len(e.Calls) == 0:
		e.Calls = last.Calls
	}
	*last = e
	return append(appendMessageValue(nil, e.Message), '\n')
}

// openCalls are the calls of the last response, as far as they are known from the records about them.
type openCalls struct {
	isTracked bool // a call that has begun, and may have changed something, has a record
	calls     []*llm.FunctionCall
	begun     map[int]bool           // by index in calls
	ended     map[string]agent.Entry // with the results of one call each
}

// newOpenCalls returns the calls of a response.
func newOpenCalls(response *record, calls []*llm.FunctionCall) openCalls {
	return openCalls{isTracked: response.isTracked, calls: calls, begun: map[int]bool{}, ended: map[string]agent.Entry{}}
}

// begunRecord is the kind of a record that a call begins, in the history.
const begunRecord = "begun"

// add adds the results in a record.
func (o *openCalls) add(r *record) {
	for _, c := range r.calls {
		if parts := resultParts(c); hasResultOf(parts, c.ID) {
			if c.Timestamp.IsZero() {
				c.Timestamp = r.time
			}
			o.ended[c.ID] = agent.Entry{Message: agent.Message{Content: llm.User(parts...)}, Calls: []agent.CallRecord{c.record()}}
		}
	}
}

// The results of calls that have none in the file, if it is not known whether they began, or what they were.
const (
	interruptedText = "Interrupted: Pollux ended before this call did, or before it began. It may have had some of its effects. Check before you repeat it."
	lostText        = "The result of this call is lost."
)

// settle returns the result of a call at the end of the history, and whether the end of Pollux has interrupted it.
// The result has the given time.
func (o *openCalls) settle(c *llm.FunctionCall, t time.Time) (result agent.Entry, isInterrupted bool) {
	if e, ok := o.ended[c.ID]; ok {
		return e, false
	}
	hasRun, text := true, interruptedText
	switch {
	case o.begun[slices.Index(o.calls, c)]:
		text = agent.CutOff
	case o.isTracked:
		hasRun, text = false, agent.NotBegun
	}
	return unanswered(c, text, hasRun, t), true
}

// unanswered returns a result for a call that has none.
func unanswered(c *llm.FunctionCall, text string, hasRun bool, t time.Time) agent.Entry {
	return agent.Entry{
		Message: agent.Message{Content: llm.User(llm.Part{FunctionResponse: llm.Failure(c.ID, c.Name, text)})},
		Calls: []agent.CallRecord{{
			ID: c.ID, Name: c.Name, Args: c.Args, Status: agent.CallCancelled, Ended: t, HasRun: hasRun, IsInterrupted: !hasRun,
		}},
	}
}
