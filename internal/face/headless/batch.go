package headless

import (
	"slices"

	"pollux/agent"
)

// batch restores the model's order of calls for results that arrive in any order. It has the calls whose results
// were not returned yet.
type batch []requested

// requested is a call of the model. Its result is nil until it arrives.
type requested struct {
	id     string
	result *agent.ToolFinished
}

func (b *batch) add(c *agent.ToolCall) { *b = append(*b, requested{id: c.ID}) }

// finish adds a result and returns the results that are next in order.
func (b *batch) finish(r *agent.ToolFinished) (ready []*agent.ToolFinished) {
	i := slices.IndexFunc(*b, func(c requested) bool { return c.id == r.Call.ID && c.result == nil })
	if i < 0 { // the model did not request this call
		return []*agent.ToolFinished{r}
	}
	(*b)[i].result = r
	for len(*b) > 0 && (*b)[0].result != nil {
		ready = append(ready, (*b)[0].result)
		*b = (*b)[1:]
	}
	return ready
}

// drain returns, in order, the results still held back because an earlier call has none.
func (b *batch) drain() (rest []*agent.ToolFinished) {
	for _, c := range *b {
		if c.result != nil {
			rest = append(rest, c.result)
		}
	}
	*b = nil
	return rest
}
