package agent

import (
	"iter"
	"slices"

	"pollux/tool"
)

// Forward yields the events of an agent that runs inside a tool call, as [Agent.Run] does, and
// passes each of them to the host. The consumer of the outer run gets them as [Nested], except
// for questions, which it gets and answers as [ToolAsked]. If the host cannot ask, Forward
// answers questions with [tool.Cancel].
//
// A tool that runs an agent passes it the context of its own call, so that both end together:
//
//	for event, err := range agent.Forward(host, inner.Run(ctx, prompt)) {
//		...
//	}
func Forward(host tool.Host, events iter.Seq2[Event, error]) iter.Seq2[Event, error] {
	return func(yield func(Event, error) bool) {
		for e, err := range events {
			asked, isQuestion := e.(ToolAsked)
			switch {
			case err != nil:
			case host.Nested != nil:
				host.Nested(nested{e})
			case isQuestion:
				asked.Answer(tool.Answer{Outcome: tool.Cancel, Unattended: true})
			}
			if !yield(e, err) {
				return
			}
		}
	}
}

// nested wraps an event so that it can pass through a [tool.Host].
type nested struct{ Event }

func (nested) NestedEvent() {}

// showNested reports an event of an agent inside a call to the consumer of the outer run. show
// returns false if the call has ended.
func showNested(call *ToolCall, e tool.NestedEvent, show func(Event) bool) {
	n, ok := e.(nested)
	if !ok {
		return
	}
	asked, ok := n.Event.(ToolAsked)
	if !ok {
		show(Nested{Call: call, Event: n.Event})
		return
	}
	asked.Following = 0 // they may come in between those of other agents
	asked.Within = slices.Concat([]*ToolCall{call}, asked.Within)
	if !show(asked) {
		asked.Answer(tool.Answer{Outcome: tool.Cancel, Unattended: true})
	}
}
