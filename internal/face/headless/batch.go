package headless

import (
	"slices"

	"pollux/agent"
)

// batch restores the model's order of calls for results that arrive in any order. The
// zero batch is empty.
type batch struct {
	order []string // ids of calls without a returned result
	done  map[string][]*agent.ToolFinished
}

func (b *batch) add(c *agent.ToolCall) { b.order = append(b.order, c.ID) }

// finish adds a result and returns the results that are next in order.
func (b *batch) finish(r *agent.ToolFinished) []*agent.ToolFinished {
	if !slices.Contains(b.order, r.Call.ID) { // the model did not request this call
		return []*agent.ToolFinished{r}
	}
	if b.done == nil {
		b.done = map[string][]*agent.ToolFinished{}
	}
	b.done[r.Call.ID] = append(b.done[r.Call.ID], r)
	var ready []*agent.ToolFinished
	for len(b.order) > 0 {
		next := b.take(b.order[0])
		if next == nil {
			break
		}
		b.order = b.order[1:]
		ready = append(ready, next)
	}
	return ready
}

// drain returns, in order, the results still held back because an earlier call has
// none.
func (b *batch) drain() []*agent.ToolFinished {
	var rest []*agent.ToolFinished
	for _, id := range b.order {
		if r := b.take(id); r != nil {
			rest = append(rest, r)
		}
	}
	b.order = nil
	return rest
}

func (b *batch) take(id string) *agent.ToolFinished {
	waiting := b.done[id]
	switch len(waiting) {
	case 0:
		return nil
	case 1:
		delete(b.done, id)
	default:
		b.done[id] = waiting[1:]
	}
	return waiting[0]
}
