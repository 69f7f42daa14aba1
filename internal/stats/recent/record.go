package recent

import (
	"strconv"

	"pollux/agent"
	"pollux/internal/records"
	"pollux/internal/stats"
	"pollux/llm"
)

var _ records.Sink = (*Ring)(nil)

// Record keeps a record, if it is one of those to keep.
func (r *Ring) Record(of records.Record) {
	if r == nil {
		return
	}
	switch of := of.(type) {
	case records.SessionBegan:
		r.add(Event{Kind: Session, Name: of.ID})
	case records.PromptBegan:
		r.add(Event{Kind: Prompt, In: len(llm.PartsText(of.Parts))})
	case *records.AgentEvent:
		r.see(of.Event)
	case records.PromptEnded:
		r.add(Event{Kind: End, Status: string(of.Status), Took: of.Took})
	case records.ClientCall:
		r.addExecutions(of.Finished.Executions)
	case records.RequestBegan:
		r.add(Event{Kind: Request, Name: of.Request.Model, Status: string(of.Request.Use), In: len(of.Request.Contents)})
	case records.RequestEnded:
		r.addResponse(&of)
	case records.HistoryCompressed:
		r.add(Event{Kind: Compression, Status: strconv.Itoa(int(of.Status)), In: of.Before, Out: of.After})
	case records.Rewound:
		r.add(Event{Kind: Rewind})
	case records.CommandRun:
		e := Event{Kind: Command, Name: of.Name}
		if of.Failed {
			e.Status = Failed
		}
		r.add(e)
	case records.ModeSwitched:
		r.add(Event{Kind: Mode, Name: of.To})
	case records.ModelChosen:
		r.add(Event{Kind: Model, Name: of.Model})
	case records.SignalReceived:
		r.add(Event{Kind: Signal, Name: of.Name})
	}
}

// see keeps the event of a run, if it is one of those to keep.
func (r *Ring) see(e agent.Event) {
	switch e := e.(type) {
	case agent.ToolRequested:
		r.add(Event{Kind: Tool, Name: e.Call.Name, In: len(e.Call.Args)})
	case agent.ToolFinished:
		r.addExecutions(e.Executions)
	case agent.Nested:
		r.see(e.Event)
	case agent.Retried:
		r.add(Event{Kind: Retry, Status: e.Cause.Type, In: e.Attempt})
	case agent.Waiting:
		r.add(Event{Kind: Retry, Name: e.Model, Status: errorType(e.Err), In: e.Attempt + 1})
	case agent.InvalidStream:
		r.add(Event{Kind: Retry, Status: "gave up: " + e.Type})
	case agent.Switched:
		r.add(Event{Kind: Switch, Name: e.To, Status: errorType(e.Err)})
	case agent.LoopDetected:
		r.add(Event{Kind: Loop, Status: e.Kind})
	case agent.Exhausted:
		r.add(Event{Kind: Loop, Status: "continuations", In: e.Requests})
	}
}

// addExecutions keeps the ends of executions.
func (r *Ring) addExecutions(list []agent.Execution) {
	for i := range list {
		x := &list[i]
		end := Event{Kind: Result, Name: x.Name, Status: string(x.Status), Took: x.Duration, Out: len(llm.PartsText(x.Result.Content))}
		if x.Result.Error != nil {
			end.Status = string(x.Result.Error.Type)
		}
		r.add(end)
	}
}

func (r *Ring) addResponse(of *records.RequestEnded) {
	e := Event{Kind: Response, Name: of.Request.Model, Status: string(of.Reason), Took: of.Took}
	if of.Err != nil {
		e.Status = errorType(of.Err)
	}
	if of.Usage != nil {
		e.In, e.Out = of.Usage.Prompt, of.Usage.Candidates+of.Usage.Thoughts
	}
	r.add(e)
}

func errorType(err error) string {
	if err == nil {
		return ""
	}
	return stats.ErrorType(err)
}
