package working

import (
	"cmp"
	"time"

	"pollux/agent"
)

// observe takes an event of a run.
func (r *Row) observe(e agent.Event, at time.Time) {
	var by agentOf
	for {
		n, isNested := e.(agent.Nested)
		if !isNested {
			break
		}
		by.call, e = n.Call, n.Event
	}
	if by.call == nil {
		r.observeMain(e)
	}
	switch e := e.(type) {
	case agent.Waiting:
		r.delay = newRetry(e, by, at)
	case agent.Retried:
		model := ""
		if by.call == nil {
			model = r.model
		}
		r.delay = newRepeat(e, by, model)
	case agent.Silent:
		r.delay = newSilence(e, by, at)
	case agent.ToolUpdated, agent.Joined: // not from the model
	case agent.ToolFinished:
		r.endDelay(e.Call)
	default:
		r.endDelay(by.call)
	}
}

// endDelay removes the delay of the agent that runs in a call, nil for the main agent.
func (r *Row) endDelay(call *agent.ToolCall) {
	if r.delay != nil && r.delay.of() == call {
		r.delay = nil
	}
}

// observeMain takes an event of the main agent.
func (r *Row) observeMain(e agent.Event) {
	switch e := e.(type) {
	case agent.ModelInfo:
		r.model = clean(e.Model)
	case agent.Switched:
		r.model = clean(e.To)
	case agent.TurnStarted:
		r.subject = ""
	case agent.Thinking:
		r.subject = cmp.Or(clean(e.Subject), r.subject)
	case agent.Thought:
		r.subject = cmp.Or(clean(e.Subject), r.subject)
	}
}
