package recent

import (
	"context"
	"errors"
	"iter"
	"strconv"
	"time"

	"pollux/agent"
	"pollux/internal/stats"
	"pollux/llm"
	"pollux/llm/observe"
)

// Runner processes a prompt, like [agent.Agent.Run].
type Runner = func(ctx context.Context, p agent.Prompt) iter.Seq2[agent.Event, error]

// Run returns a runner that keeps the events of run.
func (r *Ring) Run(run Runner) Runner {
	if r == nil {
		return run
	}
	return func(ctx context.Context, p agent.Prompt) iter.Seq2[agent.Event, error] {
		return func(yield func(agent.Event, error) bool) {
			began, status := time.Now(), Failed // if run panics
			r.Add(Event{Kind: Prompt, In: len(llm.PartsText(p.Parts))})
			defer func() { r.Add(Event{Kind: End, Status: status, Took: time.Since(began)}) }()
			result := OK
			for e, err := range run(ctx, p) {
				switch _, isCancelled := e.(agent.Cancelled); {
				case isCancelled, errors.Is(err, context.Canceled):
					result = Cancelled
				case err != nil:
					result = Failed
				default:
					r.see(e)
				}
				if !yield(e, err) {
					if result == OK {
						result = Cancelled
					}
					break
				}
			}
			status = result
		}
	}
}

// see keeps the event of a run, if it is one of those to keep.
func (r *Ring) see(e agent.Event) {
	switch e := e.(type) {
	case agent.ToolRequested:
		r.Add(Event{Kind: Tool, Name: e.Call.Name, In: len(e.Call.Args)})
	case agent.ToolFinished:
		for i := range e.Executions {
			r.addExecution(&e.Executions[i])
		}
	case agent.Nested:
		r.see(e.Event)
	case agent.Retried:
		r.Add(Event{Kind: Retry, Status: e.Cause.Type, In: e.Attempt})
	case agent.Waiting:
		r.Add(Event{Kind: Retry, Name: e.Model, Status: errorType(e.Err), In: e.Attempt + 1})
	case agent.InvalidStream:
		r.Add(Event{Kind: Retry, Status: "gave up: " + e.Type})
	case agent.Switched:
		r.Add(Event{Kind: Switch, Name: e.To, Status: errorType(e.Err)})
	case agent.LoopDetected:
		r.Add(Event{Kind: Loop, Status: e.Kind})
	}
}

// addExecution keeps the end of an execution.
func (r *Ring) addExecution(x *agent.Execution) {
	end := Event{Kind: Result, Name: x.Name, Status: string(x.Status), Took: x.Duration, Out: len(llm.PartsText(x.Result.Content))}
	if x.Result.Error != nil {
		end.Status = string(x.Result.Error.Type)
	}
	r.Add(end)
}

// ObserveCall keeps the end of a call that no prompt has led to.
func (r *Ring) ObserveCall(e *agent.ToolFinished) {
	if r != nil {
		r.see(*e)
	}
}

// Begin keeps a request, and implements [observe.Observer].
func (r *Ring) Begin(req *llm.Request) observe.Call {
	if r == nil {
		return nil
	}
	r.Add(Event{Kind: Request, Name: req.Model, Status: string(req.Use), In: len(req.Contents)})
	return &call{ring: r, model: req.Model, began: time.Now()}
}

// call is a request in progress.
type call struct {
	ring   *Ring
	model  string
	began  time.Time
	reason string
	usage  llm.Usage
}

// See implements [observe.Call].
func (c *call) See(resp *llm.Response, err error) {
	if err != nil {
		c.reason = errorType(err)
	}
	if resp == nil {
		return
	}
	if resp.Usage != nil { // counts in a stream are totals: the last ones are valid
		c.usage = *resp.Usage
	}
	if reason := resp.FinishReason(); reason != "" {
		c.reason = string(reason)
	}
}

// End implements [observe.Call].
func (c *call) End() {
	c.ring.Add(Event{
		Kind: Response, Name: c.model, Status: c.reason, Took: time.Since(c.began),
		In: c.usage.Prompt, Out: c.usage.Candidates + c.usage.Thoughts,
	})
}

func errorType(err error) string {
	if err == nil {
		return ""
	}
	return stats.ErrorType(err)
}

func appendValue(b []byte, value any) []byte {
	switch v := value.(type) {
	case string:
		return llm.AppendString(b, v)
	case int64:
		return strconv.AppendInt(b, v, 10)
	}
	return append(b, "null"...)
}
