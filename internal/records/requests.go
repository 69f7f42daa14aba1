package records

import (
	"time"

	"pollux/llm"
	"pollux/llm/observe"
)

// Observe returns the model g such that the stream emits [RequestBegan] and [RequestEnded] for each
// request to it. Sinks that are an [observe.Observer], and then the other observers, also see the chunks
// of responses. To record each attempt of a request, Observe must be inside the retry decorator.
func (s *Stream) Observe(g llm.Generator, others ...observe.Observer) llm.Generator {
	if s.isEmpty() {
		return observe.Wrap(g, others...)
	}
	observers := []observe.Observer{requests{s}}
	for _, sink := range s.list() {
		if o, ok := sink.(observe.Observer); ok {
			observers = append(observers, o)
		}
	}
	return observe.Wrap(g, append(observers, others...)...)
}

type requests struct{ stream *Stream }

func (r requests) Begin(req *llm.Request) observe.Call {
	r.stream.Emit(RequestBegan{req})
	return &request{stream: r.stream, began: time.Now(), end: RequestEnded{Request: req}}
}

type request struct {
	stream *Stream
	began  time.Time
	usage  llm.Usage
	end    RequestEnded
}

func (r *request) See(resp *llm.Response, err error) {
	r.end.Err = err
	if resp == nil {
		return
	}
	r.end.IsAnswered = true
	if resp.Usage != nil { // counts in a stream are totals: the last ones are valid
		r.usage = *resp.Usage
		r.end.Usage = &r.usage
	}
	if reason := resp.FinishReason(); reason != "" {
		r.end.Reason = reason
	}
}

func (r *request) End() {
	r.end.Took = time.Since(r.began)
	r.stream.Emit(r.end)
}
